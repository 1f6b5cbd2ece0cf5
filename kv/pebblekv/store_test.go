package pebblekv

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
)

// TestSplittingSuite runs random operations on a store that alternately, from start
// to start, splits everything that has two rows and merges it all. It steps off no
// key that has been written since the last flush, flushes often, keeps each row that
// has been read, and mostly skips unwanted qualifiers from the first on.
func TestSplittingSuite(t *testing.T) {
	kvtest.RunSplitting(t, func(t testing.TB, clock func() time.Time) kvtest.Opener {
		dir, lives := t.TempDir(), 0
		return func(t testing.TB) kv.Store {
			s, err := Open(Options{Dir: dir, MaxRegionBytes: []int64{1, 1 << 20}[lives%2], Now: clock})
			require.NoError(t, err)
			s.engine.Tuning.RewrittenOften, s.engine.Tuning.RewrittenFlush = 1, 20
			s.engine.Tuning.PassSteps = lives % 3
			keepAllRows(s)
			lives++
			return s
		}
	})
}
