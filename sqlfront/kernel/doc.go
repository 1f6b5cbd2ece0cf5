// Package kernel evaluates expressions over many rows at a time.
//
// The main types: [Batch], rows as columns; [Kernel], an expression evaluated over rows of a batch;
// [Compiler], which makes kernels of bound expressions. Common operations are loops over columns.
// Others call package expr for one row after the other, with operands that may be loops;
// expressions that do not evaluate all of their operands are evaluated row by row. [Pairs] are the
// batches of joins; [Columns] are the columns of a frame that the [Reader] of a batch reads; [Part]
// is an aggregate over all rows or over those of a pivot's class ([Classes]), and [RunPart] one
// over consecutive groups ([Runs]).
//
// The comments on loops say how long they take, compared with evaluating the rows one by one (go
// test ./sqlfront/kernel -bench Kernels, November 2026).
//
// A kernel has no side effects. If it meets a value for which the expression would warn or fail, it
// gives up, and its caller evaluates everything row by row, so that warnings and errors come in the
// order of the rows.
package kernel
