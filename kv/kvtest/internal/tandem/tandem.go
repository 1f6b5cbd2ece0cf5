// Package tandem makes operations from a seed and runs each against the Model and the store
// under test, which must answer alike.
package tandem

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest/internal/fixture"
	"github.com/hbasekv/hbasekv/kv/kvtest/internal/model"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

// The random part of the suite creates operations from a seed and runs each of them on the
// Model and on the store, which must return the same results. HBASEKV_SEED repeats a run, and
// HBASEKV_OPS sets the number of operations on each layout.
const (
	opsVariable = "HBASEKV_OPS"
	defaultOps  = 1_500
	// tail is the number of operations that a failure prints.
	tail = 40
)

// RunRandom requires that a store returns the same results as the Model on every layout.
func RunRandom(t *testing.T, place fixture.Place) {
	for _, layout := range fixture.AllLayouts() {
		t.Run(layout.Name, func(t *testing.T) {
			r := New(fixture.New(t, place, layout))
			r.random(false)
			for _, name := range fixture.TableNames {
				want, got := fixture.Catalog(r.Model.Store).Table(fixture.Database, name), fixture.Catalog(r.Tested.Store).Table(fixture.Database, name)
				require.True(t, want == got || want.Partitioning.Equal(got.Partitioning), "the layout of %s", name)
			}
		})
	}
}

// RunSplitting requires that a store that splits and merges RANGE partitions by itself, in
// its first run even partitions of two rows, returns the same results as one that does not.
func RunSplitting(t *testing.T, place fixture.Place) {
	layouts := fixture.Layouts()
	r := New(fixture.New(t, place, layouts[len(layouts)-1]))
	for _, row := range SomeRows {
		require.NoError(t, r.Put("s", kv.Cell{Row: []byte(row), Value: []byte("v")}))
	}
	r.Flush()
	require.Eventually(t, func() bool { return r.Table("s").Partitioning.Len() > layouts[len(layouts)-1].Scheme.Len() }, 20*time.Second, time.Millisecond)
	r.random(true)
}

// random runs operations on both sides.
func (r *Tandem) random(splitsItself bool) {
	seed, ops := testseed.Of(r), opsOf(r)
	g := NewGenerator(rand.New(rand.NewPCG(seed, 0)))
	g.splitsItself = splitsItself
	_, g.loads = r.Tested.Store.(kv.BulkLoader)
	_, g.collects = r.Tested.Store.(kv.Collector)
	g.deletesRanges = !splitsItself && r.deletesFew()
	r.Model.collects, r.Tested.collects = g.collects, g.collects
	for _, table := range fixture.TableNames {
		r.Step(g.Retain(table))
	}
	r.Cleanup(func() {
		if r.Failed() {
			r.Logf("%s=%d %s=%d, after:\n%s", testseed.Variable, seed, opsVariable, ops, r.historyTail())
		}
	})
	for range ops {
		r.Step(g.op(r.Clock))
	}
	r.CompareAll()
}

// deletesFew reports whether the store under test deletes ranges of a few cells as a whole.
func (r *Tandem) deletesFew() bool {
	tx := fixture.Begin(r.Tested.Store, kv.TxnOptions{})
	defer tx.Rollback()
	d, ok := tx.(kv.RangeDeleter)
	if !ok {
		return false
	}
	t := tx.Catalog().Table(fixture.Database, fixture.TableNames[0])
	if tx.Put(r.Ctx, t, kv.Cell{Row: []byte("a"), Timestamp: 1}) != nil {
		return false
	}
	out, err := d.DeleteRanges(r.Ctx, t, &kv.Scan{})
	return err == nil && out.Done
}

// opsOf returns the number of operations on each layout.
func opsOf(t testing.TB) uint64 {
	text := os.Getenv(opsVariable)
	if text == "" {
		return defaultOps
	}
	n, err := strconv.ParseUint(text, 10, 64)
	require.NoError(t, err, opsVariable)
	return n
}

// op is an operation. String describes it, and Run returns its result.
type op interface {
	fmt.Stringer
	Run(ctx context.Context, s *Side) string
}

// slots is the number of transactions that can be open at the same time. The slot after the
// last one stands for a transaction of the operation's own.
const (
	slots = 3
	Own   = slots
)

// Side is one of the two stores, with everything that is open in it.
type Side struct {
	Store  kv.Store
	reopen func() kv.Store
	Layout fixture.Layout
	open   [slots]openTxn
	// collects means that both sides are a kv.Collector.
	collects bool
}

type openTxn struct {
	kv.Txn
	savepoints []kv.Savepoint
	cursors    []openCursor
}

type openCursor struct {
	kv.Cursor
	scan   kv.Scan
	tables int
}

// Tandem is the Model and the store under test, which run the same operations.
type Tandem struct {
	*fixture.Fixture
	Model, Tested *Side
	history       []string
}

