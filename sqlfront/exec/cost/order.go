package cost

import (
	"slices"

	"github.com/hbasekv/hbasekv/kv"
)

// Order is an order in which relations are joined.
type Order struct{ Steps []Step }

// Step joins a relation with those before it.
type Step struct {
	Relation int // its number
	// Looked says that it is looked up by the rows of those before, otherwise it is read once;
	// LooksAtRow says that it is looked up by K only.
	Looked, LooksAtRow bool
	// Conditions, of all steps but the last, counts the conditions on the relation and those
	// before, besides the equalities of Key and Of.
	Conditions int
	// Key is one of the relation's keys, or -1; Of are the keys of other relations that together
	// equal it, each of one relation.
	Key int
	Of  []Key
}

// Key is a key of a relation; both are numbers.
type Key struct{ Relation, Key int }

// Relations returns the numbers of the relations, in the order of the joins.
func (o *Order) Relations() (out []int) {
	for _, s := range o.Steps {
		out = append(out, s.Relation)
	}
	return out
}

// keptCells is how many cells can be read in the time in which a row is kept for a hash join: 0.58
// us to 0.15.
const keptCells = 4

// Choose returns the number of an order that costs less than half of the first, which is the one as
// written, or 0. If few rows lead the lookups of a join, it is done as written and nothing is
// estimated. sizeOf estimates a relation; if it does not know one, or fails, the order stays.
func Choose(orders []Order, sizeOf func(relation int) (Relation, error)) (best int, err error) {
	sizes := make([]Relation, len(orders[0].Steps))
	for at, step := range orders[0].Steps {
		i := step.Relation
		if sizes[i], err = sizeOf(i); err != nil || !sizes[i].Known {
			return 0, err
		}
		if at == 0 && sizes[i].Stored <= manyLookups && orders[0].looksUp() {
			return 0, nil
		}
	}
	least := orders[0].cost(sizes) / 2
	for i := 1; i < len(orders); i++ {
		if cost := orders[i].cost(sizes); cost < least {
			best, least = i, cost
		}
	}
	return best, nil
}

// looksUp reports whether all relations but the first are looked up.
func (o *Order) looksUp() bool {
	return !slices.ContainsFunc(o.Steps[1:], func(s Step) bool { return !s.Looked })
}

// cost estimates how many cells could be read in the time of the join, without its rows, which are
// the same in each order. If there are too many lookups, everything is read instead.
func (o *Order) cost(sizes []Relation) float64 {
	first := &sizes[o.Steps[0].Relation]
	cost, rows := first.Stored, first.Kept
	for i := range o.Steps[1:] {
		if joined := &o.Steps[i]; i > 0 {
			rows *= sizes[joined.Relation].Kept * joined.selectivity(sizes)
			cost += rows
		}
		next := &o.Steps[i+1]
		cost += sizes[next.Relation].read(next, rows)
	}
	return cost
}

// selectivity is the fraction of the pairs with a relation's rows that join.
func (s *Step) selectivity(sizes []Relation) float64 {
	left, right := 1.0, 1.0
	for _, k := range s.Of {
		left *= sizes[k.Relation].Distinct[k.Key]
	}
	if s.Key >= 0 {
		right = sizes[s.Relation].Distinct[s.Key]
	}
	return Selectivity(left, right, s.Conditions)
}

// Relation estimates what a statement reads of a relation.
type Relation struct {
	Known    bool
	Stored   float64   // cells read for all of it
	Kept     float64   // rows that meet its own conditions
	PerRow   float64   // cells of each row
	Distinct []float64 // values of each of its keys
}

// FewRows returns a relation of so many rows, which its conditions name, with so many keys.
func FewRows(rows, keys int) Relation {
	few := float64(rows)
	return Relation{Known: true, Stored: few, Kept: few, PerRow: 1, Distinct: slices.Repeat([]float64{few}, keys)}
}

// Estimated returns the relation of an estimate, with so many conditions that were not tested on
// its cells.
func Estimated(e kv.Estimate, unknown int) Relation {
	out := Relation{Known: true, Stored: float64(e.Stored), Kept: float64(e.Kept) * Guess(unknown),
		PerRow: float64(e.Cells) / float64(max(1, e.Rows))}
	for _, n := range e.Distinct {
		out.Distinct = append(out.Distinct, float64(n))
	}
	return out
}

// read returns the cost of reading the relation for so many rows.
func (r *Relation) read(step *Step, rows float64) float64 {
	lookup := float64(LookupCells)
	switch {
	case !step.Looked:
		return r.Stored + keptCells*r.Kept
	case step.LooksAtRow:
		lookup += r.PerRow
	}
	return min(r.Stored, rows*lookup)
}
