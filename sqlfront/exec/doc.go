// Package exec runs planned queries: it knows columns by their places in a row,
// and neither their names nor the text of the statement.
//
// The types that matter: [Query], a SELECT or UNION that can be run, made of
// [Node]s, such as [scan.Access], which reads one stored relation in a [versions.View],
// [join.Join] and [agg.Aggregate]; [Context], what a statement runs in; [Rows], its result.
//
// A Query and its nodes are immutable, hold no values of placeholders and may be
// used by several goroutines at once. Opening one binds the placeholders, works
// out spans and partitions, and gives operators that one goroutine uses. Each
// node is told what its reader would like of the rows, such as an order, and
// answers what of that it grants.
//
// Bytes: the rows that an operator gives, and the bytes in them, are valid until
// its next step or close and must not be written. Whoever keeps a row clones it.
//
// WHERE never changes which versions a view holds: the scan may skip only what
// cannot change the result, and what the spans do not say exactly is filtered
// here.
//
// Where to look:
//
//   - package op: the contract of nodes and of what they open, and how an operator reads another
//     one, one row or many rows at a time, these as columns (package kernel); where an expression
//     would warn or fail, the rows of a batch are evaluated one by one. Package computed:
//     relations that no store has.
//   - query.go, derived.go, union.go, unionpart.go, recursive.go: what is planned, and
//     how it opens; rows.go, rowblock.go: how rows of a result are read.
//   - package scan: one relation of the store; known.go, member.go: what of a subquery is known
//     before its rows are asked.
//   - package agg: groups, as they come, by a hash, or in files, and WITH ROLLUP.
//   - package join: joins; membership.go: IN and EXISTS as such ones.
//   - subquery.go, keyed.go, partners.go, partnerruns.go: subqueries, for one row around, for all
//     of them at once, or over kept rows; sizes.go: what it costs to keep them.
//   - package order: ORDER BY, DISTINCT and calls over windows; selectorder.go: which of these, and
//     groups in their place.
//   - package pipeline: filters and projections, and what is read in parts, on all processors.
//   - explain.go: EXPLAIN, whose steps, and what is
//     printed of them, are package explain's; each operator says by step what it does.
package exec
