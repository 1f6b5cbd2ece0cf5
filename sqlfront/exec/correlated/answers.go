package correlated

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/mayfail"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// newAnswer returns nil if the subquery must run for each row.
func (l *loop) newAnswer() answer {
	switch l.Use.Kind {
	case expr.SubqueryExists:
		return &exists{}
	case expr.SubqueryIn, expr.SubqueryAny, expr.SubqueryAll:
		return l.newQuantified()
	case expr.SubqueryScalar:
		if l.Aggs != nil {
			return l.newAggregated()
		}
		return l.newFirst()
	}
	return nil
}

// truths are the results known for the outer rows.
type truths []truth

type truth uint8

const (
	unknown truth = iota // there are no pairs, or all comparisons are false
	null                 // and some are NULL
	decided
)

func (t *truths) start(rows int) {
	*t = slices.Grow((*t)[:0], rows)[:rows]
	clear(*t)
}

func (t *truths) done(row int32) bool         { return (*t)[row] == decided }
func (t *truths) carried(int32) (int32, bool) { return 0, false }
func (t *truths) kind() value.Kind            { return value.Int }
func (t *truths) set(out *value.Vector, i int32, is bool) {
	out.Ints[i] = 0
	if is {
		out.Ints[i] = 1
	}
	if out.Nulls != nil {
		out.Nulls[i] = false
	}
}

// exists is EXISTS.
type exists struct{ truths }

func (e *exists) take(l *loop) bool {
	for _, pair := range l.pairs.Out.Rows {
		e.truths[l.of[pair]] = decided
	}
	return true
}

func (e *exists) finish(_ *loop, out *value.Vector, rows []int32) bool {
	for row, i := range rows {
		e.set(out, i, e.truths[row] == decided)
	}
	return true
}

// quantified is IN, ANY and ALL, for values that are compared without conversion.
type quantified struct {
	truths
	compare kernel.Kernel
	// decisive is the deciding result of the comparison: true for ANY, false for ALL.
	decisive, not bool
}

// newQuantified compares only values of one kind: otherwise it matters whether they are columns or
// constants.
func (l *loop) newQuantified() answer {
	left := &expr.Column{Index: l.Left, T: l.Use.Left.Type()}
	if !comparedAsTheyAre(left.T.Kind, l.Value.Type().Kind) {
		return nil
	}
	k := l.compiler(l.pairs.Out.Schema()).Compile(&expr.Compare{Op: l.Use.Op, L: left, R: l.Value})
	if k == nil || k.Kind() != value.Int {
		return nil
	}
	return &quantified{compare: k, decisive: l.Use.Kind != expr.SubqueryAll, not: l.Use.Not}
}

func comparedAsTheyAre(l, r value.Kind) bool {
	integer := func(k value.Kind) bool { return k == value.Int || k == value.Uint }
	return l == r || l.IsString() && r.IsString() || integer(l) && integer(r)
}

func (q *quantified) take(l *loop) bool {
	b := l.pairs.Out
	v, ok := q.compare.Eval(b, b.Rows)
	if !ok {
		return false
	}
	for _, pair := range b.Rows {
		switch t := &q.truths[l.of[pair]]; {
		case v.IsNull(pair):
			*t = max(*t, null)
		case v.Ints[pair] != 0 == q.decisive:
			*t = decided
		}
	}
	return true
}

func (q *quantified) finish(_ *loop, out *value.Vector, rows []int32) bool {
	for row, i := range rows {
		if q.truths[row] == null {
			out.SetNull(i)
			continue
		}
		is := q.truths[row] == decided == q.decisive
		q.set(out, i, is != q.not)
	}
	return true
}

// first is a subquery that returns the value of one partner.
type first struct {
	value   kernel.Kernel
	keys    []kernel.Kernel
	vectors []*value.Vector
	any     bool    // any partner will do
	best    []int32 // the partner of each row so far, or noPartner
	pairOf  []int32 // its pair among the current ones, or noPartner
}

const noPartner = -1

func (l *loop) newFirst() answer {
	if len(l.Order) > 0 && mayfail.Value(l.Value) {
		return nil // the values of all partners are sorted
	}
	c := l.compiler(l.pairs.Out.Schema())
	f := &first{value: c.Compile(l.Value), any: l.First && len(l.Order) == 0}
	if f.value == nil {
		return nil
	}
	for _, key := range l.Order {
		k := c.Compile(key.X)
		if k == nil {
			return nil
		}
		f.keys = append(f.keys, k)
	}
	return f
}

func (f *first) kind() value.Kind { return f.value.Kind() }

func (f *first) start(rows int) {
	f.best, f.pairOf = f.best[:0], f.pairOf[:0]
	for range rows {
		f.best, f.pairOf = append(f.best, noPartner), append(f.pairOf, noPartner)
	}
}

func (f *first) done(row int32) bool { return f.any && f.best[row] != noPartner }

func (f *first) carried(row int32) (int32, bool) { return f.best[row], f.best[row] != noPartner }

func (f *first) take(l *loop) (ok bool) {
	b := l.pairs.Out
	if f.vectors, ok = kernel.EvalAll(f.keys, b, b.Rows, f.vectors); !ok {
		return false
	}
	for _, pair := range b.Rows {
		at := &f.pairOf[l.of[pair]]
		if *at != noPartner && !l.First {
			return false // an error for the outer row
		}
		if *at == noPartner || f.precedes(l.Order, pair, *at) {
			*at = pair
		}
	}
	for _, pair := range b.Rows {
		row := l.of[pair]
		if at := f.pairOf[row]; at != noPartner {
			f.best[row], f.pairOf[row] = l.numbers[at], noPartner
		}
	}
	return true
}

// precedes reports whether a pair comes before another one, which arrived earlier.
func (f *first) precedes(order []Key, pair, other int32) bool {
	for at, v := range f.vectors {
		if c := value.Order(v.At(pair), v.At(other)); c != 0 {
			return c < 0 != order[at].Desc
		}
	}
	return false
}

func (f *first) finish(l *loop, out *value.Vector, rows []int32) bool {
	l.startPairs()
	for row, i := range rows {
		if f.best[row] == noPartner {
			out.SetNull(i)
			continue
		}
		l.add(int32(row), i, f.best[row])
	}
	l.pairs.End()
	b := l.pairs.Out
	v, ok := f.value.Eval(b, b.Rows)
	for at := 0; ok && at < len(b.Rows); at++ {
		ok = out.Set(rows[l.of[at]], v.At(int32(at)))
	}
	return ok
}
