package physical

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec/cost"
	"github.com/hbasekv/hbasekv/sqlfront/exec/join"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
)

// keyLists collects the keys by which the relations of a join are joined, in any order: the estimates need
// the number of distinct values of each.
type keyLists struct {
	builder   *builder
	list      *joinList
	conds     []expr.Node
	relations []join.JoinedRelation
}

// step is how a relation is joined with those before it, which from consists of. The number of rows after the
// last step is not needed.
func (k *keyLists) step(from block.From, before []int, next int, looked bool) cost.Step {
	leaf := k.list.leaves[next]
	out := cost.Step{Relation: next, Looked: looked, Key: -1}
	if from == nil {
		return out
	}
	j := &block.Join{Left: from, Right: leaf}
	own, of, conditions := k.divide(j, before)
	q := leaf.Relation.KeyColumns(leaf.First).Q
	out.LooksAtRow = looked && !slices.ContainsFunc(own, func(n expr.Node) bool { return condition.IsColumnAt(n, q) })
	if len(before)+1 == len(k.list.leaves) {
		return out
	}
	out.Conditions = conditions
	for i, list := range of {
		if len(list) > 0 {
			out.Of = append(out.Of, cost.Key{Relation: i, Key: k.key(i, list)})
		}
	}
	if len(own) > 0 {
		out.Key = k.key(next, own)
	}
	return out
}

// divide finds what the join's conditions set equal: expressions of the right side (own), the equal ones of
// each earlier relation (of), and the number of the other conditions.
func (k *keyLists) divide(j *block.Join, before []int) (own []expr.Node, of [][]expr.Node, others int) {
	of = make([][]expr.Node, len(k.list.leaves))
	for _, n := range k.conds {
		if !k.builder.within(j, n) || k.builder.within(j.Left, n) || k.builder.within(j.Right, n) {
			continue
		}
		x, y := sides(j, n)
		switch {
		case x == nil:
			others++
		case !condition.Has(own, x):
			own = append(own, x)
			if i := slices.IndexFunc(before, func(i int) bool { return readsOnly(k.list.leaves[i], y) }); i >= 0 {
				of[before[i]] = append(of[before[i]], y)
			}
		}
	}
	return own, of, others
}

// sides are the operands of an equality: x of the right side, y of the left.
func sides(j *block.Join, n expr.Node) (x, y expr.Node) {
	for _, side := range expr.Equated(n) {
		if readsOnly(j.Right, side[0]) && readsOnly(j.Left, side[1]) {
			return side[0], side[1]
		}
	}
	return nil, nil
}

// readsOnly reports whether an expression reads nothing but an item's columns.
func readsOnly(from block.From, n expr.Node) bool {
	return expr.OnlyColumns(n, func(index int) bool { return block.Holds(from, index) })
}

// key is the number of a relation's key, which is added if it is new.
func (k *keyLists) key(relation int, list []expr.Node) int {
	r := &k.relations[relation]
	same := func(other []expr.Node) bool {
		missing := func(n expr.Node) bool { return !condition.Has(other, n) }
		return len(other) == len(list) && !slices.ContainsFunc(list, missing)
	}
	if i := slices.IndexFunc(r.Keys, same); i >= 0 {
		return i
	}
	r.Keys = append(r.Keys, list)
	return len(r.Keys) - 1
}

// accesses are the relations by themselves, with their own conditions.
func (k *keyLists) accesses() []join.JoinedRelation {
	for i, leaf := range k.list.leaves {
		own := slices.DeleteFunc(slices.Clone(k.conds), func(n expr.Node) bool { return !k.builder.within(leaf, n) })
		v := leaf.Relation.KeyColumns(leaf.First).V
		readsV := func(n expr.Node) bool { return expr.Reads(n, func(index int) bool { return index == v }) }
		needV := slices.ContainsFunc(slices.Concat(k.relations[i].Keys...), readsV)
		k.relations[i].Access = k.builder.access(leaf, expr.Conjoin(own), needV)
	}
	return k.relations
}
