// Package op has the common parts of a plan's operators: the contract of a node and of the operator
// that it opens (node.go), how an operator reads another one by vectors and by rows (batch.go,
// columns.go), the frame and the statement that they run in, with its limits and its work
// (context.go, guard.go), and what is reported of them (timed.go, warnings.go, progress.go). The
// interface to subqueries is in subqueries.go, what operators keep for each other in kept.go, and
// common operations on rows in keys.go, row.go and print.go.
//
// Its only operator is that of one row without a table.
package op
