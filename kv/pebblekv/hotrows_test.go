package pebblekv

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/rowlock"
	"github.com/hbasekv/hbasekv/partition"
)

// keepAllRows makes the store keep each row that is read twice.
func keepAllRows(s *Store) { s.engine.Tuning.HotSeeks = 1 }

// update commits versions of cells, given as row/qualifier and value.
func update(t testing.TB, s *Store, table *kv.Table, ts int64, cells ...string) {
	tx := kvtest.Begin(s, kv.TxnOptions{})
	defer tx.Rollback()
	for i := 0; i < len(cells); i += 3 {
		require.NoError(t, tx.Put(t.Context(), table,
			kv.Cell{Row: []byte(cells[i]), Qualifier: []byte(cells[i+1]), Timestamp: ts, Value: []byte(cells[i+2])}))
	}
	require.NoError(t, tx.Commit(t.Context()))
}

// newest reads the newest versions in a row, and returns how many seeks that took.
func newest(t testing.TB, tx kv.Txn, table *kv.Table, row string) (text string, seeks int64) {
	at := kv.Position{Row: []byte(row), Depth: kv.DepthRow}
	end := at
	end.After = true
	cur, err := tx.Scan(t.Context(), []*kv.Table{table},
		&kv.Scan{Ranges: []kv.Range{{Start: at, End: end}}, MaxVersions: 1, NeedValue: true})
	require.NoError(t, err)
	for cur.Next() {
		value, err := cur.Value()
		require.NoError(t, err)
		text += fmt.Sprintf("%s@%d=%s ", cur.Cell().Qualifier, cur.Cell().Timestamp, value)
	}
	require.NoError(t, cur.Err())
	seeks = cur.Stats().Seeks
	require.NoError(t, cur.Close())
	return text, seeks
}

// readNewest is newest in a transaction of its own.
func readNewest(t testing.TB, s *Store, table *kv.Table, row string) (string, int64) {
	tx := kvtest.Begin(s, kv.TxnOptions{ReadOnly: true})
	defer tx.Rollback()
	return newest(t, tx, table, row)
}

// TestHotRows requires that a row that took many seeks twice takes none from
// then on, until it is written, and that older transactions still read the old
// state.
func TestHotRows(t *testing.T) {
	for name, scheme := range schemes(t) {
		for _, row := range []string{"b", "b\x00\x00", ""} {
			t.Run(fmt.Sprintf("%s/%q", name, row), func(t *testing.T) { testHotRow(t, scheme, row) })
		}
	}
}

func testHotRow(t *testing.T, scheme *partition.Scheme, row string) {
	s := openMem(t)
	table := createTable(t, s, "g", "a", scheme)
	for ts := range int64(40) {
		update(t, s, table, ts, row, "p", "1", row, "q", "2", row, "r", "3", "c", "p", "other")
	}
	id := func(row string) rowlock.ID {
		return s.engine.Hash.Row(s.engine.Hash.Namespace(table), []byte(row))
	}
	other := "d" // not in the same slot
	for s.engine.Hot.SameSlot(id(other), id(row)) {
		other += "d"
	}
	const first = "p@39=1 q@39=2 r@39=3 "
	reads := func(want string, sought bool) {
		t.Helper()
		got, seeks := readNewest(t, s, table, row)
		require.Equal(t, want, got)
		if scheme.Slices() == nil {
			require.Equal(t, sought, seeks > 0, "%d seeks", seeks)
		}
	}
	reads(first, true)
	reads(first, true)
	reads(first, false)
	old := kvtest.Begin(s, kv.TxnOptions{ReadOnly: true})
	defer old.Rollback()
	text, _ := newest(t, old, table, row)
	require.Equal(t, first, text)

	update(t, s, table, 50, other, "p", "another row")
	reads(first, false)
	update(t, s, table, 50, row, "q", "new")
	const second = "p@39=1 q@50=new r@39=3 "
	reads(second, true)
	reads(second, false)
	text, _ = newest(t, old, table, row)
	require.Equal(t, first, text)
	reads(second, false)

	tx := kvtest.Begin(s, kv.TxnOptions{})
	require.NoError(t, tx.DeleteColumn(t.Context(), table, []byte(row), []byte("p")))
	text, _ = newest(t, tx, table, row)
	require.Equal(t, "q@50=new r@39=3 ", text)
	reads(second, false)
	require.NoError(t, tx.Commit(t.Context()))
	reads("q@50=new r@39=3 ", true)
	reads("q@50=new r@39=3 ", false)

	require.NoError(t, s.ChangeCatalog(t.Context(), func(c *kv.CatalogChange) error {
		return c.TruncateTable("d", table.Name)
	}))
	table = kvtest.Catalog(s).Table("d", table.Name)
	reads("", true)
	text, _ = newest(t, old, old.Catalog().Table("d", table.Name), row)
	require.Equal(t, first, text)
}

