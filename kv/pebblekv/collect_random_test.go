package pebblekv

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/collect"
	"github.com/hbasekv/hbasekv/partition"
)

// smallPieces makes collections take many steps, and use ranges early.
func smallPieces(t testing.TB, steps, rangeVersions int) {
	oldSteps, oldRange := collect.PieceSteps, collect.RangeVersions
	collect.PieceSteps, collect.RangeVersions = steps, rangeVersions
	t.Cleanup(func() { collect.PieceSteps, collect.RangeVersions = oldSteps, oldRange })
}

// written is what a writer knows of a version of a column.
type written struct {
	value string
	// rank is the greatest number of newer versions since it was written: it is
	// unknown when in between it was looked at.
	rank int
	// hidden means that it may have been hidden when another version was deleted,
	// which also removes hidden ones.
	hidden bool
}

// column is what the only writer of a column has left in it, regardless of retention.
type column map[int64]written

func (c column) ranked() column {
	for rank, ts := range slices.Backward(slices.Sorted(maps.Keys(c))) {
		rank = len(c) - 1 - rank
		w := c[ts]
		w.rank = max(w.rank, rank)
		c[ts] = w
	}
	return c
}

// remove deletes a version at a time.
func (c column) remove(ts int64, rs []kv.Retention, now int64) {
	for each, w := range c.ranked() {
		w.hidden = w.hidden || !survives(rs, each, w, now)
		c[each] = w
	}
	delete(c, ts)
}

// survives reports whether all of the retentions have kept a version all the time.
func survives(rs []kv.Retention, ts int64, w written, now int64) bool {
	for _, r := range rs {
		if !r.Keeps(w.rank, ts, now) {
			return false
		}
	}
	return !w.hidden
}

// check compares what is found in a column with what may and must be there.
func (c column) check(found map[int64]string, rs []kv.Retention, now int64) error {
	for ts, value := range found {
		if w, ok := c[ts]; !ok || w.value != value {
			return fmt.Errorf("version %d is %q, not %+v", ts, value, c[ts])
		}
	}
	for ts, w := range c {
		if _, ok := found[ts]; !ok && survives(rs, ts, w, now) {
			return fmt.Errorf("version %d, %+v at %d, is missing; there are %v", ts, w, now, found)
		}
	}
	return nil
}

// retained is a table in which some rows have one writer each.
type retained struct {
	store *Store
	clock *handClock
	all   []kv.Retention // all that the table ever has
	over  atomic.Bool
}

func (x *retained) table(tx kv.Txn) *kv.Table { return tx.Catalog().Table("d", "g$a") }

var columnNames = []string{"", "q", "r"}

// write changes the columns of a row at random, and looks at them.
func (x *retained) write(ctx context.Context, seed uint64, mine, commits int) error {
	r := rand.New(rand.NewPCG(seed, uint64(mine)))
	row, columns := fmt.Sprintf("row%d", mine), map[string]column{}
	for n := range commits {
		next := map[string]column{}
		err := x.writeOnce(ctx, r, row, columns, next, n)
		switch {
		case errors.Is(err, kv.ErrCatalogChanged), errors.Is(err, kv.ErrConflict):
			continue
		case err != nil:
			return err
		}
		maps.Copy(columns, next)
		if err := x.checkRow(ctx, row, columns); err != nil {
			return fmt.Errorf("seed %d, %s after %d commits: %w", seed, row, n, err)
		}
	}
	return nil
}

// writeOnce runs one transaction; next are the columns that it changes.
func (x *retained) writeOnce(
	ctx context.Context, r *rand.Rand, row string, before, next map[string]column, n int,
) error {
	tx := kvtest.Begin(x.store, kv.TxnOptions{})
	defer tx.Rollback()
	table := x.table(tx)
	for range 1 + r.IntN(6) {
		q := columnNames[r.IntN(len(columnNames))]
		if next[q] == nil {
			next[q] = maps.Clone(before[q])
		}
		if next[q] == nil {
			next[q] = column{}
		}
		// There are few times, so that deleted versions are written again.
		ts := (x.clock.ms.Load()/1000 - int64(r.IntN(12))) * 1000
		var err error
		switch r.IntN(5) {
		case 0:
			err = tx.DeleteVersion(ctx, table, []byte(row), []byte(q), ts)
			next[q].remove(ts, x.all, tx.Now())
		case 1:
			newest := int64(0)
			for each := range next[q] {
				newest = max(newest, each)
			}
			err = tx.DeleteVersion(ctx, table, []byte(row), []byte(q), newest)
			next[q].remove(newest, x.all, tx.Now())
		default:
			value := fmt.Sprint(n, "-", r.IntN(100))
			err = tx.Put(ctx, table, kv.Cell{Row: []byte(row), Qualifier: []byte(q), Timestamp: ts, Value: []byte(value)})
			next[q][ts] = written{value: value}
		}
		if err != nil {
			return err
		}
		next[q].ranked()
	}
	return tx.Commit(ctx)
}

