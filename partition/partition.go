// Package partition says in which partition of a table a row lives, and which
// partitions a range of rows can touch.
//
// The main types are [Scheme], the immutable partitioning of a table, [Slices], its
// partitioning by time, and [RowRange], a half-open range of row keys. The package knows
// only row bytes, timestamps and partition numbers; it knows nothing of cells, files or
// contexts. In a Scheme with slices, the methods on partitions mean the partitions by
// row, and a leaf is one slice of one of them. Placement is part of the on-disk format
// and is fixed by golden tests.
//
// The rules are those of MySQL for PARTITION BY KEY and RANGE COLUMNS: at most 8192
// partitions, names that are unique regardless of case, bounds that are strictly
// increasing and exclusive, and MAXVALUE last
// (https://dev.mysql.com/doc/refman/5.7/en/partitioning-types.html). KEY over a
// generated column that is the first bytes of the row comes from OceanBase. The hash is
// not MySQL's.
//
// A Scheme keeps the byte slices it is built from, so callers must not change them
// afterwards. All methods are safe for concurrent use.
package partition

// RowRange is the half-open range of rows [Start, End) in unsigned byte order. With a
// nil or empty Start the range begins at the first row. With a nil End it is open above;
// an empty non-nil End makes it empty.
type RowRange struct {
	Start, End []byte
}
