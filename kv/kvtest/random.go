package kvtest

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
)

// The random part of the suite makes operations from a seed and runs each
// against the Model and the store, which must answer alike. These environment
// variables repeat and lengthen a run:
//
//	HBASEKV_SEED  the seed that a failure printed
//	HBASEKV_OPS   the number of operations on each layout
const (
	seedVariable = "HBASEKV_SEED"
	opsVariable  = "HBASEKV_OPS"
	defaultOps   = 1_500
	// tail is how much of the history a failure prints.
	tail = 40
)

func runRandom(t *testing.T, place Place) {
	for _, layout := range allLayouts() {
		t.Run(layout.Name, func(t *testing.T) {
			r := newTandem(newFixture(t, place, layout))
			r.random(false)
			for _, name := range tableNames {
				want, got := Catalog(r.model.store).Table(database, name), Catalog(r.tested.store).Table(database, name)
				require.True(t, want == got || want.Partitioning.Equal(got.Partitioning), "the layout of %s", name)
			}
		})
	}
}

// RunSplitting holds a store that splits and merges RANGE partitions by itself,
// and in its first life any of two rows, to the same answers as one that does
// not.
func RunSplitting(t *testing.T, place Place) {
	layouts := Layouts()
	r := newTandem(newFixture(t, place, layouts[len(layouts)-1]))
	for _, row := range someRows {
		require.NoError(t, r.put("s", kv.Cell{Row: []byte(row), Value: []byte("v")}))
	}
	r.flush()
	require.Eventually(t, func() bool { return r.table("s").Partitioning.Len() > layouts[len(layouts)-1].Scheme.Len() }, 20*time.Second, time.Millisecond)
	r.random(true)
}

// random takes both sides through operations.
func (r *tandem) random(splitsItself bool) {
	seed := fromEnvironment(r, seedVariable, uint64(time.Now().UnixNano()))
	ops := fromEnvironment(r, opsVariable, defaultOps)
	g := newGenerator(rand.New(rand.NewPCG(seed, 0)))
	g.splitsItself = splitsItself
	_, g.loads = r.tested.store.(kv.BulkLoader)
	_, g.collects = r.tested.store.(kv.Collector)
	r.model.collects, r.tested.collects = g.collects, g.collects
	for _, table := range tableNames {
		r.step(g.retain(table))
	}
	r.Cleanup(func() {
		if r.Failed() {
			r.Logf("%s=%d %s=%d, after:\n%s", seedVariable, seed, opsVariable, ops, r.historyTail())
		}
	})
	for range ops {
		r.step(g.op(r.clock))
	}
	r.compareAll()
}

func fromEnvironment(t testing.TB, name string, otherwise uint64) uint64 {
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	require.NoError(t, err, name)
	return n
}

// op is an operation. It says what it does, and run says what came of it.
type op interface {
	fmt.Stringer
	run(ctx context.Context, s *side) string
}

// slots is the number of transactions that can be open at a time; the last
// slot number stands for a transaction of the operation's own.
const (
	slots = 3
	own   = slots
)

// side is one of the two stores, with what is open in it.
type side struct {
	store  kv.Store
	reopen func() kv.Store
	layout Layout
	open   [slots]openTxn
	// collects tells that both sides are a kv.Collector.
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

// tandem is the Model and the store under test, going through the same.
type tandem struct {
	*fixture
	model, tested *side
	history       []string
}

func newTandem(f *fixture) *tandem {
	model := NewModelAt(f.clock.now)
	m := &fixture{T: f.T, ctx: f.ctx, store: model, layout: f.layout, clock: f.clock}
	m.createTables()
	modelSide, tested := &side{store: model, layout: f.layout}, &side{store: f.store, layout: f.layout}
	modelSide.reopen = func() kv.Store { return modelSide.store.(*Model).Reopen() }
	tested.reopen = func() kv.Store { f.reopen(); return f.store }
	f.Cleanup(func() {
		modelSide.endAll()
		tested.endAll()
	})
	return &tandem{fixture: f, model: modelSide, tested: tested}
}

// step runs an operation on both sides.
func (r *tandem) step(o op) {
	r.Helper()
	want := o.run(r.ctx, r.model)
	got := o.run(r.ctx, r.tested)
	r.history = append(r.history, fmt.Sprintf("%5d %v: %s", len(r.history), o, want))
	require.Equal(r, want, got, o.String())
}

func (r *tandem) historyTail() string {
	return strings.Join(r.history[max(0, len(r.history)-tail):], "\n")
}

// put commits a cell on both sides.
func (r *tandem) put(table string, c kv.Cell) error {
	w := writeOp{slot: own, kind: "put", table: table, cells: []kv.Cell{c}}
	if answer := w.run(r.ctx, r.model); answer != "ok" {
		return errors.New(answer)
	}
	if answer := w.run(r.ctx, r.tested); answer != "ok" {
		return errors.New(answer)
	}
	return nil
}

// compare runs a scan of the newest state on both sides.
func (r *tandem) compare(s *kv.Scan, tables ...string) {
	r.Helper()
	o := scanOp{slot: own, tables: tables, scan: *s}
	require.Equal(r, o.run(r.ctx, r.model), o.run(r.ctx, r.tested), o.String())
}

// compareAll compares all that both sides hold.
func (r *tandem) compareAll() {
	r.Helper()
	for _, table := range tableNames {
		s := everything
		r.compare(&s, table)
		s.Reverse = true
		r.compare(&s, table)
	}
}

// endAll ends all that is open.
func (s *side) endAll() {
	for i := range s.open {
		s.end(i, func(tx kv.Txn) error { tx.Rollback(); return nil })
	}
}

// end closes the cursors of a slot and ends its transaction.
func (s *side) end(slot int, how func(kv.Txn) error) string {
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

// ensure opens a transaction in the slot where there is none.
func (s *side) ensure(slot int) kv.Txn {
	tx := &s.open[slot]
	if tx.Txn == nil {
		tx.Txn = Begin(s.store, kv.TxnOptions{LockTimeout: time.Millisecond})
	}
	return tx.Txn
}

// in runs fn in the transaction of the slot, or in one of its own. A
// transaction of which only Rollback is left is rolled back.
func (s *side) in(ctx context.Context, slot int, fn func(tx kv.Txn) (string, error)) string {
	if slot == own {
		return s.alone(ctx, fn)
	}
	answer, err := fn(s.ensure(slot))
	if errors.Is(err, kv.ErrConflict) || errors.Is(err, kv.ErrDeadlock) {
		s.end(slot, func(tx kv.Txn) error { tx.Rollback(); return nil })
	}
	return orError(answer, err)
}

func (s *side) alone(ctx context.Context, fn func(tx kv.Txn) (string, error)) string {
	tx := Begin(s.store, kv.TxnOptions{LockTimeout: time.Millisecond})
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

// sentinels are the errors that both sides must agree on.
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
