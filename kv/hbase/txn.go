package hbase

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sort"
	"time"

	"github.com/hbasekv/hbasekv/kv"
)

// txn is a transaction. It reads what the servers have, at each statement, with its
// own writes on top, which are all in one row.
type txn struct {
	store   *Store
	options kv.TxnOptions
	layout  *layout
	over    bool

	// rows are the written rows, in the order of their first writes: one, unless
	// manyRows. ops counts their writes, and index finds them.
	rows  []*writtenRow
	index map[string]*writtenRow
	ops   int
	log   readLog
	warns []string
	// assumed is true if a version that must be absent was not read.
	assumed bool
	// counted is how many scans of the log belong to statements that have written;
	// opsBefore is ops at the beginning of the current statement.
	counted, opsBefore int
}

// Catalog implements kv.Txn.
func (t *txn) Catalog() *kv.Catalog { return t.layout.catalog }

// Now implements kv.Txn: HBase judges retention by its servers' clocks.
func (t *txn) Now() int64 { return time.Now().UnixMilli() }

// usable returns the reason why nothing can be read or written, or nil.
func (t *txn) usable() error {
	if err := t.store.isClosed(); err != nil {
		return err
	}
	if t.over {
		return kv.ErrClosed
	}
	return nil
}

// Scan implements kv.Txn.
func (t *txn) Scan(ctx context.Context, tables []*kv.Table, s *kv.Scan) (kv.Cursor, error) {
	if err := t.usable(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c, err := t.newCursor(ctx, tables, s)
	if err != nil {
		return nil, err
	}
	if !t.options.ReadOnly && c.own == nil { // the own row logs its reads itself, and no other row's matter
		c.log = t.log.begin(c.table, c.families, c.s)
	}
	return c, nil
}

// newCursor returns a cursor that has read nothing.
func (t *txn) newCursor(ctx context.Context, tables []*kv.Table, s *kv.Scan) (*cursor, error) {
	l := t.layout
	s = cloneScan(s)
	c := &cursor{ctx: ctx, cluster: t.store.cluster, tables: tables, s: s}
	for _, table := range tables {
		f, ok := l.families[table.ID]
		if !ok {
			return nil, kv.ErrCatalogChanged
		}
		c.table = f.table
		c.families = append(c.families, f.name)
	}
	c.pieces = piecesOf(s, tables[0])
	if err := t.seeOwn(c); err != nil {
		return nil, err
	}
	c.parted = len(tables) > 1 && parted(c.pieces)
	if s.Reverse {
		reversePieces(c.pieces)
	}
	return c, nil
}

// cloneScan returns a copy that shares no bytes with the caller's.
func cloneScan(s *kv.Scan) *kv.Scan {
	out := *s
	out.Ranges = slices.Clone(s.Ranges)
	for i := range out.Ranges {
		for _, p := range []*kv.Position{&out.Ranges[i].Start, &out.Ranges[i].End} {
			p.Row, p.Qualifier = bytes.Clone(p.Row), bytes.Clone(p.Qualifier)
		}
	}
	out.Qualifiers = slices.Clone(s.Qualifiers)
	for i, q := range out.Qualifiers {
		out.Qualifiers[i] = kv.QualifierRange{Start: bytes.Clone(q.Start), End: bytes.Clone(q.End)}
	}
	out.Rows.Start, out.Rows.End = bytes.Clone(s.Rows.Start), bytes.Clone(s.Rows.End)
	out.Partitions = slices.Clone(s.Partitions)
	return &out
}

// seeOwn makes a cursor see the transaction's own writes.
func (t *txn) seeOwn(c *cursor) error {
	rows := t.rows
	if row := oneRow(c.s); row != nil && len(rows) > 1 {
		rows = nil
		if w := t.index[rowKey(c.table, row)]; w != nil {
			rows = []*writtenRow{w}
		}
	}
	for _, w := range rows {
		ops := w.until(c.s.At)
		if len(ops) == 0 || w.table != c.table || !touchesScan(c.s, w.row) {
			continue
		}
		if c.own != nil {
			return kv.ErrUnsupported{What: "a statement on HBase that reads several rows written by its transaction"}
		}
		c.own = &ownRow{txn: t, row: w.row, ops: ops}
	}
	if c.own != nil {
		c.pieces = c.own.apart(c.pieces)
	}
	return nil
}

// writtenRow is a row and its writes, in order.
type writtenRow struct {
	table string
	row   []byte
	ops   []op
}

// until returns the writes up to a savepoint; all if at is nil.
func (w *writtenRow) until(at kv.Savepoint) []op {
	if at == nil {
		return w.ops
	}
	n := sort.Search(len(w.ops), func(i int) bool { return w.ops[i].n >= int(at.(savepoint)) })
	return slices.Clip(w.ops[:n])
}

func rowKey(table string, row []byte) string { return table + "\x00" + string(row) }

// manyRows reports whether several rows may be written, one by one.
func (t *txn) manyRows() bool { return t.store.options.MultiRow && t.options.Single }

// savepoint is the number of writes.
type savepoint int

// Savepoint implements kv.Txn.
func (t *txn) Savepoint() kv.Savepoint { return savepoint(t.ops) }

// RollbackTo implements kv.Txn.
func (t *txn) RollbackTo(at kv.Savepoint) {
	t.ops = min(int(at.(savepoint)), t.ops)
	t.opsBefore = min(t.opsBefore, t.ops)
	t.rows = slices.DeleteFunc(t.rows, func(w *writtenRow) bool {
		if w.ops = w.until(at); len(w.ops) == 0 {
			delete(t.index, rowKey(w.table, w.row))
		}
		return len(w.ops) == 0
	})
}

// Renew implements kv.Txn. It forgets what statements without writes have read. A
// statement that is run again assumes nothing.
func (t *txn) Renew(ctx context.Context) error {
	if t.over {
		return kv.ErrClosed
	}
	l, err := t.store.current(ctx)
	if err != nil {
		return err
	}
	t.settle()
	t.options.Again, t.assumed = true, false
	before := t.layout
	t.layout = l
	if slices.ContainsFunc(t.rows, func(w *writtenRow) bool { return !sameFamilies(before, l, w.table) }) {
		return kv.ErrCatalogChanged
	}
	return nil
}

// settle forgets what the current statement has read if it wrote nothing.
func (t *txn) settle() {
	if t.ops == t.opsBefore {
		clear(t.log.scans[t.counted:])
		t.log.scans = t.log.scans[:t.counted]
	}
	t.counted, t.opsBefore = len(t.log.scans), t.ops
}

// sameFamilies reports whether a table of HBase has the same families in both
// layouts.
func sameFamilies(a, b *layout, table string) bool {
	for id, f := range a.families {
		if o, ok := b.families[id]; f.table == table && (!ok || !bytes.Equal(o.name, f.name)) {
			return false
		}
	}
	return true
}

var _ kv.Warner = (*txn)(nil)

// Warnings implements kv.Warner.
func (t *txn) Warnings() []string { return t.warns }

// deletes adds the warning about what a marker hides in a family without
// NEW_VERSION_BEHAVIOR.
func (t *txn) deletes(table *kv.Table, f *family) {
	text := fmt.Sprintf("The family of %s has no NEW_VERSION_BEHAVIOR: until HBase runs a major compaction, a deleted version hides later writes "+
		"at the same T, and a deleted column hides later writes at the same or an older T", table.Name)
	if !f.newVersions && !slices.Contains(t.warns, text) {
		t.warns = append(t.warns, text)
	}
}

// LockRow implements kv.Txn. There are no locks: the commit checks whether a row
// has changed.
func (t *txn) LockRow(context.Context, *kv.Table, []byte, kv.RowLock) error { return t.usable() }

// Rollback implements kv.Txn.
func (t *txn) Rollback() {
	t.over = true
	t.rows, t.index, t.ops, t.log = nil, nil, 0, readLog{}
}
