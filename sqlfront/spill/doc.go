// Package spill keeps the rows that a statement has to remember: in memory up to a limit, behind it in
// temporary files.
//
// The types that matter: [Space], the memory and temporary files of one statement; [Sorter], rows to be
// sorted, and [LimitedSorter], of which perhaps only the first are wanted; [Set], different rows;
// [Balance], the result of set operations; [Partitions], rows divided by the hashes of their keys, to
// be processed a partition at a time; [Index], rows to be found by a key; [List], rows to be read again
// and again; [Queue], rows to be read by their numbers until they are forgotten. Their results do not
// depend on where the rows are: a Sorter is stable, a Set and a Balance give rows in the order of their
// arrival.
//
// They copy the rows that they are given. The rows that they give are valid until the next call of the
// same method. A temporary file has no name from the moment it is made (where the system allows that),
// so that nothing is left of it when it is closed, nor when the process dies. Each of the types has at
// most two files, as a sort needs them, whatever it holds, but for Partitions, which have one for each
// time that a partition is divided again.
//
// Errors are MySQL's: 1004 for a file that cannot be made, 1021 for a full disk, 1024 and 1026 for one
// that cannot be read or written; or the error of the statement's context.
package spill
