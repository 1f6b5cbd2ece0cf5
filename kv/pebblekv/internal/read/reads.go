package read

import (
	"bytes"
	"math"
	"slices"
	"sync"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/overlay"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/views"
)

// ReadSet is what a transaction has read, for the check at its commit: spans of
// keys, as far as cursors went in them.
type ReadSet struct {
	mu    sync.Mutex     // cursors of one transaction may be read concurrently
	spans []cellkey.Span // the first sorted of them are sorted and disjoint
	// sorted is their number.
	sorted int
	// filtered are the spans in which only some qualifiers or times were read.
	filtered []filteredSpan
	open     map[*cursor]struct{}
	checked  uint64 // the clock up to which no commit conflicts
}

// filteredSpan is a span of a scan with a filter on cells.
type filteredSpan struct {
	cellkey.Span
	qualifiers []kv.QualifierRange
	time       kv.TimeRange
}

// Bounds of a read set. Spans beyond these are joined, as if more had been read.
const (
	MaxReadSpans     = 32 << 10
	maxFilteredSpans = 512
)

func (r *ReadSet) opened(c *cursor) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open == nil {
		r.open = map[*cursor]struct{}{}
	}
	r.open[c] = struct{}{}
}

func (r *ReadSet) closed(c *cursor) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.open, c)
}

// add adds a span in which these qualifiers and times were read. The caller must
// not change the span's bytes any more.
func (r *ReadSet) add(sp cellkey.Span, qualifiers []kv.QualifierRange, times kv.TimeRange) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if (qualifiers != nil || times.Bounded) && len(r.filtered) < maxFilteredSpans {
		r.filtered = append(r.filtered, filteredSpan{sp, cloneQualifiers(qualifiers), times})
		return
	}
	r.spans = append(r.spans, sp)
	if len(r.spans) > 2*r.sorted+1024 {
		r.sort()
	}
}

func cloneQualifiers(in []kv.QualifierRange) []kv.QualifierRange {
	out := slices.Clone(in)
	for i := range out {
		out[i] = kv.QualifierRange{Start: bytes.Clone(in[i].Start), End: bytes.Clone(in[i].End)}
	}
	return out
}

// sort makes the spans sorted and disjoint, and bounds their number. mu is held.
func (r *ReadSet) sort() {
	slices.SortFunc(r.spans, func(a, b cellkey.Span) int { return bytes.Compare(a.Lower, b.Lower) })
	r.spans = cellkey.Unite(r.spans, func(a, b cellkey.Span) bool { return bytes.Compare(b.Lower, a.Upper) <= 0 })
	if len(r.spans) > MaxReadSpans {
		n := 0
		r.spans = cellkey.Unite(r.spans, func(a, b cellkey.Span) bool {
			n++
			return n%2 == 1 && cellkey.SameSpace(a.Lower, b.Lower)
		})
	}
	r.sorted = len(r.spans)
}

