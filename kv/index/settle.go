package index

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
)

// Settle implements kv.Indexed.
func (x *Txn) Settle(ctx context.Context, t *kv.Table, row []byte) error {
	switch {
	case row == nil:
		if err := x.settleAll(ctx); err != nil {
			return err
		}
		return x.settleBelow(ctx, t, row)
	case !x.keeper.keeps(t):
		return x.settleBelow(ctx, t, row)
	}
	if w := x.find(t, row); w != nil {
		return x.settle(ctx, w.appendTo(nil))
	}
	return nil
}

// settleBelow is Settle of the wrapped transaction, which may maintain the entries of other tables.
func (x *Txn) settleBelow(ctx context.Context, t *kv.Table, row []byte) error {
	if i, ok := x.Txn.(kv.Indexed); ok {
		return i.Settle(ctx, t, row)
	}
	return nil
}

// settleAll settles all rows.
func (x *Txn) settleAll(ctx context.Context) error {
	if len(x.pending) == 0 {
		return nil
	}
	return x.settle(ctx, x.allPending())
}

// change is the change of a row's entries in one index.
type change struct {
	*one
	of   *kv.Table // the indexed table
	gone []Entry
	come []Entry
}

// settle writes the changes of the entries of rows, or nothing. Deletions come first, so that rows
// can swap their entries of a unique index.
func (x *Txn) settle(ctx context.Context, rows []*pending) (err error) {
	slices.SortFunc(rows, inOrder)
	before := x.Txn.Savepoint()
	defer func() {
		if err != nil {
			x.Txn.RollbackTo(before)
		}
	}()
	var changes []change
	for _, p := range rows {
		n := len(changes)
		if changes, err = p.appendChanges(ctx, x.Txn, changes); err != nil {
			return err
		}
		for _, c := range changes[n:] {
			if c.Building {
				x.keeper.journals.note(c.table.ID, p.row, p.qualifier)
			}
		}
	}
	for i := range changes {
		if err := changes[i].remove(ctx, x.Txn); err != nil {
			return err
		}
	}
	for i := range changes {
		if err := changes[i].write(ctx, x.Txn); err != nil {
			return err
		}
	}
	x.recent, x.parts = nil, x.parts-len(rows)
	for _, p := range rows {
		delete(x.pending, rowID{p.ID, string(p.row)})
	}
	return nil
}

// appendChanges appends what has changed of a row's entries.
func (p *pending) appendChanges(ctx context.Context, txn kv.Txn, to []change) ([]change, error) {
	cells := p.cells
	if p.stale {
		// The row is already locked, but the store reads the row locked last cheaply.
		if err := txn.LockRow(ctx, p.Table, p.row, kv.RowLock{}); err != nil {
			return nil, err
		}
		var err error
		if cells, err = p.read(ctx, txn, p.row, p.qualifier); err != nil {
			return nil, err
		}
	}
	now, err := p.entries(p.row, cells)
	if err != nil {
		return nil, err
	}
	for i := range p.indexes {
		gone, come := differences(p.old[i], now[i])
		if len(gone)+len(come) > 0 {
			to = append(to, change{&p.indexes[i], p.Table, gone, come})
		}
	}
	return to, nil
}

// differences returns the entries that are only in old, and those that are only in now. Both are
// sorted. An entry with another timestamp is in both results.
func differences(old, now []Entry) (gone, come []Entry) {
	for len(old) > 0 && len(now) > 0 {
		switch c := compare(&old[0], &now[0]); {
		case c < 0:
			gone, old = append(gone, old[0]), old[1:]
		case c > 0:
			come, now = append(come, now[0]), now[1:]
		default:
			if !same(&old[0], &now[0]) {
				gone, come = append(gone, old[0]), append(come, now[0])
			}
			old, now = old[1:], now[1:]
		}
	}
	return append(gone, old...), append(come, now...)
}

func (c *change) remove(ctx context.Context, txn kv.Txn) error {
	for i := range c.gone {
		if err := txn.DeleteColumn(ctx, c.table, c.gone[i].Row, c.gone[i].Qualifier); err != nil {
			return err
		}
	}
	return nil
}

func (c *change) write(ctx context.Context, txn kv.Txn) error {
	for i := range c.come {
		e := &c.come[i]
		if e.Unique {
			if err := c.alone(ctx, txn, e); err != nil {
				return err
			}
		}
		if err := txn.Put(ctx, c.table, e.cell()); err != nil {
			return err
		}
	}
	return nil
}

// alone returns kv.DuplicateEntryError if another row has the entry. The lock keeps others from
// writing it until the end of the transaction.
func (c *change) alone(ctx context.Context, txn kv.Txn, e *Entry) error {
	if err := txn.LockRow(ctx, c.table, e.Row, kv.RowLock{}); err != nil {
		return err
	}
	others, err := c.others(ctx, txn, e)
	if err != nil {
		return err
	}
	for _, other := range others {
		if c.Building {
			if has, err := alone(c.of, c.one).has(ctx, txn, other, &Entry{Row: e.Row, Qualifier: other}); err != nil {
				return err
			} else if !has {
				if err := txn.DeleteColumn(ctx, c.table, e.Row, other); err != nil {
					return err
				}
				continue
			}
		}
		return &kv.DuplicateEntryError{Table: c.of, Index: c.Name, Entry: slices.Clone(e.Row), Row: other}
	}
	return nil
}

// others returns the other rows that have an entry.
func (c *change) others(ctx context.Context, txn kv.Txn, e *Entry) (out [][]byte, err error) {
	cursor, err := txn.Scan(ctx, []*kv.Table{c.table}, &kv.Scan{Ranges: []kv.Range{rowOnly(e.Row)}, MaxVersions: 1})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, release(cursor)) }()
	for cursor.Next() {
		if other := cursor.Cell().Qualifier; !bytes.Equal(other, e.Qualifier) {
			out = append(out, slices.Clone(other))
		}
	}
	return out, cursor.Err()
}
