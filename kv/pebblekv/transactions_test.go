package pebblekv

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/views"
	"github.com/hbasekv/hbasekv/partition"
)

var transactionRounds = flag.Int("transactions.rounds", 4, "how often TestTransactionsBrute begins two transactions on each layout")

// bruteTxn is a transaction and what it should see.
type bruteTxn struct {
	tx      kv.Txn
	id      int
	single  bool
	cells   []bruteCell // what it sees, sorted
	points  []brutePoint
	cursors []*bruteCursor
}

type brutePoint struct {
	sp    kv.Savepoint
	cells []bruteCell
}

type bruteCursor struct {
	c    kv.Cursor
	want []bruteCell
	scan *kv.Scan
}

// bruteWorld is a store, a model of it, and what its transactions choose from.
type bruteWorld struct {
	t      *testing.T
	r      *rand.Rand
	s      *Store
	tables []*kv.Table
	base   []bruteCell // committed
	rows   []string
	quals  []string
	times  []int64
	sliced bool
	log    []string
}

func (w *bruteWorld) logf(f string, a ...any) { w.log = append(w.log, fmt.Sprintf(f, a...)) }

func (w *bruteWorld) cell(id int) bruteCell {
	r := w.r
	c := bruteCell{kv.Cell{Family: r.IntN(len(w.tables)), Qualifier: []byte(pick(r, w.quals)), Timestamp: pick(r, w.times),
		Value: pick(r, [][]byte{nil, {}, []byte("v"), {byte(r.IntN(256))}})}}
	c.Row = []byte(w.rows[r.IntN(len(w.rows)/2)*2+id])
	if w.sliced {
		c.Timestamp = max(c.Timestamp, math.MinInt64+1)
	}
	return c
}

func (x *bruteTxn) set(c bruteCell, present bool) {
	cells := slices.Clone(x.cells)
	i, found := slices.BinarySearchFunc(cells, c, compareBrute)
	switch {
	case present && found:
		cells[i] = c
	case present:
		cells = slices.Insert(cells, i, c)
	case found:
		cells = slices.Delete(cells, i, i+1)
	}
	x.cells = cells
}

// deleteRun deletes columns in some order, with other steps between them or none.
func (w *bruteWorld) deleteRun(x *bruteTxn) {
	t, r := w.t, w.r
	n := 1 + r.IntN(25)
	var cols []bruteCell
	if r.IntN(2) == 0 && len(x.cells) > 0 { // existing ones, next to each other
		from := r.IntN(len(x.cells))
		fam := r.IntN(len(w.tables) + 1)
		for _, c := range x.cells[from:] {
			if len(cols) < n && w.owns(x, c) && (fam == len(w.tables) || c.Family == fam) && (len(cols) == 0 || !cols[len(cols)-1].sameColumn(&c)) {
				cols = append(cols, c)
			}
		}
	} else {
		for range n {
			cols = append(cols, w.cell(x.id))
		}
	}
	if len(cols) == 0 {
		return
	}
	order := r.IntN(6)
	by := func(a, b bruteCell) int {
		if order == 3 && a.Family != b.Family { // one table after the other
			return a.Family - b.Family
		}
		return compareBrute(a, b)
	}
	switch order {
	case 0:
		slices.SortStableFunc(cols, func(a, b bruteCell) int { return by(b, a) })
	case 1:
		slices.SortStableFunc(cols, by)
		for i := 0; i+1 < len(cols); i += 2 {
			cols[i], cols[i+1] = cols[i+1], cols[i]
		}
	case 2:
	default:
		slices.SortStableFunc(cols, by)
	}
	noise := pick(r, []int{0, 0, 4, 10})
	for _, c := range cols {
		w.logf("#%d deleteColumn %v", x.id, c)
		require.NoError(t, x.tx.DeleteColumn(t.Context(), w.tables[c.Family], c.Row, c.Qualifier))
		x.cells = slices.DeleteFunc(slices.Clone(x.cells), func(o bruteCell) bool { return o.sameColumn(&c) })
		if noise > 0 && r.IntN(noise) == 0 {
			w.step(x, false)
		}
	}
}

