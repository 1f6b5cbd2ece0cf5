package kv

import "context"

// Counters is a Store that counts for its tables, as AUTO_INCREMENT wants it: outside of
// transactions, so that nobody waits for another one's end. A number that a commit has made
// durable with a row is not given again, after a crash either; others may be left out. A counter
// goes with its table, follows it under another name, and gives no number above MaxCount.
//
// Tables come from Catalog. ErrCatalogChanged where the table's descriptor is no longer the
// newest: a transaction that has written to it could not be committed.
type Counters interface {
	// Count gives the first of n numbers that follow each other and are nobody else's; n is at
	// least 1. ErrCounterEnd where so many are not left.
	Count(ctx context.Context, t *Table, n uint64) (first uint64, err error)
	// CountFrom has the counter give no number below next from now on.
	CountFrom(ctx context.Context, t *Table, next uint64) error
	// NextCount is what Count would give next.
	NextCount(t *Table) (uint64, error)
}

// MaxCount is the largest number that a counter gives. Behind it there is room for a counter that
// has given all of them.
const MaxCount = 1<<64 - 2

// Counter is which of a table's counters counts for it.
type Counter struct {
	// Epoch tells the counters from each other. A table whose descriptor gets another one begins
	// again with From.
	Epoch uint64 `json:"epoch,omitempty"`
	// From is the first number; 0 is 1.
	From uint64 `json:"from,omitempty"`
}

// Anew is the counter behind this one, which begins with a number.
func (c Counter) Anew(from uint64) Counter { return Counter{Epoch: c.Epoch + 1, From: from} }
