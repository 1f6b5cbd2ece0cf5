package physical

import (
	"slices"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/exec/cost"
	"github.com/hbasekv/hbasekv/sqlfront/exec/join"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
)

// An inner join of stored relations is planned in several orders: as it is written, and beginning with each
// of the relations, which leads to the next by its keys if it can. The order is chosen when the join is
// opened, by the estimates of that time: a plan is cached and knows no data. For two relations without
// lookups, the order says which one is kept in memory.

// maxOrdered is the largest number of relations that are planned in other orders.
const maxOrdered = 5

// joinList is an inner join as a list.
type joinList struct {
	leaves []*block.Leaf
	on     []expr.Node
}

// listOf is a join whose right sides are all stored relations; false if its order must not change.
func listOf(from block.From) (out joinList, ok bool) {
	switch from := from.(type) {
	case *block.Leaf:
		return joinList{leaves: []*block.Leaf{from}}, from.Relation.Stored()
	case *block.Join:
		if out, ok = listOf(from.Left); !ok || from.Outer || from.Straight {
			return out, false
		}
		right, isLeaf := from.Right.(*block.Leaf)
		if !isLeaf || !right.Relation.Stored() {
			return out, false
		}
		out.leaves, out.on = append(out.leaves, right), append(out.on, from.On...)
	}
	return out, true
}

// ordered is the join in several orders, nil if there are none. The order stays for rows that will be
// changed, and if a condition depends on more than its columns.
func (b *builder) ordered(j *block.Join, conds []expr.Node) (op.Node, error) {
	list, ok := listOf(j)
	all := append(slices.Clone(conds), list.on...)
	if n := len(list.leaves); !ok || n > maxOrdered || b.Changes || n == 2 && !b.keepsRight(j, all) ||
		b.Node.Hints == sqlparser.StraightJoinHint || slices.ContainsFunc(all, condition.Immovable) {
		return nil, nil
	}
	written, err := b.buildJoin(j, conds)
	if err != nil {
		return nil, err
	}
	out := &join.JoinOrder{Orders: []join.JoinedIn{{Join: written}}}
	keys := keyLists{b, &list, all, make([]join.JoinedRelation, len(list.leaves))}
	var before []int
	for i, leaf := range list.leaves {
		from := list.upTo(i)
		looked := i > 0 && b.leadsToRows(&block.Join{Left: from}, leaf, all)
		out.Orders[0].Steps = append(out.Orders[0].Steps, keys.step(from, before, i, looked))
		before = append(before, i)
	}
	for _, first := range list.beginnings() {
		if err := b.addOrder(out, &list, first, conds, &keys); err != nil {
			return nil, err
		}
	}
	out.Relations = keys.accesses()
	if len(out.Orders) == 1 {
		return written, nil
	}
	return out, nil
}

// keepsRight reports whether a join keeps its right side in memory, and is opened once only.
func (b *builder) keepsRight(j *block.Join, conds []expr.Node) bool {
	return len(b.Correlations) == 0 && !b.Given && !b.leadsToRows(j, j.Right.(*block.Leaf), conds)
}

// upTo is the join of the first n relations of the list.
func (l *joinList) upTo(n int) (out block.From) {
	for i, next := range l.leaves[:n] {
		if i == 0 {
			out = next
		} else {
			out = &block.Join{Left: out, Right: next}
		}
	}
	return out
}

// beginnings are the relations that orders begin with: each pair, of up to three relations, which covers all
// orders; each single one, of more.
func (l *joinList) beginnings() (out [][]int) {
	for i := range l.leaves {
		if len(l.leaves) > 3 {
			out = append(out, []int{i})
			continue
		}
		for j := range l.leaves {
			if i != j {
				out = append(out, []int{i, j})
			}
		}
	}
	return out
}

// addOrder adds the order that begins with some relations, unless it needs a cross product or exists already.
func (b *builder) addOrder(to *join.JoinOrder, l *joinList, begin []int, conds []expr.Node, keys *keyLists) error {
	var from block.From = l.leaves[begin[0]]
	all, on := append(slices.Clone(conds), l.on...), slices.Clone(l.on)
	out := join.JoinedIn{Order: cost.Order{Steps: []cost.Step{keys.step(nil, nil, begin[0], false)}}}
	for len(out.Steps) < len(l.leaves) {
		next, looked := b.nextOf(from, l, out.Relations(), all, begin)
		if next < 0 {
			return nil
		}
		j := &block.Join{Left: from, Right: l.leaves[next]}
		within := func(n expr.Node) bool { return b.within(j, n) }
		for _, n := range on {
			if within(n) {
				j.On = append(j.On, n)
			}
		}
		on = slices.DeleteFunc(on, within)
		out.Steps = append(out.Steps, keys.step(from, out.Relations(), next, looked))
		from = j
	}
	same := func(o join.JoinedIn) bool { return slices.Equal(o.Relations(), out.Relations()) }
	if slices.ContainsFunc(to.Orders, same) {
		return nil
	}
	var err error
	if out.Join, err = b.buildJoin(from.(*block.Join), conds); err == nil {
		to.Orders = append(to.Orders, out)
	}
	return err
}

// nextOf is the relation to join next: the next of begin, one that can be looked up, else one with an
// equality; -1 for none.
func (b *builder) nextOf(
	from block.From, l *joinList, done []int, conds []expr.Node, begin []int,
) (next int, looked bool) {
	next = -1
	for i, leaf := range l.leaves {
		if slices.Contains(done, i) || len(done) < len(begin) && begin[len(done)] != i {
			continue
		}
		j := &block.Join{Left: from, Right: leaf}
		if b.leadsToRows(j, leaf, conds) {
			return i, true
		}
		if keys, _ := b.hashKeys(j, conds); next < 0 && len(keys) > 0 {
			next = i
		}
	}
	return next, false
}
