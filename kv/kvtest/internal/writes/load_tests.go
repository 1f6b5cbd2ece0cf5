package writes

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest/internal/fixture"
	"github.com/hbasekv/hbasekv/kv/kvtest/internal/tandem"
	"github.com/hbasekv/hbasekv/partition"
)

// LoadTests are the tests of kv.BulkLoader, for stores that implement it.
var LoadTests = []fixture.Test{
	{Name: "Puts", Run: testLoadPuts, Needs: fixture.ManyRows},
	{Name: "Families", Run: testLoadFamilies, Needs: fixture.ManyRows},
	{Name: "LastWins", Run: testLoadLastWins, Needs: fixture.ManyRows},
	{Name: "Nothing", Run: testLoadNothing, Needs: fixture.ManyRows},
	{Name: "SourceFails", Run: testLoadSourceFails, Needs: fixture.ManyRows},
	{Name: "Cancelled", Run: testLoadCancelled, Needs: fixture.ManyRows},
	{Name: "Bytes", Run: testLoadBytes, Needs: fixture.ManyRows},
	{Name: "Snapshots", Run: testLoadSnapshots, Needs: fixture.ManyRows},
	{Name: "Conflict", Run: testLoadConflict, Needs: fixture.ManyRows},
	{Name: "Serializable", Run: testLoadSerializable, Needs: fixture.ManyRows},
	{Name: "WaitsForLocks", Run: testLoadWaits, Needs: fixture.ManyRows},
	{Name: "LockTimeout", Run: testLoadLockTimeout, Needs: fixture.ManyRows},
	{Name: "Catalog", Run: testLoadCatalog, Needs: fixture.ManyRows},
	{Name: "NewLayout", Run: testLoadNewLayout, Needs: fixture.ManyRows},
	{Name: "NoPartition", Run: testLoadNoPartition, Needs: fixture.ManyRows},
	{Name: "Many", Run: testLoadMany, Needs: fixture.ManyRows},
	{Name: "Concurrent", Run: testLoadConcurrent, Needs: fixture.ManyRows},
}

// loader returns the store as a kv.BulkLoader. It skips the test if the store
// is not one.
func loader(f *fixture.Fixture) kv.BulkLoader {
	l, ok := f.Store.(kv.BulkLoader)
	if !ok {
		f.Skip("the store has no bulk load")
	}
	return l
}

// cellsOf yields cells in the notation of cellText, followed by the error, if
// any. The bytes of a cell are overwritten when the next one is requested.
func cellsOf(f *fixture.Fixture, err error, texts ...string) iter.Seq2[kv.Cell, error] {
	return func(yield func(kv.Cell, error) bool) {
		for _, text := range texts {
			c := fixture.ParseCell(f, text)
			if !yield(c, nil) {
				return
			}
			for _, b := range [][]byte{c.Row, c.Qualifier, c.Value} {
				clear(b)
			}
		}
		if err != nil {
			yield(kv.Cell{}, err)
		}
	}
}

func load(f *fixture.Fixture, table string, texts ...string) kv.BulkStats {
	f.Helper()
	stats, err := tryLoad(f, table, nil, texts...)
	require.NoError(f, err)
	return stats
}

func tryLoad(f *fixture.Fixture, table string, fails error, texts ...string) (kv.BulkStats, error) {
	return loader(f).BulkLoad(f.Ctx, []*kv.Table{f.Table(table)}, cellsOf(f, fails, texts...), kv.BulkOptions{})
}

func testLoadPuts(f *fixture.Fixture) {
	f.Put("s", "a/q/1=old", "b/q/1=old")
	stats := load(f, "s", "a/q/1=new", "a/q/2=new", "c/q/1=", "d/q/1=NULL")
	require.Equal(f, int64(4), stats.Cells)
	require.Equal(f, int64(4), stats.Written)
	const want = "a/q/2=new a/q/1=new b/q/1=old c/q/1= d/q/1=NULL"
	require.Equal(f, want, f.All("s"))
	f.Storage(func() { require.Equal(f, want, f.All("s")) })
	require.Empty(f, f.All("g$a"), "other tables are untouched")
	f.Put("s", "a/q/1=newest")
	f.Write(func(tx kv.Txn) error {
		return tx.DeleteColumn(f.Ctx, f.Tables(tx, []string{"s"})[0], []byte("d"), []byte("q"))
	})
	require.Equal(f, "a/q/2=new a/q/1=newest b/q/1=old c/q/1=", f.All("s"))
}

