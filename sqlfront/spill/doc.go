// Package spill keeps the rows that a statement has to remember: in memory up to a limit, and beyond it in
// temporary files.
//
// The main types: [Space], the memory and temporary files of one statement; [Sorter], rows to be
// sorted, and [LimitedSorter], for the first rows or all; [Set], distinct rows; [Balance], the result
// of set operations; [Partitions], rows divided by the hashes of their keys, to be processed one
// partition at a time; [Index], rows to be found by a key; [List], rows to be read repeatedly; [Queue],
// rows to be read by their numbers until they are forgotten; [Bytes], bytes to be read repeatedly. Their
// results do not depend on where the rows are: a Sorter is stable, a Set and a Balance return rows in
// the order of arrival.
//
// They copy the rows passed to them. Rows that they return are valid until the next call of the same
// method. A temporary file has no name once it is open (if the system allows that), so nothing remains
// of it when it is closed or the process dies. Each of the types has at most two files, as a sort
// needs, except for Partitions, which have one for each time that a partition is divided again.
//
// Errors have MySQL's numbers: 1004 for a file that cannot be created, 1021 for a full disk, 1024 and
// 1026 for a file that cannot be read or written. Or the error is that of the statement's context.
package spill
