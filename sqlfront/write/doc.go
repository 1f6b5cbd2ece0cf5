// Package write runs INSERT, REPLACE, UPDATE and DELETE.
//
// The main types: [Statement], a planned statement, which has no values of placeholders and may be
// run concurrently by several goroutines, each in its own transaction; [Result], what it did.
//
// A statement finds its rows through a planned SELECT, so that views, pushdown and order are those
// of reading, and changes them one by one. It sees none of its own changes while it looks for rows.
// It does not undo a statement that fails half-way: its caller must set a savepoint before.
//
// What the statements do to versions:
//
//   - INSERT writes one version and never changes one that exists. Without T
//     the server's clock chooses it, moved on past versions that exist.
//   - REPLACE is HBase's Put: it writes whether or not the version exists.
//   - UPDATE and DELETE through the latest view act on cells: UPDATE adds a
//     newer version (or moves the cell with all its versions), DELETE removes
//     every version. Through the all and newest-n views they act on exactly the
//     versions that they match.
package write
