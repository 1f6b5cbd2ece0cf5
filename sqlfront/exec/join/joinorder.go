package join

import (
	"cmp"

	"github.com/hbasekv/hbasekv/sqlfront/exec/cost"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
)

// JoinOrder is an inner join of several stored relations, in the order that is
// estimated to cost the least.
type JoinOrder struct {
	// Orders are the possible orders, the one as written first.
	Orders []JoinedIn
	// Relations are the joined relations.
	Relations []JoinedRelation
}

// JoinedRelation is one of them.
type JoinedRelation struct {
	Access *scan.Access
	// Keys are what others are set equal to, each of several expressions.
	Keys [][]expr.Node
}

// JoinedIn is a join in an order.
type JoinedIn struct {
	Join op.Node
	cost.Order
}

// Open opens the join as written, or another one if that costs less than half. A relation that
// provides the desired order stays first, and so does one that may end early. Errors are those of
// the joins.
func (n *JoinOrder) Open(x *op.Frame, want op.Desired) (op.Operator, op.Provided, error) {
	out, g, err := n.Orders[0].Join.Open(x, want)
	if err != nil {
		return nil, g, err
	}
	promised := (g.Ordered || g.Leading > 0) && len(want.Order) > 0 || g.Together && len(want.Together) > 0
	if promised || want.Sequenced || want.Limit > 0 || !x.Chooses() || x.Context.Guard != (op.Guard{}) {
		return out, g, nil
	}
	best, err := n.choose(x)
	if best == 0 && err == nil {
		return out, g, nil
	}
	if err = cmp.Or(err, out.Close()); err != nil {
		return nil, g, err
	}
	return n.Orders[best].Join.Open(x, want)
}

// choose returns the number of an order.
func (n *JoinOrder) choose(x *op.Frame) (int, error) {
	if x.Context.JoinRows > 0 {
		return x.Context.JoinRows % len(n.Orders), nil
	}
	orders := make([]cost.Order, len(n.Orders))
	for i := range n.Orders {
		orders[i] = n.Orders[i].Order
	}
	return cost.Choose(orders, func(relation int) (cost.Relation, error) { return n.Relations[relation].sizeIn(x) })
}

// sizeIn estimates the scan of the relation by itself. Single rows are not estimated.
func (r *JoinedRelation) sizeIn(x *op.Frame) (out cost.Relation, err error) {
	s, _, err := r.Access.Prepare(x, op.Desired{})
	if err != nil {
		return out, err
	}
	defer func() { err = cmp.Or(err, s.Close()) }()
	switch {
	case s.Empty():
		return cost.FewRows(0, len(r.Keys)), nil
	case s.LooksUp():
		return cost.FewRows(len(s.Con.Ranges), len(r.Keys)), nil
	case x.Context.Estimator == nil:
		return out, nil
	}
	known, unknown := s.Judged()
	e, err := s.Look(cost.LooksJoined, known, r.Keys...)
	if err != nil {
		return out, err
	}
	return cost.Estimated(e, unknown), nil
}
