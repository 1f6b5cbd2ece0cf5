// Package rpc is the connections of HBase's remote procedure calls
// (https://hbase.apache.org/book.html#hbase.rpc): preamble, headers, calls that are answered in any order,
// and blocks of cells beside their messages. A [Handler] does the calls.
//
// What a client announces takes no memory before the client has sent it.
package rpc
