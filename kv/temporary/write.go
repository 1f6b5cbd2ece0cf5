package temporary

import (
	"context"

	"github.com/hbasekv/hbasekv/kv"
)

// changeBytes is about how many bytes the log takes for a write.
const changeBytes = 192

// logSize returns how many bytes the log takes for the change.
func (ch *change) logSize() int64 {
	if ch.had {
		return changeBytes + ch.before.size()
	}
	return changeBytes
}

func (ch *change) undo(t tree) {
	if ch.had {
		t.Set(ch.before)
	} else {
		t.Delete(ch.after)
	}
}

// writable returns the cells for a write, nil if the table is the store's.
func (x *Txn) writable(ctx context.Context, t *kv.Table) (*cells, error) {
	c := own(t)
	switch {
	case c == nil:
		return nil, nil
	case c.dropped:
		return nil, kv.ErrCatalogChanged
	}
	return c, ctx.Err()
}

// set writes a cell.
func (x *Txn) set(c *cells, e entry) error {
	if err := x.tables.memory.Take(e.size() + changeBytes); err != nil {
		return err
	}
	before, had := c.tree.Set(e)
	x.note(change{cells: c, before: before, after: e, had: had, has: true})
	return nil
}

// remove deletes a cell, if it is there.
func (x *Txn) remove(c *cells, e entry) error {
	before, had := c.tree.Get(e)
	if !had {
		return nil
	}
	if err := x.tables.memory.Take(changeBytes); err != nil {
		return err
	}
	c.tree.Delete(before)
	c.next = nextFree{}
	x.note(change{cells: c, before: before, after: before, had: true})
	return nil
}

// note logs a write that was made. The log takes over the previous cell.
func (x *Txn) note(ch change) {
	if ch.had {
		ch.cells.bytes -= ch.before.size()
	}
	if ch.has {
		ch.cells.bytes += ch.after.size()
	}
	x.log = append(x.log, ch)
	x.logged += ch.logSize()
	delete(x.read, ch.cells)
}

// undo undoes the writes after a place in the log.
func (x *Txn) undo(to int) {
	for i := len(x.log) - 1; i >= to; i-- {
		x.takeBack(&x.log[i])
	}
	clear(x.log[to:])
	x.log, x.image = x.log[:to], image{}
	if to == 0 {
		x.read = nil
	}
}

func (x *Txn) takeBack(ch *change) {
	freed := ch.logSize()
	x.logged -= freed
	if c := ch.cells; c != nil && !c.dropped {
		ch.undo(c.tree)
		c.next = nextFree{}
		delete(x.read, c)
		if ch.has {
			freed += ch.after.size()
			c.bytes -= ch.after.size()
		}
		if ch.had { // the table has it again
			freed -= ch.before.size()
			c.bytes += ch.before.size()
		}
	}
	x.tables.memory.Give(freed)
}

// Put implements kv.Txn.
func (x *Txn) Put(ctx context.Context, t *kv.Table, cell kv.Cell) error {
	c, err := x.writable(ctx, t)
	switch {
	case err != nil:
		return err
	case c == nil:
		return x.Txn.Put(ctx, t, cell)
	}
	return x.set(c, newEntry(cell.Row, cell.Qualifier, cell.Timestamp, cell.Value))
}

// PutIfAbsent implements kv.Txn.
func (x *Txn) PutIfAbsent(ctx context.Context, t *kv.Table, cell kv.Cell) (bool, error) {
	c, err := x.writable(ctx, t)
	switch {
	case err != nil:
		return false, err
	case c == nil:
		return x.Txn.PutIfAbsent(ctx, t, cell)
	}
	e := newEntry(cell.Row, cell.Qualifier, cell.Timestamp, cell.Value)
	if _, found := c.tree.Get(e); found {
		return false, nil
	}
	err = x.set(c, e)
	return err == nil, err
}

// PutNext implements kv.Txn.
func (x *Txn) PutNext(ctx context.Context, t *kv.Table, cell kv.Cell) (int64, error) {
	c, err := x.writable(ctx, t)
	switch {
	case err != nil:
		return 0, err
	case c == nil:
		return x.Txn.PutNext(ctx, t, cell)
	}
	at, ok := c.free(cell.Row, cell.Qualifier, cell.Timestamp)
	if !ok {
		return 0, kv.ErrTimestampExhausted
	}
	return at, x.set(c, newEntry(cell.Row, cell.Qualifier, at, cell.Value))
}

// DeleteVersion implements kv.Txn.
func (x *Txn) DeleteVersion(ctx context.Context, t *kv.Table, row, qualifier []byte, timestamp int64) error {
	c, err := x.writable(ctx, t)
	switch {
	case err != nil:
		return err
	case c == nil:
		return x.Txn.DeleteVersion(ctx, t, row, qualifier, timestamp)
	}
	return x.remove(c, entry{row: row, qualifier: qualifier, timestamp: timestamp})
}

// DeleteColumn implements kv.Txn.
func (x *Txn) DeleteColumn(ctx context.Context, t *kv.Table, row, qualifier []byte) error {
	c, err := x.writable(ctx, t)
	switch {
	case err != nil:
		return err
	case c == nil:
		return x.Txn.DeleteColumn(ctx, t, row, qualifier)
	}
	var all []entry
	first := entry{row: row, qualifier: qualifier, timestamp: firstTimestamp}
	c.tree.Ascend(first, func(e entry) bool {
		if !e.sameColumn(&first) {
			return false
		}
		all = append(all, e)
		return true
	})
	from := len(x.log)
	for _, e := range all {
		if err := x.remove(c, e); err != nil {
			x.undo(from)
			return err
		}
	}
	return nil
}
