// Package plan says what a statement reads: it turns table names into relations, WHERE and ORDER BY
// into accesses of the store, and a SELECT into nodes that package exec runs.
//
// This package itself binds: names to relations (package relation), the clauses of a SELECT to a block
// (package block), views, common table expressions and set operations to queries. Package physical then
// chooses how their rows are found; package condition has what both need to know about expressions.
//
// The main types: [Select], a planned SELECT; [RowExprs], a statement's expressions over the
// rows of one relation; [Explanation], the result of EXPLAIN.
//
// A derived table and a view are planned in two steps: first their columns, so that the query that
// contains them can be bound, then the way in which their rows are found, once that query has passed
// down its conditions and the columns that it reads.
//
// A Select is immutable, holds no values of placeholders and may be used by several goroutines at once.
// It is valid for the version of the catalog that it was planned with.
package plan
