package read

import (
	"math"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
)

// What a table keeps of a column is its newest versions, so that mostly a scan that
// asks for less reads just that: a time to live is a lower bound of the timestamps,
// and a number of versions is one of those that are read from the newest on. Only
// where newer versions count that are not asked for, a layer counts them.

// Moment is when it is judged what a table keeps.
type Moment struct {
	Now int64 // ms since 1970-01-01 UTC
	// All tells that nothing is judged but the TTL of single cells, which count for nothing once
	// they have expired: what is stored is read.
	All bool
}

// reading is what a scan reads of one table.
type reading struct {
	time   kv.TimeRange
	newest int // versions of a column; 0 is all
	// counted tells that the rest of what the table hides takes a count of all
	// versions that are newer, or a look at each.
	counted bool
}

// readingOf is what the scan reads of a table that does not keep everything.
func (c *cursor) readingOf(t *kv.Table) reading {
	r := &t.Retention
	out := reading{time: c.scan.Time, newest: c.scan.MaxVersions, counted: r.CellTTL}
	if c.moment.All {
		return out
	}
	if r.MinVersions == 0 {
		out.since(r.Oldest(c.moment.Now))
	}
	if !r.Counts() || out.counted {
		return out
	}
	if out.counted = !c.readsFromNewest(t); out.counted {
		return out
	}
	if most := r.MaxVersions; most > 0 && (out.newest == 0 || out.newest > most) {
		out.newest = most
	}
	out.counted = r.TTLSeconds > 0 && r.MinVersions > 0 && (out.newest == 0 || out.newest > r.MinVersions)
	return out
}

// Limits are the times and the number of newest versions, 0 for all, that a scan reads of a
// table, whose retention is judged at now, in ms.
func Limits(t *kv.Table, s *kv.Scan, now int64) (times kv.TimeRange, newest int) {
	c := cursor{scan: s, moment: Moment{Now: now}}
	r := c.readingOf(t)
	return r.time, r.newest
}

// since leaves out what is older.
func (r *reading) since(oldest int64) {
	switch {
	case oldest == math.MinInt64:
	case r.time.Bounded:
		r.time.Min = max(r.time.Min, oldest)
	default:
		r.time = kv.TimeRange{Min: oldest, Max: math.MaxInt64, Bounded: true}
	}
}

// readsFromNewest reports whether the scan asks for no version of a column without
// asking for the newer ones.
func (c *cursor) readsFromNewest(t *kv.Table) bool {
	s := c.scan
	return (!s.Time.Bounded || s.Time.Max == math.MaxInt64) &&
		!slices.ContainsFunc(s.Ranges, func(r kv.Range) bool { return r.Start.Depth == kv.DepthCell }) &&
		(s.Slices == nil && s.Leaves == nil || t.Partitioning.Slices() == nil)
}

// times are the timestamps that matter to the scan.
func (r *reading) times(s *kv.Scan) kv.TimeRange {
	out := timesRead(s, r.time)
	if r.counted {
		out.Max = math.MaxInt64
	}
	return out
}

// blocks are the timestamps without which a block need not be read, where there
// are such.
func (r *reading) blocks() kv.TimeRange {
	out := r.time
	if r.counted || out.Max < out.Min {
		out.Max = math.MaxInt64
	}
	return out
}

// restrict has the stream read no more than its table keeps.
func (s *stream) restrict(t *kv.Table) {
	c := s.c
	if s.reading = c.readingOf(t); !s.counted {
		return
	}
	r := &t.Retention
	s.retained = &retained{c: c, most: r.MaxVersions, least: r.MinVersions, oldest: math.MinInt64}
	if c.moment.All {
		s.retained.most, s.retained.least = 0, 0
	}
	if s.retained.least > 0 {
		s.retained.oldest = r.Oldest(c.moment.Now)
	}
	if t.Partitioning.Slices() != nil && (c.scan.Slices != nil || c.scan.Leaves != nil) {
		s.retained.restricted, s.retained.partition = t, s.partition
	}
	s.retained.init()
}

// retain hides what is not kept of what is stored and written.
func (s *stream) retain(it iterator) {
	if s.c.tables[s.family].Retention.CellTTL {
		it = &unexpired{iterator: it, c: s.c}
	}
	s.retained.in, s.it = it, s.retained
	s.check = true // the iterator also reads what is newer
}

// lowest is where the stream's iterators begin.
func (s *stream) lowest() []byte {
	lower := s.spans[0].Lower
	if s.retained != nil {
		return fromNewest(lower)
	}
	return lower
}
