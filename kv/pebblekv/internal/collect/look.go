package collect

import (
	"math"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/layout"
)

// worthPart is the part of a table's bytes that must have become worthless since the
// last collection before the next one: so a collection's reads and writes stay in
// proportion to what has been written.
const worthPart = 4

// Look is what the files' properties said at the last look at a table, so that
// nothing is counted as collectable twice: it remains until Pebble has compacted the
// files. The zero value means that there was none.
type Look struct {
	retention kv.Retention
	now       int64 // the time, in ms, by the store's clock
	seen      map[uint64]bool
	// lifetimes are those that the last collection has found, nil if there was none.
	lifetimes *Lifetimes
}

// With returns the look with the lifetimes that a collection has found.
func (l Look) With(lifetimes *Lifetimes) Look {
	l.lifetimes = lifetimes
	return l
}

// Survey holds the properties of the files that may hold cells of a table.
type Survey struct{ files []file }

type file struct {
	number       uint64
	level        int
	lower, upper []byte // user keys; both inclusive
	bytes        uint64
	sample       []cellkey.Sampled
	sampled      bool // the file has a sample
	// The times of a file without a sample, if they are known.
	oldest, newest int64
	timed          bool
}

// NewSurvey reads the properties of the files that may hold cells of a table.
func NewSurvey(db *pebble.DB, t *kv.Table) (*Survey, error) {
	out, known := &Survey{}, map[uint64]bool{}
	for _, run := range layout.SpaceRuns(keyspace.Of(t).Spaces) {
		lower, upper := cellkey.AppendSpace(nil, run[0]), cellkey.SpaceEnd(run[1])
		levels, err := db.SSTables(pebble.WithProperties(), pebble.WithKeyRangeFilter(lower, upper))
		if err != nil {
			return nil, faultfs.DiskError(err)
		}
		for n, level := range levels {
			for i := range level {
				if f := &level[i]; !known[uint64(f.FileNum)] {
					known[uint64(f.FileNum)] = true
					if err := out.add(n, f); err != nil {
						return nil, err
					}
				}
			}
		}
	}
	return out, nil
}

func (s *Survey) add(level int, info *pebble.SSTableInfo) (err error) {
	f := file{
		number: uint64(info.FileNum), level: level, bytes: info.Size,
		lower: info.Smallest.UserKey, upper: info.Largest.UserKey,
	}
	p := info.Properties.UserProperties
	if f.sample, f.sampled, err = cellkey.FileSample(p); err == nil && !f.sampled {
		f.oldest, f.newest, f.timed, err = cellkey.FileTimes(p)
	}
	if err == nil {
		s.files = append(s.files, f)
	}
	return err
}

// Worth reports whether a collection at the time now is worth it after the last look,
// and returns the present look.
func (s *Survey) Worth(t *kv.Table, now int64, last Look) (bool, Look) {
	next := Look{retention: t.Retention, now: now, seen: map[uint64]bool{}}
	if last.retention != t.Retention {
		last = Look{}
	}
	var sum balance
	for i := range s.files {
		f := &s.files[i]
		next.seen[f.number] = true
		sum.add(f, f.worthlessSince(t.Retention, now, last))
	}
	return sum.isWorth(), next
}

// balance is the size of files, and how much of it is worthless.
type balance struct{ all, gone float64 }

func (b *balance) add(f *file, worthless float64) {
	b.all += float64(f.bytes)
	b.gone += float64(f.bytes) * worthless
}

func (b *balance) isWorth() bool { return b.gone > 0 && b.gone*worthPart >= b.all }

// worthlessSince returns about which part of the file has become worthless since the
// last look; for a new file, which part is worthless.
func (f *file) worthlessSince(r kv.Retention, now int64, last Look) float64 {
	part := f.worthless(r, now)
	switch {
	case last.seen[f.number]:
		part += last.lifetimes.gone(now) - f.worthless(r, last.now)
	case r.CellTTL:
		return 1
	}
	return part
}

// worthless returns about which part of the file is not kept at a time; 1 for a file
// without figures.
func (f *file) worthless(r kv.Retention, now int64) float64 {
	switch {
	case f.sampled && len(f.sample) == 0:
		return 0
	case f.sampled:
		n := 0
		for _, each := range f.sample {
			if !r.Keeps(int(min(each.Newer, math.MaxInt32)), each.Timestamp, now) {
				n++
			}
		}
		return float64(n) / float64(len(f.sample))
	case !f.timed || r.MaxVersions > 0:
		return 1
	}
	return f.below(r.Oldest(now))
}

// below returns about which part of the file's times is below t, assuming that they
// are evenly distributed.
func (f *file) below(t int64) float64 {
	switch {
	case f.oldest > f.newest || t <= f.oldest:
		return 0
	case t > f.newest:
		return 1
	}
	return (float64(t) - float64(f.oldest)) / (float64(f.newest) - float64(f.oldest) + 1)
}
