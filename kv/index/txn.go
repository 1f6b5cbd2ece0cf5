package index

import (
	"context"

	"github.com/hbasekv/hbasekv/kv"
)

// Txn is a transaction that maintains the entries of indexes.
type Txn struct {
	kv.Wrapped
	keeper  *Keeper
	pending map[rowID]*written
	parts   int      // number of parts in pending
	recent  *written // the pending row that was written last, or nil
	last    *table   // the table that was written last
}

// savepoint is a state of the writes, with the rows whose entries were not written then. If there are
// none, it is the wrapped transaction's own savepoint.
type savepoint struct {
	of *Txn // whose savepoint it is: the wrapped transaction may have such ones, too
	kv.Savepoint
	pending []*pending
}

var (
	_ kv.Indexed   = (*Txn)(nil)
	_ kv.Observed  = (*Txn)(nil)
	_ kv.Warner    = (*Txn)(nil)
	_ kv.Explainer = (*Txn)(nil)
	_ kv.Releaser  = (*Txn)(nil)
)

// parts are what a write touches: a row, and a column of it; each nil if it is not touched.
type parts [2]*pending

// before prepares a row for a write of a column: it locks the row and remembers its entries.
func (x *Txn) before(ctx context.Context, t *kv.Table, row, qualifier []byte) (touched parts, err error) {
	if !x.keeper.keeps(t) {
		return parts{}, nil
	}
	of, err := x.table(t)
	if err != nil {
		return parts{}, err
	}
	for i, u := range [...]*unit{&of.rows, &of.columns} {
		if !u.wants(qualifier) {
			continue
		}
		if touched[i], err = x.touch(ctx, u, row, qualifier); err != nil {
			return parts{}, err
		}
	}
	return touched, nil
}

// table returns the indexes of a table.
func (x *Txn) table(t *kv.Table) (*table, error) {
	if x.last == nil || x.last.Table != t {
		of, err := x.keeper.of(x.Txn.Catalog(), t)
		if err != nil {
			return nil, err
		}
		x.last = of
	}
	return x.last, nil
}

// touch makes a row, or a column, pending. It fails with kv.ErrTooLarge beyond MostPending.
func (x *Txn) touch(ctx context.Context, u *unit, row, qualifier []byte) (*pending, error) {
	if p := x.find(u.Table, row).part(u, qualifier); p != nil {
		return p, nil
	}
	if x.parts >= x.keeper.MostPending {
		return nil, kv.ErrTooLarge
	}
	if err := x.Txn.LockRow(ctx, u.Table, row, kv.RowLock{}); err != nil {
		return nil, err
	}
	cells, err := u.read(ctx, x.Txn, row, qualifier)
	if err != nil {
		return nil, err
	}
	p, err := newPending(u, row, qualifier, cells)
	if err == nil {
		x.add(p)
	}
	return p, err
}

// Found implements kv.Indexed.
func (x *Txn) Found(t *kv.Table, row []byte, cells []kv.Cell) error {
	if !x.keeper.keeps(t) {
		return x.foundBelow(t, row, cells)
	}
	of, err := x.table(t)
	if err != nil || len(of.rows.indexes) == 0 || x.find(t, row).part(&of.rows, nil) != nil {
		return err
	}
	var own []kv.Cell
	for i := range cells {
		if of.rows.wants(cells[i].Qualifier) {
			own = append(own, copied(&cells[i], cells[i].Value))
		}
	}
	p, err := newPending(&of.rows, row, nil, own)
	if err == nil {
		x.add(p)
	}
	return err
}

// foundBelow is Found of the wrapped transaction, which may maintain the entries of other tables.
func (x *Txn) foundBelow(t *kv.Table, row []byte, cells []kv.Cell) error {
	if i, ok := x.Txn.(kv.Indexed); ok {
		return i.Found(t, row, cells)
	}
	return nil
}

// find returns what is pending of a row, nil if nothing is.
func (x *Txn) find(t *kv.Table, row []byte) *written {
	if w := x.recent; w != nil && w.table == t.ID && w.row == string(row) {
		return w
	}
	w := x.pending[rowID{t.ID, string(row)}]
	if w != nil {
		x.recent = w
	}
	return w
}

func (x *Txn) add(p *pending) {
	w := x.find(p.Table, p.row)
	if w == nil {
		w = &written{rowID: rowID{p.ID, string(p.row)}}
		if x.pending == nil {
			x.pending = map[rowID]*written{}
		}
		x.pending[w.rowID], x.recent = w, w
	}
	w.add(p)
	x.parts++
}

// put notes a written cell.
func (ps parts) put(c *kv.Cell) {
	for _, p := range ps {
		p.put(c)
	}
}

// Put implements kv.Txn.
func (x *Txn) Put(ctx context.Context, t *kv.Table, c kv.Cell) error {
	touched, err := x.before(ctx, t, c.Row, c.Qualifier)
	if err != nil {
		return err
	}
	if err := x.Txn.Put(ctx, t, c); err != nil {
		return err
	}
	touched.put(&c)
	return nil
}

// PutIfAbsent implements kv.Txn.
func (x *Txn) PutIfAbsent(ctx context.Context, t *kv.Table, c kv.Cell) (bool, error) {
	touched, err := x.before(ctx, t, c.Row, c.Qualifier)
	if err != nil {
		return false, err
	}
	written, err := x.Txn.PutIfAbsent(ctx, t, c)
	if written {
		touched.put(&c)
	}
	return written, err
}

