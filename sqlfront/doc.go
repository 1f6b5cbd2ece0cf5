// Package sqlfront is the SQL front of a store: text to plan to rows.
//
// The main types: [Engine] is one store with its plan cache and its sessions; [Session] is the state of one
// connection (database, view of versions, variables, transaction, warnings); [Statement] is a parsed
// statement; [Rows] and [Result] are what running one returns.
//
// An Engine and a Statement are safe for concurrent use; a Session and its Rows are used by one goroutine at
// a time. Rows hold their snapshot until they are closed, and several Rows of one session may be open at
// once.
//
// Atomicity: a statement outside a transaction is a transaction of its own, and is repeated with a new
// snapshot if another writer was faster, so that a single statement never fails by a conflict. Inside a
// transaction a statement that fails undoes only itself, except that a conflict or deadlock (1213) rolls the
// transaction back, as MySQL's deadlocks do.
//
// Errors that a user can cause are *mysql.MySQLError; for a cancelled context the error is the context's own.
package sqlfront
