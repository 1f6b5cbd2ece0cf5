// Package partition says in which partition of a table a row lives, and which
// partitions a range of rows can touch.
//
// The types that matter: [Scheme], the immutable partitioning of a table,
// [Slices], its cut by time, and [RowRange], a half-open range of row keys. The
// package sees row bytes, timestamps and partition ordinals alone: no cell, no
// file, no context. Of a Scheme with slices, the methods that speak of
// partitions mean those by row; a leaf is one slice of one of them. Placement is part of
// the on-disk format; golden tests hold it.
//
// The rules are MySQL's for PARTITION BY KEY and RANGE COLUMNS: at most 8192
// partitions, names apart without regard to case, bounds strictly increasing
// and exclusive, MAXVALUE last
// (https://dev.mysql.com/doc/refman/5.7/en/partitioning-types.html). KEY over a
// generated column that is the row's first bytes is OceanBase's. The hash is
// not MySQL's.
//
// A Scheme keeps the byte slices it is built from; callers must not change
// them afterwards. All methods are safe for concurrent use.
package partition

// RowRange is the half-open range of rows [Start, End) in unsigned byte order.
// A nil or empty Start is the first row. A nil End leaves the range open above;
// an empty non-nil End makes it empty.
type RowRange struct {
	Start, End []byte
}
