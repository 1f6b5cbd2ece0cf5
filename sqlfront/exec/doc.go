// Package exec runs planned queries: it knows columns by their places in a row,
// and neither their names nor the text of the statement.
//
// The main types: [query.Query], a SELECT or UNION that [Open] runs, made of [op.Node]s, such as
// [scan.Access], which reads one stored relation in a [versions.View], [join.Join] and
// [agg.Aggregate]; [Context], the environment of a statement; [Rows], its result.
//
// A Query and its nodes are immutable, have no values of placeholders and may be used concurrently.
// Opening one binds the placeholders, determines spans and partitions, and returns operators for one
// goroutine. Each node is told which properties of the rows its reader would like, such as an order,
// and returns those that it provides.
//
// Bytes: the rows that an operator returns, and their bytes, are valid until its next step or close
// and must not be written. To keep a row, clone it.
//
// WHERE never changes which versions a view has: the scan may skip only what cannot change the result,
// and what the spans do not express exactly is filtered here.
//
// Where to look, each package importing only those before it:
//
//   - package cost: what ways to join and to answer subqueries cost.
//   - package op: the contract of nodes and of what they open, and how an operator reads another
//     one, one row or many rows at a time, these as columns (package kernel); where an expression
//     would warn or fail, the rows of a batch are evaluated one by one. Package computed:
//     relations that no store has.
//   - package scan: one relation of the store, and the pipelines over it.
//   - package pipeline: filters and projections, and what is read in parts, on all processors.
//   - package agg: groups, as they come, by a hash, or in files, and WITH ROLLUP.
//   - package join: joins.
//   - package order: ORDER BY, DISTINCT and calls over windows.
//   - package query: what is planned, and how it opens; derived tables.
//   - package setop: UNION, INTERSECT, EXCEPT and recursion.
//   - package subquery: subqueries in expressions, for one outer row, for all of them at once, or
//     over kept rows.
//   - here: how a statement opens and its rows are read (rows.go, memory.go), and EXPLAIN
//     (explain.go), whose steps, and what is printed of them, are package explain's; each operator
//     says by step what it does.
package exec
