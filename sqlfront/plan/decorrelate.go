package plan

import (
	"slices"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
)

// EXISTS of the rows of one table that equal the row around in some columns asks whether
// these are among those of all its rows: a semi join. The subquery is planned once more
// as a query for those columns, which reads nothing of the blocks around.

// addExisting plans the second way to answer an EXISTS, where there is one. What else it
// needs is planned already: its error is not one.
func (b *blockPlanner) addExisting(sub *exec.Subquery, s *sqlparser.Subquery) error {
	if sub.Use.Kind != expr.SubqueryExists || len(sub.Outer) == 0 || b.twice >= maxTwice {
		return nil
	}
	b.twice++
	reads := b.reads
	q, correlations, err := b.correlated(s.Select, b)
	b.reads = reads // what it reads is noted already
	if err != nil || q.union != nil || len(correlations) != len(sub.Outer) || !q.planner.looksRowsUp() {
		return err
	}
	of, keys, ok := q.planner.takeEqual(correlations)
	if !ok {
		return nil
	}
	if err := q.giveKeys(keys); err != nil {
		return err
	}
	sub.Existing, sub.ExistingOf = q.out, of
	return nil
}

// looksRowsUp reports whether a block does nothing but to find rows of a stored table.
func (b *blockPlanner) looksRowsUp() bool {
	l, ok := b.from.(*leaf)
	return ok && l.relation.stored() && b.plain() && b.having == nil && len(b.order) == 0 && len(b.subqueries) == 0 &&
		b.out.Lock == nil && !b.volatile() && !slices.ContainsFunc(b.nodes, computes)
}

// computes reports whether an expression is more than a column or a constant.
func computes(n expr.Node) bool {
	switch n.(type) {
	case *expr.Column, *expr.Const, *expr.Param:
		return false
	}
	return true
}

// takeEqual takes the equalities with the blocks around out of WHERE: of are the numbers of
// what is read of these, keys what equals it. It is false where there are none, or something
// else is read.
func (b *blockPlanner) takeEqual(outer []correlation) (of []int, keys []expr.Node, ok bool) {
	outside := func(index int) bool { return outerAt(outer, index) >= 0 }
	var rest []expr.Node
	for _, n := range b.where {
		if !expr.Reads(n, outside) {
			rest = append(rest, n)
			continue
		}
		at, key := equalOutside(n, outer)
		if at < 0 || expr.Reads(key, outside) {
			return nil, nil, false
		}
		of, keys = append(of, at), append(keys, key)
	}
	for _, n := range b.nodes {
		if expr.Reads(n, outside) {
			return nil, nil, false
		}
	}
	b.where, b.correlations = rest, nil
	return of, keys, len(of) > 0
}

func outerAt(outer []correlation, index int) int {
	return slices.IndexFunc(outer, func(c correlation) bool { return c.slot == index })
}

// equalOutside is which column of the blocks around a condition sets equal to something, and
// what that is as a key; -1 for none.
func equalOutside(n expr.Node, outer []correlation) (at int, key expr.Node) {
	c, ok := n.(*expr.Compare)
	if !ok || c.Op != expr.Eq {
		return -1, nil
	}
	for _, side := range [][2]expr.Node{{c.L, c.R}, {c.R, c.L}} {
		column, plain := side[0].(*expr.Column)
		if !plain {
			continue
		}
		if at = outerAt(outer, column.Index); at < 0 || !isColumn(outer[at].outer) {
			continue
		}
		if x, y, ok := hashable(column, side[1]); ok && x == expr.Node(column) {
			return at, y
		}
	}
	return -1, nil
}

// giveKeys makes a planned block one that gives the keys.
func (q *query) giveKeys(keys []expr.Node) error {
	b := q.planner
	b.nodes, b.items, b.out.Columns = keys, nil, len(keys)
	q.out.Types = nil
	for _, k := range keys {
		b.items = append(b.items, item{node: k})
		q.out.Types = append(q.out.Types, k.Type())
	}
	return q.complete()
}
