package rowapi

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hbasekv/hbasekv/kv"
)

// busyFor is the default of how long an operation is retried while others are in its way.
const busyFor = 10 * time.Second

// writer does mutations in a transaction.
type writer struct {
	checker
	tx    kv.Txn
	row   []byte
	clock int64 // 0 until it is read
	since int64 // cells of a Put without a timestamp are not older
	cells []Cell
	ttl   int64 // of the cells to write, in ms; 0 for none
}

// inTxn runs fn in a transaction of its own, and again in another one if it cannot be committed because of
// others. The rows that fn locks first are read as of then.
func (c *Client) inTxn(ctx context.Context, table TableName, fn func(*writer) error) error {
	var until time.Time
	for again := false; ; again = true {
		err := c.once(ctx, table, again, fn)
		var missing *undeclaredTTL
		if errors.As(err, &missing) {
			if err = c.declareTTL(ctx, missing.family); err == nil {
				continue
			}
		}
		if !isPassing(err) {
			return mapError(err)
		}
		if until.IsZero() {
			until = time.Now().Add(cmp.Or(c.options.LockTimeout, busyFor))
		}
		if time.Now().After(until) {
			return mapError(err)
		}
	}
}

// isPassing reports whether a retry may succeed after the error.
func isPassing(err error) bool {
	return errors.Is(err, kv.ErrConflict) || errors.Is(err, kv.ErrDeadlock) || errors.Is(err, kv.ErrCatalogChanged)
}

func (c *Client) once(ctx context.Context, table TableName, again bool, fn func(*writer) error) error {
	tx, err := c.store.Begin(ctx, kv.TxnOptions{Single: true, Again: again, LockTimeout: c.options.LockTimeout})
	if err != nil {
		return err
	}
	defer endRead(tx)
	t, err := c.enabled(tx.Catalog(), table)
	if err != nil {
		return err
	}
	if err := fn(&writer{checker: checker{c, t}, tx: tx}); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

// lock locks a row, which becomes the writer's row. A store may read the row faster in the table by which it
// was locked.
func (w *writer) lock(ctx context.Context, by *kv.Table, row []byte, how kv.RowLock) error {
	w.row = row
	return w.tx.LockRow(ctx, by, row, how)
}

// tableFor returns a table by which to lock the row of a checked mutation: the first one that it reads.
func (w *writer) tableFor(m Mutation) *kv.Table {
	switch m := m.(type) {
	case *Increment:
		return w.tableOf(m.Deltas[0].Family)
	case *Append:
		return w.tableOf(m.Cells[0].Family)
	case *Put:
		return w.tableOf(m.Cells[0].Family)
	case *Delete:
		if len(m.Parts) > 0 {
			return w.tableOf(m.Parts[0].Family)
		}
	}
	return w.target.tables[0]
}

// now returns the store's clock, which is read after the rows are locked.
func (w *writer) now() int64 {
	if w.clock == 0 {
		w.clock = w.tx.Now()
	}
	return w.clock
}

// orNow returns the timestamp, or the clock if it is Latest.
func (w *writer) orNow(timestamp int64) int64 {
	if timestamp == Latest {
		return w.now()
	}
	return timestamp
}

// do does a checked mutation.
func (w *writer) do(ctx context.Context, m Mutation) error {
	w.ttl = m.mutation().TTL.Milliseconds()
	switch m := m.(type) {
	case *Put:
		return w.put(ctx, m)
	case *Delete:
		return w.delete(ctx, m)
	case *Increment:
		return w.increment(ctx, m)
	case *Append:
		return w.append(ctx, m)
	}
	return nil // the mutation has been checked
}

// all does mutations of the row.
func (w *writer) all(ctx context.Context, mutations []Mutation) error {
	for _, m := range mutations {
		if err := w.do(ctx, m); err != nil {
			return err
		}
	}
	return nil
}

// tableOf returns the table of a checked family.
func (w *writer) tableOf(family string) *kv.Table {
	i, _ := w.target.family(family)
	return w.target.tables[i]
}

func (w *writer) put(ctx context.Context, p *Put) error {
	for i := range p.Cells {
		c := &p.Cells[i]
		at := c.Timestamp
		if at == Latest {
			at = max(w.now(), w.since)
		}
		if err := w.write(ctx, c.Family, c.Qualifier, at, c.Value); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) write(ctx context.Context, family string, qualifier []byte, timestamp int64, value []byte) error {
	t := w.tableOf(family)
	if w.ttl > 0 && !t.Retention.CellTTL && w.client.limits.OwnClock {
		return &undeclaredTTL{t}
	}
	return w.tx.Put(ctx, t, kv.Cell{Row: w.row, Qualifier: qualifier, Timestamp: timestamp, Value: notNil(value),
		TTL: w.ttl})
}

// newest returns the newest version of a column in a time range, nil for none. The caller owns its bytes.
func (w *writer) newest(ctx context.Context, family string, qualifier []byte, in TimeRange) (*Cell, error) {
	r, err := new(Memory).getRow(ctx, w.tx, w.target, &Get{Row: w.row, Columns: Columns{
		Families: []FamilyColumns{{Family: family, Qualifiers: [][]byte{notNil(qualifier)}}}, Time: in}})
	if err != nil || !r.Exists {
		return nil, err
	}
	return &r.Cells[0], nil
}

// renew writes a version after a found one, nil for none, and keeps it for the result if result is set.
func (w *writer) renew(ctx context.Context, found *Cell, family string, qualifier, value []byte, result bool) error {
	at := w.now()
	if found != nil && found.Timestamp >= at {
		if found.Timestamp == Latest {
			return fmt.Errorf("%w: %s:%q", ErrTimestampExhausted, family, qualifier)
		}
		at = found.Timestamp + 1
	}
	if err := w.write(ctx, family, qualifier, at, value); err != nil || !result {
		return err
	}
	w.cells = append(w.cells, Cell{Row: bytes.Clone(w.row), Family: family, Qualifier: append([]byte{}, qualifier...),
		Timestamp: at, Value: value})
	return nil
}

// result returns the new cells in order. Of a column that was written twice, only the last one stays.
func (w *writer) result() *Result {
	slices.SortStableFunc(w.cells, func(a, b Cell) int {
		return cmp.Or(bytes.Compare(a.Row, b.Row), cmp.Compare(a.Family, b.Family), bytes.Compare(a.Qualifier, b.Qualifier),
			cmp.Compare(b.Timestamp, a.Timestamp))
	})
	w.cells = slices.CompactFunc(w.cells, func(a, b Cell) bool {
		return a.Family == b.Family && bytes.Equal(a.Qualifier, b.Qualifier) && bytes.Equal(a.Row, b.Row)
	})
	return &Result{Cells: w.cells, Exists: len(w.cells) > 0}
}
