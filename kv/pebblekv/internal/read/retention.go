package read

import (
	"math"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
)

// The retention of a table keeps the newest versions of a column, so mostly a scan only has to
// ask for less: a time to live is a lower bound of the timestamps, and a number of versions is a
// number of newest versions to read. Only if newer versions count that are not asked for, a
// layer counts them.

// Moment is the time at which retention is judged.
type Moment struct {
	Now int64 // ms since 1970-01-01 UTC
	// All means that everything stored is read, except cells whose own TTL has expired.
	All bool
}

// reading is what a scan reads of one table.
type reading struct {
	time   kv.TimeRange
	newest int // newest versions of a column; 0 for all
	// counted means that the rest of what the retention hides takes a count of all newer
	// versions, or a look at each version.
	counted bool
}

// readingOf returns what the scan reads of a table with a retention.
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

// Limits returns the times and the number of newest versions, 0 for all, that a scan reads of a
// table whose retention is judged at now, in ms.
func Limits(t *kv.Table, s *kv.Scan, now int64) (times kv.TimeRange, newest int) {
	c := cursor{scan: s, moment: Moment{Now: now}}
	r := c.readingOf(t)
	return r.time, r.newest
}

// since excludes what is older.
func (r *reading) since(oldest int64) {
	switch {
	case oldest == math.MinInt64:
	case r.time.Bounded:
		r.time.Min = max(r.time.Min, oldest)
	default:
		r.time = kv.TimeRange{Min: oldest, Max: math.MaxInt64, Bounded: true}
	}
}

// readsFromNewest reports whether the scan asks, with each version of a column, for all newer ones.
func (c *cursor) readsFromNewest(t *kv.Table) bool {
	s := c.scan
	return (!s.Time.Bounded || s.Time.Max == math.MaxInt64) &&
		!slices.ContainsFunc(s.Ranges, func(r kv.Range) bool { return r.Start.Depth == kv.DepthCell }) &&
		(s.Slices == nil && s.Leaves == nil || t.Partitioning.Slices() == nil)
}

// times returns the timestamps that matter to the scan.
func (r *reading) times(s *kv.Scan) kv.TimeRange {
	out := timesRead(s, r.time)
	if r.counted {
		out.Max = math.MaxInt64
	}
	return out
}

// blocks returns the timestamps of which a block must have one to be read.
func (r *reading) blocks() kv.TimeRange {
	out := r.time
	if r.counted || out.Max < out.Min {
		out.Max = math.MaxInt64
	}
	return out
}

// restrict limits the stream to what its table's retention keeps.
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

// retain puts the layer that hides versions on top of the iterator.
func (s *stream) retain(it iterator) {
	if s.c.tables[s.family].Retention.CellTTL {
		it = &unexpired{iterator: it, c: s.c}
	}
	s.retained.in, s.it = it, s.retained
	s.check = true // the iterator also reads what is newer
}

// lowest returns where the stream's iterators begin.
func (s *stream) lowest() []byte {
	lower := s.spans[0].Lower
	if s.retained != nil {
		return fromNewest(lower)
	}
	return lower
}