func (x *retained) checkRow(ctx context.Context, row string, columns map[string]column) error {
	tx := kvtest.Begin(x.store, kv.TxnOptions{ReadOnly: true})
	defer tx.Rollback()
	found, err := versionsOf(ctx, tx, x.table(tx), row)
	if err != nil {
		return err
	}
	now := tx.Now()
	for _, q := range columnNames {
		if err := columns[q].check(found[q], x.all, now); err != nil {
			return fmt.Errorf("column %q: %w", q, err)
		}
	}
	return nil
}

// versionsOf returns what a transaction sees of a row.
func versionsOf(ctx context.Context, tx kv.Txn, table *kv.Table, row string) (map[string]map[int64]string, error) {
	found := map[string]map[int64]string{}
	for _, q := range columnNames {
		found[q] = map[int64]string{}
	}
	at := kv.Position{Row: []byte(row), Depth: kv.DepthRow}
	end := at
	end.After = true
	err := eachCell(ctx, tx, table, &kv.Scan{Ranges: []kv.Range{{Start: at, End: end}}}, func(c kv.Cell) {
		found[string(c.Qualifier)][c.Timestamp] = string(c.Value)
	})
	return found, err
}

// eachCell calls fn with what a transaction sees of a table.
func eachCell(ctx context.Context, tx kv.Txn, table *kv.Table, scan *kv.Scan, fn func(kv.Cell)) error {
	scan.NeedValue = true
	c, err := tx.Scan(ctx, []*kv.Table{table}, scan)
	if err != nil {
		return err
	}
	for c.Next() && err == nil {
		cell := *c.Cell()
		if cell.Value, err = c.Value(); err == nil {
			fn(cell)
		}
	}
	return errors.Join(err, c.Close())
}

// digest returns a hash of all that a transaction sees.
func digest(ctx context.Context, tx kv.Txn, table *kv.Table) (uint64, error) {
	h := fnv.New64a()
	err := eachCell(ctx, tx, table, &kv.Scan{Ordered: true}, func(c kv.Cell) {
		fmt.Fprintf(h, "%q %q %d %q\n", c.Row, c.Qualifier, c.Timestamp, c.Value)
	})
	return h.Sum64(), err
}

// read requires that a snapshot never changes.
func (x *retained) read(ctx context.Context) error {
	for !x.over.Load() {
		tx := kvtest.Begin(x.store, kv.TxnOptions{ReadOnly: true})
		first, err := digest(ctx, tx, x.table(tx))
		for range 20 {
			var again uint64
			if err == nil {
				again, err = digest(ctx, tx, x.table(tx))
			}
			if err == nil && again != first {
				err = errors.New("a snapshot has changed")
			}
		}
		tx.Rollback()
		if err != nil {
			return err
		}
	}
	return nil
}

