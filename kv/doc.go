// Package kv is HBase's data model and the seam between SQL and storage.
//
// The main types: [Cell], one version of one column of one row; [Scan], what to
// read; [Cursor], the cells that are read; [Txn], a snapshot with writes on top;
// [Table], the descriptor of one column family; [Catalog], all descriptors at one
// moment; [Store], which provides all of these.
//
// Order is HBase's (https://hbase.apache.org/book.html#_data_model): row
// ascending, family ascending, qualifier ascending (unsigned bytes), timestamp
// descending.
//
// Ownership: bytes passed to a Store are copied before the call returns. Bytes
// returned by a Cursor are valid until its next step or Close.
//
// Layout: the store decides where a table's cells are. It records that in
// Table.Layout, which others must not change, and takes part in changes of the
// catalog by [Layouts]. Package kv/keyspace is a layout for stores whose partitions
// are parts of one ordered store.
//
// Atomicity: all writes of a Txn become visible, and durable, together at Commit,
// across all rows, tables and partitions.
package kv
