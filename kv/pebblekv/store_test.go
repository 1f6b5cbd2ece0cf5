package pebblekv

import (
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/move"
)

// TestSuite runs the suite that every store passes, on files in memory: the other suites
// have a disk. The store merges and collects nothing by itself: the model would not.
func TestSuite(t *testing.T) {
	defer func(n int) { move.ChunkBytes = n }(move.ChunkBytes)
	move.ChunkBytes = 100 // cells move in many chunks
	smallLoads(t)
	kvtest.Run(t, func(t testing.TB, clock func() time.Time) kvtest.Opener {
		fs := vfs.NewMem()
		return func(t testing.TB) kv.Store {
			s, err := Open(Options{Dir: "d", FS: fs, MaxRegionBytes: -1, CollectEvery: -1, Now: clock})
			require.NoError(t, err)
			return s
		}
	})
}

// TestSplittingSuite runs random operations on a store that splits whatever has
// two rows in one life, and merges it all in the next. It steps off no key that
// has been written since the last flush, flushes often, keeps each row that has been
// read, and in most lives passes over unwanted qualifiers from the first on.
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

// TestBackupSuite runs the suite of backups, from files and from memory.
func TestBackupSuite(t *testing.T) {
	open := func(t testing.TB, o Options) kv.Store {
		s, err := Open(o)
		require.NoError(t, err)
		return s
	}
	reopen := func(t testing.TB, dir string) kv.Store { return open(t, Options{Dir: dir}) }
	t.Run("Files", func(t *testing.T) {
		kvtest.RunBackup(t, func(t testing.TB, clock func() time.Time) kvtest.Opener {
			dir := t.TempDir()
			return func(t testing.TB) kv.Store { return open(t, Options{Dir: dir, Sync: true, Now: clock}) }
		}, reopen)
	})
	t.Run("Memory", func(t *testing.T) {
		kvtest.RunBackup(t, func(t testing.TB, clock func() time.Time) kvtest.Opener {
			return func(t testing.TB) kv.Store { return open(t, Options{InMemory: true, Now: clock}) }
		}, reopen)
	})
}
