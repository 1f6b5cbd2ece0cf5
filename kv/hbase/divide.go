package hbase

import (
	"bytes"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
)

// Divide implements kv.Divider: what follows the current region goes to other
// scans, several regions to each if there are many.
func (c *cursor) Divide(n int) ([]kv.Scan, error) {
	if c.buffers() || c.own != nil || c.ended || c.closed || n < 1 {
		return nil, nil
	}
	from, ok := c.leave()
	if !ok {
		return nil, nil
	}
	c.pieces = nil
	var out []kv.Scan
	for _, rows := range groups(c.tables[0].Partitioning, from, n) {
		s := *c.s
		some := false
		if s.Rows, some = c.s.Rows.Intersect(rows); some && len(piecesOf(&s, c.tables[0])) > 0 {
			out = append(out, s)
		}
	}
	return out, nil
}

// leave ends what is being read at a row that has not been reached; nil is before
// the first. ok is false if there is no such row.
func (c *cursor) leave() (from []byte, ok bool) {
	if c.from == nil {
		return nil, !c.some && len(c.pieces) > 0
	}
	r, ok := c.from.(*readAhead)
	if !ok || c.piece.one {
		return nil, false
	}
	r.settle()
	t := r.of
	if t.done || t.region == nil {
		return nil, false
	}
	end := t.at // the next region's start
	if t.scan != nil {
		end = t.region.end
	}
	if last := t.ranges[len(t.ranges)-1].End; len(end) == 0 || last != nil && bytes.Compare(end, last) >= 0 {
		return nil, false
	}
	t.cut(end)
	t.done = t.scan == nil
	return end, true
}

// settle waits for the pending block, which next then returns.
func (r *readAhead) settle() {
	if r.pending != nil {
		f := <-r.pending
		r.pending <- f
	}
}

// groups returns the rows from one on in at most n parts of about equally many regions.
func groups(p *partition.Scheme, from []byte, n int) (out []partition.RowRange) {
	for i := range p.Len() {
		if r, some := p.Bounds(i).Intersect(partition.RowRange{Start: from}); some {
			out = append(out, r)
		}
	}
	each := (len(out) + n - 1) / n
	joined := out[:0]
	for i := 0; i < len(out); i += each {
		joined = append(joined, partition.RowRange{Start: out[i].Start, End: out[min(i+each, len(out))-1].End})
	}
	return joined
}
