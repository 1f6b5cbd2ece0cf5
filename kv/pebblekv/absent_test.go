package pebblekv

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/partition"
)

// TestAbsentWhileAllChanges puts cells if absent, and requires that existing ones are
// found, in memory or in files, while cells are flushed, compacted, moved, loaded and
// deleted, and after a restart.
func TestAbsentWhileAllChanges(t *testing.T) {
	smallChunks(t, 100)
	smallLoads(t)
	r, fs := seed(t), vfs.NewMem()
	open := func() *Store {
		s, err := Open(Options{Dir: "d", FS: fs, LockTimeout: time.Minute})
		require.NoError(t, err)
		return s
	}
	s := open()
	createTable(t, s, "g", "a", &partition.Scheme{})
	writers, steps := make([]absentWriter, 3), 250
	if testing.Short() { // the race detector takes a minute for as many
		steps = 50
	}
	for i := range writers {
		writers[i] = absentWriter{first: i, of: len(writers), stored: map[int]bool{}}
	}
	for life := range 4 {
		var writing, disturbing sync.WaitGroup
		ctx, stop := context.WithCancel(t.Context())
		for i := range writers {
			w, r := &writers[i], rand.New(rand.NewPCG(r.Uint64(), 0))
			writing.Go(func() { w.run(t, s, r, steps) })
		}
		disturbing.Go(func() { disturb(ctx, t, s, rand.New(rand.NewPCG(r.Uint64(), 1))) })
		writing.Wait()
		stop()
		disturbing.Wait()
		if life%2 == 0 {
			require.NoError(t, s.Flush(t.Context()))
		}
		require.NoError(t, s.Close())
		s = open()
	}
	require.NoError(t, s.Close())
}

// disturb changes where cells are until the context ends.
func disturb(ctx context.Context, t *testing.T, s *Store, r *rand.Rand) {
	layouts := []*partition.Scheme{must(partition.NewKey(3)), {}, must(partition.NewKey(5))}
	for ctx.Err() == nil {
		var err error
		switch r.IntN(8) {
		case 0:
			err = s.Repartition(ctx, "d", "g$a", layoutTo(layouts[r.IntN(len(layouts))]), kv.MoveOptions{})
		case 1:
			err = s.Compact(ctx, kvtest.Catalog(s).Table("d", "g$a"), nil)
		case 2:
			err = s.Flush(ctx)
		}
		if err != nil && ctx.Err() == nil {
			t.Error(err)
			return
		}
		time.Sleep(time.Duration(r.IntN(3)) * time.Millisecond)
	}
}

// absentWriter knows which of its rows, one in of, are stored.
type absentWriter struct {
	first, of int
	stored    map[int]bool
}

func (w *absentWriter) run(t *testing.T, s *Store, r *rand.Rand, steps int) {
	for range steps {
		var err error
		if r.IntN(20) == 0 {
			err = w.load(t, s, r)
		} else if err = w.transact(t, s, r); errors.Is(err, kv.ErrConflict) || errors.Is(err, kv.ErrCatalogChanged) {
			err = nil
		}
		if err != nil {
			t.Error(err)
			return
		}
	}
}

func (w *absentWriter) transact(t *testing.T, s *Store, r *rand.Rand) error {
	tx := kvtest.Begin(s, kv.TxnOptions{Single: r.IntN(2) == 0})
	defer tx.Rollback()
	table, own := tx.Catalog().Table("d", "g$a"), map[int]bool{}
	for range 1 + r.IntN(2)*r.IntN(30) {
		i := w.first + w.of*r.IntN(300)
		before, ours := own[i]
		if stored := ours && before || !ours && w.stored[i]; r.IntN(5) == 0 {
			if err := tx.DeleteVersion(t.Context(), table, row(i), nil, 1); err != nil {
				return err
			}
			own[i] = false
		} else if done, err := tx.PutIfAbsent(t.Context(), table, kv.Cell{Row: row(i), Timestamp: 1}); err != nil {
			return err
		} else if own[i] = true; done == stored {
			t.Errorf("row %d is stored: %v, but put: %v", i, stored, done)
		}
	}
	err := tx.Commit(t.Context())
	for i, stored := range own {
		if err == nil {
			w.stored[i] = stored
		}
	}
	return err
}

// load loads some rows in bulk.
func (w *absentWriter) load(t *testing.T, s *Store, r *rand.Rand) error {
	var cells []kv.Cell
	for range 1 + r.IntN(20) {
		i := w.first + w.of*r.IntN(300)
		w.stored[i] = true
		cells = append(cells, kv.Cell{Row: row(i), Timestamp: 1})
	}
	_, err := tryLoad(t, s, cells)
	return err
}

// TestAbsentBehindMove requires that a reader of a snapshot finds what was there before
// a move.
func TestAbsentBehindMove(t *testing.T) {
	s := openMem(t)
	movedTable(t, s, &partition.Scheme{}, 10)
	require.NoError(t, s.Flush(t.Context()))
	tx := kvtest.Begin(s, kv.TxnOptions{})
	table := family(tx, "a")
	require.NoError(t, tx.Put(t.Context(), table, kv.Cell{Row: row(100)}))
	require.NoError(t, s.Repartition(t.Context(), "d", "g$a", layoutTo(must(partition.NewKey(3))), kv.MoveOptions{}))
	require.NoError(t, s.Flush(t.Context()))
	done, err := tx.PutIfAbsent(t.Context(), table, kv.Cell{Row: row(7), Timestamp: timeOf(7)})
	require.NoError(t, err)
	require.False(t, done)
	tx.Rollback()
}