func (w *bruteWorld) step(x *bruteTxn, deletes bool) {
	t, r := w.t, w.r
	n := r.IntN(26)
	switch {
	case n < 5 && deletes:
		w.deleteRun(x)
	case n < 8:
		c := w.cell(x.id)
		w.logf("#%d put %v", x.id, c)
		require.NoError(t, x.tx.Put(t.Context(), w.tables[c.Family], c.Cell))
		x.set(c, true)
	case n < 10:
		c := w.cell(x.id)
		w.logf("#%d putIfAbsent %v", x.id, c)
		_, found := slices.BinarySearchFunc(x.cells, c, compareBrute)
		done, err := x.tx.PutIfAbsent(t.Context(), w.tables[c.Family], c.Cell)
		require.NoError(t, err)
		require.Equal(t, !found, done, "%v", c)
		if done {
			x.set(c, true)
		}
	case n < 12:
		c := w.cell(x.id)
		if len(x.cells) > 0 && r.IntN(2) == 0 {
			if e := pick(r, x.cells); w.owns(x, e) {
				c = e
			}
		}
		w.logf("#%d deleteVersion %v", x.id, c)
		require.NoError(t, x.tx.DeleteVersion(t.Context(), w.tables[c.Family], c.Row, c.Qualifier, c.Timestamp))
		x.set(c, false)
	case n < 15:
		w.logf("#%d savepoint %d", x.id, len(x.points))
		x.points = append(x.points, brutePoint{x.tx.Savepoint(), x.cells})
	case n < 17 && len(x.points) > 0:
		i := r.IntN(len(x.points))
		w.logf("#%d rollback to %d", x.id, i)
		x.tx.RollbackTo(x.points[i].sp)
		x.cells = x.points[i].cells
		x.points = x.points[:i+1]
	case n < 19: // a cursor that stays open
		s := w.scan()
		cells := x.cells
		if len(x.points) > 0 && r.IntN(3) == 0 {
			p := pick(r, x.points)
			s.At, cells = p.sp, p.cells
		}
		s.Ordered = true
		want := bruteScan(cells, s)
		c, err := x.tx.Scan(t.Context(), w.tables, s)
		require.NoError(t, err)
		w.logf("#%d open %+v", x.id, s)
		x.cursors = append(x.cursors, &bruteCursor{c, want, s})
	case n < 22 && len(x.cursors) > 0:
		i := r.IntN(len(x.cursors))
		w.logf("#%d step cursor %d", x.id, i)
		w.advance(x.cursors[i], 1+r.IntN(6))
		if r.IntN(3) == 0 {
			require.NoError(t, x.cursors[i].c.Close())
			x.cursors = slices.Delete(x.cursors, i, i+1)
		}
	case n < 24: // a complete scan
		w.check(x)
	case n == 24: // a column
		c := w.cell(x.id)
		p := kv.Position{Row: c.Row, Qualifier: c.Qualifier, Depth: kv.DepthColumn}
		e := p
		e.After = true
		w.compare(x.cells, x, &kv.Scan{NeedValue: true, Ordered: true, Ranges: []kv.Range{{Start: p, End: e}}})
	case n == 25:
		if r.IntN(4) == 0 {
			w.logf("drop idle")
			w.s.engine.DropIdle()
		} else if r.IntN(3) == 0 {
			w.logf("flush")
			require.NoError(t, w.s.Flush(t.Context()))
		}
	}
}

func (w *bruteWorld) begin(id int) *bruteTxn {
	o := kv.TxnOptions{Serializable: w.r.IntN(4) == 0}
	x := &bruteTxn{id: id, cells: w.base}
	if !o.Serializable && w.r.IntN(3) == 0 {
		o.Single, x.single = true, true
	}
	x.tx = kvtest.Begin(w.s, o)
	if !x.single || w.r.IntN(2) == 0 {
		x.tx.Now() // takes the view
		w.compare(x.cells, x, &kv.Scan{Ordered: true, NeedValue: true})
	}
	return x
}

// TestTransactionsBrute makes two transactions, which may share a view, write, delete, roll back
// and read in turn, and compares what each sees with a sorted slice of its own.
func TestTransactionsBrute(t *testing.T) {
	r := seed(t)
	key, _ := partition.NewKey(5)
	ss := schemes(t)
	ss["key"] = key
	for name, scheme := range ss {
		for _, families := range []int{1, 2, 3} {
			t.Run(fmt.Sprint(name, families), func(t *testing.T) { transactionsBrute(t, r, scheme, families) })
		}
	}
}