// settle prepares the set for touchedBy: open cursors count as if they had read
// their whole spans.
func (r *ReadSet) settle() {
	for c := range r.open {
		for _, s := range append(slices.Concat(c.runs...), c.merge.all...) {
			s.noteSpans(s.spans)
		}
		r.closed(c)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sorted < len(r.spans) {
		r.sort()
	}
}

// Len returns how many spans are kept.
func (r *ReadSet) Len() int { return len(r.spans) }

// empty reports whether nothing has been read.
func (r *ReadSet) empty() bool { return len(r.spans) == 0 && len(r.filtered) == 0 }

// touchedBy reports whether the commit wrote where the set has read. The set
// must be settled.
func (r *ReadSet) touchedBy(c *views.Commit) bool {
	if r.overlaps(c.Extent) {
		return true
	}
	if c.Writes == nil {
		return false
	}
	if c.Writes.Len() <= len(r.spans) {
		return r.holdsAny(c) || r.filteredTouchedBy(c)
	}
	for i := range r.spans {
		if writesIn(c, &r.spans[i], func([]byte) bool { return true }) {
			return true
		}
	}
	return r.filteredTouchedBy(c)
}

// writesIn reports whether the commit wrote a key in the span for which counts
// returns true.
func writesIn(c *views.Commit, sp *cellkey.Span, counts func(key []byte) bool) (found bool) {
	c.Writes.Ascend(sp.Lower, func(w overlay.Write) bool {
		if bytes.Compare(w.Key, sp.Upper) >= 0 {
			return false
		}
		found = counts(w.Key)
		return !found
	})
	return found
}

// holdsAny reports whether a key that the commit wrote is in a span.
func (r *ReadSet) holdsAny(c *views.Commit) (found bool) {
	c.Writes.Ascend(nil, func(w overlay.Write) bool {
		found = overlay.SpanOver(r.spans, w.Key) != nil
		return !found
	})
	return found
}

func (r *ReadSet) filteredTouchedBy(c *views.Commit) bool {
	for i := range r.filtered {
		if f := &r.filtered[i]; writesIn(c, &f.Span, f.wants) {
			return true
		}
	}
	return false
}

// wants reports whether the scan's filters accept a cell.
func (f *filteredSpan) wants(key []byte) bool {
	var d cellkey.Decoded
	if d.Decode(key) != nil || f.time.Bounded && (d.Timestamp < f.time.Min || d.Timestamp > f.time.Max) {
		return false
	}
	return f.qualifiers == nil || slices.ContainsFunc(f.qualifiers, func(q kv.QualifierRange) bool {
		return bytes.Compare(d.Qualifier, q.Start) >= 0 && (q.End == nil || bytes.Compare(d.Qualifier, q.End) < 0)
	})
}

func (r *ReadSet) overlaps(extent []cellkey.Span) bool {
	for i := range extent {
		e := &extent[i]
		overlap := func(sp *cellkey.Span) bool {
			return bytes.Compare(sp.Lower, e.Upper) < 0 && bytes.Compare(e.Lower, sp.Upper) < 0
		}
		for j := range r.spans {
			if overlap(&r.spans[j]) {
				return true
			}
		}
		for j := range r.filtered {
			if overlap(&r.filtered[j].Span) {
				return true
			}
		}
	}
	return false
}

// Check returns kv.ErrConflict if a commit after the clock, and after the last
// check, wrote what has been read.
func (r *ReadSet) Check(vs *views.Views, clock uint64) error {
	r.settle()
	if r.empty() {
		return nil
	}
	commits, all := vs.CommitsSince(max(clock, r.checked))
	if !all {
		return kv.ErrConflict
	}
	for _, c := range commits {
		if r.touchedBy(c) {
			return kv.ErrConflict
		}
		r.checked = c.Clock
	}
	return nil
}

// noteReads records in the read set how far the stream has come.
func (s *stream) noteReads() {
	if s.ended || s.at < 0 || s.at >= len(s.spans) {
		s.noteSpans(s.spans)
		return
	}
	if s.c.scan.Reverse {
		s.noteReverse()
		return
	}
	s.noteSpans(s.spans[:s.at])
	s.note(cellkey.Span{Lower: s.within.Lower, Upper: cellkey.Behind(s.key)})
}

// note adds a span to what has been read.
func (s *stream) note(sp cellkey.Span) {
	times := s.time
	if s.retained != nil { // a newer version would hide another
		sp.Lower, times.Max = fromNewest(sp.Lower), math.MaxInt64
	}
	s.inSlices(sp, func(sp cellkey.Span) { s.c.reads.add(sp, s.c.scan.Qualifiers, times) })
}

func (s *stream) noteSpans(spans []cellkey.Span) {
	for _, sp := range spans {
		s.note(sp)
	}
}

// noteReverse is noteReads in reverse: all of the row that is read counts as read,
// and if a cell is buffered, the source is already before it.
func (s *stream) noteReverse() {
	if s.back.buffered && s.back.end {
		s.noteSpans(s.spans)
		return
	}
	from := s.row
	if s.back.buffered {
		from = cellkey.Earlier(from, s.pos)
	}
	for i := range s.spans {
		if sp := s.spans[i]; bytes.Compare(sp.Upper, from) > 0 {
			s.note(cellkey.Span{Lower: cellkey.Later(sp.Lower, bytes.Clone(from)), Upper: sp.Upper})
		}
	}
}
