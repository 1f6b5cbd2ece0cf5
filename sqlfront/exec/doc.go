// Package exec runs planned queries: it knows columns by their places in a row,
// and neither their names nor the text of the statement.
//
// The types that matter: [Query], a SELECT or UNION that can be run, made of
// [Node]s, such as [Access], which reads one stored relation, [Join] and
// [Aggregate]; [Context], what a statement runs in; [Rows], its result; [View],
// which versions of a cell a relation shows.
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
package exec
