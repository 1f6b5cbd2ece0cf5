// Package kv is HBase's data model and the seam between SQL and storage.
//
// The types that matter: [Cell], one version of one column of one row;
// [Scan], what to read; [Cursor], what comes back; [Txn], a snapshot with
// writes on top; [Table], the descriptor of one column family; [Catalog], all
// descriptors at one moment; [Store], which gives all of these.
//
// Order is HBase's (https://hbase.apache.org/book.html#_data_model): row
// ascending, family ascending, qualifier ascending (unsigned bytes), timestamp
// descending.
//
// Ownership: bytes handed to a Store are copied before the call returns. Bytes
// handed out by a Cursor are valid until its next step or Close.
//
// Layout: where a table's cells are is the store's own. It says so in Table.Layout,
// which others leave as it is, and takes part in changes of the catalog by
// [Layouts]. Package kv/keyspace is one for stores whose partitions are parts of one
// ordered store.
//
// Atomicity: all writes of a Txn become visible, and durable, together at
// Commit, over all rows, tables and partitions.
package kv
