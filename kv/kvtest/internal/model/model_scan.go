package model

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/tidwall/btree"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/keyspace"
)

// found is a cell of a scan, with the index of its table.
type found struct {
	family    int
	partition int
	entry
}

// Scan implements kv.Txn.
func (x *txn) Scan(ctx context.Context, tables []*kv.Table, s *kv.Scan) (kv.Cursor, error) {
	if err := x.ready(ctx); err != nil {
		return nil, err
	}
	x.model.openCursors.Add(1)
	c := &cursor{ctx: ctx, model: x.model, needValue: s.NeedValue, scan: *s, tables: tables}
	c.cells, c.stats = collect(x.cellsAt(s.At), tables, s, x.now)
	if s.Budget != nil && !s.Budget.Spend(c.stats.Cells) {
		c.err = kv.ErrBudget
	}
	if x.opts.Serializable {
		x.reads = append(x.reads, read{tables, *s})
	}
	return c, nil
}

// cellsAt returns the cells as of a savepoint, or the current ones.
func (x *txn) cellsAt(at kv.Savepoint) *btree.BTreeG[entry] {
	if at == nil {
		return x.cells
	}
	cells := x.snapshot.cells.Copy()
	for _, w := range x.writes[:at.(savepoint).writes] {
		w.apply(cells)
	}
	return cells
}

// collect is the entire meaning of a Scan: all cells that exist, without those
// that the scan does not want, in order.
func collect(from *btree.BTreeG[entry], tables []*kv.Table, s *kv.Scan, now int64) ([]found, kv.ScanStats) {
	var cells []found
	var stats kv.ScanStats
	for family, t := range tables {
		for leaf := range keyspace.Of(t).Spaces {
			partition, slice := t.Partitioning.LeafAt(leaf)
			if s.Partitions != nil && !slices.Contains(s.Partitions, partition) ||
				t.Partitioning.Slices() != nil && (s.Slices != nil && !slices.Contains(s.Slices, slice) ||
					s.Leaves != nil && !slices.Contains(s.Leaves, leaf)) {
				continue
			}
			stats.Partitions++
			existing := keptIn(from, t, leaf, now)
			cells = slices.Grow(cells, len(existing))
			for _, e := range existing {
				cells = append(cells, found{family, partition, e})
			}
		}
	}
	stats.Cells = int64(len(cells))
	cells = slices.DeleteFunc(cells, func(f found) bool { return !wanted(f, s) })
	slices.SortFunc(cells, compareFound)
	cells = newest(cells, s.MaxVersions)
	if s.Reverse {
		slices.Reverse(cells)
	}
	if s.FirstPerRow {
		cells = slices.CompactFunc(cells, sameRow)
	}
	if !s.Ordered {
		unorder(cells, s.ByPartition && !s.Reverse)
	}
	return cells, stats
}

func compareFound(a, b found) int {
	return cmp.Or(
		strings.Compare(a.row, b.row),
		cmp.Compare(a.family, b.family),
		strings.Compare(a.qualifier, b.qualifier),
		cmp.Compare(b.timestamp, a.timestamp))
}

func sameRow(a, b found) bool { return a.family == b.family && a.row == b.row }

// unorder sorts the cells by partition, each partition in its own order. The last
// partition comes first, so that callers cannot rely on sorted rows, unless
// ascending is requested.
func unorder(cells []found, ascending bool) {
	slices.SortStableFunc(cells, func(a, b found) int {
		if ascending {
			a, b = b, a
		}
		return cmp.Compare(b.partition, a.partition)
	})
}

// wanted applies the filters that look at a single cell.
func wanted(f found, s *kv.Scan) bool {
	return f.row >= string(s.Rows.Start) && (s.Rows.End == nil || f.row < string(s.Rows.End)) &&
		(s.Ranges == nil || slices.ContainsFunc(s.Ranges, f.in)) &&
		(s.Qualifiers == nil || slices.ContainsFunc(s.Qualifiers, f.inQualifiers)) &&
		(!s.Time.Bounded || s.Time.Min <= f.timestamp && f.timestamp <= s.Time.Max)
}

func (f found) in(r kv.Range) bool {
	return (r.Start.Depth == kv.DepthNone || f.behind(r.Start)) &&
		(r.End.Depth == kv.DepthNone || !f.behind(r.End))
}