func testLoadFamilies(f *fixture.Fixture) {
	a, b := f.Table("g$a"), f.Table("g$b")
	cells := func(yield func(kv.Cell, error) bool) {
		for i, text := range []string{"r/q/1=a", "r/q/1=b", "s/q/1=b", "s/q/1=a"} {
			c := fixture.ParseCell(f, text)
			c.Family = []int{0, 1, 1, 0}[i]
			if !yield(c, nil) {
				return
			}
		}
	}
	_, err := loader(f).BulkLoad(f.Ctx, []*kv.Table{a, b}, cells, kv.BulkOptions{})
	require.NoError(f, err)
	require.Equal(f, "0:r/q/1=a 1:r/q/1=b 0:s/q/1=a 1:s/q/1=b", f.Read(fixture.Everything, "g$a", "g$b"))
	_, err = loader(f).BulkLoad(f.Ctx, []*kv.Table{a}, cells, kv.BulkOptions{})
	require.ErrorContains(f, err, "family 1")
}

func testLoadLastWins(f *fixture.Fixture) {
	stats := load(f, "s", "r/q/1=a", "r/q/1=b", "z/q/1=z", "r/q/1=c", "a/q/1=a", "a/q/1=NULL", "z/q/1=", "z/q/1=y")
	require.Equal(f, int64(8), stats.Cells)
	require.Equal(f, int64(3), stats.Written)
	require.Equal(f, "a/q/1=NULL r/q/1=c z/q/1=y", f.All("s"))
}

func testLoadNothing(f *fixture.Fixture) {
	version := fixture.Catalog(f.Store).Version()
	require.Equal(f, kv.BulkStats{}, load(f, "s"))
	require.Equal(f, version, fixture.Catalog(f.Store).Version())
	require.Empty(f, f.All("s"))
}

// testLoadSourceFails requires that a failed load leaves nothing.
func testLoadSourceFails(f *fixture.Fixture) {
	f.Put("s", "a/q/1=old")
	broken := errors.New("the source is broken")
	_, err := tryLoad(f, "s", broken, "a/q/1=new", "b/q/1=new")
	require.Equal(f, broken, err)
	require.Equal(f, "a/q/1=old", f.All("s"))
}

func testLoadCancelled(f *fixture.Fixture) {
	ctx, cancel := context.WithCancel(f.Ctx)
	n := 0
	endless := func(yield func(kv.Cell, error) bool) {
		for yield(kv.Cell{Row: fmt.Appendf(nil, "%09d", n), Value: []byte("v")}, nil) {
			if n++; n == 1000 {
				cancel()
			}
		}
	}
	_, err := loader(f).BulkLoad(ctx, []*kv.Table{f.Table("s")}, endless, kv.BulkOptions{})
	require.Equal(f, context.Canceled, err)
	require.Empty(f, f.All("s"))
	_, err = loader(f).BulkLoad(ctx, []*kv.Table{f.Table("s")}, cellsOf(f, nil, "r/q/1=a"), kv.BulkOptions{})
	require.Equal(f, context.Canceled, err)
}

// testLoadBytes loads every byte and the extreme timestamps.
func testLoadBytes(f *fixture.Fixture) {
	r := tandem.New(f)
	g := tandem.NewGenerator(rand.New(rand.NewPCG(1, 2)))
	o := tandem.LoadOp{Table: "s"}
	for _, row := range tandem.SomeRows {
		for _, qualifier := range tandem.SomeQualifiers {
			for _, t := range tandem.SomeTimes {
				o.Cells = append(o.Cells, kv.Cell{Row: []byte(row), Qualifier: []byte(qualifier), Timestamp: t, Value: g.Value()})
			}
		}
	}
	r.Step(o)
	tandem.Shuffle(g.Rand, o.Cells)
	r.Step(o)
	r.CompareAll()
}

func testLoadSnapshots(f *fixture.Fixture) {
	f.Put("s", "a/q/1=old")
	reader := f.Begin()
	require.Equal(f, "a/q/1=old", f.ReadIn(reader, fixture.Everything, "s"))
	load(f, "s", "a/q/1=new", "b/q/1=new")
	require.Equal(f, "a/q/1=old", f.ReadIn(reader, fixture.Everything, "s"))
	require.Equal(f, "a/q/1=new b/q/1=new", f.All("s"))
}

// testLoadConflict requires that a load is a commit to transactions with an
// older snapshot.
func testLoadConflict(f *fixture.Fixture) {
	tx, other := f.Begin(), f.Begin()
	tx.Catalog()
	other.Catalog()
	load(f, "g$a", "m/q/1=new", "r/q/1=new")
	require.ErrorIs(f, f.PutIn(tx, "g$b", "r/q/1=mine"), kv.ErrConflict, "the row of the group has changed")
	require.NoError(f, tx.Renew(context.Background()))
	require.NoError(f, f.PutIn(tx, "g$b", "r/q/1=mine"))
	require.NoError(f, tx.Commit(f.Ctx))
	require.NoError(f, f.PutIn(other, "s", "r/q/1=mine"), "another table")
	require.NoError(f, other.Commit(f.Ctx))
}

