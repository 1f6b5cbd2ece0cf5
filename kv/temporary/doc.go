// Package temporary keeps tables that one session has for itself, in memory, beside a store.
//
// [Tables] is the store as the session sees it: the name of one of its own tables hides what
// the store has under that name, and a transaction reads and writes both, so that commits,
// rollbacks and savepoints apply to both. Nothing of these tables reaches the store.
//
// The cells of a table are an ordered tree that is copied on write: a cursor reads the tree as
// of the first read of its transaction, whatever is written meanwhile. Writes of a transaction
// are undone from a log of the previous cells. Nobody else writes the tables, so there are no
// row locks and no conflicts. Package kv/index keeps the entries of their indexes, as cells of
// own tables.
package temporary
