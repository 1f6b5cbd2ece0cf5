// Package locks is the locks that the sessions of an engine hold against each other, beside the row locks of
// stores: [Named] those of GET_LOCK, [Read] that of FLUSH TABLES WITH READ LOCK. Zero values are free. They
// are used by many goroutines.
package locks
