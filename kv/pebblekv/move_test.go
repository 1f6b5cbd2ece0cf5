package pebblekv

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/move"
	"github.com/hbasekv/hbasekv/partition"
)

// smallChunks makes moves take many steps.
func smallChunks(t testing.TB, n int) {
	old := move.ChunkBytes
	move.ChunkBytes = n
	t.Cleanup(func() { move.ChunkBytes = old })
}

func layoutTo(s *partition.Scheme) func(*kv.Table) error {
	return func(t *kv.Table) error { t.Partitioning = s; return nil }
}

// movedTable makes a table g$a, and g$b in the same group, with rows rows.
func movedTable(t testing.TB, s *Store, scheme *partition.Scheme, rows int) {
	a, b := createTable(t, s, "g", "a", scheme), createTable(t, s, "g", "b", scheme)
	tx := kvtest.Begin(s, kv.TxnOptions{})
	for i := range rows {
		for _, table := range []*kv.Table{a, b} {
			require.NoError(t, tx.Put(t.Context(), table, kv.Cell{Row: row(i), Timestamp: timeOf(i), Value: row(0)}))
		}
	}
	require.NoError(t, tx.Commit(t.Context()))
}

func family(tx kv.Txn, name string) *kv.Table { return tx.Catalog().Table("d", "g$"+name) }

// moving is a table whose writers and readers know what must be in it: each row
// of g$a has a number in one cell, which only its writer changes and only
// increases, and the row in g$b has the same number.
type moving struct {
	store        *Store
	rows         int
	begun, acked []atomic.Int64
	over         atomic.Bool
	commits      atomic.Int64
}

func (m *moving) write(ctx context.Context, seed uint64, mine, of int) error {
	r := rand.New(rand.NewPCG(seed, uint64(mine)))
	for n := int64(1); !m.over.Load(); n++ {
		if err := m.writeOnce(ctx, r, n, mine, of); err != nil {
			return err
		}
		m.commits.Add(1)
	}
	return nil
}

// writeOnce sets some rows to the number n in one transaction. Half of the time
// it deletes them first, and it undoes another write before.
func (m *moving) writeOnce(ctx context.Context, r *rand.Rand, n int64, mine, of int) error {
	tx := kvtest.Begin(m.store, kv.TxnOptions{})
	defer tx.Rollback()
	var which []int
	for range 1 + r.IntN(4) {
		i := r.IntN(m.rows/of)*of + mine
		which = append(which, i)
		m.begun[i].Store(n)
		for _, name := range []string{"a", "b"} {
			if err := m.writeRow(ctx, tx, family(tx, name), r, i, n); err != nil {
				return err
			}
		}
		if r.IntN(8) == 0 {
			time.Sleep(time.Duration(r.IntN(3000)) * time.Microsecond) // the layout may change meanwhile
		}
		if r.IntN(8) == 0 {
			if err := tx.Renew(context.Background()); err != nil {
				return fmt.Errorf("renew: %w", err)
			}
		}
	}
	if err := tx.Commit(ctx); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	for _, i := range which {
		m.acked[i].Store(n)
	}
	return nil
}

func (m *moving) writeRow(ctx context.Context, tx kv.Txn, t *kv.Table, r *rand.Rand, i int, n int64) error {
	sp := tx.Savepoint()
	if err := tx.Put(ctx, t, kv.Cell{Row: row(i), Qualifier: []byte("undone"), Timestamp: 1}); err != nil {
		return err
	}
	tx.RollbackTo(sp)
	c := kv.Cell{Row: row(i), Timestamp: timeOf(i), Value: strconv.AppendInt(nil, n, 10)}
	if r.IntN(2) == 0 {
		elsewhere := c
		elsewhere.Timestamp = int64(r.IntN(30) - 15)
		if err := errors.Join(tx.Put(ctx, t, elsewhere), tx.DeleteColumn(ctx, t, row(i), nil)); err != nil {
			return err
		}
	}
	return tx.Put(ctx, t, c)
}

// timeOf spreads the rows of movedTable over slices of time.
func timeOf(i int) int64 { return int64(i%31 - 15) }