func testLoadSerializable(f *fixture.Fixture) {
	f.Put("s", "a/q/1=old")
	for _, read := range []string{"s", "g$a"} {
		tx := fixture.Begin(f.Store, kv.TxnOptions{Serializable: true})
		f.ReadIn(tx, fixture.Everything, read)
		require.NoError(f, f.PutIn(tx, "g$b", "r/q/1=mine"))
		load(f, "s", "b/q/1=new")
		err := tx.Commit(f.Ctx)
		if read == "s" {
			require.ErrorIs(f, err, kv.ErrConflict)
		} else {
			require.NoError(f, err, "it has not read where the load wrote")
		}
	}
}

// testLoadWaits requires that a locked row is loaded when it is unlocked.
func testLoadWaits(f *fixture.Fixture) {
	loader(f)
	holder, other := f.Begin(), f.Begin()
	require.NoError(f, f.PutIn(holder, "s", "b/q/1=holder"))
	require.NoError(f, holder.LockRow(f.Ctx, f.Table("s"), []byte("c"), kv.RowLock{Shared: true}))
	require.NoError(f, f.PutIn(other, "s", "x/q/1=other"))
	done := fixture.Background(func() error {
		_, err := tryLoad(f, "s", nil, "a/q/1=load", "b/q/1=load", "c/q/1=load")
		return err
	})
	f.Waits(done)
	require.NoError(f, holder.Commit(f.Ctx))
	require.NoError(f, f.Ends(done), "who has locked other rows is not waited for")
	require.Equal(f, "a/q/1=load b/q/1=load c/q/1=load", f.All("s"))
	require.NoError(f, other.Commit(f.Ctx))
	require.Equal(f, "a/q/1=load b/q/1=load c/q/1=load x/q/1=other", f.All("s"))
}

func testLoadLockTimeout(f *fixture.Fixture) {
	holder := f.Begin()
	require.NoError(f, f.PutIn(holder, "s", "b/q/1=holder"))
	_, err := loader(f).BulkLoad(f.Ctx, []*kv.Table{f.Table("s")}, cellsOf(f, nil, "a/q/1=load", "b/q/1=load"),
		kv.BulkOptions{LockTimeout: time.Millisecond})
	require.ErrorIs(f, err, kv.ErrLockTimeout)
	require.NoError(f, holder.Commit(f.Ctx))
	require.Equal(f, "b/q/1=holder", f.All("s"))
	load(f, "s", "b/q/1=load")
	require.Equal(f, "b/q/1=load", f.All("s"), "the locks are free again")
}

// testLoadCatalog changes the table during the load.
func testLoadCatalog(f *fixture.Fixture) {
	loader(f)
	for _, kind := range []string{"truncate", "comment", "recreate", "drop"} {
		cells := func(yield func(kv.Cell, error) bool) {
			if yield(fixture.ParseCell(f, "a/q/1=load"), nil) {
				change := tandem.CatalogOp{Kind: kind, Table: "s"}
				require.Equal(f, "ok", change.Run(f.Ctx, &tandem.Side{Store: f.Store, Layout: f.Layout}))
				yield(fixture.ParseCell(f, "b/q/1=load"), nil)
			}
		}
		_, err := loader(f).BulkLoad(f.Ctx, []*kv.Table{f.Table("s")}, cells, kv.BulkOptions{})
		require.ErrorIs(f, err, kv.ErrCatalogChanged, kind)
		if kind != "drop" {
			require.Empty(f, f.All("s"), kind)
		}
	}
}

// testLoadNewLayout requires that cells are placed by the table's layout at the
// end of the load.
func testLoadNewLayout(f *fixture.Fixture) {
	loader := loader(f)
	mover, ok := f.Store.(kv.Repartitioner)
	if !ok {
		f.Skip("the store moves no cells")
	}
	f.Put("s", "a/q/1=old", "m/q/1=old", "z/q/1=old")
	for _, layout := range append(fixture.Layouts(), fixture.SlicedLayouts()...) {
		cells := func(yield func(kv.Cell, error) bool) {
			for i, text := range []string{"b/q/1=" + layout.Name, "a/q/1=" + layout.Name, "z/q/1=" + layout.Name} {
				if i == 2 {
					require.NoError(f, mover.Repartition(f.Ctx, fixture.Database, "s", func(t *kv.Table) error {
						t.Partitioning = layout.Scheme
						return nil
					}, kv.MoveOptions{}))
				}
				if !yield(fixture.ParseCell(f, text), nil) {
					return
				}
			}
		}
		stats, err := loader.BulkLoad(f.Ctx, []*kv.Table{f.Table("s")}, cells, kv.BulkOptions{})
		require.NoError(f, err, layout.Name)
		require.Equal(f, int64(3), stats.Written)
		require.Equal(f, fmt.Sprintf("a/q/1=%[1]s b/q/1=%[1]s m/q/1=old z/q/1=%[1]s", layout.Name), f.All("s"))
		fixture.RequireSound(f.Ctx, f, f.Store, kv.CheckLookups)
	}
}

