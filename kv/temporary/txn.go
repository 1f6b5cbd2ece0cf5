package temporary

import (
	"context"

	"github.com/hbasekv/hbasekv/kv"
)

// Txn is a transaction of the store that has a session's own tables too.
type Txn struct {
	kv.Wrapped // the transaction of the store's tables
	tables     *Tables
	log        []change
	logged     int64 // bytes of the log, which the session's memory counts
	read       map[*cells]*tree
	image      image
	seen       *kv.Catalog
	seenAt     uint64 // changes of the own tables
}

// change is a write of the transaction: what was there and what is. It is undone backwards.
type change struct {
	cells         *cells // nil of one that stays whatever becomes of the transaction
	before, after entry
	had, has      bool // whether there was a cell before, and is one after
}

// image is a table as it was at a savepoint.
type image struct {
	of   *cells
	at   int // length of the log
	tree *tree
}

// savepoint is one of both.
type savepoint struct {
	stored kv.Savepoint
	log    int
}

var (
	_ kv.Observed  = (*Txn)(nil)
	_ kv.Warner    = (*Txn)(nil)
	_ kv.Explainer = (*Txn)(nil)
	_ kv.Releaser  = (*Txn)(nil)
	_ kv.Indexed   = (*Txn)(nil)

	_ kv.RangeDeleter = (*Txn)(nil)
)

// Catalog is that of the store's snapshot, with the own tables as they are now.
func (x *Txn) Catalog() *kv.Catalog {
	stored := x.Txn.Catalog()
	if x.seen == nil || x.seen.Stored() != stored || x.seenAt != x.tables.changes {
		x.seen, x.seenAt = x.tables.over(stored), x.tables.changes
	}
	return x.seen
}

// Scan implements kv.Txn. A table of the session's own is in no group, and is read alone.
func (x *Txn) Scan(ctx context.Context, tables []*kv.Table, s *kv.Scan) (kv.Cursor, error) {
	at, both := s.At.(savepoint)
	if c := own(tables[0]); c != nil {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if both {
			return newCursor(ctx, x.treeAt(c, at.log), s), nil
		}
		return newCursor(ctx, x.tree(c), s), nil
	}
	if both {
		stored := *s
		stored.At = at.stored
		s = &stored
	}
	return x.Txn.Scan(ctx, tables, s)
}

// tree is what the transaction reads of a table: what was there when it read it first, and what
// it has written.
func (x *Txn) tree(c *cells) *tree {
	if t := x.read[c]; t != nil {
		return t
	}
	if x.read == nil {
		x.read = map[*cells]*tree{}
	}
	t := c.tree.Copy()
	x.read[c] = t
	return t
}

// treeAt is a table as it was at a savepoint.
func (x *Txn) treeAt(c *cells, at int) *tree {
	if x.image.of == c && x.image.at == at {
		return x.image.tree
	}
	t := c.tree.Copy()
	for i := len(x.log) - 1; i >= at; i-- {
		if x.log[i].cells == c {
			x.log[i].undo(t)
		}
	}
	x.image = image{c, at, t}
	return t
}

// LockRow implements kv.Txn. Nobody else can lock a row of the session's own.
func (x *Txn) LockRow(ctx context.Context, t *kv.Table, row []byte, how kv.RowLock) error {
	if own(t) != nil {
		return ctx.Err()
	}
	return x.Txn.LockRow(ctx, t, row, how)
}

// DeleteRanges implements kv.RangeDeleter. The cells of a table of the session's own go one by one.
func (x *Txn) DeleteRanges(ctx context.Context, t *kv.Table, s *kv.Scan) (kv.RangesDeleted, error) {
	if own(t) != nil {
		return kv.RangesDeleted{}, nil
	}
	return x.Wrapped.DeleteRanges(ctx, t, s)
}

// Renew implements kv.Txn.
func (x *Txn) Renew(ctx context.Context) error {
	x.read = nil
	return x.Txn.Renew(ctx)
}

// Savepoint implements kv.Txn.
func (x *Txn) Savepoint() kv.Savepoint { return savepoint{x.Txn.Savepoint(), len(x.log)} }

// RollbackTo implements kv.Txn. A savepoint that is not of both was set before there were
// tables of the session's own.
func (x *Txn) RollbackTo(s kv.Savepoint) {
	both, ok := s.(savepoint)
	if !ok {
		both.stored = s
	}
	x.Txn.RollbackTo(both.stored)
	x.undo(both.log)
}

// Commit implements kv.Txn. What the session has of its own stands where the store's commit does.
func (x *Txn) Commit(ctx context.Context) error {
	err := x.Txn.Commit(ctx)
	if err != nil {
		x.undo(0)
		return err
	}
	x.tables.memory.Give(x.logged)
	x.log, x.logged, x.read, x.image = nil, 0, nil, image{}
	return nil
}

// Rollback implements kv.Txn.
func (x *Txn) Rollback() {
	x.undo(0)
	x.Txn.Rollback()
}

// Release implements kv.Releaser.
func (x *Txn) Release() error {
	x.undo(0)
	if r, ok := x.Txn.(kv.Releaser); ok {
		return r.Release()
	}
	x.Txn.Rollback()
	return nil
}

// Settle has what a transaction has written into one of the own tables stay there, whatever
// becomes of the transaction.
func (t *Tables) Settle(txn kv.Txn, table *kv.Table) {
	x, c := txn.(*Txn), own(table)
	for i := range x.log {
		if x.log[i].cells == c {
			x.log[i].cells = nil
		}
	}
	x.image = image{}
}

// Found implements kv.Indexed.
func (x *Txn) Found(t *kv.Table, row []byte, cells []kv.Cell) error {
	if i, ok := x.Txn.(kv.Indexed); ok && own(t) == nil {
		return i.Found(t, row, cells)
	}
	return nil
}

// Settle implements kv.Indexed: a table of the session's own has no indexes.
func (x *Txn) Settle(ctx context.Context, t *kv.Table, row []byte) error {
	if i, ok := x.Txn.(kv.Indexed); ok && (row == nil || own(t) == nil) {
		return i.Settle(ctx, t, row)
	}
	return nil
}

// ExplainScan implements kv.Explainer: of what is in memory nothing is asked of a server.
func (x *Txn) ExplainScan(tables []*kv.Table, s *kv.Scan) ([]string, error) {
	e, ok := x.Txn.(kv.Explainer)
	if !ok || own(tables[0]) != nil {
		return nil, nil
	}
	if at, ok := s.At.(savepoint); ok {
		stored := *s
		stored.At = at.stored
		s = &stored
	}
	return e.ExplainScan(tables, s)
}
