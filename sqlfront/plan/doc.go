// Package plan says what a statement reads and reads it: it turns table names
// into relations, WHERE and ORDER BY into scans of the store, and a SELECT into
// a tree of operators that give its rows.
//
// The types that matter: [Relation], a thing in FROM (a table, the virtual
// table of a group, a catalog table, DUAL); [View], which versions of a cell a
// relation shows; [Access], how the rows of one relation are found, for SELECT,
// UPDATE and DELETE alike; [Select], a planned SELECT; [Rows], its result.
//
// A derived table and a view are planned in two steps: first what they are, so
// that the query around can be bound, then how their rows are found, when that
// query has handed in its conditions and said which columns it reads.
//
// Planning is apart from running. An Access and a Select are immutable, hold no
// values of placeholders and may be used by several goroutines at once; they
// are good for the version of the catalog that they were planned with. Opening
// one binds the placeholders, works out spans and partitions, and gives a
// reader that one goroutine uses.
//
// Bytes: the rows that a reader gives, and the bytes in them, are valid until
// its next call of Next or Close and must not be written. Whoever keeps a row
// clones it.
//
// WHERE never changes which versions a view holds: the scan may skip only what
// cannot change the result, and what the spans do not say exactly is filtered
// here.
package plan
