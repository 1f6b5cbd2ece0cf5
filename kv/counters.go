package kv

import "context"

// Counters is a Store with counters for its tables, as needed for AUTO_INCREMENT: outside of
// transactions, so that nobody waits for another one's end. A number that a commit has made
// durable in a row is never returned again, not even after a crash; others may be skipped. A
// counter is dropped and renamed with its table, and returns no number above MaxCount.
//
// Tables must come from Catalog. The methods fail with ErrCatalogChanged if the table's
// descriptor is no longer the newest: a transaction that has written to it could not be
// committed.
type Counters interface {
	// Count returns the first of n consecutive numbers that are nobody else's; n is at least 1.
	// It fails with ErrCounterEnd if fewer are left.
	Count(ctx context.Context, t *Table, n uint64) (first uint64, err error)
	// CountFrom makes the counter give no number below next from now on.
	CountFrom(ctx context.Context, t *Table, next uint64) error
	// NextCount returns what Count would return next.
	NextCount(t *Table) (uint64, error)
}

// MaxCount is the largest number that a counter returns. The number above it stands for a counter
// that has returned all of them.
const MaxCount = 1<<64 - 2

// Counter says which of its successive counters a table uses.
type Counter struct {
	// Epoch identifies the counter. A table whose descriptor gets another one starts again with From.
	Epoch uint64 `json:"epoch,omitempty"`
	// From is the first number; 0 means 1.
	From uint64 `json:"from,omitempty"`
}

// Anew returns the counter after this one, which starts with from.
func (c Counter) Anew(from uint64) Counter { return Counter{Epoch: c.Epoch + 1, From: from} }
