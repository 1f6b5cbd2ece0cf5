// Package suite runs the suites that every store passes on the Pebble store.
package suite

import (
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/kv/kvtest/testgc"
	"github.com/hbasekv/hbasekv/kv/pebblekv"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/bulk"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/move"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/tablebuild"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/txn"
)

func TestMain(m *testing.M) {
	testgc.Seldom()
	goleak.VerifyTestMain(m)
}

// small makes moves and loads of few cells work like large ones: moves take many chunks, loads write
// several files of a key space concurrently and sort on disk, and ranges are deleted as a whole.
func small(t testing.TB) {
	chunk, loads, deleted := move.ChunkBytes, bulk.StoreLimits, txn.MinDeleted
	t.Cleanup(func() { move.ChunkBytes, bulk.StoreLimits, txn.MinDeleted = chunk, loads, deleted })
	move.ChunkBytes, txn.MinDeleted = 100, 0
	bulk.StoreLimits.Limits = tablebuild.Limits{GatherBytes: 500, SortBytes: 4 << 10, BatchBytes: 1 << 10, Outputs: 3,
		Runs: 3, TableBytes: 4 << 10}
}

// TestSuite runs the suite that every store passes, on files in memory; the other suites use a disk. The
// store does not merge or collect by itself, since the model does not.
func TestSuite(t *testing.T) {
	small(t)
	kvtest.Run(t, inMemory(0))
}

// TestLargeTransactions runs the random part of the suite with transactions that have room for two small
// writes in memory.
func TestLargeTransactions(t *testing.T) {
	small(t)
	kvtest.RunRandom(t, inMemory(800))
}

func inMemory(txnMemory int64) kvtest.Place {
	return func(t testing.TB, clock func() time.Time) kvtest.Opener {
		fs := vfs.NewMem()
		return func(t testing.TB) kv.Store {
			s, err := pebblekv.Open(pebblekv.Options{Dir: "d", FS: fs, MaxRegionBytes: -1, CollectEvery: -1, Now: clock,
				TxnMemory: txnMemory})
			require.NoError(t, err)
			return s
		}
	}
}

// TestBackupSuite runs the suite of backups, from files and from memory.
func TestBackupSuite(t *testing.T) {
	open := func(t testing.TB, o pebblekv.Options) kv.Store {
		s, err := pebblekv.Open(o)
		require.NoError(t, err)
		return s
	}
	reopen := func(t testing.TB, dir string) kv.Store { return open(t, pebblekv.Options{Dir: dir}) }
	t.Run("Files", func(t *testing.T) {
		kvtest.RunBackup(t, func(t testing.TB, clock func() time.Time) kvtest.Opener {
			dir := t.TempDir()
			return func(t testing.TB) kv.Store { return open(t, pebblekv.Options{Dir: dir, Sync: true, Now: clock}) }
		}, reopen)
	})
	t.Run("Memory", func(t *testing.T) {
		kvtest.RunBackup(t, func(t testing.TB, clock func() time.Time) kvtest.Opener {
			return func(t testing.TB) kv.Store { return open(t, pebblekv.Options{InMemory: true, Now: clock}) }
		}, reopen)
	})
}
