package pebblekv

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/partition"
)

// TestLookupsAgainstASet runs transactions of one statement, which look up keys
// without a snapshot, between others, and compares with a set.
func TestLookupsAgainstASet(t *testing.T) {
	r := seed(t)
	s := openMem(t)
	table := createTable(t, s, "g", "a", &partition.Scheme{})
	stored := map[int]bool{}
	for step := range 3000 {
		tx := kvtest.Begin(s, kv.TxnOptions{Single: r.IntN(4) > 0})
		tx.Catalog()
		for range 1 + r.IntN(2)*r.IntN(3*s.engine.Tuning.Looks) {
			i := r.IntN(40)
			if r.IntN(3) == 0 {
				require.NoError(t, tx.DeleteVersion(t.Context(), table, row(i), nil, 1))
				delete(stored, i)
				continue
			}
			done, err := tx.PutIfAbsent(t.Context(), table, kv.Cell{Row: row(i), Timestamp: 1})
			require.NoError(t, err)
			require.Equal(t, !stored[i], done, "row %d, step %d", i, step)
			stored[i] = true
		}
		require.NoError(t, tx.Commit(t.Context()))
		if r.IntN(300) == 0 {
			require.NoError(t, s.Flush(t.Context()))
		}
	}
}

// TestGapsAgainstASet requires that the gaps that a transaction has found are
// valid for the next one, whatever was written in between, by whom and in which
// order.
func TestGapsAgainstASet(t *testing.T) {
	r := seed(t)
	s := openMem(t)
	scheme, err := partition.NewKey(3)
	require.NoError(t, err)
	table := createTable(t, s, "g", "a", scheme)
	padded := func(i int) []byte { return fmt.Appendf(nil, "%04d", i) }
	stored := map[int]bool{}
	commit := func(tx kv.Txn, changes map[int]bool) {
		require.NoError(t, tx.Commit(t.Context()))
		maps.Copy(stored, changes)
	}
	at := 0
	for step := range 1500 {
		tx, own := kvtest.Begin(s, kv.TxnOptions{}), map[int]bool{}
		if r.IntN(8) == 0 {
			at = r.IntN(2000)
		}
		by := 1 - 2*r.IntN(2)*r.IntN(2)
		for i, end := at, at+by*r.IntN(30); i != end; i += by {
			at = i
			before, ours := own[i]
			switch r.IntN(12) {
			case 0:
				require.NoError(t, tx.DeleteVersion(t.Context(), table, padded(i), nil, 1))
				own[i] = false
				continue
			case 1:
				require.NoError(t, tx.Put(t.Context(), table, kv.Cell{Row: padded(i), Timestamp: 1}))
			default:
				done, err := tx.PutIfAbsent(t.Context(), table, kv.Cell{Row: padded(i), Timestamp: 1})
				require.NoError(t, err)
				require.Equal(t, ours && !before || !ours && !stored[i], done, "row %d, step %d", i, step)
			}
			own[i] = true
		}
		switch r.IntN(6) {
		case 0:
			tx.Rollback()
			continue
		case 1, 2: // somebody else is faster, or slower
			other, i := kvtest.Begin(s, kv.TxnOptions{}), at+r.IntN(30)
			if _, ours := own[i]; ours {
				other.Rollback()
				break
			}
			require.NoError(t, other.Put(t.Context(), table, kv.Cell{Row: padded(i), Timestamp: 1}))
			if r.IntN(2) == 0 {
				commit(tx, own)
				tx, own = kvtest.Begin(s, kv.TxnOptions{}), map[int]bool{}
			}
			commit(other, map[int]bool{i: true})
		case 3:
			require.NoError(t, s.Flush(t.Context()))
		}
		commit(tx, own)
		if r.IntN(40) == 0 {
			require.NoError(t, s.ChangeCatalog(t.Context(), func(c *kv.CatalogChange) error {
				return c.TruncateTable("d", table.Name)
			}))
			table, stored = kvtest.Catalog(s).Table("d", table.Name), map[int]bool{}
		}
	}
}

