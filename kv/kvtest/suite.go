package kvtest

import (
	"context"
	"flag"
	"iter"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
)

// Opener opens one place, which is empty the first time. What was committed is
// there again when it is called after the store that it gave has been closed.
type Opener func(t testing.TB) kv.Store

// Place gives an empty place for a store, which has the clock.
type Place func(t testing.TB, clock func() time.Time) Opener

var onAllLayouts = flag.Bool("kvtest.layouts", false, "scan stores under test on every layout, and more often")

// Run holds a store to the contract of kv.Store. Each call of place gives an
// empty place of its own. kv.Flusher, kv.Compacter, kv.StatsReader, kv.Checker,
// kv.BulkLoader and kv.Collector are used where the store has them. What is beyond
// its kv.Limits is skipped. With -kvtest.layouts the scans are repeated on all layouts, four
// times as many random ones on each.
func Run(t *testing.T, place Place) {
	limits := limitsOf(t, place)
	none, spread, ranges, bySlices := Layouts()[0], Layouts()[2], Layouts()[4], SlicedLayouts()[2]
	if !lays(limits, spread.Scheme) {
		spread = ranges
	}
	scanned := []Layout{none, Layouts()[2], ranges, bySlices}
	if *onAllLayouts {
		scanned = slices.Concat(Layouts(), SlicedLayouts())
	}
	for _, layout := range scanned {
		t.Run(layout.Name, func(t *testing.T) {
			runAll(t, place, layout, scanTests)
		})
	}
	for name, tests := range map[string][]test{
		"Writes":    writeTests,
		"Retention": retentionTests,
		"Snapshots": snapshotTests,
		"Locks":     lockTests,
		"Serial":    serialTests,
		"Catalog":   slices.Concat(catalogTests, ddlTests),
		"Views":     viewTests,
		"Lifecycle": lifecycleTests,
		"Bulk":      bulkTests,
		"Loads":     loadTests,
	} {
		t.Run(name, func(t *testing.T) { runAll(t, place, spread, tests) })
	}
	for name, tests := range map[string][]test{
		"SlicedWrites":    slices.Concat(writeTests, sliceTests),
		"SlicedRetention": retentionTests,
		"SlicedSnapshots": snapshotTests,
		"SlicedSerial":    serialTests,
		"SlicedLifecycle": lifecycleTests,
		"SlicedLoads":     loadTests,
	} {
		t.Run(name, func(t *testing.T) { runAll(t, place, bySlices, tests) })
	}
	t.Run("Random", func(t *testing.T) {
		if lacks(limits) != 0 {
			t.Skip("it draws what is beyond the store's limits")
		}
		runRandom(t, place)
	})
}

// test is one test of the suite, on a new store with the tables g$a, g$b (a
// table group) and s of the layout.
type test struct {
	name  string
	run   func(f *fixture)
	needs need
}

func runAll(t *testing.T, place Place, layout Layout, tests []test) {
	limits := limitsOf(t, place)
	if !lays(limits, layout.Scheme) {
		t.Skip("the store lays no table out so")
	}
	for _, each := range tests {
		t.Run(each.name, func(t *testing.T) {
			if each.needs&lacks(limits) != 0 {
				t.Skip("beyond the store's limits")
			}
			f := newFixture(t, place, layout)
			each.run(f)
		})
	}
}

// fixture is a store under test with helpers that fail the test on an error.
type fixture struct {
	*testing.T
	ctx    context.Context
	opener Opener
	store  kv.Store
	limits kv.Limits
	layout Layout
	clock  *clock
}

// limitsOf are those of the stores that a place gives.
func limitsOf(t *testing.T, place Place) kv.Limits {
	s := place(t, newClock().now)(t)
	defer func() { require.NoError(t, s.Close()) }()
	return kv.LimitsOf(s)
}

// clock stands still but for the jumps of tests.
type clock struct{ ms atomic.Int64 }

// start is what clocks say first, in ms: of a second before it the tests have cells
// on both sides.
const start = 997

func newClock() *clock {
	c := &clock{}
	c.ms.Store(start)
	return c
}

func (c *clock) now() time.Time { return time.UnixMilli(c.ms.Load()) }

func newFixture(t *testing.T, place Place, layout Layout) *fixture {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	f := &fixture{T: t, ctx: ctx, layout: layout, clock: newClock()}
	f.opener = place(t, f.clock.now)
	f.store = f.opener(t)
	f.limits = kv.LimitsOf(f.store)
	t.Cleanup(func() {
		RequireSound(ctx, t, f.store, kv.CheckLookups)
		cancel()
		require.NoError(t, f.store.Close())
	})
	f.createTables()
	return f
}

