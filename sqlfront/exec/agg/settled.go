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

// settled has what the expressions of an aggregation imply, whatever it reads.
type settled struct {
	keys  []expr.Node // of Keys
	shape *grouping.Shape
	// grows says that the memory of a group grows with its rows; order, that an aggregate depends on the
	// order of its rows.
	grows, order bool
	// combines says that parts of groups can be combined, and that no expression is volatile; pure, that no
	// expression has a side effect or runs a subquery.
	combines, pure bool
	// asks says that an aggregate's argument has a subquery; distinct, that an aggregate has DISTINCT.
	asks, distinct bool
	// pivot is nil if the aggregation is not a pivot.
	pivot *pivot.Shape
}

// Settle lets the aggregate cache what its expressions imply. Call it when these are complete; without it,
// each use computes it again.
func (n *Aggregate) Settle() { n.settled = new(atomic.Pointer[settled]) }

// of returns what the expressions imply.
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
