package kv

import "sync/atomic"

// Budget is how many cells some scans may read in total. It is safe for
// concurrent use.
type Budget struct{ left atomic.Int64 }

// Set sets the budget, which must not be negative.
func (b *Budget) Set(cells int64) { b.left.Store(cells) }

// Spend subtracts cells from the budget, and reports whether there were enough.
func (b *Budget) Spend(cells int64) bool { return b.left.Add(-cells) >= 0 }
