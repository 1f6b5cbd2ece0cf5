package temporary

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sort"

	"github.com/hbasekv/hbasekv/kv"
)

var errNotAsked = errors.New("the scan did not request values")

// cursor reads column by column: the cells of a column that the scan gives, in its order.
type cursor struct {
	ctx   context.Context
	scan  *kv.Scan
	tree  tree
	iter  iterator
	spans []span
	span  int // the current one

	column []entry // of the current column, from the current cell on
	bound  entry   // where to continue; with Reverse, before which
	begun  bool    // iter has a cell; with Reverse, bound is one
	next   []byte  // memory for bound

	cell  kv.Cell
	value []byte
	stats kv.ScanStats
	err   error
}

func newCursor(ctx context.Context, t tree, s *kv.Scan) *cursor {
	c := &cursor{ctx: ctx, scan: s, tree: t, iter: t.Iter(), spans: spansOf(s), bound: entry{timestamp: firstTimestamp}}
	c.stats.Partitions = 1
	if s.Reverse {
		c.span = len(c.spans) - 1
	}
	return c
}

// Next implements kv.Cursor.
func (c *cursor) Next() bool {
	if len(c.column) > 1 {
		c.column = c.column[1:]
	} else if !c.fill() {
		c.column, c.cell, c.value = nil, kv.Cell{}, nil
		return false
	}
	e := &c.column[0]
	c.cell = kv.Cell{Row: e.row, Qualifier: e.qualifier, Timestamp: e.timestamp}
	c.value = e.value
	return true
}

// fill moves to the next column that has cells.
func (c *cursor) fill() bool {
	c.column = c.column[:0]
	if c.err == nil {
		c.err = c.ctx.Err()
	}
	for c.err == nil && len(c.column) == 0 {
		more := false
		if c.scan.Reverse {
			more = c.back()
		} else {
			more = c.forward()
		}
		if !more {
			return false
		}
	}
	return c.err == nil
}

// seek moves iter to the first cell from bound on, and reports whether there is one.
func (c *cursor) seek() bool {
	const near = 8
	for i := 0; c.begun && i < near; i++ {
		e := c.iter.Item()
		if compare(&e, &c.bound) >= 0 {
			return true
		}
		c.begun = c.iter.Next()
		if !c.begun {
			return false
		}
	}
	c.stats.Seeks++
	c.begun = c.iter.Seek(c.bound)
	return c.begun
}

// forward reads the next column, or skips what the scan does not want. It returns false at the end.
func (c *cursor) forward() bool {
	if c.span >= len(c.spans) {
		return false
	}
	s := &c.spans[c.span]
	if less(c.bound, s.lo) {
		c.bound = s.lo
	}
	if !c.seek() {
		return false
	}
	e := c.iter.Item()
	if s.ends(&e) {
		c.passSpans(&e)
		return true
	}
	if at, ok := c.nextQualifier(e.qualifier); !ok {
		c.boundAt(e.row, nil, true)
		return true
	} else if at != nil {
		c.boundAt(e.row, at, false)
		return true
	}
	c.collect(&e)
	return true
}

// passSpans moves to the first span that does not end before a cell.
func (c *cursor) passSpans(e *entry) {
	rest := c.spans[c.span:]
	c.span += sort.Search(len(rest), func(i int) bool { return !rest[i].ends(e) })
}

// boundAt makes the cursor continue at a column, or after it; without a qualifier, after the row.
func (c *cursor) boundAt(row, qualifier []byte, behind bool) {
	c.bound = entry{row: row, qualifier: qualifier, timestamp: firstTimestamp}
	if !behind {
		return
	}
	if qualifier != nil {
		c.next = append(append(c.next[:0], qualifier...), 0)
		c.bound.qualifier = c.next
		return
	}
	c.next = append(append(c.next[:0], row...), 0)
	c.bound.row = c.next
}

// nextQualifier returns nil for a qualifier that the scan wants, else the next one that it may
// want; ok is false if there is none.
func (c *cursor) nextQualifier(q []byte) (next []byte, ok bool) {
	all := c.scan.Qualifiers
	if all == nil {
		return nil, true
	}
	i := qualifierRange(all, q)
	switch {
	case i == len(all):
		return nil, false
	case bytes.Compare(q, all[i].Start) >= 0:
		return nil, true
	}
	return all[i].Start, true
}

// qualifierRange returns the first range that does not end before a qualifier.
func qualifierRange(all []kv.QualifierRange, q []byte) int {
	return sort.Search(len(all), func(i int) bool { return all[i].End == nil || bytes.Compare(q, all[i].End) < 0 })
}

// atOnce is how many versions of a column are read at once if all are wanted.
const atOnce = 256

// collect reads the cells of a column from iter's on, and moves bound after them.
func (c *cursor) collect(first *entry) {
	qualifier := first.qualifier
	if qualifier == nil {
		qualifier = []byte{}
	}
	c.boundAt(first.row, qualifier, true)
	for c.begun {
		e := c.iter.Item()
		if !e.sameColumn(first) || !c.look() {
			return
		}
		if to, ok := c.further(&e); !ok {
			break
		} else if to != nil {
			c.hop(*to)
			continue
		}
		stop := c.take(&e)
		if n := len(c.column); stop || c.scan.FirstPerRow && n > 0 {
			break
		} else if c.scan.MaxVersions == 0 && n >= atOnce {
			c.pass(&e)
			return
		}
		c.begun = c.iter.Next()
	}
	if c.scan.FirstPerRow && len(c.column) > 0 {
		c.boundAt(first.row, nil, true)
	}
}

