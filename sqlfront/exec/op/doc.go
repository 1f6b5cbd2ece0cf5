// Package op is what the operators of a plan are made of: the contract of a node and of the
// operator that it opens (node.go), how an operator reads another one by vectors and by rows
// (batch.go, columns.go), the frame and the statement that they run in (context.go), what bounds
// these (guard.go, limits.go), and what is told of them (timed.go, warnings.go, work.go,
// progress.go). What they ask of subqueries is in subqueries.go, what they keep for each other in
// kept.go, and what several of them do with rows in keys.go, row.go and print.go.
//
// It knows no operator but that of one row without a table.
package op
