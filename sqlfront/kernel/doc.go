// Package kernel evaluates expressions over many rows at a time.
//
// The types that matter: [Batch], rows as columns; [Kernel], an expression that is
// evaluated over some rows of a batch; [Compiler], which makes kernels of bound
// expressions: loops over columns for what is common, for other operations package expr's
// own of one row after the other, on operands that may be loops, and what does not evaluate
// all of its operands row by row. [Pairs] are the batches of joins; [Columns] are those of a
// frame that the [Reader] of a batch reads; [Part] is an
// aggregate, of the rows of a pivot's class ([Classes]) or of all, and [RunPart] one of groups
// that come one after the other ([Runs]).
//
// What a loop is worth stands with it: how much of the time of its rows, evaluated one by one, it
// takes (go test ./sqlfront/kernel -bench Kernels, November 2026).
//
// A kernel has no effect. Where it meets a value that the expression would warn of or
// fail on, it gives up, and its caller evaluates all that it does row by
// row, so that warnings and errors are those of rows that come one after the other.
package kernel
