// Package temporary keeps tables that one session has for itself, in memory, beside a store.
//
// [Tables] is the store as the session sees it: a name of one of its own tables hides what
// the store has under that name, and a transaction reads and writes both, so that a commit, a
// rollback and a savepoint are about both. Nothing of these tables reaches the store.
//
// The cells of a table are an ordered tree that is copied on write: a cursor reads the tree as
// it was when its transaction looked at it first, whatever is written meanwhile. What a
// transaction has written is undone from a log of what was there before. Nobody else writes the
// tables, so that there are no locks on their rows, and no conflicts.
package temporary