// TestLookupsOfMany requires that only one of several transactions puts an absent cell.
func TestLookupsOfMany(t *testing.T) {
	s, err := Open(Options{InMemory: true, LockTimeout: time.Minute})
	require.NoError(t, err)
	defer s.Close()
	table := createTable(t, s, "g", "a", &partition.Scheme{})
	var holders [8]atomic.Int32
	var all sync.WaitGroup
	for worker := range uint64(4) {
		all.Go(func() {
			r := rand.New(rand.NewPCG(worker, 0))
			for range 1000 {
				i := r.IntN(len(holders))
				if !single(t, s, func(tx kv.Txn) (bool, error) {
					return tx.PutIfAbsent(t.Context(), table, kv.Cell{Row: row(i), Timestamp: 1})
				}) {
					continue
				}
				if holders[i].Add(1) != 1 {
					t.Error("two hold one row")
				}
				holders[i].Add(-1)
				single(t, s, func(tx kv.Txn) (bool, error) {
					return true, tx.DeleteVersion(t.Context(), table, row(i), nil, 1)
				})
			}
		})
	}
	all.Wait()
}

// single runs a transaction of one statement, which never conflicts: it has only
// read what it has locked.
func single(t *testing.T, s *Store, do func(kv.Txn) (bool, error)) bool {
	tx := kvtest.Begin(s, kv.TxnOptions{Single: true})
	tx.Catalog()
	done, err := do(tx)
	if err == nil {
		err = tx.Commit(t.Context())
	}
	if err != nil {
		t.Error(err)
	}
	return done
}

// TestSingleReadsLate requires that what a transaction of one statement locks
// before its first scan is in its snapshot, whatever has been committed since it
// began; and that it gets an error if the catalog has changed meanwhile.
func TestSingleReadsLate(t *testing.T) {
	s := openMem(t)
	table := createTable(t, s, "g", "a", &partition.Scheme{})
	tx := kvtest.Begin(s, kv.TxnOptions{Single: true})
	tx.Catalog()
	require.NoError(t, tx.Put(t.Context(), table, kv.Cell{Row: row(1), Timestamp: 1}))
	single(t, s, func(tx kv.Txn) (bool, error) {
		return true, tx.Put(t.Context(), table, kv.Cell{Row: row(2), Timestamp: 1})
	})
	require.NoError(t, tx.Put(t.Context(), table, kv.Cell{Row: row(2), Timestamp: 2}))
	require.Len(t, readAll(t, tx, []*kv.Table{table}, &kv.Scan{}), 3)
	single(t, s, func(tx kv.Txn) (bool, error) {
		return true, tx.Put(t.Context(), table, kv.Cell{Row: row(3), Timestamp: 1})
	})
	require.ErrorIs(t, tx.Put(t.Context(), table, kv.Cell{Row: row(3), Timestamp: 2}), kv.ErrConflict)
	require.NoError(t, tx.Renew(context.Background()))
	require.Len(t, readAll(t, tx, []*kv.Table{table}, &kv.Scan{}), 4)
	require.NoError(t, tx.Commit(t.Context()))

	tx = kvtest.Begin(s, kv.TxnOptions{Single: true})
	require.NoError(t, tx.Put(t.Context(), tx.Catalog().Table("d", "g$a"), kv.Cell{Row: row(4), Timestamp: 1}))
	createTable(t, s, "g", "b", &partition.Scheme{})
	_, err := tx.Scan(t.Context(), []*kv.Table{table}, &kv.Scan{})
	require.ErrorIs(t, err, kv.ErrConflict)
	require.NoError(t, tx.Renew(context.Background()))
	require.Len(t, readAll(t, tx, []*kv.Table{tx.Catalog().Table("d", "g$a")}, &kv.Scan{}), 5)
	require.NoError(t, tx.Commit(t.Context()))
}

// TestLookupAfterMove requires that cells that were moved to other key spaces are
// also found without a snapshot.
func TestLookupAfterMove(t *testing.T) {
	s := openMem(t)
	createTable(t, s, "g", "a", &partition.Scheme{})
	absent := func(i int) bool {
		return single(t, s, func(tx kv.Txn) (bool, error) {
			return tx.PutIfAbsent(t.Context(), kvtest.Catalog(s).Table("d", "g$a"), kv.Cell{Row: row(i), Timestamp: 1})
		})
	}
	require.True(t, absent(1))
	require.True(t, absent(2))
	s.engine.Views.ForgetLookup()
	require.False(t, absent(1))
	require.NoError(t, s.Repartition(t.Context(), "d", "g$a", layoutTo(must(partition.NewKey(7))), kv.MoveOptions{}))
	require.False(t, absent(1))
	require.False(t, absent(2))
	require.True(t, absent(3))
}

