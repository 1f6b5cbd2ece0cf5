package transaction

import (
	"context"

	"github.com/hbasekv/hbasekv/kv"
)

// numbers are counters that give a statement that is run again the numbers that it had before, so that a
// conflict, for example with a change of the catalog, skips no AUTO_INCREMENT value. Nobody else can have them.
type numbers struct {
	kv.Counters
	taken []taken // by the statement, in this order
	used  int     // how many of them the current attempt has used
}

// taken is a result of Count.
type taken struct {
	of           counter
	count, first uint64
}

// counter identifies a counter. Temporary tables have IDs of their own.
type counter struct {
	database, table string
	id, epoch       uint64
}

// Number prepares the counters for an attempt to run a statement; nil for a store without counters.
func (s *State) Number(t *Retry, store kv.Counters) kv.Counters {
	if store == nil {
		return nil
	}
	n := &s.numbers
	if !t.Again {
		n.taken = n.taken[:0]
	}
	n.Counters, n.used = store, 0
	return n
}

// Count implements kv.Counters.
func (n *numbers) Count(ctx context.Context, t *kv.Table, count uint64) (uint64, error) {
	next := taken{of: counter{t.Database, t.Name, t.ID, t.Counter.Epoch}, count: count}
	if n.used < len(n.taken) {
		if was := n.taken[n.used]; was.of == next.of && was.count == count {
			n.used++
			return was.first, nil
		}
	}
	var err error
	if next.first, err = n.Counters.Count(ctx, t, count); err != nil {
		return 0, err
	}
	n.taken = append(n.taken[:n.used], next)
	n.used++
	return next.first, nil
}