const database = "d"

// tableNames are the tables of each fixture.
var tableNames = []string{"g$a", "g$b", "s"}

func (f *fixture) createTables() {
	f.change(func(c *kv.CatalogChange) error { return c.CreateDatabase(kv.Database{Name: database}) })
	for _, name := range tableNames {
		f.change(func(c *kv.CatalogChange) error {
			_, err := c.CreateTable(f.layout.Table(name))
			return err
		})
	}
}

func (f *fixture) change(fn func(*kv.CatalogChange) error) {
	f.Helper()
	require.NoError(f, f.store.ChangeCatalog(f.ctx, fn))
}

func (f *fixture) table(name string) *kv.Table {
	f.Helper()
	t := Catalog(f.store).Table(database, name)
	require.NotNil(f, t, name)
	return t
}

// tables are some tables of the transaction's own catalog.
func (f *fixture) tables(tx kv.Txn, names []string) []*kv.Table {
	f.Helper()
	var out []*kv.Table
	for _, name := range names {
		t := tx.Catalog().Table(database, name)
		require.NotNil(f, t, name)
		out = append(out, t)
	}
	return out
}

func (f *fixture) begin() kv.Txn {
	tx := Begin(f.store, kv.TxnOptions{})
	f.Cleanup(tx.Rollback)
	return f.within(tx)
}

// write commits what fn does, row by row where the store can do no more.
func (f *fixture) write(fn func(tx kv.Txn) error) {
	f.Helper()
	tx := f.begin()
	if f.limits.OneRow {
		tx = &byRow{Txn: tx, f: f}
	}
	require.NoError(f, fn(tx))
	require.NoError(f, tx.Commit(f.ctx))
}

// put commits cells in the notation of cellText.
func (f *fixture) put(table string, cells ...string) {
	f.Helper()
	f.write(func(tx kv.Txn) error { return f.putIn(tx, table, cells...) })
}

func (f *fixture) putIn(tx kv.Txn, table string, cells ...string) error {
	for _, text := range cells {
		if err := tx.Put(f.ctx, f.tables(tx, []string{table})[0], parseCell(f, text)); err != nil {
			return err
		}
	}
	return nil
}

// read is what a scan of the newest state gives, in the notation of cellText.
func (f *fixture) read(s kv.Scan, tables ...string) string {
	f.Helper()
	tx := f.begin()
	defer tx.Rollback()
	return f.readIn(tx, s, tables...)
}

func (f *fixture) readIn(tx kv.Txn, s kv.Scan, tables ...string) string {
	f.Helper()
	text, err := scanText(f.ctx, tx, f.tables(tx, tables), &s)
	require.NoError(f, err)
	return text
}

// all is everything that a table holds, in order.
func (f *fixture) all(table string) string {
	f.Helper()
	return f.read(everything, table)
}

// everything is the scan of all versions in order.
var everything = kv.Scan{Ordered: true, NeedValue: true}

func (f *fixture) flush() {
	f.Helper()
	if flusher, ok := f.store.(kv.Flusher); ok {
		require.NoError(f, flusher.Flush(f.ctx, Catalog(f.store).Tables(database)...))
	}
}

func (f *fixture) compact() {
	f.Helper()
	if compacter, ok := f.store.(kv.Compacter); ok {
		for _, t := range Catalog(f.store).Tables(database) {
			require.NoError(f, compacter.Compact(f.ctx, t, nil))
		}
	}
}

func (f *fixture) reopen() {
	f.Helper()
	require.NoError(f, f.store.Close())
	f.store = f.opener(f)
}

// storage runs check on data in memory, in files, compacted, and reopened: as far as the
// store tells these apart.
func (f *fixture) storage(check func()) {
	f.Helper()
	check()
	if _, ok := f.store.(kv.Flusher); ok {
		f.flush()
		check()
	}
	if _, ok := f.store.(kv.Compacter); ok {
		f.compact()
		check()
	}
	f.reopen()
	check()
}

// scans numbers n random scans, which differ by what their numbers divide by: all of them with
// -kvtest.layouts, otherwise a quarter, from a random one on.
func scans(r *rand.Rand, n int) iter.Seq[int] {
	first, count := r.IntN(n), n/4
	if *onAllLayouts {
		first, count = 0, n
	}
	return func(yield func(int) bool) {
		for i := range count {
			if !yield((first + i) % n) {
				return
			}
		}
	}
}
