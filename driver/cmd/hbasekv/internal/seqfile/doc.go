// Package seqfile reads what HBase's Export writes
// (https://hbase.apache.org/book.html#export): Hadoop's SequenceFiles of row keys
// and of Results as protobufs, not compressed, by record or by block, with the
// codecs Default (deflate), Gzip, BZip2, Snappy and ZStandard.
//
// A file is read as a stream. One Result is held, never more than maxResult; what
// a length says is not believed before the bytes are there.
package seqfile