// TestLookupBesideMove requires that a transaction that read the catalog before a
// move does not miss the moved row.
func TestLookupBesideMove(t *testing.T) {
	for name, look := range map[string]func(tx kv.Txn, table *kv.Table) (bool, error){
		"put": func(tx kv.Txn, table *kv.Table) (bool, error) {
			return tx.PutIfAbsent(t.Context(), table, kv.Cell{Row: row(1), Timestamp: 1})
		},
		"scan": func(tx kv.Txn, table *kv.Table) (bool, error) {
			if err := tx.LockRow(t.Context(), table, row(1), kv.RowLock{}); err != nil {
				return false, err
			}
			got, err := scanRow(t, tx, table, 1)
			return len(got) == 0, err
		},
		"delete": func(tx kv.Txn, table *kv.Table) (bool, error) {
			if err := tx.DeleteColumn(t.Context(), table, row(1), nil); err != nil {
				return false, err
			}
			return false, nil
		},
	} {
		for _, hot := range []bool{false, true} {
			t.Run(name+strconv.FormatBool(hot), func(t *testing.T) {
				s := openMem(t)
				table := createTable(t, s, "g", "a", &partition.Scheme{})
				single(t, s, func(tx kv.Txn) (bool, error) {
					return true, tx.Put(t.Context(), table, kv.Cell{Row: row(1), Timestamp: 1})
				})
				tx := kvtest.Begin(s, kv.TxnOptions{Single: true})
				defer tx.Rollback()
				table = tx.Catalog().Table("d", "g$a")
				require.NoError(t, s.Repartition(t.Context(), "d", "g$a", layoutTo(must(partition.NewKey(7))), kv.MoveOptions{}))
				if hot { // a lookup view that does not have the row's newest state
					single(t, s, func(tx kv.Txn) (bool, error) {
						return tx.PutIfAbsent(t.Context(), kvtest.Catalog(s).Table("d", "g$a"), kv.Cell{Row: row(1), Timestamp: 2})
					})
				}
				_, err := look(tx, table)
				require.ErrorIs(t, err, kv.ErrConflict)
				require.NoError(t, tx.Renew(context.Background()))
				missed, err := look(tx, tx.Catalog().Table("d", "g$a"))
				require.NoError(t, err)
				require.False(t, missed)
				require.NoError(t, tx.Commit(t.Context()))
			})
		}
	}
}

// scanRow returns the cells of a row.
func scanRow(t *testing.T, tx kv.Txn, table *kv.Table, i int) ([]string, error) {
	c, err := tx.Scan(t.Context(), []*kv.Table{table}, &kv.Scan{Ranges: []kv.Range{rowRangeOf(i)}, NeedValue: true})
	if err != nil {
		return nil, err
	}
	defer c.Close()
	var got []string
	for c.Next() {
		v, err := c.Value()
		if err != nil {
			return nil, err
		}
		got = append(got, fmt.Sprintf("%d=%s", c.Cell().Timestamp, v))
	}
	return got, c.Err()
}

// TestReadLockedRow requires that a transaction of one statement reads the newest
// state of a row that it has locked, with its own writes on top, with and without
// the lookup view.
func TestReadLockedRow(t *testing.T) {
	r := seed(t)
	s := openMem(t)
	table := createTable(t, s, "g", "a", &partition.Scheme{})
	counts := [3]int{}
	for step := range 2000 {
		i := r.IntN(len(counts))
		single(t, s, func(tx kv.Txn) (bool, error) {
			if err := tx.LockRow(t.Context(), table, row(i), kv.RowLock{}); err != nil {
				return false, err
			}
			for range 1 + r.IntN(s.engine.Tuning.Looks+1) {
				got, err := scanRow(t, tx, table, i)
				if err != nil {
					return false, err
				}
				want := []string(nil)
				if counts[i] > 0 {
					want = []string{fmt.Sprintf("1=%d", counts[i])}
				}
				require.Equal(t, want, got, "step %d", step)
				if counts[i]++; counts[i]%50 == 0 {
					counts[i] = 0
					if err := tx.DeleteColumn(t.Context(), table, row(i), nil); err != nil {
						return false, err
					}
					continue
				}
				if err := tx.Put(t.Context(), table, kv.Cell{Row: row(i), Timestamp: 1, Value: row(counts[i])}); err != nil {
					return false, err
				}
			}
			return true, nil
		})
		require.Zero(t, s.OpenIterators())
	}
}
