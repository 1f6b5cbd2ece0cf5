// Package transaction is the transactions of sessions: [State] is one session's, with the open [Txn] and what
// SET TRANSACTION says about the next one, and [Shared] what all of them share. [Retry] knows when a
// statement may be run again after a conflict.
//
// A State is used by one goroutine at a time, except for Shown.
package transaction
