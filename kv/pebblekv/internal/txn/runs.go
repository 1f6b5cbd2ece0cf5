package txn

import (
	"math"
	"sync"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/rowlock"
)

// If cells are written faster than the clock ticks, runs of their versions
// reach into the future, and PutNext looks for the end of the run. Without a
// memory, each write would walk the run again.

// nextRun is a run of timestamps of a column, from inclusive to next exclusive,
// each of which has a version.
type nextRun struct {
	row        rowlock.ID
	from, next int64
}

// maxNexts bounds the columns whose runs are remembered.
const maxNexts = 4096

// firstFree returns the key of the first version after the cell that does not
// exist. The cell itself does.
func (t *Txn) firstFree(table *kv.Table, key []byte, c kv.Cell) ([]byte, error) {
	slices, err := slicesOf(table, c.Row)
	if err != nil {
		return nil, err
	}
	column := slices.column(key)
	run := t.runFrom(column, c.Timestamp)
	for found := true; found; run.next++ {
		if key, err = slices.at(key, run.next); err != nil {
			return nil, err
		}
		if found, err = t.exists(key); err != nil {
			return nil, err
		}
		if !found {
			break
		}
		if run.next == math.MaxInt64 {
			return nil, kv.ErrTimestampExhausted
		}
	}
	if t.nexts == nil || len(t.nexts) >= maxNexts {
		t.nexts = map[string]nextRun{}
	}
	t.nexts[column] = run
	return key, nil
}

// rowSlices are the key spaces of a row, one for each slice of time.
type rowSlices struct {
	table *kv.Table // nil if it has no slices
	row   int       // the row's partition
}

func slicesOf(t *kv.Table, row []byte) (rowSlices, error) {
	if t.Partitioning.Slices() == nil {
		return rowSlices{}, nil
	}
	p, ok := t.Partitioning.Locate(row)
	if !ok {
		return rowSlices{}, kv.ErrNoPartition
	}
	return rowSlices{t, p}, nil
}

// column returns the key's column, the same for every slice.
func (s rowSlices) column(key []byte) string {
	column := cellkey.Column(key)
	if s.table == nil {
		return string(column)
	}
	return string(cellkey.AppendAs(nil, column, keyspace.Space(s.table, s.row, 0)))
}

// at changes a key, in place, to that of another version.
func (s rowSlices) at(key []byte, ts int64) ([]byte, error) {
	key = cellkey.AppendTimestamp(cellkey.Column(key), ts)
	if s.table == nil {
		return key, nil
	}
	slice, ok := s.table.Partitioning.Slice(ts)
	if !ok {
		return nil, kv.ErrNoPartition
	}
	cellkey.MoveTo(key, keyspace.Space(s.table, s.row, slice))
	return key, nil
}

// runFrom returns what is known of the run around the timestamp: from the
// transaction, or from the last commit that wrote the row. The row is locked
// and has not changed since the snapshot, so the run is in the snapshot.
func (t *Txn) runFrom(column string, ts int64) nextRun {
	run, ok := t.nexts[column]
	if !ok && !t.deleted {
		run, ok = t.m.Runs.of(t.lastRow, column)
	}
	if !t.m.engine.Tuning.Runs || !ok || ts < run.from || ts > run.next {
		return nextRun{row: t.lastRow, from: ts, next: ts}
	}
	return run
}

// runs are the runs that commits have found, by row. A commit that writes a row
// replaces what is known of it.
type runs struct {
	mu  sync.Mutex
	row map[rowlock.ID]rowRun
}

type rowRun struct {
	column string
	nextRun
}

func (r *runs) of(row rowlock.ID, column string) (nextRun, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	run, ok := r.row[row]
	return run.nextRun, ok && run.column == column
}

// committed records what a commit of these rows has found. It is called before
// the rows are unlocked.
func (r *runs) committed(rows []rowlock.ID, found map[string]nextRun) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.row) > 0 {
		for _, id := range rows {
			delete(r.row, id)
		}
	}
	if len(found) == 0 {
		return
	}
	if r.row == nil || len(r.row)+len(found) > maxNexts {
		r.row = make(map[rowlock.ID]rowRun, len(found))
	}
	for column, run := range found {
		r.row[run.row] = rowRun{column, run}
	}
}

func (r *runs) Forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.row = nil
}
