// Package rpc is the connections of HBase's remote procedure calls
// (https://hbase.apache.org/book.html#hbase.rpc): preamble, headers, calls that are answered in any order,
// and blocks of cells beside their messages. What calls do is a [Handler]'s.
//
// What a client announces costs no memory before it has sent it.
package rpc
