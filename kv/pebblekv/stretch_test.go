package pebblekv

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/txn"
	"github.com/hbasekv/hbasekv/partition"
)

// shortStretches makes stretches of a few columns become spans.
func shortStretches(t *testing.T) {
	least := txn.MinStretch
	txn.MinStretch = 2
	t.Cleanup(func() { txn.MinStretch = least })
}

// stretchTxn is a transaction that deletes columns in order, with the cells that it should see.
type stretchTxn struct {
	kv.Txn
	t     *testing.T
	r     *rand.Rand
	table *kv.Table
	now   map[string]string
}

// sweep deletes all columns in order, except about one in keep, with other operations in between.
func (x *stretchTxn) sweep(keep int) {
	columns := slices.Sorted(maps.Keys(x.now))
	for _, at := range columns {
		if x.r.IntN(keep) == 0 {
			continue
		}
		switch x.r.IntN(40) {
		case 0:
			x.put(columns[x.r.IntN(len(columns))])
		case 1:
			x.takeBack(at)
		case 2:
			x.check()
		}
		x.remove(at)
	}
}

// sweepFound deletes all columns that a scan finds, except about one in keep, a batch at a time. What the
// batch says of the gaps between its cells must be true.
func (x *stretchTxn) sweepFound(keep int) {
	versions, next := x.neighbours()
	scan := &kv.Scan{MaxVersions: 1, ByPartition: true}
	if x.r.IntN(2) == 0 {
		scan.Qualifiers = []kv.QualifierRange{{Start: []byte("q1"), End: [][]byte{[]byte("q1\x00"), []byte("q3")}[x.r.IntN(2)]}}
	}
	cur, err := x.Scan(x.t.Context(), []*kv.Table{x.table}, scan)
	require.NoError(x.t, err)
	b := kv.Batch{Shares: true, NoteGaps: true}
	for cur.(kv.Batcher).NextBatch(&b, 1+x.r.IntN(60)) {
		var chosen []int32
		for i := range b.Len() {
			at := columnName(b.Rows()[i], b.Qualifiers()[i])
			require.True(x.t, versions[at] == 1 || !b.Has(kv.NoOlder, i))
			require.True(x.t, !b.Has(kv.NoOthers, i) || columnName(b.Rows()[i+1], b.Qualifiers()[i+1]) == next[at])
			if x.r.IntN(keep) > 0 {
				chosen = append(chosen, int32(i))
				delete(x.now, at)
			}
		}
		x.removeFound(&b, chosen)
	}
	require.NoError(x.t, cur.Err())
	require.NoError(x.t, cur.Close())
}

func (x *stretchTxn) removeFound(b *kv.Batch, at []int32) {
	done, err := x.Txn.(kv.ColumnsDeleter).DeleteColumns(x.t.Context(), x.table, b, at)
	require.NoError(x.t, err)
	require.Equal(x.t, x.table.Partitioning.Slices() == nil, done)
	for i := 0; i < len(at) && !done; i++ {
		require.NoError(x.t, x.DeleteColumn(x.t.Context(), x.table, b.Rows()[at[i]], b.Qualifiers()[at[i]]))
	}
}

// neighbours returns the number of versions of each column, and the column after it.
func (x *stretchTxn) neighbours() (versions map[string]int, next map[string]string) {
	versions, next = map[string]int{}, map[string]string{}
	last := ""
	for _, c := range readAll(x.t, x, []*kv.Table{x.table}, &kv.Scan{ByPartition: true}) {
		at := columnName(c.Row, c.Qualifier)
		if versions[at]++; at != last {
			next[last], last = at, at
		}
	}
	return versions, next
}

func columnName(row, qualifier []byte) string { return fmt.Sprintf("%s/%s", row, qualifier) }

func (x *stretchTxn) remove(at string) {
	require.NoError(x.t, x.DeleteColumn(x.t.Context(), x.table, []byte(at[:8]), []byte(at[9:])))
	delete(x.now, at)
}

func (x *stretchTxn) put(at string) {
	value := fmt.Sprint("value ", x.r.Int())
	c := kv.Cell{Row: []byte(at[:8]), Qualifier: []byte(at[9:]), Timestamp: 200, Value: []byte(value)}
	require.NoError(x.t, x.Put(x.t.Context(), x.table, c))
	x.now[at] = value
}

