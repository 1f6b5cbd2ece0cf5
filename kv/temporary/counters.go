package temporary

import (
	"context"

	"github.com/hbasekv/hbasekv/kv"
)

// counter is the counter of one of the own tables.
type counter struct{ epoch, next uint64 }

var (
	_ kv.Counters = (*Tables)(nil)
	_ kv.Counters = ownStore{}
)

// errNoCounters is the error for a table of a store without counters.
var errNoCounters = kv.ErrUnsupported{What: "counters of tables"}

// Count implements kv.Counters.
func (t *Tables) Count(ctx context.Context, of *kv.Table, n uint64) (first uint64, err error) {
	if own(of) == nil {
		if store, ok := t.store.(kv.Counters); ok {
			return store.Count(ctx, of, n)
		}
		return 0, errNoCounters
	}
	c := t.counter(of)
	if n > kv.MaxCount || c.next > kv.MaxCount-n+1 {
		return 0, kv.ErrCounterEnd
	}
	first = c.next
	t.counters[of.ID] = counter{c.epoch, first + n}
	return first, nil
}

// CountFrom implements kv.Counters.
func (t *Tables) CountFrom(ctx context.Context, of *kv.Table, next uint64) error {
	if own(of) == nil {
		if store, ok := t.store.(kv.Counters); ok {
			return store.CountFrom(ctx, of, next)
		}
		return errNoCounters
	}
	c := t.counter(of)
	t.counters[of.ID] = counter{c.epoch, max(c.next, min(next, kv.MaxCount+1))}
	return nil
}

// NextCount implements kv.Counters.
func (t *Tables) NextCount(of *kv.Table) (uint64, error) {
	if own(of) == nil {
		if store, ok := t.store.(kv.Counters); ok {
			return store.NextCount(of)
		}
		return 0, errNoCounters
	}
	return t.counter(of).next, nil
}

// counter returns the current counter of one of the own tables.
func (t *Tables) counter(of *kv.Table) counter {
	if c, ok := t.counters[of.ID]; ok && c.epoch == of.Counter.Epoch {
		return c
	}
	return counter{of.Counter.Epoch, max(1, of.Counter.From)}
}
