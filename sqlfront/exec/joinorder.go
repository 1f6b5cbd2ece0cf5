package exec

import (
	"cmp"
	"math"
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/constrain"
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
	Join  Node
	Steps []JoinStep // the relations as they are joined
}

// JoinStep joins a relation with those before it.
type JoinStep struct {
	Relation int // its number
	// Looked says that it is looked up by the rows of those before, else it is read
	// once; LooksAtRow that this is by K alone.
	Looked, LooksAtRow bool
	// Of all but the last step: Conditions is how many there are of the relation and those
	// before, beside those that Key and Of stand for.
	Conditions int
	// Key is one of the relation's keys, -1 for none, and Of are those of others that
	// equal it together, as far as they are of one relation each.
	Key int
	Of  []JoinKey
}

// JoinKey is a key of a relation, by their numbers.
type JoinKey struct{ Relation, Key int }

// Relations are the numbers of the relations, as they are joined.
func (o *JoinedIn) Relations() (out []int) {
	for _, s := range o.Steps {
		out = append(out, s.Relation)
	}
	return out
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

// keptCells is how many cells are read in the time in which a row is kept for a hash join:
// 0.58 us to 0.15.
const keptCells = 4

// choose is the number of an order. A join that looks up what few rows lead to is done as
// it is written: nothing is estimated for it.
func (n *JoinOrder) choose(x *frame) (best int, err error) {
	if x.c.JoinRows > 0 {
		return x.c.JoinRows % len(n.Orders), nil
	}
	sizes := make([]relationSize, len(n.Relations))
	for at, step := range n.Orders[0].Steps {
		i := step.Relation
		if sizes[i], err = n.Relations[i].sizeIn(x); err != nil || !sizes[i].known {
			return 0, err
		}
		if at == 0 && sizes[i].stored <= manyLookups && n.Orders[0].looksUp() {
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

// looksUp reports whether all relations but the first are looked up.
func (o *JoinedIn) looksUp() bool {
	return !slices.ContainsFunc(o.Steps[1:], func(s JoinStep) bool { return !s.Looked })
}

// relationSize is about what a relation has for a statement.
type relationSize struct {
	known    bool
	stored   float64   // cells that are read for all of it
	kept     float64   // rows that its own conditions keep
	perRow   float64   // cells of one K
	distinct []float64 // of its keys
}

// sizeIn estimates the scan of a relation by itself. Single rows are few.
func (r *JoinedRelation) sizeIn(x *frame) (out relationSize, err error) {
	s, _, err := r.Access.prepare(x, request{})
	if err != nil {
		return out, err
	}
	defer func() { err = cmp.Or(err, s.close()) }()
	access := s.con.Access()
	switch {
	case s.empty():
		return relationSize{known: true, distinct: make([]float64, len(r.Keys))}, nil
	case access == constrain.AccessConst || access == constrain.AccessRef:
		few := float64(len(s.con.Ranges))
		return relationSize{known: true, stored: few, kept: few, perRow: 1, distinct: slices.Repeat([]float64{few}, len(r.Keys))}, nil
	case x.c.Estimator == nil:
		return out, nil
	}
	known, unknown := s.judged()
	e, err := s.look(looksJoined, known, r.Keys...)
	if err != nil {
		return out, err
	}
	out = relationSize{known: true, stored: float64(e.Stored), kept: float64(e.Kept) * math.Pow(guessed, float64(unknown)),
		perRow: float64(e.Cells) / float64(max(1, e.Rows))}
	for _, n := range e.Distinct {
		out.distinct = append(out.distinct, float64(n))
	}
	return out, nil
}

// cost is about how many cells are read in the time of the join, but for its rows, which
// are the same in each order. Lookups give way to reading all where there are too many of
// them.
func (o *JoinedIn) cost(sizes []relationSize) float64 {
	first := &sizes[o.Steps[0].Relation]
	cost, rows := first.stored, first.kept
	for i := range o.Steps[1:] {
		if joined := &o.Steps[i]; i > 0 {
			rows *= sizes[joined.Relation].kept * joined.selectivity(sizes)
			cost += rows
		}
		next := &o.Steps[i+1]
		cost += sizes[next.Relation].read(next, rows)
	}
	return cost
}

// read is what it costs to read the relation for so many rows.
func (r *relationSize) read(step *JoinStep, rows float64) float64 {
	lookup := float64(lookupCells)
	switch {
	case !step.Looked:
		return r.stored + keptCells*r.kept
	case step.LooksAtRow:
		lookup += r.perRow
	}
	return min(r.stored, rows*lookup)
}

// selectivity is which part of the pairs with a relation's rows join.
func (s *JoinStep) selectivity(sizes []relationSize) float64 {
	left, right := 1.0, 1.0
	for _, k := range s.Of {
		left *= sizes[k.Relation].distinct[k.Key]
	}
	if s.Key >= 0 {
		right = sizes[s.Relation].distinct[s.Key]
	}
	return selectivity(left, right, s.Conditions)
}