// TestHotRowsExpire requires that kept rows expire with the clock, and are back
// for a clock that has gone back; a transaction has its own time.
func TestHotRowsExpire(t *testing.T) {
	clock := &handClock{}
	s := openCollecting(t, clock)
	createTable(t, s, "g", "a", &partition.Scheme{})
	table := retain(t, s, "g$a", kv.Retention{TTLSeconds: 1, MaxVersions: 30})
	for ts := range int64(40) {
		update(t, s, table, ts, "r", "p", "1", "r", "q", "2")
	}
	update(t, s, table, 50, "r", "q", "3")
	reads := func(ms int64, want string, sought bool) {
		t.Helper()
		clock.ms.Store(ms)
		text, seeks := readNewest(t, s, table, "r")
		require.Equal(t, want, text)
		require.Equal(t, sought, seeks > 0, "%d seeks", seeks)
	}
	const both = "p@39=1 q@50=3 "
	reads(1000, both, true)
	reads(1000, both, true)
	reads(1000, both, false)
	old := kvtest.Begin(s, kv.TxnOptions{ReadOnly: true})
	defer old.Rollback()
	require.Equal(t, int64(1000), old.Now())
	reads(1039, both, false)
	reads(1040, "q@50=3 ", false)
	text, seeks := newest(t, old, table, "r")
	require.Equal(t, both, text)
	require.Zero(t, seeks)
	reads(1051, "", false)
	reads(1050, "q@50=3 ", false)

	update(t, s, table, 51, "r", "q", "4")
	reads(1045, "q@51=4 ", true) // and is kept without expired versions
	reads(1046, "q@51=4 ", false)
	reads(1039, "p@39=1 q@51=4 ", true)
	reads(1039, "p@39=1 q@51=4 ", false)
	reads(1045, "q@51=4 ", false)
}

// TestHotRowsAreBounded requires that kept rows take no more memory than
// allowed, and that it is counted correctly.
func TestHotRowsAreBounded(t *testing.T) {
	s, err := Open(Options{InMemory: true, CacheBytes: 160 << 10})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	keepAllRows(s)
	table := createTable(t, s, "g", "a", &partition.Scheme{})
	large := string(make([]byte, 16<<10))
	for i := range 300 {
		update(t, s, table, 1, strconv.Itoa(i), "q", "some value", "large", "q", large)
		for range 3 {
			readNewest(t, s, table, strconv.Itoa(i))
			readNewest(t, s, table, "large")
		}
		_, bytes, most := s.engine.Hot.Kept()
		require.LessOrEqual(t, bytes, most)
	}
	rows, bytes, _ := s.engine.Hot.Kept()
	require.NotEmpty(t, rows)
	for key, size := range rows {
		require.NotContains(t, key, "large")
		bytes -= size
	}
	require.Zero(t, bytes)
}

