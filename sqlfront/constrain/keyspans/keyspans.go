// Package keyspans makes spans of rows of conditions on columns of a typed table's primary key, which rows
// are encoded from: equalities of the first columns, and a range of the next one.
package keyspans

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/constrain/interval"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/rowcodec"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Constants evaluates what columns of a key are compared with.
type Constants struct {
	// Value is the value of an expression that is the same for all rows; false for any other.
	Value func(expr.Node) (value.Value, bool)
	// Head is what all texts that satisfy a condition begin with, if nothing else is known of them; false if
	// that is unknown.
	Head func(*expr.Like) (head value.Value, ok bool)
	// Env is the environment in which values are converted: a conversion that would warn fails.
	Env func() *function.Env
}

// maxValues bounds the values in a list from which spans are made.
const maxValues = 4096

// Of are the spans of the rows that satisfy all conditions; a condition that is not on columns of a key
// allows all. implied are the conditions that hold for every row of the spans whose key can be read. ok is
// false if the conditions do not restrict the key's first column, or the spans would be too many.
func (c *Constants) Of(conditions []expr.Node) (spans []interval.PlaceSpan, implied []bool, ok bool) {
	if in := tuplesIn(conditions); in != nil {
		return c.anyOf(in)
	}
	return c.together(conditions)
}

// together are the spans of conditions without lists of tuples.
func (c *Constants) together(conditions []expr.Node) (spans []interval.PlaceSpan, implied []bool, ok bool) {
	limits := map[int]*partLimits{}
	implied = make([]bool, len(conditions))
	for i, condition := range conditions {
		implied[i] = true
		for _, n := range itemsEqual(condition) {
			l, ok := c.limits(n)
			if !ok {
				implied[i] = false
				continue
			}
			l.conditions = []int{i}
			narrow(limits, l)
		}
	}
	if limits[0] == nil {
		return nil, nil, false
	}
	k := keySpans{limits: limits, table: limits[0].part.Table, exact: true}
	if !k.from(nil) {
		return nil, nil, false
	}
	for part, l := range limits {
		if !k.implies(part, l) {
			for _, i := range l.conditions {
				implied[i] = false
			}
		}
	}
	return k.spans, implied, true
}

// tuplesIn is the only condition of the form (a, b) IN (...); nil if there is none, or there are several.
func tuplesIn(conditions []expr.Node) *expr.In {
	if len(conditions) != 1 {
		return nil
	}
	in, ok := conditions[0].(*expr.In)
	if !ok || in.Not || len(in.List) > maxValues {
		return nil
	}
	if _, ok := in.X.(*expr.Tuple); !ok {
		return nil
	}
	return in
}

// anyOf are the spans of (a, b) IN ((c, d), ..).
func (c *Constants) anyOf(in *expr.In) (spans []interval.PlaceSpan, implied []bool, ok bool) {
	implied = []bool{true}
	for _, item := range in.List {
		one, is, ok := c.together([]expr.Node{&expr.Compare{Op: expr.Eq, L: in.X, R: item}})
		if !ok {
			return nil, nil, false
		}
		spans = append(spans, one...)
		implied[0] = implied[0] && is[0]
	}
	return spans, implied, true
}

// itemsEqual are the comparisons of the items of (a, b) = (c, d), or the condition itself.
func itemsEqual(n expr.Node) []expr.Node {
	c, ok := n.(*expr.Compare)
	if !ok || c.Op != expr.Eq {
		return []expr.Node{n}
	}
	l, ok := c.L.(*expr.Tuple)
	r, also := c.R.(*expr.Tuple)
	if !ok || !also || len(l.Items) != len(r.Items) {
		return []expr.Node{n}
	}
	out := make([]expr.Node, len(l.Items))
	for i := range l.Items {
		out[i] = &expr.Compare{Op: expr.Eq, L: l.Items[i], R: r.Items[i]}
	}
	return out
}

