package kvtest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
)

// The tests of kv.BulkLoader, for stores that have it.
var loadTests = []test{
	{"Puts", testLoadPuts, manyRows},
	{"Families", testLoadFamilies, manyRows},
	{"LastWins", testLoadLastWins, manyRows},
	{"Nothing", testLoadNothing, manyRows},
	{"SourceFails", testLoadSourceFails, manyRows},
	{"Cancelled", testLoadCancelled, manyRows},
	{"Bytes", testLoadBytes, manyRows},
	{"Snapshots", testLoadSnapshots, manyRows},
	{"Conflict", testLoadConflict, manyRows},
	{"Serializable", testLoadSerializable, manyRows},
	{"WaitsForLocks", testLoadWaits, manyRows},
	{"LockTimeout", testLoadLockTimeout, manyRows},
	{"Catalog", testLoadCatalog, manyRows},
	{"NewLayout", testLoadNewLayout, manyRows},
	{"NoPartition", testLoadNoPartition, manyRows},
	{"Many", testLoadMany, manyRows},
	{"Concurrent", testLoadConcurrent, manyRows},
}

// loader is the store as what it is here for; the test is skipped where it is
// not.
func (f *fixture) loader() kv.BulkLoader {
	l, ok := f.store.(kv.BulkLoader)
	if !ok {
		f.Skip("the store has no bulk load")
	}
	return l
}

