package exec

import (
	"math"

	"github.com/hbasekv/hbasekv/sqlfront/constrain"
)

// JoinOrder is an inner join of several stored relations, in the order that is
// estimated to cost the least.
type JoinOrder struct {
	// Orders are the ways to join, the one as written first.
	Orders []JoinedIn
	// Relations are the scans of each relation by itself.
	Relations []*Access
}

// JoinedIn is a join in an order.
type JoinedIn struct {
	Join Node
	// Relations are the numbers of the relations, in the order in which they are
	// joined. Looked says which are looked up by the rows of those before; the others
	// are read once.
	Relations []int
	Looked    []bool
}

// Add adds the next relation.
func (o *JoinedIn) Add(relation int, looked bool) {
	o.Relations, o.Looked = append(o.Relations, relation), append(o.Looked, looked)
}

// open opens the join as written, and another one in its place where that costs less
// than half. What grants an order stays, and what may end early.
func (n *JoinOrder) open(x *frame, want request) (source, grant, error) {
	out, g, err := n.Orders[0].Join.open(x, want)
	if err != nil {
		return nil, g, err
	}
	promised := g.ordered && len(want.order) > 0 || g.together && len(want.together) > 0
	if promised || want.sequenced || want.limit > 0 || !x.chooses() || x.c.Guard != (Guard{}) {
		return out, g, nil
	}
	best, err := n.choose(x)
	if best == 0 && err == nil {
		return out, g, nil
	}
	if err = firstError(err, out.close()); err != nil {
		return nil, g, err
	}
	return n.Orders[best].Join.open(x, want)
}

// choose is the number of an order. A join that begins with few rows is done as it is
// written: nothing is estimated for it.
func (n *JoinOrder) choose(x *frame) (best int, err error) {
	if x.c.JoinRows > 0 {
		return x.c.JoinRows % len(n.Orders), nil
	}
	sizes := make([]relationSize, len(n.Relations))
	for _, i := range n.Orders[0].Relations {
		if sizes[i], err = n.Relations[i].sizeIn(x); err != nil || !sizes[i].known {
			return 0, err
		}
		if i == n.Orders[0].Relations[0] && sizes[i].stored <= manyLookups {
			return 0, nil
		}
	}
	least := n.Orders[0].cost(sizes) / 2
	for i := 1; i < len(n.Orders); i++ {
		if cost := n.Orders[i].cost(sizes); cost < least {
			best, least = i, cost
		}
	}
	return best, nil
}

// relationSize is about what a relation has for a statement.
type relationSize struct {
	known  bool
	stored float64 // cells that are read for all of it
	kept   float64 // rows that its own conditions keep
	perKey float64 // of the rows of one K, that are kept
}

// sizeIn estimates the scan of a relation by itself. Single rows are few.
func (a *Access) sizeIn(x *frame) (out relationSize, err error) {
	s, _, err := a.start(x, request{})
	if err != nil {
		return out, err
	}
	defer func() { err = firstError(err, s.close()) }()
	access := s.con.Access()
	switch {
	case s.empty():
		return relationSize{known: true}, nil
	case access == constrain.AccessConst || access == constrain.AccessRef:
		few := float64(len(s.con.Ranges))
		return relationSize{known: true, stored: few, kept: few, perKey: 1}, nil
	case x.c.Estimator == nil:
		return out, nil
	}
	known, unknown := s.judged()
	o := s.looking(known)
	o.Cells = looksJoined
	e, err := x.c.Estimator.Estimate(x.c.Ctx, s.tables, s.certainScan(), o)
	if err != nil {
		return out, err
	}
	kept := float64(e.Kept) * math.Pow(guessed, float64(unknown))
	return relationSize{known: true, stored: float64(e.Stored), kept: kept, perKey: kept / float64(max(1, e.Rows))}, nil
}

// cost is about how many cells are read, a lookup being as dear as some. Lookups give
// way to reading all where there are too many of them.
func (o *JoinedIn) cost(sizes []relationSize) float64 {
	first := &sizes[o.Relations[0]]
	cost, rows := first.stored, first.kept
	for at, i := range o.Relations[1:] {
		next := &sizes[i]
		if o.Looked[at+1] {
			cost += min(rows*lookupCells, next.stored)
		} else {
			cost += next.stored
		}
		rows *= next.perKey
	}
	return cost + rows
}
