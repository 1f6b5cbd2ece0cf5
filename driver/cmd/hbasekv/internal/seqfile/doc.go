// Package seqfile reads what HBase's Export writes
// (https://hbase.apache.org/book.html#export): Hadoop's SequenceFiles of row keys
// and of Results as protobufs, not compressed, by record or by block, with the
// codecs Default (deflate), Gzip, BZip2, Snappy and ZStandard.
//
// A file is read as a stream. One Result is held in memory, of at most maxResult
// bytes; memory is allocated only for bytes that have been read.
package seqfile
