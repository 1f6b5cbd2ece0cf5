package read

import (
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
)

// Most columns have one version, so a step leads off them; if it leads to another
// version, a seek follows. In many tables the columns of a qualifier are alike:
// if one has needed seeks lately, the step is omitted, and Pebble seeks from
// where it is.

// longColumns counts by qualifier how often its columns were left by a seek since
// a step was last enough. Qualifiers may share a counter.
type longColumns struct {
	seeks [16]uint8
	any   bool
}

// probeEvery is how often a step is tried all the same: otherwise the stream
// would never notice that steps are enough again.
const probeEvery = 16

// place returns the counter of a column: its key without the timestamp, or the
// first key after it.
func (l *longColumns) place(column []byte) *uint8 {
	h := uint(0)
	for _, b := range column[max(0, len(column)-6) : len(column)-1] {
		h = h*31 + uint(b)
	}
	return &l.seeks[h%uint(len(l.seeks))]
}

// sought counts a seek past a column.
func (l *longColumns) sought(column []byte) {
	l.any = true
	if n := l.place(column); *n < 255 {
		*n++
	} else {
		*n = 2 * probeEvery
	}
}

// leaveVersions steps off a column of which no more versions are wanted: to the
// next key, which may be of the same column, as judge then finds out, or past the
// column.
func (s *stream) leaveVersions() bool {
	s.probed, s.probe, s.behind = true, nil, true
	if !s.c.long.any {
		return s.advance()
	}
	n := s.c.long.place(s.column)
	if s.probe = n; *n < s.c.tuning.LongSeeks || *n%probeEvery == 0 {
		return s.advance()
	}
	s.probed = false
	s.c.long.sought(s.column)
	s.target = cellkey.MakeBehind(append(s.target[:0], s.column...))
	return s.seek(s.target)
}

// foundShort notes that a step has led off the column.
func (s *stream) foundShort() {
	s.probed = false
	if k := &s.skips[skipColumn]; k.budget < s.c.tuning.SeekSteps {
		k.succeeded(s.c.tuning)
	}
	if s.probe != nil {
		*s.probe = 0
	}
}

// gap returns what is known of the gap between cells of two columns, if a step has led from one to the other
// and the scan tells columns apart.
func (s *stream) gap() kv.Gap {
	switch {
	case s.newest == 0:
		return 0
	case s.filter != nil: // Pebble may have skipped cells
		return kv.NoOlder
	}
	return kv.NoOlder | kv.NoOthers
}

// nextNoting is next, and notes what that has shown of the gap behind the last cell.
func (s *stream) nextNoting(b *kv.Batch) bool {
	s.left, s.behind = 0, false
	ok := s.next()
	b.SetGap(s.left)
	return ok
}
