package temporary

import (
	"context"

	"github.com/hbasekv/hbasekv/kv"
)

// Txn is a transaction of the store that also covers a session's own tables.
type Txn struct {
	kv.Wrapped // the transaction of the store's tables
	tables     *Tables
	log        []change
	logged     int64 // bytes of the log, as counted in the session's memory
	read       map[*cells]tree
	image      image
	seen       *kv.Catalog
	seenAt     uint64 // changes of the own tables at that time
}

// change is a write of the transaction: the previous and the new cell. Changes are undone backwards.
type change struct {
	cells         *cells // nil if it stays even after a rollback
	before, after entry
	had, has      bool // whether there was a cell before, and is one after
}

// image is a table as it was at a savepoint.
type image struct {
	of   *cells
	at   int // length of the log
	tree tree
}

// savepoint is a savepoint of the store and the own tables.
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

	_ kv.RangeDeleter   = (*Txn)(nil)
	_ kv.ColumnsDeleter = (*Txn)(nil)
)

// Catalog returns the catalog of the store's snapshot, with the own tables as they are now.
func (x *Txn) Catalog() *kv.Catalog {
	stored := x.Txn.Catalog()
	if x.seen == nil || x.seen.Stored() != stored || x.seenAt != x.tables.changes {
		x.seen, x.seenAt = x.tables.over(stored), x.tables.changes
	}
	return x.seen
}

// Scan implements kv.Txn. The session's own tables are in no group, and are read alone.
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

// tree returns what the transaction reads of a table: its state at the first read, with the
// transaction's writes.
func (x *Txn) tree(c *cells) tree {
	if t := x.read[c]; t != nil {
		return t
	}
	if x.read == nil {
		x.read = map[*cells]tree{}
	}
	t := c.tree.Copy()
	x.read[c] = t
	return t
}

// treeAt returns a table as it was at a savepoint.
func (x *Txn) treeAt(c *cells, at int) tree {
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

// LockRow implements kv.Txn. Nobody else can lock rows of the session's own tables.
func (x *Txn) LockRow(ctx context.Context, t *kv.Table, row []byte, how kv.RowLock) error {
	if own(t) != nil {
		return ctx.Err()
	}
	return x.Txn.LockRow(ctx, t, row, how)
}

// DeleteRanges implements kv.RangeDeleter. Cells of the session's own tables are deleted one by one.
func (x *Txn) DeleteRanges(ctx context.Context, t *kv.Table, s *kv.Scan) (kv.RangesDeleted, error) {
	if own(t) != nil {
		return kv.RangesDeleted{}, nil
	}
	return x.Wrapped.DeleteRanges(ctx, t, s)
}

// DeleteColumns implements kv.ColumnsDeleter. Those of the session's own tables are deleted one by one.
func (x *Txn) DeleteColumns(ctx context.Context, t *kv.Table, cells *kv.Batch, at []int32) (bool, error) {
	if own(t) != nil {
		return false, nil
	}
	return x.Wrapped.DeleteColumns(ctx, t, cells, at)
}

// Renew implements kv.Txn.
func (x *Txn) Renew(ctx context.Context) error {
	x.read = nil
	return x.Txn.Renew(ctx)
}

// Savepoint implements kv.Txn.
func (x *Txn) Savepoint() kv.Savepoint { return savepoint{x.Txn.Savepoint(), len(x.log)} }

// RollbackTo implements kv.Txn. A savepoint of the store alone was set before there were own tables.
func (x *Txn) RollbackTo(s kv.Savepoint) {
	both, ok := s.(savepoint)
	if !ok {
		both.stored = s
	}
	x.Txn.RollbackTo(both.stored)
	x.undo(both.log)
}

// Commit implements kv.Txn. Writes to own tables are kept if the store's commit succeeds, and
// undone otherwise.
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

// Settle keeps what a transaction has written into one of the own tables, even if the transaction
// is rolled back. The error is that of writing the entries of its indexes.
func (t *Tables) Settle(ctx context.Context, txn kv.Txn, table *kv.Table) error {
	if err := txn.(kv.Indexed).Settle(ctx, nil, nil); err != nil {
		return err
	}
	kept := map[*cells]bool{own(table): true}
	for _, index := range table.Indexes {
		kept[own(txn.Catalog().TableByID(index.Entries))] = true
	}
	x := t.keeper.Below(txn).(*Txn)
	for i := range x.log {
		if kept[x.log[i].cells] {
			x.log[i].cells = nil
		}
	}
	x.image = image{}
	return nil
}

// Found implements kv.Indexed.
func (x *Txn) Found(t *kv.Table, row []byte, cells []kv.Cell) error {
	if i, ok := x.Txn.(kv.Indexed); ok && own(t) == nil {
		return i.Found(t, row, cells)
	}
	return nil
}

// Settle implements kv.Indexed. The entries of the session's own tables are written like any cells.
func (x *Txn) Settle(ctx context.Context, t *kv.Table, row []byte) error {
	if i, ok := x.Txn.(kv.Indexed); ok && (row == nil || own(t) == nil) {
		return i.Settle(ctx, t, row)
	}
	return nil
}

// ExplainScan implements kv.Explainer. Reading own tables makes no calls to servers.
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