func (m *moving) read(ctx context.Context, seed uint64) error {
	r := rand.New(rand.NewPCG(seed, 1000))
	for !m.over.Load() {
		var err error
		if r.IntN(4) == 0 {
			err = m.readAll(ctx, r.IntN(2) == 0)
		} else {
			err = m.readRow(ctx, r.IntN(m.rows))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (m *moving) readRow(ctx context.Context, i int) error {
	least := m.acked[i].Load()
	tx := kvtest.Begin(m.store, kv.TxnOptions{ReadOnly: true})
	defer tx.Rollback()
	tables := []*kv.Table{family(tx, "a"), family(tx, "b")}
	c, err := tx.Scan(ctx, tables, &kv.Scan{Ranges: []kv.Range{rowRangeOf(i)}, NeedValue: true})
	if err != nil {
		return err
	}
	var got []int64
	for c.Next() {
		n, err := m.number(c)
		if err != nil {
			return err
		}
		got = append(got, n)
	}
	most := m.begun[i].Load()
	if len(got) != 2 || got[0] != got[1] || got[0] < least || got[0] > most {
		return fmt.Errorf("row %d: %v, want twice a number from %d to %d", i, got, least, most)
	}
	return errors.Join(c.Err(), c.Close())
}

func rowRangeOf(i int) kv.Range {
	at := kv.Position{Row: row(i), Depth: kv.DepthRow}
	end := at
	end.After = true
	return kv.Range{Start: at, End: end}
}

func (m *moving) number(c kv.Cursor) (int64, error) {
	v, err := c.Value()
	if err != nil {
		return 0, err
	}
	if len(c.Cell().Qualifier) > 0 {
		return 0, fmt.Errorf("row %s has a cell that was undone", c.Cell().Row)
	}
	return strconv.ParseInt(string(v), 10, 64)
}

// readAll reads both families in one snapshot.
func (m *moving) readAll(ctx context.Context, ordered bool) error {
	tx := kvtest.Begin(m.store, kv.TxnOptions{ReadOnly: true})
	defer tx.Rollback()
	sums := map[string][2]int64{}
	for f, name := range []string{"a", "b"} {
		c, err := tx.Scan(ctx, []*kv.Table{family(tx, name)}, &kv.Scan{NeedValue: true, Ordered: ordered})
		if err != nil {
			return err
		}
		for c.Next() {
			n, err := m.number(c)
			if err != nil {
				return err
			}
			both := sums[string(c.Cell().Row)]
			both[f] += n + 1
			sums[string(c.Cell().Row)] = both
		}
		if err := errors.Join(c.Err(), c.Close()); err != nil {
			return err
		}
	}
	if len(sums) != m.rows {
		return fmt.Errorf("%d rows, want %d", len(sums), m.rows)
	}
	for row, both := range sums {
		if both[0] != both[1] {
			return fmt.Errorf("row %s: %v in the families of one snapshot", row, both)
		}
	}
	return nil
}

// TestMoveUnderLoad moves cells from layout to layout, in small and in large
// steps, while writers write and readers check every result.
func TestMoveUnderLoad(t *testing.T) {
	const rows = 200
	seed := testseed.Of(t)
	s := openMem(t)
	s.opts.LockTimeout = time.Minute
	to := schemes(t)
	delete(to, "prefix") // much like key
	delete(to, "slices") // much like rangeslices
	movedTable(t, s, to["key7"], rows)
	m := &moving{store: s, rows: rows, begun: make([]atomic.Int64, rows), acked: make([]atomic.Int64, rows)}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	var wg sync.WaitGroup
	var failed atomic.Pointer[error]
	worker := func(fn func() error) {
		wg.Go(func() {
			if err := fn(); err != nil && failed.CompareAndSwap(nil, &err) {
				cancel()
			}
		})
	}
	const writers = 4
	for i := range writers {
		worker(func() error { return m.write(ctx, seed, i, writers) })
		worker(func() error { return m.read(ctx, seed+uint64(i)) })
	}
	var err error
	for i, step := range []int{100, 1000, 20_000} {
		smallChunks(t, step)
		for name, scheme := range to {
			if err == nil {
				err = s.Repartition(ctx, "d", []string{"g$a", "g$b"}[i%2], layoutTo(scheme), kv.MoveOptions{})
			}
			t.Log(step, name, m.commits.Load())
		}
	}
	m.over.Store(true)
	wg.Wait()
	if p := failed.Load(); p != nil {
		t.Fatal(*p)
	}
	require.NoError(t, err)
	require.NoError(t, m.readAll(t.Context(), true))
	kvtest.RequireSound(t.Context(), t, s, kv.CheckLookups)
	require.Empty(t, s.stored.Filling)
}

// during calls fn once when the first cells have been moved.
func during(fn func()) kv.MoveOptions {
	return kv.MoveOptions{Progress: func(p kv.MoveProgress) {
		if p.Cells > 0 && fn != nil {
			f := fn
			fn = nil
			f()
		}
	}}
}

func requireRows(t *testing.T, s *Store, want int) {
	t.Helper()
	tx := kvtest.Begin(s, kv.TxnOptions{ReadOnly: true})
	defer tx.Rollback()
	c, err := tx.Scan(t.Context(), []*kv.Table{family(tx, "a")}, &kv.Scan{})
	require.NoError(t, err)
	n := 0
	for c.Next() {
		n++
	}
	require.NoError(t, c.Err())
	require.NoError(t, c.Close())
	require.Equal(t, want, n)
}

// TestMoveEnds requires that a cancelled or refused move, or one in a closed
// store, changes nothing.
func TestMoveEnds(t *testing.T) {
	smallChunks(t, 100)
	s := openMem(t)
	key7, key3 := must(partition.NewKey(7)), must(partition.NewKey(3))
	movedTable(t, s, key7, 100)
	before := family(kvtest.Begin(s, kv.TxnOptions{ReadOnly: true}), "a")
	same := func() {
		t.Helper()
		require.Same(t, before, kvtest.Catalog(s).Table("d", "g$a"))
		require.Empty(t, s.stored.Filling)
		require.Empty(t, s.txns.Moves.All())
		requireRows(t, s, 100)
		kvtest.RequireSound(t.Context(), t, s, kv.CheckLookups)
	}
	ctx, cancel := context.WithCancel(t.Context())
	require.ErrorIs(t, s.Repartition(ctx, "d", "g$a", layoutTo(key3), during(cancel)), context.Canceled)
	same()
	low := must(partition.NewRange([]string{"p"}, [][]byte{[]byte("5")}))
	err := s.Repartition(t.Context(), "d", "g$a", layoutTo(low), kv.MoveOptions{})
	require.ErrorIs(t, err, kv.ErrNoPartition)
	require.NotErrorIs(t, err, kv.ErrStorage)
	same()
	refused := errors.New("refused")
	require.ErrorIs(t, s.Repartition(t.Context(), "d", "g$a", func(*kv.Table) error { return refused }, kv.MoveOptions{}),
		refused)
	require.ErrorIs(t, s.Repartition(t.Context(), "d", "none", layoutTo(key3), kv.MoveOptions{}), kv.ErrNoTable)
	require.ErrorIs(t, s.Isolate(t.Context(), "d", "g$a", "none", kv.MoveOptions{}), kv.ErrNoPartition)
	same()
	require.ErrorIs(t, s.Repartition(t.Context(), "d", "g$a", layoutTo(key3),
		during(func() { go s.Close(); <-s.life.Done() })), kv.ErrClosed)
}

func must(s *partition.Scheme, err error) *partition.Scheme {
	if err != nil {
		panic(err)
	}
	return s
}

// TestMoveAndWrittenRow requires that a row that is written during a move, and
// has no partition in the new layout, fails the move and not its writer.
func TestMoveAndWrittenRow(t *testing.T) {
	smallChunks(t, 100)
	for _, row := range []string{"0", "5", "6", "7", "8", "9"} { // after the mover and before it
		s := openMem(t)
		movedTable(t, s, must(partition.NewKey(3)), 5)
		to := must(partition.NewRange([]string{"p"}, [][]byte{[]byte("5")}))
		write := func() {
			tx := kvtest.Begin(s, kv.TxnOptions{})
			require.NoError(t, tx.Put(t.Context(), family(tx, "b"), kv.Cell{Row: []byte(row), Timestamp: 2}))
			require.NoError(t, tx.Commit(t.Context()))
		}
		err := s.Repartition(t.Context(), "d", "g$a", layoutTo(to), during(write))
		if row >= "5" {
			require.ErrorIs(t, err, kv.ErrNoPartition)
		} else {
			require.NoError(t, err)
		}
		kvtest.RequireSound(t.Context(), t, s, kv.CheckLookups)
	}
}

// TestCommitIntoNewLayout requires that a transaction that began before a change
// of layout commits after it, unless one of its rows has no partition there.
func TestCommitIntoNewLayout(t *testing.T) {
	for _, row := range []string{"1", "7"} {
		s := openMem(t)
		movedTable(t, s, must(partition.NewKey(3)), 5)
		tx := kvtest.Begin(s, kv.TxnOptions{})
		put := func(row string) {
			require.NoError(t, tx.Put(t.Context(), family(tx, "a"),
				kv.Cell{Row: []byte(row), Timestamp: 2, Value: []byte("new")}))
		}
		put(row)
		old := tx.Savepoint()
		put("2")
		low := must(partition.NewRange([]string{"p"}, [][]byte{[]byte("5")}))
		require.NoError(t, s.Repartition(t.Context(), "d", "g$a", layoutTo(low), kv.MoveOptions{}))
		if row == "7" {
			require.ErrorIs(t, tx.Commit(t.Context()), kv.ErrNoPartition)
			requireRows(t, s, 5)
			continue
		}
		require.NoError(t, tx.Renew(context.Background()))
		put("3")
		c, err := tx.Scan(t.Context(), []*kv.Table{family(tx, "a")}, &kv.Scan{At: old})
		require.NoError(t, err)
		n := 0
		for c.Next() {
			n++
		}
		require.NoError(t, c.Close())
		require.Equal(t, 6, n, "the savepoint's writes are read in the new layout")
		tx.RollbackTo(old)
		put("4")
		require.NoError(t, tx.Commit(t.Context()))
		requireRows(t, s, 7)
		kvtest.RequireSound(t.Context(), t, s, kv.CheckLookups)
	}
}

// TestMoveAndCatalogChanges requires that changes of the tables during a move
// take effect, and the move after them if there is still something to move.
func TestMoveAndCatalogChanges(t *testing.T) {
	smallChunks(t, 100)
	key3 := must(partition.NewKey(3))
	extra := kv.Table{Database: "d", Name: "g$c", Group: "g", Family: "c", Partitioning: must(partition.NewKey(7))}
	renamed := func(c *kv.CatalogChange) error {
		next := *c.Catalog().Table("d", "g$b")
		next.Name, next.Family = "g$z", "z"
		return c.AlterTable(next)
	}
	for name, each := range map[string]struct {
		change func(c *kv.CatalogChange) error
		rows   int
		err    error
	}{
		"truncate": {func(c *kv.CatalogChange) error { return c.TruncateTable("d", "g$a") }, 0, nil},
		"partition": {func(c *kv.CatalogChange) error {
			return c.TruncatePartitions("d", "g$a",
				[]int{0, 1, 2, 3, 4, 5, 6})
		}, 0, nil},
		"drop":     {func(c *kv.CatalogChange) error { return c.DropTable("d", "g$a") }, -1, kv.ErrNoTable},
		"sibling":  {func(c *kv.CatalogChange) error { return c.DropTable("d", "g$b") }, 100, nil},
		"create":   {func(c *kv.CatalogChange) error { _, err := c.CreateTable(extra); return err }, 100, nil},
		"rename":   {renamed, 100, nil},
		"database": {func(c *kv.CatalogChange) error { return c.CreateDatabase(kv.Database{Name: "other"}) }, 100, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := openMem(t)
			movedTable(t, s, must(partition.NewKey(7)), 100)
			err := s.Repartition(t.Context(), "d", "g$a", layoutTo(key3), during(func() {
				require.NoError(t, s.ChangeCatalog(t.Context(), each.change))
			}))
			require.ErrorIs(t, err, each.err)
			require.Empty(t, s.stored.Filling)
			for _, table := range kvtest.Catalog(s).Tables("d") {
				require.Equal(t, each.err == nil, table.Partitioning.Equal(key3), table.Name)
			}
			if each.rows >= 0 {
				requireRows(t, s, each.rows)
			}
			kvtest.RequireSound(t.Context(), t, s, kv.CheckLookups)
		})
	}
}

// TestMovesOfOneTable requires that moves of one table wait for one another.
func TestMovesOfOneTable(t *testing.T) {
	smallChunks(t, 100)
	s := openMem(t)
	movedTable(t, s, must(partition.NewKey(7)), 100)
	key3, key5 := must(partition.NewKey(3)), must(partition.NewKey(5))
	second := make(chan error, 1)
	require.NoError(t, s.Repartition(t.Context(), "d", "g$a", layoutTo(key3), during(func() {
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		require.ErrorIs(t, s.Repartition(ctx, "d", "g$b", layoutTo(key5), kv.MoveOptions{}), context.DeadlineExceeded)
		go func() { second <- s.Repartition(context.Background(), "d", "g$b", layoutTo(key5), kv.MoveOptions{}) }()
	})))
	require.NoError(t, <-second)
	require.True(t, kvtest.Catalog(s).Table("d", "g$a").Partitioning.Equal(key5))
	requireRows(t, s, 100)
}

// TestMoveNothing requires that no cell moves if a key space has all rows of a
// new partition.
func TestMoveNothing(t *testing.T) {
	s := openMem(t)
	movedTable(t, s, &partition.Scheme{}, 100)
	moved := int64(0)
	count := kv.MoveOptions{Progress: func(p kv.MoveProgress) { moved = p.Cells }}
	spaces := keyspace.Of(kvtest.Catalog(s).Table("d", "g$a")).Spaces[0]
	split := must(partition.NewRange([]string{"p", "q", "r"}, [][]byte{[]byte("3"), []byte("5"), nil}))
	for _, to := range []*partition.Scheme{split, {}, must(partition.NewKey(1)), split} {
		require.NoError(t, s.Repartition(t.Context(), "d", "g$a", layoutTo(to), count))
		require.Equal(t, spaces, keyspace.Of(kvtest.Catalog(s).Table("d", "g$a")).Spaces[0])
		require.Zero(t, moved)
	}
	require.NoError(t, s.Isolate(t.Context(), "d", "g$a", "q", count))
	require.EqualValues(t, 22, moved, "3, 30 to 39, 4 and 40 to 49")
	require.NoError(t, s.Isolate(t.Context(), "d", "g$a", "q", count))
	require.Zero(t, moved, "it is alone already")
	moved = 0
	merged := must(partition.NewRange([]string{"p", "r"}, [][]byte{[]byte("3"), nil}))
	require.NoError(t, s.Repartition(t.Context(), "d", "g$a", layoutTo(merged), count))
	require.EqualValues(t, 22+55, moved, "of g$a both parts move, of g$b none")
	requireRows(t, s, 100)
	kvtest.RequireSound(t.Context(), t, s, kv.CheckLookups)
}

// TestMoveCutShort requires that opening the store again removes what an
// interrupted move has left.
func TestMoveCutShort(t *testing.T) {
	smallChunks(t, 100)
	fs := newCrashable()
	s, err := Open(Options{Dir: "d", FS: fs})
	require.NoError(t, err)
	movedTable(t, s, sliced(t, must(partition.NewKey(7)), 5, 10), 100)
	var left *vfs.MemFS
	require.NoError(t, s.Repartition(t.Context(), "d", "g$a", layoutTo(sliced(t, must(partition.NewKey(3)), 7)),
		during(func() {
			require.NoError(t, s.Flush(t.Context()))
			left = fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(1, 1))})
			kvtest.RequireSound(t.Context(), t, s, kv.CheckLookups)
		})))
	require.NoError(t, s.Close())
	for _, readOnly := range []bool{true, false} {
		s, err = Open(Options{Dir: "d", FS: left, ReadOnly: readOnly})
		require.NoError(t, err)
		require.Equal(t, readOnly, len(s.stored.Filling) > 0)
		require.Equal(t, 7, kvtest.Catalog(s).Table("d", "g$a").Partitioning.Len())
		requireRows(t, s, 100)
		kvtest.RequireSound(t.Context(), t, s, kv.CheckLookups)
		require.NoError(t, s.Close())
	}
}

