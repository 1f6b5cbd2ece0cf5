// Package index keeps the entries of indexes in the same commit as the cells that they come from, whoever writes these.
//
// [Wrap] makes of a store one whose transactions do that. What an entry says of a row is the
// front's own knowledge, which it gives as a [Maker].
//
// The entries of an index are the cells of a hidden table, see [kv.Index]. The entries of a row
// come from the newest version of each of its columns, as the transaction sees them, so that they
// are exact for readers of these, and for no others.
//
// [Build] makes the entries of the rows that a table has, [Check] compares entries with rows.
package index
