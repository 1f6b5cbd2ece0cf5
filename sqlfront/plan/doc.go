// Package plan says what a statement reads: it turns table names into relations,
// WHERE and ORDER BY into accesses of the store, and a SELECT into nodes that
// package exec runs.
//
// Itself it binds: names to relations (package relation), the clauses of a SELECT to a
// block (package block), views, common table expressions and set operations to queries.
// Package physical finds how their rows are found; package condition tells both what
// expressions have in common.
//
// The types that matter: [Select], a planned SELECT; [RowExprs], a statement's
// expressions over the rows of one relation; [Explanation], what EXPLAIN answers.
//
// A derived table and a view are planned in two steps: first what they are, so
// that the query around can be bound, then how their rows are found, when that
// query has handed in its conditions and said which columns it reads.
//
// A Select is immutable, holds no values of placeholders and may be used by
// several goroutines at once. It is good for the version of the catalog that it
// was planned with.
package plan