// further returns where in the column to continue instead of at a cell that is too new or
// between two spans, nil if it is neither; ok is false if nothing follows.
func (c *cursor) further(e *entry) (to *entry, ok bool) {
	if t := &c.scan.Time; t.Bounded && e.timestamp > t.Max {
		return &entry{row: e.row, qualifier: e.qualifier, timestamp: t.Max}, true
	}
	if !c.spans[c.span].ends(e) {
		return nil, true
	}
	c.passSpans(e)
	if c.span == len(c.spans) {
		return nil, false
	}
	lo := &c.spans[c.span].lo
	if compare(lo, e) <= 0 {
		return nil, true
	}
	return lo, lo.sameColumn(e)
}

// hop moves iter to the first cell from a place on.
func (c *cursor) hop(to entry) {
	bound := c.bound
	c.bound = to
	c.seek()
	c.bound = bound
}

// pass moves bound after one version.
func (c *cursor) pass(e *entry) {
	p := kv.Position{Row: e.row, Qualifier: e.qualifier, Timestamp: e.timestamp, Depth: kv.DepthCell, After: true}
	c.bound = place(&p)
}

// take adds a cell to the column if the scan wants it, and reports whether it wants no older version.
func (c *cursor) take(e *entry) (last bool) {
	if t := &c.scan.Time; t.Bounded && (e.timestamp > t.Max || e.timestamp < t.Min) {
		return e.timestamp < t.Min
	}
	if !inSpans(c.spans, e) {
		return false
	}
	c.column = append(c.column, *e)
	return c.scan.MaxVersions > 0 && len(c.column) == c.scan.MaxVersions
}

// look counts a cell that is read. It returns false if the scan may read no more.
func (c *cursor) look() bool {
	c.stats.Cells++
	if c.scan.Budget != nil && !c.scan.Budget.Spend(1) {
		c.err = kv.ErrBudget
	} else if c.stats.Cells%atOnce == 0 {
		c.err = c.ctx.Err()
	}
	return c.err == nil
}

// back is forward in the opposite order. All cells of a column are read at once.
func (c *cursor) back() bool {
	if c.span < 0 {
		return false
	}
	s := &c.spans[c.span]
	if !s.open && (!c.begun || less(s.hi, c.bound)) {
		c.bound, c.begun = s.hi, true
	}
	e, ok := c.before()
	if !ok {
		return false
	}
	if less(e, s.lo) {
		c.span = sort.Search(c.span, func(i int) bool { return less(e, c.spans[i].lo) }) - 1
		return true
	}
	c.begun = true
	if at, ok := c.qualifierBefore(e.qualifier); !ok {
		c.bound = entry{row: e.row, timestamp: firstTimestamp}
		return true
	} else if at != nil {
		c.bound = entry{row: e.row, qualifier: at, timestamp: firstTimestamp}
		return true
	}
	c.collectBack(&e)
	return true
}

// before returns the last cell before bound.
func (c *cursor) before() (e entry, ok bool) {
	c.stats.Seeks++
	if !c.begun {
		return c.tree.Max()
	}
	c.tree.Descend(c.bound, func(each entry) bool {
		if compare(&each, &c.bound) == 0 {
			return true
		}
		e, ok = each, true
		return false
	})
	return e, ok
}

// qualifierBefore returns nil for a qualifier that the scan wants, else the end before which the
// next one is that it may want; ok is false if there is none.
func (c *cursor) qualifierBefore(q []byte) (end []byte, ok bool) {
	all := c.scan.Qualifiers
	if all == nil {
		return nil, true
	}
	i := qualifierRange(all, q)
	switch {
	case i < len(all) && bytes.Compare(q, all[i].Start) >= 0:
		return nil, true
	case i == 0:
		return nil, false
	}
	return all[i-1].End, true
}

// collectBack reads the column whose last cell is this one.
func (c *cursor) collectBack(last *entry) {
	first := entry{row: last.row, qualifier: last.qualifier, timestamp: firstTimestamp}
	c.bound = first
	if t := &c.scan.Time; t.Bounded {
		first.timestamp = t.Max
	}
	c.tree.Ascend(first, func(e entry) bool {
		return compare(&e, last) <= 0 && c.look() && !c.take(&e)
	})
	slices.Reverse(c.column)
	if c.scan.FirstPerRow && len(c.column) > 0 {
		c.column = c.column[:1]
		c.bound = entry{row: last.row, timestamp: firstTimestamp}
	}
}

// Cell implements kv.Cursor.
func (c *cursor) Cell() *kv.Cell { return &c.cell }

// Value implements kv.Cursor.
func (c *cursor) Value() ([]byte, error) {
	if !c.scan.NeedValue {
		return nil, errNotAsked
	}
	return c.value, nil
}

// Err implements kv.Cursor.
func (c *cursor) Err() error { return c.err }

// Stats implements kv.Cursor.
func (c *cursor) Stats() kv.ScanStats { return c.stats }

// Close implements kv.Cursor.
func (c *cursor) Close() error {
	*c = cursor{ctx: c.ctx, scan: c.scan, stats: c.stats, err: c.err, span: len(c.spans)}
	if c.scan.Reverse {
		c.span = -1
	}
	return nil
}