func testLoadNoPartition(f *fixture.Fixture) {
	loader(f)
	f.Change(func(c *kv.CatalogChange) error {
		t := f.Layout.Table("narrow")
		t.Partitioning = fixture.Must(partition.NewRange([]string{"p0"}, [][]byte{[]byte("m")}))
		_, err := c.CreateTable(t)
		return err
	})
	_, err := tryLoad(f, "narrow", nil, "a/q/1=a", "n/q/1=n")
	require.ErrorIs(f, err, kv.ErrNoPartition)
	require.Empty(f, f.All("narrow"))
	load(f, "narrow", "a/q/1=a", "l/q/1=l")
	require.Equal(f, "a/q/1=a l/q/1=l", f.All("narrow"))
}

// testLoadMany loads cells that are sorted, nearly sorted and unsorted, again
// and again over the existing ones.
func testLoadMany(f *fixture.Fixture) {
	r := tandem.New(f)
	g := tandem.NewGenerator(rand.New(rand.NewPCG(3, 4)))
	for round := range 4 {
		o := tandem.LoadOp{Table: "s"}
		for i := range 3000 {
			o.Cells = append(o.Cells, kv.Cell{
				Row: bulkRow(i / 3), Qualifier: []byte{byte(i % 3)}, Timestamp: int64(round / 2), Value: g.Value(),
			})
		}
		for range []int{0, 5, 500, 3000}[round] {
			i, j := g.IntN(3000), g.IntN(3000)
			o.Cells[i], o.Cells[j] = o.Cells[j], o.Cells[i]
		}
		r.Step(o)
		if round%2 == 0 {
			r.Step(tandem.WriteOp{Slot: tandem.Own, Kind: "deleteColumn", Table: "s", Cells: o.Cells[:50]})
		}
	}
	r.CompareAll()
	f.Storage(func() {
		r.Tested.Store = f.Store
		r.CompareAll()
	})
}

// testLoadConcurrent requires that loads and transactions that each write one
// value to the same rows leave a single value.
func testLoadConcurrent(f *fixture.Fixture) {
	loader := loader(f)
	const rows, rounds = 20, 15
	t := f.Table("s")
	cells := func(value string) []kv.Cell {
		var out []kv.Cell
		for i := range rows {
			out = append(out, kv.Cell{Row: bulkRow(i), Qualifier: []byte("q"), Timestamp: 1, Value: []byte(value)})
		}
		return out
	}
	var all []<-chan error
	for who := range 3 {
		all = append(all, fixture.Background(func() error {
			for n := range rounds {
				if _, err := loader.BulkLoad(f.Ctx, []*kv.Table{t}, fixture.SeqOf(cells(fmt.Sprint("load", who, n))),
					kv.BulkOptions{}); err != nil {
					return err
				}
			}
			return nil
		}), fixture.Background(func() error {
			for n := range rounds {
				if err := putAll(f, t, cells(fmt.Sprint("put", who, n))); err != nil {
					return err
				}
			}
			return nil
		}), fixture.Background(func() error {
			for range rounds {
				if err := sameEverywhere(f, t); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	for _, done := range all {
		require.NoError(f, f.Ends(done))
	}
	require.NoError(f, sameEverywhere(f, t))
}

// putAll commits the cells, and tries again after each conflict.
func putAll(f *fixture.Fixture, t *kv.Table, cells []kv.Cell) error {
	for {
		tx := fixture.Begin(f.Store, kv.TxnOptions{})
		var err error
		for _, c := range cells {
			if err = tx.Put(f.Ctx, t, c); err != nil {
				break
			}
		}
		if err == nil {
			err = tx.Commit(f.Ctx)
		}
		tx.Rollback()
		if !errors.Is(err, kv.ErrConflict) && !errors.Is(err, kv.ErrDeadlock) {
			return err
		}
	}
}

// sameEverywhere returns an error unless all cells have the same value.
func sameEverywhere(f *fixture.Fixture, t *kv.Table) error {
	tx := fixture.Begin(f.Store, kv.TxnOptions{ReadOnly: true})
	defer tx.Rollback()
	s := fixture.Everything
	cells, err := fixture.ScanCells(f.Ctx, tx, []*kv.Table{t}, &s)
	if err != nil {
		return err
	}
	for _, c := range cells {
		if string(c.Value) != string(cells[0].Value) {
			return fmt.Errorf("%s beside %s", c.Value, cells[0].Value)
		}
	}
	return nil
}
