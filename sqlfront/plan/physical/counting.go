package physical

import (
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/setfunc"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
)

// countingRows tells which rows grouping expressions and aggregates need. rowOnly says that they depend on K
// alone and count no value twice. Else counting is the condition on Q that holds for all rows whose other
// columns count, as in pivots: MAX(CASE WHEN Q = 'x' THEN V END). It is nil if all rows count.
func (b *builder) countingRows(from block.From) (rowOnly bool, counting *op.Counting) {
	var nodes, conds []expr.Node
	for _, k := range b.Keys {
		nodes = append(nodes, k.Node)
	}
	for _, c := range b.Captured() {
		nodes = append(nodes, &expr.Column{Index: c})
	}
	if !b.rowOnly(from, nodes) {
		return false, nil
	}
	for _, a := range b.Aggs {
		if b.countsRowsOnly(from, a.Agg) {
			continue
		}
		n := b.countingIn(from, a.Agg)
		if n == nil {
			return false, nil
		}
		conds = append(conds, n...)
	}
	if len(conds) == 0 {
		return true, nil
	}
	return false, newCounting(&expr.Or{List: conds}, from.(*block.Leaf)) // rowOnly has found that it is one
}

func newCounting(cond expr.Node, of *block.Leaf) *op.Counting {
	c := &op.Counting{Cond: cond, Settled: true}
	expr.Walk(cond, func(n expr.Node) bool {
		switch n.(type) {
		case *expr.Or, *expr.And, *expr.Not, *expr.Compare, *expr.In, *expr.Between, *expr.Column, *expr.Const:
		default: // it may have a placeholder, or depend on the session
			c.Settled = false
		}
		return c.Settled
	})
	if c.Settled {
		c.Wanted = scan.WantedBy(cond, of.Relation.KeyColumns(of.First), nil)
	}
	return c
}

// countsRowsOnly reports whether one of many rows with the same K is enough for an aggregate.
func (b *builder) countsRowsOnly(from block.From, a *setfunc.Aggregate) bool {
	return (a.Distinct || a.Name == "MIN" || a.Name == "MAX") && b.rowOnly(from, a.Reads())
}

// countingIn are conditions on Q, one of which holds for each row that an aggregate of a CASE uses; nil if
// they are unknown. Evaluating the CASE for other rows has no effect.
func (b *builder) countingIn(from block.From, a *setfunc.Aggregate) (out []expr.Node) {
	choice := a.Choice()
	if choice == nil {
		return nil
	}
	l := from.(*block.Leaf) // rowOnly has found that it is one
	q := l.Relation.KeyColumns(l.First).Q
	for _, w := range choice.Whens {
		cond := w.Cond
		if choice.X != nil {
			cond = &expr.Compare{Op: expr.Eq, L: choice.X, R: w.Cond}
		}
		first := expr.Conjuncts(cond)[0] // others are evaluated only if it holds
		isQ := func(i int) bool { return i == q }
		if !expr.OnlyColumns(first, isQ) || !expr.Reads(first, isQ) || expr.IsVolatile(first) {
			return nil
		}
		out = append(out, first)
	}
	return out
}