// disturb collects, moves, changes the retention, and moves the clock.
func (x *retained) disturb(ctx context.Context, seed uint64, layouts []*partition.Scheme) error {
	r := rand.New(rand.NewPCG(seed, 1000))
	for !x.over.Load() {
		var err error
		switch n := r.IntN(40); {
		case n < 25:
			_, err = x.store.collect(ctx, kvtest.Catalog(x.store).Table("d", "g$a"), r.IntN(2) == 0, &collect.Lifetimes{}, func(kv.Collected) {})
			if errors.Is(err, collect.ErrOvertaken) {
				err = nil
			}
		case n < 27:
			_, err = x.store.Collect(ctx, "d", "g$a", kv.CollectOptions{})
		case n < 28:
			err = x.store.Repartition(ctx, "d", "g$a", layoutTo(layouts[r.IntN(len(layouts))]), kv.MoveOptions{})
		case n < 29:
			if _, err = x.store.DropExpired(ctx, "d", "g$a"); errors.Is(err, partition.ErrNotSliced) ||
				errors.Is(err, partition.ErrLastPartition) {
				err = nil
			}
		case n < 31:
			err = x.store.ChangeCatalog(ctx, func(c *kv.CatalogChange) error {
				next := *c.Catalog().Table("d", "g$a")
				next.Retention = x.all[r.IntN(len(x.all))]
				return c.AlterTable(next)
			})
		case n < 33:
			err = x.store.Flush(ctx)
		default:
			x.clock.ms.Add(int64(r.IntN(300)))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// TestCollectConcurrently runs writers, readers of snapshots, collections, moves,
// changes of retention and of partitions, and the clock at once. What is always kept
// is always there; and in the end only what is kept is left.
func TestCollectConcurrently(t *testing.T) {
	key, err := partition.NewKey(3)
	require.NoError(t, err)
	sliced, err := key.Sliced(&partition.Slices{
		Names: []string{"a", "b", "c", "d"}, Upper: []int64{95_000, 100_000, 110_000}, Max: true,
	})
	require.NoError(t, err)
	layouts := []*partition.Scheme{{}, key, sliced}
	retentions := map[string][]kv.Retention{
		"ttl":          {{TTLSeconds: 8}},
		"versions":     {{MaxVersions: 3}},
		"ttl+versions": {{TTLSeconds: 8}, {MaxVersions: 4}, {TTLSeconds: 9, MaxVersions: 3}, {}},
		"min":          {{TTLSeconds: 5, MinVersions: 2}, {TTLSeconds: 5, MinVersions: 2, MaxVersions: 3}},
	}
	for _, name := range slices.Sorted(maps.Keys(retentions)) {
		t.Run(name, func(t *testing.T) {
			seed := testseed.Of(t)
			smallPieces(t, 1+int(seed%40), 2+int(seed%5))
			smallChunks(t, 300)
			concurrently(t, seed, retentions[name], layouts)
		})
	}
}

func concurrently(t *testing.T, seed uint64, all []kv.Retention, layouts []*partition.Scheme) {
	const writers, commits = 4, 200
	x := &retained{clock: &handClock{}, all: all}
	x.clock.ms.Store(100_000)
	x.store = openCollecting(t, x.clock)
	createTable(t, x.store, "g", "a", layouts[seed%3])
	retain(t, x.store, "g$a", all[0])
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	var writing, others sync.WaitGroup
	start := func(wg *sync.WaitGroup, fn func() error) {
		wg.Go(func() {
			if err := fn(); err != nil {
				cancel(err)
			}
		})
	}
	for mine := range writers {
		start(&writing, func() error { return x.write(ctx, seed, mine, commits) })
	}
	start(&others, func() error { return x.read(ctx) })
	start(&others, func() error { return x.disturb(ctx, seed, layouts) })
	writing.Wait()
	x.over.Store(true)
	others.Wait()
	require.NoError(t, context.Cause(ctx))
	table := kvtest.Catalog(x.store).Table("d", "g$a")
	collectNow(t, x.store, table)
	require.Empty(t, hidden(t, x.store, table))
}

// hidden returns the versions that are stored but not kept.
func hidden(t testing.TB, s *Store, table *kv.Table) (out []string) {
	type cell struct{ row, q string }
	times := map[cell][]int64{}
	for _, each := range cellsOf(t, s, table) {
		at := cell{string(each.Row), string(each.Qualifier)}
		times[at] = append(times[at], each.Timestamp)
	}
	for at, list := range times {
		slices.SortFunc(list, func(a, b int64) int { return int(b - a) })
		for rank, ts := range list {
			if !table.Retention.Keeps(rank, ts, s.engine.Now()) {
				out = append(out, fmt.Sprintf("%v@%d", at, ts))
			}
		}
	}
	return out
}

// TestCollectPowerCuts cuts the power at random moments while one goroutine writes and
// another collects. Every acknowledged version that is kept by the store's clock is
// there after a restart, even if the machine's clock is behind.
func TestCollectPowerCuts(t *testing.T) {
	seed := testseed.Of(t)
	for _, all := range [][]kv.Retention{{{TTLSeconds: 8}}, {{MaxVersions: 3}}, {{TTLSeconds: 5, MinVersions: 2}}} {
		smallPieces(t, 1+int(seed%40), 2+int(seed%5))
		cutPower(t, rand.New(rand.NewPCG(seed, 1)), seed, all)
		seed++
	}
}

func cutPower(t *testing.T, r *rand.Rand, seed uint64, all []kv.Retention) {
	mem := newCrashable()
	x := &retained{clock: &handClock{}, all: all}
	x.clock.ms.Store(100_000)
	x.store = openCrashable(t, mem, x.clock)
	createTable(t, x.store, "g", "a", &partition.Scheme{})
	retain(t, x.store, "g$a", all[0])
	var wg sync.WaitGroup
	var failed error
	wg.Go(func() { failed = x.disturbGently(t.Context(), seed) })
	columns := map[string]column{}
	for n := range 300 {
		next := map[string]column{}
		err := x.writeOnce(t.Context(), r, "row", columns, next, n)
		if !errors.Is(err, kv.ErrConflict) { // what a deletion had left had expired meanwhile
			require.NoError(t, err)
			maps.Copy(columns, next)
		}
		if n%10 == 0 {
			left := mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: r.IntN(101), RNG: r})
			x.requireAfterCut(t, left, columns)
		}
	}
	x.over.Store(true)
	wg.Wait()
	require.NoError(t, failed)
	require.NoError(t, x.store.Close())
}

func openCrashable(t testing.TB, fs vfs.FS, clock *handClock) *Store {
	s, err := Open(Options{Dir: "d", FS: fs, Sync: true, CollectEvery: -1, Now: clock.now})
	require.NoError(t, err)
	return s
}

// disturbGently collects, flushes and moves the clock.
func (x *retained) disturbGently(ctx context.Context, seed uint64) error {
	r := rand.New(rand.NewPCG(seed, 2))
	for !x.over.Load() {
		var err error
		switch n := r.IntN(10); {
		case n < 7:
			_, err = x.store.Collect(ctx, "d", "g$a", kv.CollectOptions{})
		case n < 8:
			err = x.store.Flush(ctx)
		default:
			x.clock.ms.Add(int64(r.IntN(300)))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (x *retained) requireAfterCut(t *testing.T, left vfs.FS, columns map[string]column) {
	early := &handClock{}
	y := &retained{clock: early, all: x.all, store: openCrashable(t, left, early)}
	require.NoError(t, y.checkRow(t.Context(), "row", columns))
	require.NoError(t, y.store.Close())
}
