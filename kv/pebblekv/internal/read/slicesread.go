package read

import (
	"bytes"
	"errors"
	"math"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/sample"
)

// slicesRead returns the slices of time in which the scan of a table asks for these times;
// nil for a table without slices.
func slicesRead(t *kv.Table, s *kv.Scan, times kv.TimeRange) []int {
	if t.Partitioning.Slices() == nil {
		return nil
	}
	out := t.Partitioning.PruneTime(times.Min, times.Max)
	if s.Slices == nil {
		return out
	}
	both := out[:0]
	for _, i := range out {
		if containsOrdinal(s.Slices, i) {
			both = append(both, i)
		}
	}
	return both
}

// readsLeaf reports whether the scan asks for the leaf of a table with slices of time.
func (c *cursor) readsLeaf(leaf int) bool {
	return c.scan.Leaves == nil || containsOrdinal(c.scan.Leaves, leaf)
}

// withLeaves returns those partitions of a table with slices of time of which a leaf is read.
func (c *cursor) withLeaves(t *kv.Table, parts []partSpans) []partSpans {
	among := c.slices
	if among == nil {
		among = []int{c.slice}
	}
	return slices.DeleteFunc(parts, func(p partSpans) bool {
		return !slices.ContainsFunc(among, func(slice int) bool {
			return containsOrdinal(c.wantSlices, slice) && c.readsLeaf(t.Partitioning.Leaf(p.partition, slice))
		})
	})
}

// timesRead returns the timestamps out of a range that the scan can want.
func timesRead(s *kv.Scan, of kv.TimeRange) kv.TimeRange {
	out := kv.TimeRange{Min: math.MinInt64, Max: math.MaxInt64}
	if of.Bounded {
		out = of
	}
	if s.Ranges == nil {
		return out
	}
	of = kv.TimeRange{Min: math.MaxInt64, Max: math.MinInt64}
	for i := range s.Ranges {
		r, ok := timesWithin(&s.Ranges[i])
		if !ok {
			return out
		}
		of.Min, of.Max = min(of.Min, r.Min), max(of.Max, r.Max)
	}
	return kv.TimeRange{Min: max(out.Min, of.Min), Max: min(out.Max, of.Max)}
}

// timesWithin returns the timestamps of a range within one column; false for other ranges.
func timesWithin(r *kv.Range) (kv.TimeRange, bool) {
	from, to := &r.Start, &r.End
	if from.Depth < kv.DepthColumn || to.Depth < kv.DepthColumn ||
		!bytes.Equal(from.Row, to.Row) || !bytes.Equal(from.Qualifier, to.Qualifier) {
		return kv.TimeRange{}, false
	}
	out := kv.TimeRange{Min: math.MinInt64, Max: math.MaxInt64}
	if from.Depth == kv.DepthCell {
		if out.Max = from.Timestamp; from.After && out.Max > math.MinInt64 {
			out.Max--
		}
	}
	if to.Depth == kv.DepthCell {
		if out.Min = to.Timestamp; !to.After && out.Min < math.MaxInt64 {
			out.Min++
		}
	}
	return out, true
}

// startSlices prepares the slices of time that the stream reads.
func (s *stream) startSlices() {
	c := s.c
	t := c.tables[s.family]
	m := &sliceMerge{parts: make([]slicePart, 0, len(c.slices)), heap: make([]*slicePart, 0, len(c.slices))}
	m.space, _ = cellkey.Space(s.spans[0].Lower)
	if s.slices, s.it = m, m; s.retained != nil {
		s.retain(m)
	}
	times := s.times(c.scan)
	for _, slice := range c.slices {
		if leaf := t.Partitioning.Leaf(s.partition, slice); s.readsSlice(t, slice, leaf, times) {
			m.add(t, slice, leaf, times)
		}
	}
	bounded := !s.oneRow || c.scan.Reverse
	s.check = s.check || !bounded
	m.open = func(p *slicePart) error {
		it, pooled, err := c.takeIterator(s.oneRow, &s.reading, nil)
		if err != nil {
			return err
		}
		p.it = p.layers.open(it, c.own, &c.view.Engine.Rewritten)
		p.pooled = pooled
		if bounded {
			lower := m.inPart(p, s.lowest())
			m.target = nil // the bounds must not share it
			p.layers.setBounds(lower, m.inPart(p, s.spans[len(s.spans)-1].Upper))
		}
		c.stats.Partitions++
		return nil
	}
}

// slicesRetained returns the slices of time that are read of any of the tables, some of
// which have a retention. They are partitioned alike.
func (c *cursor) slicesRetained(tables []*kv.Table) []int {
	var out []int
	for _, t := range tables {
		r := c.readingOf(t)
		if times := r.times(c.scan); r.counted {
			out = append(out, t.Partitioning.PruneTime(times.Min, times.Max)...)
		} else {
			out = append(out, slicesRead(t, c.scan, times)...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// readsSlice reports whether the stream reads a slice, out of those that any stream reads.
func (s *stream) readsSlice(t *kv.Table, slice, leaf int, times kv.TimeRange) bool {
	if s.retained != nil {
		return true
	}
	return s.c.readsLeaf(leaf) && (s.c.scan.Slices == nil || containsOrdinal(s.c.scan.Slices, slice)) &&
		newestIn(t, slice, times.Max) >= times.Min
}

// stopSlices gives the iterators back.
func (s *stream) stopSlices(m *sliceMerge) error {
	loads := s.c.view.Engine.Loads.Of(s.c.tables[s.family])
	var err error
	for i := range m.parts {
		p := &m.parts[i]
		if p.it != nil {
			cells, _ := p.it.counted()
			if due := sample.Count(&loads[p.leaf].Reads, max(cells, 1)); due != 0 {
				s.tellSample(s.c.tables[s.family], p.leaf, due)
			}
			p.layers.closeOwn()
			err = errors.Join(err, p.it.err(), s.c.view.Put(p.stored.it, p.pooled))
		}
	}
	return err
}

// inSlices calls fn with the span in each slice that the stream reads.
func (s *stream) inSlices(sp cellkey.Span, fn func(cellkey.Span)) {
	if s.c.slices == nil {
		fn(sp)
		return
	}
	t := s.c.tables[s.family]
	first := keyspace.Space(t, s.partition, s.c.slices[0])
	for _, slice := range s.c.slices {
		to := keyspace.Space(t, s.partition, slice)
		lower, upper := respaced(nil, sp.Lower, first, to), respaced(nil, sp.Upper, first, to)
		fn(cellkey.Span{Lower: lower, Upper: upper, OneRow: sp.OneRow})
	}
}
