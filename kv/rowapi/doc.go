// Package rowapi is HBase's client operations on any [kv.Store]: Get, Scan, Put, Delete, Increment,
// Append, CheckAndMutate, RowMutations and batches of them, with HBase's filters
// (https://hbase.apache.org/book.html#arch.client). It works in the caller's process, without a
// network, next to SQL on the same store and with the same locks, clock and retention.
//
// HBase's table ns:t is the table group t of the database ns, and its family f is the table t$f. A table
// t in no group is the table ns:t with one family, [SoleFamily]. The namespace default, or none, is the
// database that [Options] names.
//
// Semantics are HBase's, with these differences:
//
//   - Deletes leave no markers. Deleted cells are gone at once, and what is put afterwards is seen,
//     whatever its timestamp (in HBase: NEW_VERSION_BEHAVIOR). Mutations of a row in one operation take
//     effect in order.
//   - A null value, which SQL can write, reads as an empty one.
//   - A scanner reads one snapshot of the whole table if the store has snapshots.
//   - Visibility and access control of single cells are refused by name.
//
// All methods of a [Client] are safe for concurrent use. Bytes passed to an operation must not change
// until it returns. Bytes of results belong to the caller, unless they are in a [Memory].
package rowapi