// behind reports whether the cell comes after the position.
func (f found) behind(p kv.Position) bool {
	order := strings.Compare(f.row, string(p.Row))
	if p.Depth >= kv.DepthColumn {
		order = cmp.Or(order, strings.Compare(f.qualifier, string(p.Qualifier)))
	}
	if p.Depth >= kv.DepthCell {
		order = cmp.Or(order, cmp.Compare(p.Timestamp, f.timestamp))
	}
	if order == 0 {
		return !p.After
	}
	return order > 0
}

func (f found) inQualifiers(r kv.QualifierRange) bool {
	return f.qualifier >= string(r.Start) && (r.End == nil || f.qualifier < string(r.End))
}

// newest keeps the first n cells of each column of sorted cells. 0 keeps all.
func newest(cells []found, n int) []found {
	if n == 0 {
		return cells
	}
	var out []found
	seen := 0
	for i, f := range cells {
		if i == 0 || !sameRow(f, cells[i-1]) || f.qualifier != cells[i-1].qualifier {
			seen = 0
		}
		if seen++; seen <= n {
			out = append(out, f)
		}
	}
	return out
}

var ErrNotAsked = errors.New("the scan did not request values")

// cursor steps through cells that were found beforehand.
type cursor struct {
	ctx       context.Context
	model     *Model
	needValue bool
	scan      kv.Scan
	tables    []*kv.Table
	cells     []found
	stats     kv.ScanStats

	current kv.Cell
	value   []byte
	err     error
	closed  bool
}

// Next implements kv.Cursor.
func (c *cursor) Next() bool {
	c.spoil()
	if c.closed || c.err != nil {
		return false
	}
	if c.err = c.model.usable(c.ctx); c.err != nil || len(c.cells) == 0 {
		return false
	}
	f := c.cells[0]
	c.cells = c.cells[1:]
	c.current = kv.Cell{Family: f.family, Row: []byte(f.row), Qualifier: []byte(f.qualifier), Timestamp: f.timestamp}
	c.value = bytes.Clone(f.value)
	return true
}

// spoil overwrites the bytes that the caller must not use any more.
func (c *cursor) spoil() {
	for _, b := range [][]byte{c.current.Row, c.current.Qualifier, c.value} {
		for i := range b {
			b[i] = 0xdb
		}
	}
	c.current, c.value = kv.Cell{}, nil
}

// Cell implements kv.Cursor.
func (c *cursor) Cell() *kv.Cell { return &c.current }

// CountRun implements kv.RunCounter.
func (c *cursor) CountRun(n int) (row []byte, cells int64) {
	for cells == 0 || len(c.cells) > 0 && c.cells[0].row[:min(n, len(c.cells[0].row))] == string(row) {
		if !c.Next() {
			break
		}
		row = bytes.Clone(c.current.Row[:min(n, len(c.current.Row))])
		cells++
	}
	return row, cells
}

// Divide implements kv.Divider. It divides wherever it can, until there are n scans.
func (c *cursor) Divide(n int) ([]kv.Scan, error) {
	if c.scan.Reverse || c.scan.Ordered && !c.tables[0].Partitioning.Ordered() {
		return nil, nil
	}
	at := 0
	for c.current.Row != nil && at < len(c.cells) && c.cells[at].row == string(c.current.Row) {
		at++
	}
	rest := c.cells[at:]
	c.cells = c.cells[:at]
	var out []kv.Scan
	for i, f := range rest {
		fresh := i == 0 || rest[i-1].partition != f.partition
		if !fresh && (rest[i-1].row == f.row || len(out) >= n) {
			continue
		}
		if !fresh {
			out[len(out)-1].Rows.End = []byte(f.row)
		}
		part := c.scan
		part.Partitions, part.Limit, part.Rows.Start = []int{f.partition}, 0, []byte(f.row)
		out = append(out, part)
	}
	return out, nil
}

// Value implements kv.Cursor.
func (c *cursor) Value() ([]byte, error) {
	switch {
	case !c.needValue:
		return nil, ErrNotAsked
	case c.model.isClosed():
		return nil, kv.ErrClosed
	}
	return c.value, nil
}

// Err implements kv.Cursor.
func (c *cursor) Err() error { return c.err }

// Stats implements kv.Cursor.
func (c *cursor) Stats() kv.ScanStats { return c.stats }

// Close implements kv.Cursor.
func (c *cursor) Close() error {
	if !c.closed {
		c.spoil()
		c.closed = true
		c.model.openCursors.Add(-1)
	}
	return nil
}