// TestChangeAfterReading requires that a change of the catalog that depends on
// what was read is refused if that has changed.
func TestChangeAfterReading(t *testing.T) {
	s := openMem(t)
	movedTable(t, s, must(partition.NewKey(3)), 10)
	for _, touched := range []string{"", "a", "b"} {
		read := kvtest.Begin(s, kv.TxnOptions{Serializable: true})
		c, err := read.Scan(t.Context(), []*kv.Table{family(read, "a")}, &kv.Scan{})
		require.NoError(t, err)
		for c.Next() {
		}
		require.NoError(t, c.Close())
		if touched != "" {
			tx := kvtest.Begin(s, kv.TxnOptions{})
			require.NoError(t, tx.Put(t.Context(), family(tx, touched), kv.Cell{Row: []byte("new" + touched), Timestamp: 2}))
			require.NoError(t, tx.Commit(t.Context()))
		}
		err = s.ChangeCatalogAfter(t.Context(), read, func(c *kv.CatalogChange) error {
			return c.CreateDatabase(kv.Database{Name: "after" + touched})
		})
		if touched == "a" {
			require.ErrorIs(t, err, kv.ErrConflict)
		} else {
			require.NoError(t, err)
		}
		require.Equal(t, touched != "a", kvtest.Catalog(s).Database("after"+touched) != nil)
		read.Rollback()
	}
}
