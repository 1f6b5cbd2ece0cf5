package pebblekv

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/partition"
)

// TestRunsAgainstASet writes and deletes versions of two columns of a row, in
// transactions that commit or not, and compares PutNext with a set of
// timestamps.
func TestRunsAgainstASet(t *testing.T) {
	r := seed(t)
	s := openMem(t)
	table := createTable(t, s, "g", "a", &partition.Scheme{})
	columns := [][]byte{[]byte("p"), []byte("q")}
	committed := [2]map[int64]bool{{}, {}}
	for range 400 {
		tx := kvtest.Begin(s, kv.TxnOptions{})
		now := [2]map[int64]bool{clone(committed[0]), clone(committed[1])}
		var undo *[2]map[int64]bool
		var sp kv.Savepoint
		for range 1 + r.IntN(6) {
			i := r.IntN(2)
			c := kv.Cell{Row: []byte("row"), Qualifier: columns[i], Timestamp: int64(r.IntN(12))}
			switch r.IntN(9) {
			case 0:
				require.NoError(t, tx.DeleteVersion(t.Context(), table, c.Row, c.Qualifier, c.Timestamp))
				delete(now[i], c.Timestamp)
			case 1:
				if r.IntN(6) == 0 {
					require.NoError(t, tx.DeleteColumn(t.Context(), table, c.Row, c.Qualifier))
					clear(now[i])
				}
			case 2:
				sp, undo = tx.Savepoint(), &[2]map[int64]bool{clone(now[0]), clone(now[1])}
			case 3:
				if undo != nil {
					tx.RollbackTo(sp)
					now = [2]map[int64]bool{clone(undo[0]), clone(undo[1])}
				}
			default:
				want := c.Timestamp
				for now[i][want] {
					want++
				}
				got, err := tx.PutNext(t.Context(), table, c)
				require.NoError(t, err)
				require.Equal(t, want, got)
				now[i][want] = true
			}
		}
		if r.IntN(4) > 0 {
			require.NoError(t, tx.Commit(t.Context()))
			committed = now
		}
		tx.Rollback()
	}
}

func clone(set map[int64]bool) map[int64]bool {
	out := map[int64]bool{}
	for k := range set {
		out[k] = true
	}
	return out
}

// TestRunsOfManyWriters requires that concurrent writers of one cell at one
// timestamp get one timestamp each.
func TestRunsOfManyWriters(t *testing.T) {
	s := openMem(t)
	table := createTable(t, s, "g", "a", &partition.Scheme{})
	const writers, each = 4, 100
	var mu sync.Mutex
	var all []int64
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for range each {
				tx := kvtest.Begin(s, kv.TxnOptions{LockTimeout: time.Minute})
				at, err := tx.PutNext(t.Context(), table, kv.Cell{Row: []byte("row"), Timestamp: 7})
				require.NoError(t, err)
				require.NoError(t, tx.Commit(t.Context()))
				mu.Lock()
				all = append(all, at)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	slices.Sort(all)
	for i, at := range all {
		require.EqualValues(t, 7+i, at)
	}
}
