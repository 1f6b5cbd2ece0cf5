// Package index keeps the entries of indexes in the same commit as the cells that they come from, whoever
// writes these.
//
// [Wrap] wraps a store so that its transactions do that. Only the front knows how entries are made from a
// row: it provides a [Maker].
//
// The entries of an index are the cells of a hidden table, see [kv.Index]. The entries of a row come from the
// newest version of each of its columns, as the transaction sees them, so they are only exact for readers of
// newest versions.
//
// [Build] makes the entries of existing rows, [Check] compares entries with rows.
package index
