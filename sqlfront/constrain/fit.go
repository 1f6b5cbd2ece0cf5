package constrain

import (
	"math"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/constrain/interval"
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
	exactTimes interval.Moments
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
	f.changeSpans(func(s interval.PlaceSpan) interval.PlaceSpan {
		if s.Lo.Depth == kv.DepthCell && !s.Lo.AfterColumn() {
			s.Lo = interval.Place{Row: s.Lo.Row, Qualifier: s.Lo.Qualifier, Depth: kv.DepthColumn}
		}
		if f.view.Opaque && s.Hi.Depth == kv.DepthCell {
			s.Hi = interval.Place{Row: s.Hi.Row, Qualifier: s.Hi.Qualifier, Depth: kv.DepthColumn, After: true}
		}
		return s
	})
}

// changeSpans replaces each span by one that holds it; a changed end has
// another depth.
func (f *fitting) changeSpans(widen func(interval.PlaceSpan) interval.PlaceSpan) {
	var out []interval.PlaceSpan
	for i, s := range f.scanRange.spans {
		w := widen(s)
		if w.Lo.Depth == s.Lo.Depth && w.Hi.Depth == s.Hi.Depth {
			continue
		}
		if out == nil {
			out = slices.Clone(f.scanRange.spans)
		}
		out[i] = w
		f.loosened = f.loosened || w.Lo.Compare(s.Lo) != 0 || w.Hi.Compare(s.Hi) != 0
	}
	if out != nil {
		f.scanRange.spans = interval.Normalize(out)
	}
}

// widenToRows makes the ends of all spans rows, since the cells of a column are
// not together where a row has several families. What the spans say of
// qualifiers and timestamps moves to those dimensions.
func (f *fitting) widenToRows() {
	if quals, ok := spanQualifiers(f.scanRange.spans); ok {
		f.scanRange.quals = f.scanRange.quals.Intersect(quals)
	}
	if times, ok := spanTimes(f.scanRange.spans); ok {
		f.scanRange.times = f.scanRange.times.Intersect(times)
	}
	f.changeSpans(func(s interval.PlaceSpan) interval.PlaceSpan {
		if s.Lo.Depth > kv.DepthRow {
			s.Lo = interval.BeforeRow(s.Lo.Row)
		}
		if s.Hi.Depth > kv.DepthRow {
			s.Hi = interval.AfterRow(s.Hi.Row)
		}
		return s
	})
}

// spanQualifiers is the qualifiers in spans that are within one row each.
func spanQualifiers(spans interval.Places) (interval.Texts, bool) {
	out := make([]interval.TextSpan, len(spans))
	for i, s := range spans {
		if _, ok := rowOf(s); !ok {
			return nil, false
		}
		out[i].Hi = interval.Text{End: true}
		if s.Lo.Depth > kv.DepthRow {
			out[i].Lo = interval.Text{Bytes: s.Lo.Qualifier, After: s.Lo.AfterColumn()}
		}
		if s.Hi.Depth > kv.DepthRow {
			out[i].Hi = interval.Text{Bytes: s.Hi.Qualifier, After: s.Hi.After || s.Hi.Depth == kv.DepthCell}
		}
	}
	return interval.Normalize(out), len(spans) > 0
}

// spanTimes is the timestamps in spans that are within one column each.
func spanTimes(spans interval.Places) (interval.Moments, bool) {
	out := make([]interval.MomentSpan, len(spans))
	for i, s := range spans {
		if _, _, ok := columnOf(s); !ok {
			return nil, false
		}
		out[i].Hi = interval.Moment{End: true}
		if s.Lo.Depth == kv.DepthCell {
			out[i].Hi = interval.AfterTime(s.Lo.Newest())
		}
		if s.Hi.Depth == kv.DepthCell && !s.Hi.AfterColumn() {
			out[i].Lo = interval.AfterTime(s.Hi.Newest())
		}
	}
	return interval.Normalize(out), len(spans) > 0
}

// fitTimes makes the timestamps one range, which is open above where only the
// newest versions are shown, within the view's own.
func (f *fitting) fitTimes() {
	times := f.scanRange.times
	if f.view.AllVersions && !f.view.Opaque {
		f.exactTimes = times
	}
	switch {
	case times.All() || times.Empty():
	case f.view.Opaque:
		times = nil
	case !f.view.AllVersions:
		times = interval.Above(times[0].Lo)
	case len(times) > 1 && !f.splitTimes():
		times = times.Hull()
	default:
		times = f.scanRange.times
	}
	f.loosened = f.loosened || !times.Equal(f.scanRange.times)
	f.scanRange.times = times.Intersect(viewTimes(f.view.Time))
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