// takeBack deletes a column and undoes that.
func (x *stretchTxn) takeBack(at string) {
	before, then := x.Savepoint(), maps.Clone(x.now)
	x.remove(at)
	x.RollbackTo(before)
	x.now = then
}

func (x *stretchTxn) check() { require.Equal(x.t, x.now, newestCells(x.t, x, x.table)) }

// newestCells returns the newest versions that a transaction sees.
func newestCells(t *testing.T, tx kv.Txn, table *kv.Table) map[string]string {
	out := map[string]string{}
	for _, c := range readAll(t, tx, []*kv.Table{table}, &kv.Scan{NeedValue: true, MaxVersions: 1}) {
		out[columnName(c.Row, c.Qualifier)] = string(c.Value)
	}
	return out
}

func requireNewestCells(t *testing.T, s *Store, want map[string]string) {
	t.Helper()
	tx := kvtest.Begin(s, kv.TxnOptions{ReadOnly: true})
	defer tx.Rollback()
	require.Equal(t, want, newestCells(t, tx, family(tx, "a")))
}

// TestStretches deletes all or most columns in order, with writes, reads, savepoints and spills in between:
// exactly the others are left, before and after the commit, and after a restart.
func TestStretches(t *testing.T) {
	shortStretches(t)
	r := seed(t)
	for name, scheme := range schemes(t) {
		t.Run(name, func(t *testing.T) {
			mem := vfs.NewMem()
			s, err := Open(Options{Dir: "d", FS: mem, TxnMemory: smallMemory})
			require.NoError(t, err)
			table := createTable(t, s, "g", "a", scheme)
			want := map[string]string{}
			for round := range 12 {
				x := &stretchTxn{kvtest.Begin(s, kv.TxnOptions{Serializable: round%2 == 0}), t, r, table, maps.Clone(want)}
				x.fill(300)
				if round%3 > 0 {
					require.NoError(t, x.Commit(t.Context()))
					want = x.now
					x = &stretchTxn{kvtest.Begin(s, kv.TxnOptions{}), t, r, table, maps.Clone(want)}
				}
				s.engine.Tuning.PassSteps = 1 + r.IntN(50)
				keep := []int{3, 50, 1 << 30}[r.IntN(3)]
				if r.IntN(2) == 0 {
					x.sweep(keep)
				} else {
					x.sweepFound(keep)
				}
				x.check()
				if r.IntN(4) == 0 {
					x.Rollback()
				} else {
					require.NoError(t, x.Commit(t.Context()))
					want = x.now
				}
				requireNewestCells(t, s, want)
			}
			kvtest.RequireSound(t.Context(), t, s, kv.CheckLookups)
			require.NoError(t, s.Close())
			s, err = Open(Options{Dir: "d", FS: mem})
			require.NoError(t, err)
			requireNewestCells(t, s, want)
			require.NoError(t, s.Close())
		})
	}
}