// cellsOf are cells in the notation of cellText, and then perhaps an error.
// Their bytes are overwritten when the next one is asked for.
func (f *fixture) cellsOf(err error, texts ...string) iter.Seq2[kv.Cell, error] {
	return func(yield func(kv.Cell, error) bool) {
		for _, text := range texts {
			c := parseCell(f, text)
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

func (f *fixture) load(table string, texts ...string) kv.BulkStats {
	f.Helper()
	stats, err := f.tryLoad(table, nil, texts...)
	require.NoError(f, err)
	return stats
}

func (f *fixture) tryLoad(table string, fails error, texts ...string) (kv.BulkStats, error) {
	return f.loader().BulkLoad(f.ctx, []*kv.Table{f.table(table)}, f.cellsOf(fails, texts...), kv.BulkOptions{})
}

func testLoadPuts(f *fixture) {
	f.put("s", "a/q/1=old", "b/q/1=old")
	stats := f.load("s", "a/q/1=new", "a/q/2=new", "c/q/1=", "d/q/1=NULL")
	require.Equal(f, int64(4), stats.Cells)
	require.Equal(f, int64(4), stats.Written)
	const want = "a/q/2=new a/q/1=new b/q/1=old c/q/1= d/q/1=NULL"
	require.Equal(f, want, f.all("s"))
	f.storage(func() { require.Equal(f, want, f.all("s")) })
	require.Empty(f, f.all("g$a"), "other tables are untouched")
	f.put("s", "a/q/1=newest")
	f.write(func(tx kv.Txn) error {
		return tx.DeleteColumn(f.ctx, f.tables(tx, []string{"s"})[0], []byte("d"), []byte("q"))
	})
	require.Equal(f, "a/q/2=new a/q/1=newest b/q/1=old c/q/1=", f.all("s"))
}

func testLoadFamilies(f *fixture) {
	a, b := f.table("g$a"), f.table("g$b")
	cells := func(yield func(kv.Cell, error) bool) {
		for i, text := range []string{"r/q/1=a", "r/q/1=b", "s/q/1=b", "s/q/1=a"} {
			c := parseCell(f, text)
			c.Family = []int{0, 1, 1, 0}[i]
			if !yield(c, nil) {
				return
			}
		}
	}
	_, err := f.loader().BulkLoad(f.ctx, []*kv.Table{a, b}, cells, kv.BulkOptions{})
	require.NoError(f, err)
	require.Equal(f, "0:r/q/1=a 1:r/q/1=b 0:s/q/1=a 1:s/q/1=b", f.read(everything, "g$a", "g$b"))
	_, err = f.loader().BulkLoad(f.ctx, []*kv.Table{a}, cells, kv.BulkOptions{})
	require.ErrorContains(f, err, "family is 1")
}

func testLoadLastWins(f *fixture) {
	stats := f.load("s", "r/q/1=a", "r/q/1=b", "z/q/1=z", "r/q/1=c", "a/q/1=a", "a/q/1=NULL", "z/q/1=", "z/q/1=y")
	require.Equal(f, int64(8), stats.Cells)
	require.Equal(f, int64(3), stats.Written)
	require.Equal(f, "a/q/1=NULL r/q/1=c z/q/1=y", f.all("s"))
}

func testLoadNothing(f *fixture) {
	version := Catalog(f.store).Version()
	require.Equal(f, kv.BulkStats{}, f.load("s"))
	require.Equal(f, version, Catalog(f.store).Version())
	require.Empty(f, f.all("s"))
}

// testLoadSourceFails: nothing of the load is there.
func testLoadSourceFails(f *fixture) {
	f.put("s", "a/q/1=old")
	broken := errors.New("the source is broken")
	_, err := f.tryLoad("s", broken, "a/q/1=new", "b/q/1=new")
	require.Equal(f, broken, err)
	require.Equal(f, "a/q/1=old", f.all("s"))
}

func testLoadCancelled(f *fixture) {
	ctx, cancel := context.WithCancel(f.ctx)
	n := 0
	endless := func(yield func(kv.Cell, error) bool) {
		for yield(kv.Cell{Row: fmt.Appendf(nil, "%09d", n), Value: []byte("v")}, nil) {
			if n++; n == 1000 {
				cancel()
			}
		}
	}
	_, err := f.loader().BulkLoad(ctx, []*kv.Table{f.table("s")}, endless, kv.BulkOptions{})
	require.Equal(f, context.Canceled, err)
	require.Empty(f, f.all("s"))
	_, err = f.loader().BulkLoad(ctx, []*kv.Table{f.table("s")}, f.cellsOf(nil, "r/q/1=a"), kv.BulkOptions{})
	require.Equal(f, context.Canceled, err)
}

// testLoadBytes: every byte, and the ends of time.
func testLoadBytes(f *fixture) {
	r := newTandem(f)
	g := newGenerator(rand.New(rand.NewPCG(1, 2)))
	o := loadOp{table: "s"}
	for _, row := range someRows {
		for _, qualifier := range someQualifiers {
			for _, t := range someTimes {
				o.cells = append(o.cells, kv.Cell{Row: []byte(row), Qualifier: []byte(qualifier), Timestamp: t, Value: g.value()})
			}
		}
	}
	r.step(o)
	shuffle(g.Rand, o.cells)
	r.step(o)
	r.compareAll()
}

func testLoadSnapshots(f *fixture) {
	f.put("s", "a/q/1=old")
	reader := f.begin()
	require.Equal(f, "a/q/1=old", f.readIn(reader, everything, "s"))
	f.load("s", "a/q/1=new", "b/q/1=new")
	require.Equal(f, "a/q/1=old", f.readIn(reader, everything, "s"))
	require.Equal(f, "a/q/1=new b/q/1=new", f.all("s"))
}

// testLoadConflict: a load is a commit to those with an older snapshot.
func testLoadConflict(f *fixture) {
	tx, other := f.begin(), f.begin()
	tx.Catalog()
	other.Catalog()
	f.load("g$a", "m/q/1=new", "r/q/1=new")
	require.ErrorIs(f, f.putIn(tx, "g$b", "r/q/1=mine"), kv.ErrConflict, "the row of the group has changed")
	require.NoError(f, tx.Renew(context.Background()))
	require.NoError(f, f.putIn(tx, "g$b", "r/q/1=mine"))
	require.NoError(f, tx.Commit(f.ctx))
	require.NoError(f, f.putIn(other, "s", "r/q/1=mine"), "another table")
	require.NoError(f, other.Commit(f.ctx))
}

func testLoadSerializable(f *fixture) {
	f.put("s", "a/q/1=old")
	for _, read := range []string{"s", "g$a"} {
		tx := Begin(f.store, kv.TxnOptions{Serializable: true})
		f.readIn(tx, everything, read)
		require.NoError(f, f.putIn(tx, "g$b", "r/q/1=mine"))
		f.load("s", "b/q/1=new")
		err := tx.Commit(f.ctx)
		if read == "s" {
			require.ErrorIs(f, err, kv.ErrConflict)
		} else {
			require.NoError(f, err, "it has not read where the load wrote")
		}
	}
}

// testLoadWaits: what somebody has locked is loaded when it is free.
func testLoadWaits(f *fixture) {
	f.loader()
	holder, other := f.begin(), f.begin()
	require.NoError(f, f.putIn(holder, "s", "b/q/1=holder"))
	require.NoError(f, holder.LockRow(f.ctx, f.table("s"), []byte("c"), kv.RowLock{Shared: true}))
	require.NoError(f, f.putIn(other, "s", "x/q/1=other"))
	done := background(func() error {
		_, err := f.tryLoad("s", nil, "a/q/1=load", "b/q/1=load", "c/q/1=load")
		return err
	})
	f.waits(done)
	require.NoError(f, holder.Commit(f.ctx))
	require.NoError(f, f.ends(done), "who has locked other rows is not waited for")
	require.Equal(f, "a/q/1=load b/q/1=load c/q/1=load", f.all("s"))
	require.NoError(f, other.Commit(f.ctx))
	require.Equal(f, "a/q/1=load b/q/1=load c/q/1=load x/q/1=other", f.all("s"))
}

func testLoadLockTimeout(f *fixture) {
	holder := f.begin()
	require.NoError(f, f.putIn(holder, "s", "b/q/1=holder"))
	_, err := f.loader().BulkLoad(f.ctx, []*kv.Table{f.table("s")}, f.cellsOf(nil, "a/q/1=load", "b/q/1=load"),
		kv.BulkOptions{LockTimeout: time.Millisecond})
	require.ErrorIs(f, err, kv.ErrLockTimeout)
	require.NoError(f, holder.Commit(f.ctx))
	require.Equal(f, "b/q/1=holder", f.all("s"))
	f.load("s", "b/q/1=load")
	require.Equal(f, "b/q/1=load", f.all("s"), "the locks are free again")
}

// testLoadCatalog: what is done to the table meanwhile.
func testLoadCatalog(f *fixture) {
	f.loader()
	for _, kind := range []string{"truncate", "comment", "recreate", "drop"} {
		cells := func(yield func(kv.Cell, error) bool) {
			if yield(parseCell(f, "a/q/1=load"), nil) {
				require.Equal(f, "ok", catalogOp{kind, "s"}.run(f.ctx, &side{store: f.store, layout: f.layout}))
				yield(parseCell(f, "b/q/1=load"), nil)
			}
		}
		_, err := f.loader().BulkLoad(f.ctx, []*kv.Table{f.table("s")}, cells, kv.BulkOptions{})
		require.ErrorIs(f, err, kv.ErrCatalogChanged, kind)
		if kind != "drop" {
			require.Empty(f, f.all("s"), kind)
		}
	}
}

// testLoadNewLayout: cells go where the table has them at the end.
func testLoadNewLayout(f *fixture) {
	loader := f.loader()
	mover, ok := f.store.(kv.Repartitioner)
	if !ok {
		f.Skip("the store moves no cells")
	}
	f.put("s", "a/q/1=old", "m/q/1=old", "z/q/1=old")
	for _, layout := range append(Layouts(), SlicedLayouts()...) {
		cells := func(yield func(kv.Cell, error) bool) {
			for i, text := range []string{"b/q/1=" + layout.Name, "a/q/1=" + layout.Name, "z/q/1=" + layout.Name} {
				if i == 2 {
					require.NoError(f, mover.Repartition(f.ctx, database, "s", func(t *kv.Table) error {
						t.Partitioning = layout.Scheme
						return nil
					}, kv.MoveOptions{}))
				}
				if !yield(parseCell(f, text), nil) {
					return
				}
			}
		}
		stats, err := loader.BulkLoad(f.ctx, []*kv.Table{f.table("s")}, cells, kv.BulkOptions{})
		require.NoError(f, err, layout.Name)
		require.Equal(f, int64(3), stats.Written)
		require.Equal(f, fmt.Sprintf("a/q/1=%[1]s b/q/1=%[1]s m/q/1=old z/q/1=%[1]s", layout.Name), f.all("s"))
		RequireSound(f.ctx, f, f.store, kv.CheckLookups)
	}
}

func testLoadNoPartition(f *fixture) {
	f.loader()
	f.change(func(c *kv.CatalogChange) error {
		t := f.layout.Table("narrow")
		t.Partitioning = must(partition.NewRange([]string{"p0"}, [][]byte{[]byte("m")}))
		_, err := c.CreateTable(t)
		return err
	})
	_, err := f.tryLoad("narrow", nil, "a/q/1=a", "n/q/1=n")
	require.ErrorIs(f, err, kv.ErrNoPartition)
	require.Empty(f, f.all("narrow"))
	f.load("narrow", "a/q/1=a", "l/q/1=l")
	require.Equal(f, "a/q/1=a l/q/1=l", f.all("narrow"))
}

// testLoadMany: cells in order, nearly in order and in no order, over and over
// what there is.
func testLoadMany(f *fixture) {
	r := newTandem(f)
	g := newGenerator(rand.New(rand.NewPCG(3, 4)))
	for round := range 4 {
		o := loadOp{table: "s"}
		for i := range 3000 {
			o.cells = append(o.cells, kv.Cell{
				Row: bulkRow(i / 3), Qualifier: []byte{byte(i % 3)}, Timestamp: int64(round / 2), Value: g.value(),
			})
		}
		for range []int{0, 5, 500, 3000}[round] {
			i, j := g.IntN(3000), g.IntN(3000)
			o.cells[i], o.cells[j] = o.cells[j], o.cells[i]
		}
		r.step(o)
		if round%2 == 0 {
			r.step(writeOp{slot: own, kind: "deleteColumn", table: "s", cells: o.cells[:50]})
		}
	}
	r.compareAll()
	f.storage(func() {
		r.tested.store = f.store
		r.compareAll()
	})
}

// testLoadConcurrent: loads and transactions of the same rows, of which each
// writes one value to all of them, leave one value.
func testLoadConcurrent(f *fixture) {
	loader := f.loader()
	const rows, rounds = 20, 15
	t := f.table("s")
	cells := func(value string) []kv.Cell {
		var out []kv.Cell
		for i := range rows {
			out = append(out, kv.Cell{Row: bulkRow(i), Qualifier: []byte("q"), Timestamp: 1, Value: []byte(value)})
		}
		return out
	}
	var all []<-chan error
	for who := range 3 {
		all = append(all, background(func() error {
			for n := range rounds {
				if _, err := loader.BulkLoad(f.ctx, []*kv.Table{t}, seqOf(cells(fmt.Sprint("load", who, n))),
					kv.BulkOptions{}); err != nil {
					return err
				}
			}
			return nil
		}), background(func() error {
			for n := range rounds {
				if err := f.putAll(t, cells(fmt.Sprint("put", who, n))); err != nil {
					return err
				}
			}
			return nil
		}), background(func() error {
			for range rounds {
				if err := f.sameEverywhere(t); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	for _, done := range all {
		require.NoError(f, f.ends(done))
	}
	require.NoError(f, f.sameEverywhere(t))
}

func seqOf(cells []kv.Cell) iter.Seq2[kv.Cell, error] {
	return func(yield func(kv.Cell, error) bool) {
		for _, c := range cells {
			if !yield(c, nil) {
				return
			}
		}
	}
}

// putAll commits the cells, again and again where that conflicts.
func (f *fixture) putAll(t *kv.Table, cells []kv.Cell) error {
	for {
		tx := Begin(f.store, kv.TxnOptions{})
		var err error
		for _, c := range cells {
			if err = tx.Put(f.ctx, t, c); err != nil {
				break
			}
		}
		if err == nil {
			err = tx.Commit(f.ctx)
		}
		tx.Rollback()
		if !errors.Is(err, kv.ErrConflict) && !errors.Is(err, kv.ErrDeadlock) {
			return err
		}
	}
}

// sameEverywhere complains where not all cells have one value.
func (f *fixture) sameEverywhere(t *kv.Table) error {
	tx := Begin(f.store, kv.TxnOptions{ReadOnly: true})
	defer tx.Rollback()
	s := everything
	cells, err := scanCells(f.ctx, tx, []*kv.Table{t}, &s)
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