// TestHotRowsUnderWriters moves amounts between rows: each snapshot has the same
// sum, also if some of its rows are kept and others are read.
func TestHotRowsUnderWriters(t *testing.T) {
	s := openMem(t)
	keepAllRows(s)
	scheme, err := partition.NewKey(3)
	require.NoError(t, err)
	table := createTable(t, s, "g", "a", scheme)
	const rows = 6
	var writers, readers sync.WaitGroup
	var over atomic.Bool
	var cells []string
	for i := range rows {
		cells = append(cells, strconv.Itoa(i), "q", "100")
	}
	update(t, s, table, 0, cells...)
	for w := range uint64(2) {
		writers.Go(func() {
			r := rand.New(rand.NewPCG(w, 1))
			for range 1500 {
				moveAmount(t, s, table, r.IntN(rows), r.IntN(rows))
			}
		})
		readers.Go(func() {
			for !over.Load() {
				tx := kvtest.Begin(s, kv.TxnOptions{ReadOnly: true})
				for range 3 {
					sum := 0
					for i := range rows {
						sum += amount(t, tx, table, strconv.Itoa(i))
					}
					if sum != 100*rows {
						t.Errorf("the sum is %d", sum)
					}
				}
				tx.Rollback()
			}
		})
	}
	writers.Wait()
	over.Store(true)
	readers.Wait()
}

// moveAmount moves 1 between two rows, unless another transaction conflicts.
func moveAmount(t *testing.T, s *Store, table *kv.Table, from, to int) {
	tx := kvtest.Begin(s, kv.TxnOptions{})
	defer tx.Rollback()
	a, b := strconv.Itoa(from), strconv.Itoa(to)
	if from == to || tx.LockRow(t.Context(), table, []byte(a), kv.RowLock{}) != nil ||
		tx.LockRow(t.Context(), table, []byte(b), kv.RowLock{}) != nil {
		return
	}
	for row, n := range map[string]int{a: amount(t, tx, table, a) - 1, b: amount(t, tx, table, b) + 1} {
		if err := tx.Put(t.Context(), table, kv.Cell{Row: []byte(row), Qualifier: []byte("q"),
			Value: strconv.AppendInt(nil, int64(n), 10)}); err != nil {
			return
		}
	}
	_ = tx.Commit(t.Context())
}

func amount(t testing.TB, tx kv.Txn, table *kv.Table, row string) (n int) {
	text, _ := newest(t, tx, table, row)
	var ts int64
	if _, err := fmt.Sscanf(text, "q@%d=%d ", &ts, &n); err != nil {
		t.Errorf("%q: %v", text, err)
	}
	return n
}

// TestHotRowFromAVersionOn reads a range that begins within a column: it wants
// the newest version there, which is not among the newest of all.
func TestHotRowFromAVersionOn(t *testing.T) {
	s := openMem(t)
	keepAllRows(s)
	tables := []*kv.Table{createTable(t, s, "g", "a", &partition.Scheme{})}
	tx := kvtest.Begin(s, kv.TxnOptions{})
	for ts := range int64(10) {
		require.NoError(t, tx.Put(t.Context(), tables[0],
			kv.Cell{Row: row(1), Qualifier: []byte("q"), Timestamp: ts, Value: []byte{byte(ts)}}))
	}
	require.NoError(t, tx.Commit(t.Context()))
	whole := kv.Position{Row: row(1), Depth: kv.DepthRow}
	end := whole
	end.After = true
	tx = kvtest.Begin(s, kv.TxnOptions{ReadOnly: true})
	defer tx.Rollback()
	newest := kv.Scan{MaxVersions: 1, NeedValue: true, Ranges: []kv.Range{{Start: whole, End: end}}}
	for range 3 {
		require.EqualValues(t, 9, readAll(t, tx, tables, &newest)[0].Timestamp)
	}
	from := kv.Position{Row: row(1), Qualifier: []byte("q"), Timestamp: 5, Depth: kv.DepthCell}
	for _, after := range []bool{false, true} {
		from.After = after
		got := readAll(t, tx, tables, &kv.Scan{MaxVersions: 1, NeedValue: true, Ranges: []kv.Range{{Start: from, End: end}}})
		require.Len(t, got, 1)
		require.EqualValues(t, map[bool]int64{false: 5, true: 4}[after], got[0].Timestamp)
	}
}