// fewParts is the maximum number of key columns for which Row finds the row.
const fewParts = 4

// Row is the only row that satisfies the conditions, in dst's memory if that is large enough. Each condition
// must set one of the key's few columns equal to a constant, and none may be left. params are the values of
// placeholders, env is as in Constants. It is false for other conditions.
func Row(dst []byte, conditions []expr.Node, params []value.Value, env func() *function.Env) ([]byte, bool) {
	var tuple [fewParts]value.Value
	var table *typed.Table
	for _, n := range conditions {
		c, ok := n.(*expr.Compare)
		if !ok || c.Op != expr.Eq {
			return nil, false
		}
		p, ok := c.L.(*typed.Part)
		if !ok || p.Table.OneLen() != len(conditions) || len(conditions) > fewParts || !tuple[p.Part].IsNull() {
			return nil, false
		}
		v := value.Value{}
		switch r := c.R.(type) {
		case *expr.Const:
			v = r.V
		case *expr.Param:
			if r.Index < len(params) {
				v = params[r.Index]
			}
		}
		if v.IsNull() {
			return nil, false
		}
		if tuple[p.Part], ok = p.Exactly(env, v); !ok {
			return nil, false
		}
		if _, less := p.Cut(v); less {
			return nil, false
		}
		table = p.Table
	}
	row, err := table.AppendOne(dst[:0], tuple[:len(conditions)])
	return row, err == nil
}

// keySpans collects the spans of rows.
type keySpans struct {
	limits map[int]*partLimits
	table  *typed.Table
	spans  []interval.PlaceSpan
	exact  bool // each span is
	bound  int  // the number of columns, from the first, from which the spans are made
}

// implies reports whether the limits of a column hold for every key in the spans.
func (k *keySpans) implies(part int, l *partLimits) bool {
	return k.exact && !l.several && part < k.bound && !l.cut
}

// maxKeySpans bounds the spans that result from combining the lists of several columns.
const maxKeySpans = 1 << 14

// from adds the spans of the rows whose first columns have these values. It is false if there are too many,
// or values that a key cannot have.
func (k *keySpans) from(first []value.Value) bool {
	l := k.limits[len(first)]
	switch {
	case len(k.spans) > maxKeySpans:
		return false
	case l == nil || len(first) == k.table.KeyLen():
		k.bound = len(first)
		k.add(k.table.RowsEqual(first))
		return true
	case l.equal == nil:
		k.between(first, l)
		return true
	}
	k.spans = slices.Grow(k.spans, len(l.equal))
	next := append(slices.Clip(first), value.Value{})
	for _, v := range l.equal {
		next[len(first)] = v
		if !k.from(next) {
			return false
		}
	}
	return true
}

// between adds the span of the rows whose next column is within its limits.
func (k *keySpans) between(first []value.Value, l *partLimits) {
	switch {
	case !l.part.Sorts(l.numbers):
		k.bound = len(first)
		k.add(k.table.RowsEqual(first))
		return
	case l.low.Value.IsNull() && l.high.Value.IsNull():
		k.add(k.table.RowsStarting(first, l.head))
		return
	}
	k.bound = len(first) + 1
	low, high := l.low, l.high
	if l.numbers {
		low.Value, _ = l.part.Member(low.Value)
		high.Value, _ = l.part.Member(high.Value)
	}
	k.add(k.table.RowsBetween(first, low, high))
}

// add adds a span of rows.
func (k *keySpans) add(s rowcodec.Span) {
	k.exact = k.exact && s.Exact
	out := interval.PlaceSpan{Lo: interval.BeforeRow(s.Start), Hi: interval.Place{After: true}}
	switch {
	case s.IsRow():
		out.Hi = interval.AfterRow(s.Start)
	case s.End != nil:
		out.Hi = interval.BeforeRow(s.End)
	}
	k.spans = append(k.spans, out)
}