func transactionsBrute(t *testing.T, r *rand.Rand, scheme *partition.Scheme, families int) {
	s, err := Open(Options{InMemory: true, LockTimeout: 50 * time.Millisecond})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.Zero(t, s.OpenIterators())
		require.NoError(t, s.Close())
	})
	w := &bruteWorld{t: t, r: r, s: s, sliced: scheme.Slices() != nil}
	for i := range families {
		createTable(t, s, "g", string(rune('a'+i)), scheme)
	}
	for i := range families {
		w.tables = append(w.tables, kvtest.Catalog(s).Table("d", "g$"+string(rune('a'+i))))
	}
	w.rows = slices.Clone(someRows)
	for i := range 20 {
		w.rows = append(w.rows, fmt.Sprintf("a%02d", i))
	}
	slices.Sort(w.rows)
	w.quals, w.times = []string{"", "\x00", "q", "q\x00"}, []int64{-1, 0, 1, 2, 3, 5, 9, 12, math.MaxInt64, math.MinInt64}
	t.Cleanup(func() {
		if t.Failed() {
			for _, l := range w.log[max(0, len(w.log)-60):] {
				t.Log(l)
			}
		}
	})
	for round := range *transactionRounds {
		s.engine.Tuning = views.DefaultTuning()
		if r.IntN(2) == 0 {
			s.engine.Tuning.IdleIterators = pick(r, []int{0, 1, 2})
		}
		if r.IntN(3) == 0 {
			s.engine.Tuning.RewrittenOften = 1
		}
		if r.IntN(3) == 0 {
			ablations[r.IntN(len(ablations))].change(&s.engine.Tuning)
		}
		a := w.begin(0)
		b := w.begin(1)
		all := []*bruteTxn{a, b}
		for range 30 {
			w.step(all[r.IntN(2)], true)
			if r.IntN(25) == 0 && !a.single && !b.single { // one starts again; the other keeps or renews its view
				i := r.IntN(2)
				w.end(all[i])
				all[i] = w.begin(i)
				if o := all[1-i]; r.IntN(2) == 0 && len(o.points) == 0 && !all[i].single {
					renew(w, o)
				}
				if all[i].single {
					break
				}
			}
		}
		for _, x := range all {
			w.compare(x.cells, x, &kv.Scan{Ordered: true, NeedValue: true})
			w.compare(x.cells, x, &kv.Scan{Ordered: true, NeedValue: true, Reverse: true})
		}
		for _, i := range r.Perm(2) {
			w.end(all[i])
		}
		if round%3 == 1 {
			require.NoError(t, s.Flush(t.Context()))
		}
		if round%7 == 3 {
			require.NoError(t, s.Compact(t.Context(), w.tables[r.IntN(families)], nil))
		}
		tx := kvtest.Begin(s, kv.TxnOptions{ReadOnly: true})
		require.Equal(t, fmt.Sprint(w.base), fmt.Sprint(readAll(t, tx, w.tables, &kv.Scan{Ordered: true, NeedValue: true})))
		tx.Rollback()
	}
}

// renew moves x to the newest view: its own rows stay as they are, the others are as committed.
func renew(w *bruteWorld, x *bruteTxn) {
	for _, c := range x.cursors {
		require.NoError(w.t, c.c.Close())
	}
	x.cursors = nil
	w.logf("#%d renew", x.id)
	require.NoError(w.t, x.tx.Renew(w.t.Context()))
	x.cells = w.joined(x)
}

// end reads some of the open cursors to their ends, and commits or not.
func (w *bruteWorld) end(x *bruteTxn) {
	for _, c := range x.cursors {
		if w.r.IntN(2) == 0 {
			w.advance(c, 1000)
		}
		require.NoError(w.t, c.c.Close())
	}
	commit := w.r.IntN(4) > 0
	w.logf("#%d end %v", x.id, commit)
	if !commit {
		x.tx.Rollback()
		return
	}
	if err := x.tx.Commit(w.t.Context()); err != nil { // serializable, and has read what the other wrote
		require.ErrorIs(w.t, err, kv.ErrConflict)
		return
	}
	w.base = w.joined(x)
}

// joined returns the committed cells, with the transaction's own rows as it sees them.
func (w *bruteWorld) joined(x *bruteTxn) (out []bruteCell) {
	for _, c := range x.cells {
		if w.owns(x, c) {
			out = append(out, c)
		}
	}
	for _, c := range w.base {
		if !w.owns(x, c) {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, compareBrute)
	return out
}

// owns reports whether only this transaction writes the row, so that there are no conflicts.
func (w *bruteWorld) owns(x *bruteTxn, c bruteCell) bool {
	return slices.Index(w.rows, string(c.Row))%2 == x.id
}
