package collect

import (
	"math"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/layout"
)

// worthPart is the part of a table's bytes that has to have become worthless since
// the last collection for the next one: what a collection reads and rewrites then
// stays in proportion to what has been written.
const worthPart = 4

// Look is what the files said when a table was looked at, so that what is to be
// collected is not counted twice: it is there until Pebble has compacted the files.
// The zero value is that nobody has looked.
type Look struct {
	retention kv.Retention
	oldest    int64 // that had not expired
	seen      map[uint64]bool
}

// Survey is what the files that may hold cells of a table say of themselves.
type Survey struct{ files []file }

type file struct {
	number           uint64
	level            int
	lower, upper     []byte // user keys; both included
	bytes            uint64
	oldest, newest   int64
	timed            bool // oldest and newest are known
	versions         uint64
	versionsAreKnown bool
}

// NewSurvey reads the properties of the files that may hold cells of a table.
func NewSurvey(db *pebble.DB, t *kv.Table) (*Survey, error) {
	out, known := &Survey{}, map[uint64]bool{}
	for _, run := range layout.SpaceRuns(t.Spaces) {
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
	if f.oldest, f.newest, f.timed, err = cellkey.FileTimes(p); err != nil {
		return err
	}
	if f.versions, f.versionsAreKnown, err = cellkey.FileVersions(p); err == nil {
		s.files = append(s.files, f)
	}
	return err
}

// Worth reports whether a collection at a moment is worth it, after
// the last look, and gives the look of the present.
func (s *Survey) Worth(t *kv.Table, now int64, last Look) (bool, Look) {
	next := Look{retention: t.Retention, oldest: t.Retention.Oldest(now), seen: map[uint64]bool{}}
	if last.retention != t.Retention {
		last = Look{}
	}
	var sum balance
	for i := range s.files {
		f := &s.files[i]
		next.seen[f.number] = true
		sum.add(f, f.worthless(t.Retention, next.oldest, last))
	}
	return sum.isWorth(), next
}

// balance is how much files take, and how much of it for nothing.
type balance struct{ all, gone float64 }

func (b *balance) add(f *file, worthless float64) {
	b.all += float64(f.bytes)
	b.gone += float64(f.bytes) * worthless
}

func (b *balance) isWorth() bool { return b.gone > 0 && b.gone*worthPart >= b.all }

// worthless is about which part of the file has become worthless since the last
// look: what has expired since, as if its times were spread evenly, and all where it
// is new and has versions in excess or does not say.
func (f *file) worthless(r kv.Retention, oldest int64, last Look) float64 {
	seen := last.seen[f.number]
	if r.MaxVersions > 0 && !seen && (!f.versionsAreKnown || f.versions > uint64(r.MaxVersions)) {
		return 1
	}
	switch {
	case oldest == math.MinInt64:
		return 0
	case !f.timed && seen:
		return 0
	case !f.timed:
		return 1
	}
	part := f.below(oldest)
	if seen {
		part -= f.below(last.oldest)
	}
	return max(part, 0)
}

// below is about which part of the file's times are below a moment.
func (f *file) below(t int64) float64 {
	switch {
	case f.oldest > f.newest || t <= f.oldest:
		return 0
	case t > f.newest:
		return 1
	}
	return (float64(t) - float64(f.oldest)) / (float64(f.newest) - float64(f.oldest) + 1)
}