// TestFoundConflicts: what others write in found rows is a conflict, and what they write beyond the rows of a
// span ends the stretch and is kept.
func TestFoundConflicts(t *testing.T) {
	shortStretches(t)
	s, err := Open(Options{InMemory: true, LockTimeout: 50 * time.Millisecond})
	require.NoError(t, err)
	defer s.Close()
	table := createTable(t, s, "g", "a", &partition.Scheme{})
	put := func(row string, times ...int64) {
		tx := kvtest.Begin(s, kv.TxnOptions{})
		for _, at := range times {
			require.NoError(t, tx.Put(t.Context(), table, kv.Cell{Row: []byte(row), Timestamp: at}))
		}
		require.NoError(t, tx.Commit(t.Context()))
	}
	for i := range 40 {
		put(fmt.Sprintf("row%05d", i), []int64{1, 2}[:1+i%3/2]...)
	}
	tx := kvtest.Begin(s, kv.TxnOptions{})
	cur, err := tx.Scan(t.Context(), []*kv.Table{table}, &kv.Scan{MaxVersions: 1})
	require.NoError(t, err)
	b := kv.Batch{Shares: true, NoteGaps: true}
	remove := func(from, to int32) error {
		var at []int32
		for i := from; i < to; i++ {
			at = append(at, i)
		}
		_, err := tx.(kv.ColumnsDeleter).DeleteColumns(t.Context(), table, &b, at)
		return err
	}
	for range 2 { // the second batch continues the stretch
		require.True(t, cur.(kv.Batcher).NextBatch(&b, 10))
		require.NoError(t, remove(0, 10))
	}
	require.Less(t, tx.(kv.Observed).Observe().Writes, uint64(20))
	put("row00025 and more", 1)
	put("row00035", 1)
	require.True(t, cur.(kv.Batcher).NextBatch(&b, 20))
	require.NoError(t, remove(0, 15))
	require.Greater(t, tx.(kv.Observed).Observe().Writes, uint64(15))
	before := tx.Savepoint()
	require.ErrorIs(t, remove(15, 20), kv.ErrConflict)
	require.NoError(t, cur.Close())
	require.NoError(t, tx.Renew(t.Context()))
	tx.RollbackTo(before)
	require.NoError(t, tx.Commit(t.Context()))
	left := rowsOf(t, s)
	require.Equal(t, "row00025 and more", string(left[0].Row))
	require.Equal(t, "row00035", string(left[1].Row))
}

// fill puts versions of n columns.
func (x *stretchTxn) fill(n int) {
	for range n {
		at := fmt.Sprintf("row%05d/q%d", x.r.IntN(n/3), x.r.IntN(4))
		for version := range 1 + x.r.IntN(2) {
			value := fmt.Sprint("value ", x.r.Int())
			c := kv.Cell{Row: []byte(at[:8]), Qualifier: []byte(at[9:]), Timestamp: 100 + int64(version), Value: []byte(value)}
			require.NoError(x.t, x.Put(x.t.Context(), x.table, c))
		}
	}
	x.now = newestCells(x.t, x, x.table)
}

// TestStretchLocks: other transactions cannot write between the rows of a span until the transaction ends, and
// can write beyond them. What they write there before is not deleted, and ends the stretch.
func TestStretchLocks(t *testing.T) {
	shortStretches(t)
	s, err := Open(Options{InMemory: true, LockTimeout: 50 * time.Millisecond})
	require.NoError(t, err)
	defer s.Close()
	table := createTable(t, s, "g", "a", &partition.Scheme{})
	put := func(tx kv.Txn, row string) error {
		return tx.Put(t.Context(), table, kv.Cell{Row: []byte(row), Timestamp: 1})
	}
	commit := func(rows ...string) error {
		tx := kvtest.Begin(s, kv.TxnOptions{})
		defer tx.Rollback()
		for _, row := range rows {
			if err := put(tx, row); err != nil {
				return err
			}
		}
		return tx.Commit(t.Context())
	}
	var rows []string
	for i := range 40 {
		rows = append(rows, fmt.Sprintf("row%05d", i))
	}
	require.NoError(t, commit(rows...))
	tx := kvtest.Begin(s, kv.TxnOptions{})
	remove := func(rows []string) {
		for _, row := range rows {
			require.NoError(t, tx.DeleteColumn(t.Context(), table, []byte(row), nil))
		}
	}
	old := kvtest.Begin(s, kv.TxnOptions{})
	old.Catalog()
	remove(rows[:20])
	require.Less(t, tx.(kv.Observed).Observe().RowsLocked, uint64(10))
	require.Less(t, tx.(kv.Observed).Observe().Writes, uint64(10))
	for _, row := range []string{"row00010", "row00010 and more", "row00019"} {
		require.ErrorIs(t, commit(row), kv.ErrLockTimeout, row)
	}
	require.NoError(t, commit("row00019 and more", "row00029 and more"))
	remove(rows[20:])
	require.Greater(t, tx.(kv.Observed).Observe().RowsLocked, uint64(20))
	require.NoError(t, tx.Commit(t.Context()))
	require.ErrorIs(t, put(old, "row00015"), kv.ErrConflict)
	old.Rollback()
	left := rowsOf(t, s)
	require.Len(t, left, 2)
	require.Equal(t, "row00019 and more", string(left[0].Row))
}
