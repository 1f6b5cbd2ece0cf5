package agg

import (
	"slices"
	"sync/atomic"

	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/pivot"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/setfunc"
	"github.com/hbasekv/hbasekv/sqlfront/grouping"
)

// settled is what the expressions of an aggregation say whatever it reads.
type settled struct {
	keys  []expr.Node // of Keys
	shape *grouping.Shape
	// grows says that the memory of a group grows with its rows, order that some aggregate tells in
	// which order its rows came.
	grows, order bool
	// combines says that parts of groups make up whole ones, and that nothing is evaluated that
	// differs each time; pure that nothing is that has an effect, or runs a subquery.
	combines, pure bool
	// asks says that the argument of an aggregate has a subquery, distinct that one is of different values.
	asks, distinct bool
	// pivot is nil where the aggregation is no pivot.
	pivot *pivot.Shape
}

// Settle keeps what is asked of the expressions each time that it is opened, once that has been found.
// It is called when these are known; without it each who asks finds it again.
func (n *Aggregate) Settle() { n.settled = new(atomic.Pointer[settled]) }

// of is what the expressions say.
func (n *Aggregate) of() *settled {
	if n.settled == nil {
		return n.settle()
	}
	s := n.settled.Load()
	if s == nil {
		s = n.settle()
		n.settled.Store(s)
	}
	return s
}

func (n *Aggregate) settle() *settled {
	s := &settled{combines: true}
	keepsKeys := false
	for _, k := range n.Keys {
		s.keys = append(s.keys, k.Node)
		keepsKeys = keepsKeys || k.Slot >= 0
	}
	reads := slices.Clone(s.keys)
	var aggs []*setfunc.Aggregate
	for _, a := range n.Aggs {
		aggs, reads = append(aggs, a.Agg), append(reads, a.Agg.Reads()...)
		s.grows = s.grows || a.Agg.Grows()
		s.order = s.order || a.Agg.Grows() && !a.Agg.Distinct
		s.distinct = s.distinct || a.Agg.Distinct
		s.combines = s.combines && a.Agg.Combinable()
		s.asks = s.asks || slices.ContainsFunc(a.Agg.Args, op.HasSubquery)
	}
	s.combines = s.combines && !slices.ContainsFunc(reads, expr.IsVolatile)
	s.pure = !slices.ContainsFunc(reads, scan.Impure)
	s.shape = grouping.NewShape(s.keys, n.Captured, keepsKeys, aggs)
	s.pivot = n.pivotShape()
	return s
}

func (n *Aggregate) pivotShape() *pivot.Shape {
	if n.Implicit || len(n.Keys) != 1 || n.Keys[0].Slot >= 0 {
		return nil
	}
	aggs := make([]pivot.Slot, len(n.Aggs))
	for i, a := range n.Aggs {
		aggs[i] = pivot.Slot(a)
	}
	return pivot.NewShape(n.Keys[0].Node, n.Captured, aggs)
}
