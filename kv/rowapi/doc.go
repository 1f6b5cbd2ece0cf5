// Package rowapi is HBase's client operations on any [kv.Store]: Get, Scan, Put, Delete, Increment,
// Append, CheckAndMutate, RowMutations and batches of them, with HBase's filters
// (https://hbase.apache.org/book.html#arch.client). It works in the caller's process, without a
// network, beside SQL on the same store: with its locks, its clock and its retention.
//
// The table ns:t of HBase is the table group t of the database ns, and its family f is the table
// t$f. A table t that is in no group is the table ns:t with one family, [SoleFamily]. The namespace
// default, or none, is the database that [Options] names.
//
// Semantics are HBase's, with these differences:
//
//   - Deletes leave no markers. What is deleted is gone at that moment, and what is put afterwards is
//     seen, whatever its timestamp (in HBase: NEW_VERSION_BEHAVIOR). Mutations of a row that are made
//     together take effect in their order.
//   - A null value, which SQL can write, reads as an empty one.
//   - A scanner reads one snapshot of the whole table where the store has snapshots.
//   - Visibility and access control of single cells are refused by name.
//
// All methods of a [Client] may be called by many goroutines at once. Bytes that are given to an
// operation must stay as they are until it returns; bytes of results are the caller's own, unless it has
// had them made in a [Memory].
package rowapi