// PutNext implements kv.Txn.
func (x *Txn) PutNext(ctx context.Context, t *kv.Table, c kv.Cell) (int64, error) {
	touched, err := x.before(ctx, t, c.Row, c.Qualifier)
	if err != nil {
		return 0, err
	}
	at, err := x.Txn.PutNext(ctx, t, c)
	if err == nil {
		c.Timestamp = at
		touched.put(&c)
	}
	return at, err
}

// DeleteVersion implements kv.Txn.
func (x *Txn) DeleteVersion(ctx context.Context, t *kv.Table, row, qualifier []byte, timestamp int64) error {
	touched, err := x.before(ctx, t, row, qualifier)
	if err != nil {
		return err
	}
	if err := x.Txn.DeleteVersion(ctx, t, row, qualifier, timestamp); err != nil {
		return err
	}
	for _, p := range touched {
		p.removedVersion(qualifier, timestamp)
	}
	return nil
}

// DeleteColumn implements kv.Txn.
func (x *Txn) DeleteColumn(ctx context.Context, t *kv.Table, row, qualifier []byte) error {
	touched, err := x.before(ctx, t, row, qualifier)
	if err != nil {
		return err
	}
	if err := x.Txn.DeleteColumn(ctx, t, row, qualifier); err != nil {
		return err
	}
	for _, p := range touched {
		p.removed(qualifier)
	}
	return nil
}

// DeleteRanges implements kv.RangeDeleter. Cells of a table with indexes are deleted one by one,
// since the entries of each must be found.
func (x *Txn) DeleteRanges(ctx context.Context, t *kv.Table, s *kv.Scan) (kv.RangesDeleted, error) {
	if len(t.Indexes) > 0 || t.IndexOf != 0 {
		return kv.RangesDeleted{}, nil
	}
	return x.Wrapped.DeleteRanges(ctx, t, s)
}

// DeleteColumns implements kv.ColumnsDeleter. Those of a table with indexes are deleted one by one.
func (x *Txn) DeleteColumns(ctx context.Context, t *kv.Table, cells *kv.Batch, at []int32) (bool, error) {
	if len(t.Indexes) > 0 || t.IndexOf != 0 {
		return false, nil
	}
	return x.Wrapped.DeleteColumns(ctx, t, cells, at)
}

// Scan implements kv.Txn. A scan of entries sees those of all rows that the transaction has written;
// as of a savepoint, those of the rows that were settled then.
func (x *Txn) Scan(ctx context.Context, tables []*kv.Table, s *kv.Scan) (kv.Cursor, error) {
	s = x.inner(s)
	if tables[0].IndexOf != 0 && s.At == nil {
		if err := x.settleAll(ctx); err != nil {
			return nil, err
		}
	}
	return x.Txn.Scan(ctx, tables, s)
}

// inner returns the scan for the wrapped transaction.
func (x *Txn) inner(s *kv.Scan) *kv.Scan {
	at, ok := s.At.(savepoint)
	if !ok || at.of != x {
		return s
	}
	out := *s
	out.At = at.Savepoint
	return &out
}

// allPending returns the pending rows and columns, in any order.
func (x *Txn) allPending() (all []*pending) {
	for _, w := range x.pending {
		all = w.appendTo(all)
	}
	return all
}

// Savepoint implements kv.Txn.
func (x *Txn) Savepoint() kv.Savepoint {
	if len(x.pending) == 0 {
		return x.Txn.Savepoint()
	}
	return savepoint{x, x.Txn.Savepoint(), x.allPending()}
}

// RollbackTo implements kv.Txn. Entries that were not written at the savepoint are pending again.
func (x *Txn) RollbackTo(to kv.Savepoint) {
	s, ok := to.(savepoint)
	if !ok || s.of != x {
		s = savepoint{Savepoint: to}
	}
	x.Txn.RollbackTo(s.Savepoint)
	clear(x.pending)
	x.recent, x.parts = nil, 0
	for _, p := range s.pending {
		again := *p
		again.stale, again.cells = true, nil
		x.add(&again)
	}
}

// Renew implements kv.Txn. Rows that the transaction has written are locked, and stay as they are.
func (x *Txn) Renew(ctx context.Context) error {
	if err := x.Txn.Renew(ctx); err != nil {
		return err
	}
	return x.follow()
}

// Commit implements kv.Txn.
func (x *Txn) Commit(ctx context.Context) error {
	if err := x.settleAll(ctx); err != nil {
		x.Txn.Rollback()
		return err
	}
	return x.Txn.Commit(ctx)
}

// Release implements kv.Releaser.
func (x *Txn) Release() error {
	if r, ok := x.Txn.(kv.Releaser); ok {
		return r.Release()
	}
	x.Txn.Rollback()
	return nil
}

// ExplainScan implements kv.Explainer.
func (x *Txn) ExplainScan(tables []*kv.Table, s *kv.Scan) ([]string, error) {
	if e, ok := x.Txn.(kv.Explainer); ok {
		return e.ExplainScan(tables, x.inner(s))
	}
	return nil, nil
}

// follow gives the pending rows the descriptors of a new snapshot's catalog.
func (x *Txn) follow() error {
	x.last = nil
	for _, p := range x.allPending() {
		t := x.Txn.Catalog().TableByID(p.ID)
		if t == nil {
			return kv.ErrCatalogChanged
		}
		of, err := x.table(t)
		if err != nil {
			return err
		}
		next := &of.rows
		if p.single {
			next = &of.columns
		}
		if len(next.indexes) != len(p.indexes) {
			return kv.ErrCatalogChanged
		}
		p.unit = next
	}
	return nil
}
