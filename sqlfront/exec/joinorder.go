package exec

import (
	"cmp"

	"github.com/hbasekv/hbasekv/sqlfront/exec/cost"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
)

// JoinOrder is an inner join of several stored relations, in the order that is
// estimated to cost the least.
type JoinOrder struct {
	// Orders are the ways to join, the one as written first.
	Orders []JoinedIn
	// Relations are what is joined.
	Relations []JoinedRelation
}

// JoinedRelation is a relation by itself.
type JoinedRelation struct {
	Access *Access
	// Keys are what others are set equal to, several expressions each.
	Keys [][]expr.Node
}

// JoinedIn is a join in an order.
type JoinedIn struct {
	Join Node
	cost.Order
}

// open opens the join as written, and another one in its place where that costs less
// than half. What grants an order stays, and what may end early.
func (n *JoinOrder) open(x *frame, want request) (source, grant, error) {
	out, g, err := n.Orders[0].Join.open(x, want)
	if err != nil {
		return nil, g, err
	}
	promised := (g.ordered || g.leading > 0) && len(want.order) > 0 || g.together && len(want.together) > 0
	if promised || want.sequenced || want.limit > 0 || !x.chooses() || x.c.Guard != (Guard{}) {
		return out, g, nil
	}
	best, err := n.choose(x)
	if best == 0 && err == nil {
		return out, g, nil
	}
	if err = cmp.Or(err, out.close()); err != nil {
		return nil, g, err
	}
	return n.Orders[best].Join.open(x, want)
}

// choose is the number of an order.
func (n *JoinOrder) choose(x *frame) (int, error) {
	if x.c.JoinRows > 0 {
		return x.c.JoinRows % len(n.Orders), nil
	}
	orders := make([]cost.Order, len(n.Orders))
	for i := range n.Orders {
		orders[i] = n.Orders[i].Order
	}
	return cost.Choose(orders, func(relation int) (cost.Relation, error) { return n.Relations[relation].sizeIn(x) })
}

// sizeIn estimates the scan of a relation by itself. Single rows are few.
func (r *JoinedRelation) sizeIn(x *frame) (out cost.Relation, err error) {
	s, _, err := r.Access.prepare(x, request{})
	if err != nil {
		return out, err
	}
	defer func() { err = cmp.Or(err, s.close()) }()
	switch {
	case s.empty():
		return cost.FewRows(0, len(r.Keys)), nil
	case s.looksUp():
		return cost.FewRows(len(s.con.Ranges), len(r.Keys)), nil
	case x.c.Estimator == nil:
		return out, nil
	}
	known, unknown := s.judged()
	e, err := s.look(cost.LooksJoined, known, r.Keys...)
	if err != nil {
		return out, err
	}
	return cost.Estimated(e, unknown), nil
}
