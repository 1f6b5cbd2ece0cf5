package correlated

import (
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// loop answers a question for a batch of outer rows, numbered by their positions in it.
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
	found []spill.Found // the partners of each row that have not been paired
	open  []int32       // rows that have some and need them

	pairs *kernel.Pairs
	// of are the rows of the pairs, and numbers their partners.
	of, numbers []int32
}

// answer computes the values of the outer rows from the pairs that pass the condition. Its methods
// return false if the subquery must run for each outer row instead.
type answer interface {
	// kind is the kind of the values.
	kind() value.Kind
	// start begins a batch of so many rows.
	start(rows int)
	// take processes the pairs of the loop.
	take(l *loop) bool
	// done reports whether a row needs no more pairs. carried returns a partner that the row needs
	// again together with later ones, if any.
	done(row int32) bool
	carried(row int32) (partner int32, some bool)
	// finish sets the values in out, at the positions of the outer rows in the batch.
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

// start takes over the outer rows of a batch.
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

// appendKey appends the key of a row, or nothing, which is the key of no partner, if none equals it.
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

// fewPartners is the number of partners paired first for a row that needs only one of them.
const fewPartners = 4

// fewest returns how many partners of each row are paired first.
func (l *loop) fewest() int {
	if l.Use.Kind == expr.SubqueryScalar && (!l.First || len(l.Order) > 0) {
		return l.x.Context.BatchSize()
	}
	return fewPartners
}

// pairRound pairs the rows that need partners with at most so many more.
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

// pair adds pairs of a row, at its position in the batch.
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

// takePairs passes the pairs that meet the rest of the condition to the answer, and starts again.
func (l *loop) takePairs() bool {
	if len(l.of) == 0 {
		return true
	}
	l.pairs.End()
	if l.x.Ticks(len(l.of)) != nil || !l.pairs.Narrow(false) { // evaluating row by row meets the error again
		return false
	}
	if len(l.pairs.Out.Rows) > 0 && !l.answer.take(l) {
		return false
	}
	l.startPairs()
	return true
}
