// Package sqlfront is the SQL front of a store: text to plan to rows.
//
// The types that matter: [Engine], one store with its plan cache and its
// sessions; [Session], one connection's state (database, view of versions,
// variables, transaction, warnings); [Statement], a parsed statement;
// [Rows] and [Result], what running one gives.
//
// An Engine and a Statement are safe for concurrent use; a Session and its
// Rows are used by one goroutine at a time. Rows hold their snapshot until they
// are closed, and several Rows of one session may be open at once.
//
// Atomicity: a statement outside a transaction is a transaction of its own, and is repeated with a new
// snapshot if another writer was faster, so that a single statement never fails by a conflict. Inside a
// transaction a
// statement that fails undoes only itself, except that a conflict or deadlock
// (1213) rolls the transaction back, as MySQL's deadlocks do.
//
// Errors that a user can cause are *mysql.MySQLError; a cancelled context
// gives the context's own error.
package sqlfront
