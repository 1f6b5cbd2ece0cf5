package correlated

import (
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// loop answers a question for a batch of outer rows, which are numbered by their places in it.
type loop struct {
	*Question
	x      *op.Frame
	around *kernel.Batch // the outer rows
	own    []kernel.Kernel
	given  []kernel.Kernel
	keys   []*value.Vector
	answer answer

	text  []byte // of the keys
	ends  []int32
	found []spill.Found // the partners that have not been paired, of each row
	open  []int32       // rows that have some, and want them

	pairs *kernel.Pairs
	// of are the rows of the pairs, and numbers their partners.
	of, numbers []int32
}

// answer computes the values of the outer rows from the pairs that pass the condition. Its methods
// report false where the subquery is to run for each outer row instead.
type answer interface {
	// kind is that of the values.
	kind() value.Kind
	// start begins with so many rows.
	start(rows int)
	// take takes the pairs of the loop.
	take(l *loop) bool
	// done reports whether a row wants no more pairs. carried is a partner that it wants to see again
	// with those to come, or none.
	done(row int32) bool
	carried(row int32) (partner int32, some bool)
	// finish sets the values, at those places of the batch where the outer rows are.
	finish(l *loop, out *value.Vector, rows []int32) bool
}

// Kind implements kernel.Loop.
func (l *loop) Kind() value.Kind { return l.answer.kind() }

// Fill implements kernel.Loop.
func (l *loop) Fill(out *value.Vector, operands []*value.Vector, rows []int32) bool {
	if !l.start(out.Len(), operands, rows) || !l.find(rows) {
		return false
	}
	l.answer.start(len(rows))
	for most := l.fewest(); len(l.open) > 0; most = min(4*most, l.x.Context.BatchSize()) {
		if !l.pairRound(rows, most) {
			return false
		}
	}
	return l.answer.finish(l, out, rows)
}

// start takes the outer rows of a batch.
func (l *loop) start(n int, operands []*value.Vector, rows []int32) bool {
	b := l.around
	b.Start(n)
	b.Rows = append(b.Rows[:0], rows...)
	for at, v := range operands {
		b.Share(at, v)
	}
	for i, k := range l.given {
		v, ok := k.Eval(b, rows)
		if !ok {
			return false
		}
		b.Share(len(operands)+i, v)
	}
	return true
}

// find finds the partners of each row.
func (l *loop) find(rows []int32) (ok bool) {
	if l.keys, ok = kernel.EvalAll(l.own, l.around, rows, l.keys); !ok {
		return false
	}
	l.text, l.ends, l.open = l.text[:0], l.ends[:0], l.open[:0]
	for _, i := range rows {
		if !l.appendKey(i) {
			return false
		}
		l.ends = append(l.ends, int32(len(l.text)))
	}
	l.found = l.Rows.FindAll(l.found[:0], l.text, l.ends)
	for row := range l.found {
		if l.found[row].Len > 0 {
			l.open = append(l.open, int32(row))
		}
	}
	return true
}

// appendKey appends the key of a row: nothing, which is the key of no partner, where none equals it.
func (l *loop) appendKey(i int32) (ok bool) {
	start, equals := len(l.text), true
	for place, v := range l.keys {
		var same bool
		if l.text, same, ok = l.Keys.append(l.text, place, v.At(i)); !ok {
			return false
		}
		equals = equals && same
	}
	if !equals {
		l.text = l.text[:start]
	}
	return true
}

// fewPartners is with how many of its partners a row that is done with one of them is paired first.
const fewPartners = 4

// fewest is how many partners of each row are paired first.
func (l *loop) fewest() int {
	if l.Use.Kind == expr.SubqueryScalar && (!l.First || len(l.Order) > 0) {
		return l.x.Context.BatchSize()
	}
	return fewPartners
}

// pairRound pairs the rows that want partners with so many more of theirs at most.
func (l *loop) pairRound(rows []int32, most int) bool {
	l.startPairs()
	for _, row := range l.open {
		l.pair(row, rows[row], most)
		if len(l.of) >= l.x.Context.BatchSize() && !l.takePairs() {
			return false
		}
	}
	if !l.takePairs() {
		return false
	}
	left := l.open[:0]
	for _, row := range l.open {
		if l.found[row].Len > 0 && !l.answer.done(row) {
			left = append(left, row)
		}
	}
	l.open = left
	return true
}

func (l *loop) startPairs() {
	l.pairs.Start(l.around)
	l.of, l.numbers = l.of[:0], l.numbers[:0]
}

// pair adds pairs of a row, which is at a place of the batch.
func (l *loop) pair(row, place int32, most int) {
	if partner, some := l.answer.carried(row); some {
		l.add(row, place, partner)
	}
	f := l.found[row]
	for ; most > 0 && f.Len > 0; most-- {
		l.add(row, place, f.First)
		f = l.Rows.After(f)
	}
	l.found[row] = f
}

func (l *loop) add(row, place, partner int32) {
	l.pairs.Add(place, partner)
	l.of, l.numbers = append(l.of, row), append(l.numbers, partner)
}

// takePairs has the answer take the pairs that meet the rest of the condition, and begins with others.
func (l *loop) takePairs() bool {
	if len(l.of) == 0 {
		return true
	}
	l.pairs.End()
	if l.x.Ticks(len(l.of)) != nil || !l.pairs.Narrow(false) { // who asks one by one meets the error
		return false
	}
	if len(l.pairs.Out.Rows) > 0 && !l.answer.take(l) {
		return false
	}
	l.startPairs()
	return true
}