// New returns the store under test together with a Model that has the same tables and clock.
func New(f *fixture.Fixture) *Tandem {
	m := model.NewAt(f.Clock.Now)
	on := &fixture.Fixture{T: f.T, Ctx: f.Ctx, Store: m, Layout: f.Layout, Clock: f.Clock}
	on.CreateTables()
	modelSide, tested := &Side{Store: m, Layout: f.Layout}, &Side{Store: f.Store, Layout: f.Layout}
	modelSide.reopen = func() kv.Store { return modelSide.Store.(*model.Model).Reopen() }
	tested.reopen = func() kv.Store { f.Reopen(); return f.Store }
	f.Cleanup(func() {
		modelSide.endAll()
		tested.endAll()
	})
	return &Tandem{Fixture: f, Model: modelSide, Tested: tested}
}

// Step runs an operation on both sides.
func (r *Tandem) Step(o op) {
	r.Helper()
	want := o.Run(r.Ctx, r.Model)
	got := o.Run(r.Ctx, r.Tested)
	r.history = append(r.history, fmt.Sprintf("%5d %v: %s", len(r.history), o, want))
	require.Equal(r, want, got, o.String())
}

func (r *Tandem) historyTail() string {
	return strings.Join(r.history[max(0, len(r.history)-tail):], "\n")
}

// Put commits a cell on both sides.
func (r *Tandem) Put(table string, c kv.Cell) error {
	w := WriteOp{Slot: Own, Kind: "put", Table: table, Cells: []kv.Cell{c}}
	if answer := w.Run(r.Ctx, r.Model); answer != "ok" {
		return errors.New(answer)
	}
	if answer := w.Run(r.Ctx, r.Tested); answer != "ok" {
		return errors.New(answer)
	}
	return nil
}

// Compare runs a scan of the newest state on both sides.
func (r *Tandem) Compare(s *kv.Scan, tables ...string) {
	r.Helper()
	o := ScanOp{Slot: Own, Tables: tables, Scan: *s}
	require.Equal(r, o.Run(r.Ctx, r.Model), o.Run(r.Ctx, r.Tested), o.String())
}

// CompareAll compares everything in both sides.
func (r *Tandem) CompareAll() {
	r.Helper()
	for _, table := range fixture.TableNames {
		s := fixture.Everything
		r.Compare(&s, table)
		s.Reverse = true
		r.Compare(&s, table)
	}
}

// endAll ends everything that is open.
func (s *Side) endAll() {
	for i := range s.open {
		s.end(i, func(tx kv.Txn) error { tx.Rollback(); return nil })
	}
}

// end closes the cursors of a slot and ends its transaction.
func (s *Side) end(slot int, how func(kv.Txn) error) string {
	tx := &s.open[slot]
	if tx.Txn == nil {
		return "no transaction"
	}
	for _, c := range tx.cursors {
		if err := c.Close(); err != nil {
			return errorText(err)
		}
	}
	answer := errorText(how(tx.Txn))
	*tx = openTxn{}
	return answer
}

// ensure begins a transaction in the slot if it has none.
func (s *Side) ensure(slot int) kv.Txn {
	tx := &s.open[slot]
	if tx.Txn == nil {
		tx.Txn = fixture.Begin(s.Store, kv.TxnOptions{LockTimeout: time.Millisecond})
	}
	return tx.Txn
}

// in runs fn in the transaction of the slot, or in a transaction of its own. If only Rollback
// is possible afterwards, it rolls the transaction back.
func (s *Side) in(ctx context.Context, slot int, fn func(tx kv.Txn) (string, error)) string {
	if slot == Own {
		return s.alone(ctx, fn)
	}
	answer, err := fn(s.ensure(slot))
	if errors.Is(err, kv.ErrConflict) || errors.Is(err, kv.ErrDeadlock) {
		s.end(slot, func(tx kv.Txn) error { tx.Rollback(); return nil })
	}
	return orError(answer, err)
}

func (s *Side) alone(ctx context.Context, fn func(tx kv.Txn) (string, error)) string {
	tx := fixture.Begin(s.Store, kv.TxnOptions{LockTimeout: time.Millisecond})
	defer tx.Rollback()
	answer, err := fn(tx)
	if err == nil {
		err = tx.Commit(ctx)
	}
	return orError(answer, err)
}

func orError(answer string, err error) string {
	if err != nil {
		return errorText(err)
	}
	return answer
}

// sentinels are the errors for which both sides must agree.
var sentinels = []error{
	kv.ErrClosed, kv.ErrReadOnly, kv.ErrConflict, kv.ErrDeadlock, kv.ErrLockTimeout, kv.ErrCatalogChanged,
	kv.ErrNoPartition, kv.ErrTimestampExhausted, kv.ErrTableExists, kv.ErrNoTable,
}

func errorText(err error) string {
	if err == nil {
		return "ok"
	}
	i := slices.IndexFunc(sentinels, func(s error) bool { return errors.Is(err, s) })
	if i < 0 {
		return "error: " + err.Error()
	}
	return sentinels[i].Error()
}
