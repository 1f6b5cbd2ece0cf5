package constrain

import (
	"math"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/constrain/interval"
)

// fitting changes the scan range of a WHERE to one that a scan through the view can evaluate.
type fitting struct {
	scanRange scanRange
	view      View
	grouped   bool // families come between rows and qualifiers
	// familyNames are printed for their ordinals.
	familyNames []string
	// exactTimes has the timestamps that have to be read, if the times of the scan range have been changed.
	exactTimes interval.Moments
	// loosened says that the scan range now has rows that WHERE excludes.
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

// openSpans extends each span to the newest version of its column, if only the newest versions are shown:
// without it, an older one would be shown. Versions at the end of a column may be left out, since they are
// older than all that is read.
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

// changeSpans replaces each span by a larger one; an end that changes gets another depth.
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

// widenToRows moves the ends of all spans to row boundaries, since the cells of a column are not adjacent if
// a row has several families. The spans' restrictions on qualifiers and timestamps move to those dimensions.
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

// spanQualifiers is the set of qualifiers of spans each of which is within one row.
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

// spanTimes is the set of timestamps of spans each of which is within one column.
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

// fitTimes replaces the timestamps by one range within the view's own, open above if only the newest versions
// are shown.
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

// splitTimes moves timestamps that are not a single range into the key spans, if these are within columns.
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
