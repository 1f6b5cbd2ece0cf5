package kv

import "sync/atomic"

// Budget is how many cells some scans may look at together. It is safe for
// goroutines.
type Budget struct{ left atomic.Int64 }

// Set makes it so many cells, from 0 on.
func (b *Budget) Set(cells int64) { b.left.Store(cells) }

// Spend takes cells out, and reports whether there were as many.
func (b *Budget) Spend(cells int64) bool { return b.left.Add(-cells) >= 0 }
