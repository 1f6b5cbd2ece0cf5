package constrain

import (
	"math"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
)

// fitting makes the scan range of a WHERE one that a scan through the view can take.
type fitting struct {
	scanRange scanRange
	view      View
	grouped   bool // families come between rows and qualifiers
	// familyNames are printed for their ordinals.
	familyNames []string
	// exactTimes is set where the scan range's times are no longer the timestamps that
	// may be needed.
	exactTimes set[moment]
	// loosened is true where the scan range now holds rows that WHERE did not allow.
	loosened bool

	flat              scanRange // the fitted scan range as key spans alone, made when needed
	flattened, flatOK bool
}

func (f *fitting) fit() {
	if !f.view.AllVersions {
		f.openSpans()
	}
	if f.grouped {
		f.widenToRows()
	}
	f.fitTimes()
}

// openSpans lets each span begin before its column's newest version: where only
// the newest versions are shown, leaving one out would show an older one. What
// is left out at the end of a column is older than all that is read.
func (f *fitting) openSpans() {
	f.changeSpans(func(s span[place]) span[place] {
		if s.lo.Depth == kv.DepthCell && !s.lo.afterColumn() {
			s.lo = place{Row: s.lo.Row, Qualifier: s.lo.Qualifier, Depth: kv.DepthColumn}
		}
		if f.view.Opaque && s.hi.Depth == kv.DepthCell {
			s.hi = place{Row: s.hi.Row, Qualifier: s.hi.Qualifier, Depth: kv.DepthColumn, After: true}
		}
		return s
	})
}

// changeSpans replaces each span by one that holds it; a changed end has
// another depth.
func (f *fitting) changeSpans(widen func(span[place]) span[place]) {
	var out []span[place]
	for i, s := range f.scanRange.spans {
		w := widen(s)
		if w.lo.Depth == s.lo.Depth && w.hi.Depth == s.hi.Depth {
			continue
		}
		if out == nil {
			out = slices.Clone(f.scanRange.spans)
		}
		out[i] = w
		f.loosened = f.loosened || w.lo.compare(s.lo) != 0 || w.hi.compare(s.hi) != 0
	}
	if out != nil {
		f.scanRange.spans = normalize(out)
	}
}

// widenToRows makes the ends of all spans rows, since the cells of a column are
// not together where a row has several families. What the spans say of
// qualifiers and timestamps moves to those dimensions.
func (f *fitting) widenToRows() {
	if quals, ok := spanQualifiers(f.scanRange.spans); ok {
		f.scanRange.quals = f.scanRange.quals.intersect(quals)
	}
	if times, ok := spanTimes(f.scanRange.spans); ok {
		f.scanRange.times = f.scanRange.times.intersect(times)
	}
	f.changeSpans(func(s span[place]) span[place] {
		if s.lo.Depth > kv.DepthRow {
			s.lo = beforeRow(s.lo.Row)
		}
		if s.hi.Depth > kv.DepthRow {
			s.hi = afterRow(s.hi.Row)
		}
		return s
	})
}

// spanQualifiers is the qualifiers in spans that are within one row each.
func spanQualifiers(spans set[place]) (set[text], bool) {
	out := make([]span[text], len(spans))
	for i, s := range spans {
		if _, ok := rowOf(s); !ok {
			return nil, false
		}
		out[i].hi = text{end: true}
		if s.lo.Depth > kv.DepthRow {
			out[i].lo = text{b: s.lo.Qualifier, after: s.lo.afterColumn()}
		}
		if s.hi.Depth > kv.DepthRow {
			out[i].hi = text{b: s.hi.Qualifier, after: s.hi.After || s.hi.Depth == kv.DepthCell}
		}
	}
	return normalize(out), len(spans) > 0
}

// spanTimes is the timestamps in spans that are within one column each.
func spanTimes(spans set[place]) (set[moment], bool) {
	out := make([]span[moment], len(spans))
	for i, s := range spans {
		if _, _, ok := columnOf(s); !ok {
			return nil, false
		}
		out[i].hi = moment{end: true}
		if s.lo.Depth == kv.DepthCell {
			out[i].hi = afterTime(s.lo.newest())
		}
		if s.hi.Depth == kv.DepthCell && !s.hi.afterColumn() {
			out[i].lo = afterTime(s.hi.newest())
		}
	}
	return normalize(out), len(spans) > 0
}

// fitTimes makes the timestamps one range, which is open above where only the
// newest versions are shown, within the view's own.
func (f *fitting) fitTimes() {
	times := f.scanRange.times
	if f.view.AllVersions && !f.view.Opaque {
		f.exactTimes = times
	}
	switch {
	case times.all() || times.empty():
	case f.view.Opaque:
		times = nil
	case !f.view.AllVersions:
		times = above(times[0].lo)
	case len(times) > 1 && !f.splitTimes():
		times = times.hull()
	default:
		times = f.scanRange.times
	}
	f.loosened = f.loosened || !times.equal(f.scanRange.times)
	f.scanRange.times = times.intersect(viewTimes(f.view.Time))
}

// splitTimes moves timestamps that are no single range to the key spans, where
// those are within columns.
func (f *fitting) splitTimes() bool {
	if f.grouped {
		return false
	}
	flat, ok := f.scanRange.flatten(maxCells)
	if ok {
		// The view's own range is applied to the timestamps afterwards.
		f.scanRange = flat
	}
	return ok
}

// wholeTime reports whether the range holds every timestamp.
func wholeTime(t kv.TimeRange) bool {
	return !t.Bounded || t.Min == math.MinInt64 && t.Max == math.MaxInt64
}
