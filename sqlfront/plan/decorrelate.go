package plan

import (
	"slices"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
)

// A subquery that reads the row around only to set columns of one table, or pivot, equal to
// it has the rows of all rows around at once, by these columns: EXISTS is a semi join with
// them, a scalar subquery an outer join. It is planned once more as a query for both, which
// reads nothing of the blocks around.

// addForAll plans the second way to answer a subquery, which reads its rows once, where there is
// one. What else it needs is planned already: its error is not one.
func (b *blockPlanner) addForAll(sub *exec.Subquery, s *sqlparser.Subquery) error {
	q, correlations, err := b.again(sub, s)
	if q == nil || err != nil {
		return err
	}
	q.readFor(sub.Use)
	if done, err := q.keyed(sub, correlations); done || err != nil {
		return err
	}
	sub.Partnered, err = q.partnered(correlations)
	return err
}

// again plans a correlated block once more; nil where it is none, or gives other rows each time.
func (b *blockPlanner) again(sub *exec.Subquery, s *sqlparser.Subquery) (*query, []correlation, error) {
	if len(sub.Outer) == 0 || sub.Differs || b.twice >= maxTwice {
		return nil, nil, nil
	}
	b.twice++
	reads := b.reads
	q, correlations, err := b.correlated(s.Select, b)
	b.reads = reads // what it reads is noted already
	if err != nil || q.union != nil || len(correlations) != len(sub.Outer) {
		return nil, nil, err
	}
	return q, correlations, nil
}

// keyed makes a planned block one for all rows around, and reports whether it is one.
func (q *query) keyed(sub *exec.Subquery, correlations []correlation) (bool, error) {
	own, exists := q.planner, sub.Use.Kind == expr.SubqueryExists
	single := sub.Use.Kind == expr.SubqueryScalar || sub.Use.Kind == expr.SubqueryOperand
	if !exists && !single || !own.ofRowsAlone() || exists && !own.looksRowsUp() {
		return false, nil
	}
	by, keys, ok := own.takeEqual(correlations)
	unsure := slices.ContainsFunc(by, condition.IsComputedNumber)
	if !ok || unsure && len(by) > 1 {
		return false, nil
	}
	sub.Keyed, sub.KeyedBy, sub.KeyedUnsure = q.out, by, unsure
	return true, q.giveKeys(keys, single)
}

// ofRowsAlone reports whether a block's result is of rows of a stored table, or of a pivot of
// one, or of one group of them, and of nothing else.
func (b *blockPlanner) ofRowsAlone() bool {
	return b.ofOneTable() && b.windows == nil && !b.out.Distinct && !b.out.Limit.Present && b.having == nil &&
		len(b.order) == 0 && len(b.node.GroupBy) == 0 && len(b.subqueries) == 0
}

// ofTable reports whether a derived table is of rows or groups of a stored one.
func (q *query) ofTable() bool {
	b := q.planner
	if b == nil {
		return false
	}
	l, ok := b.from.(*leaf)
	return ok && len(l.lateral) == 0 && l.relation.Stored() && b.windows == nil && !b.out.Limit.Present &&
		len(b.subqueries) == 0 && b.out.Lock == nil && !b.volatile()
}

// looksRowsUp reports whether a block does nothing but to find rows.
func (b *blockPlanner) looksRowsUp() bool {
	return !b.aggregated && !slices.ContainsFunc(b.nodes, condition.Computes)
}

// takeEqual takes the equalities with the blocks around out of WHERE: by is what is read of
// these, keys what equals it. It is false where there are none, or something else is read.
func (b *blockPlanner) takeEqual(outer []correlation) (by, keys []expr.Node, ok bool) {
	outside := func(index int) bool { return outerAt(outer, index) >= 0 }
	var rest []expr.Node
	for _, n := range b.where {
		if !expr.Reads(n, outside) {
			rest = append(rest, n)
			continue
		}
		own, key := equalOutside(n, outer)
		if own == nil || expr.Reads(key, outside) {
			return nil, nil, false
		}
		by, keys = append(by, own), append(keys, key)
	}
	if slices.ContainsFunc(b.computed(), func(n expr.Node) bool { return expr.Reads(n, outside) }) {
		return nil, nil, false
	}
	b.where, b.correlations = rest, nil
	return by, keys, len(by) > 0
}

func outerAt(outer []correlation, index int) int {
	return slices.IndexFunc(outer, func(c correlation) bool { return c.slot == index })
}

// equalOutside is which key of the blocks around, over the numbers of their columns, a condition
// sets equal to something, and what that is as a key; nil for none.
func equalOutside(n expr.Node, outer []correlation) (own, key expr.Node) {
	c, ok := n.(*expr.Compare)
	if !ok || c.Op != expr.Eq {
		return nil, nil
	}
	for _, side := range [][2]expr.Node{{c.L, c.R}, {c.R, c.L}} {
		if !isKeyOutside(side[0], outer) {
			continue
		}
		if x, y, ok := condition.Hashable(side[0], side[1]); ok {
			return numbered(x, outer), y
		}
	}
	return nil, nil
}

// isKeyOutside reports whether an expression is a column of the blocks around, or integer
// arithmetic over some, which may fail and does not warn.
func isKeyOutside(n expr.Node, outer []correlation) bool {
	columns, key := 0, true
	expr.Walk(n, func(n expr.Node) bool {
		switch n := n.(type) {
		case *expr.Column:
			at := outerAt(outer, n.Index)
			columns, key = columns+1, key && at >= 0 && condition.IsColumn(outer[at].outer)
		case *expr.Const, *expr.Param:
		case *expr.Neg:
			key = key && condition.GivesInteger(n.X)
		case *expr.Arith:
			key = key && (n.Op == expr.Plus || n.Op == expr.Minus || n.Op == expr.Times) && condition.GivesInteger(n.L) && condition.GivesInteger(n.R)
		default:
			key = false
		}
		return key
	})
	return key && columns > 0
}

// numbered is an expression over the numbers of the columns of the blocks around.
func numbered(n expr.Node, outer []correlation) expr.Node {
	return expr.Rewrite(n, func(n expr.Node) expr.Node {
		c, ok := n.(*expr.Column)
		if !ok {
			return n
		}
		at := *c
		at.Index = outerAt(outer, c.Index)
		return &at
	})
}

// giveKeys makes a planned block one that gives the keys, and behind them its columns where
// these are wanted. An aggregate has a group for each of them.
func (q *query) giveKeys(keys []expr.Node, columns bool) error {
	b := q.planner
	if b.aggregated {
		for _, k := range keys {
			if err := b.addKey(k); err != nil {
				return err
			}
		}
	}
	items := b.items
	b.items, q.out.Types = nil, nil
	for _, k := range keys {
		if b.keyIndex != nil {
			k = b.overKey(k)
		}
		b.items = append(b.items, item{node: k})
	}
	if columns {
		b.items = append(b.items, items...)
	}
	b.nodes, b.out.Columns = nil, len(b.items)
	for _, i := range b.items {
		b.nodes, q.out.Types = append(b.nodes, i.node), append(q.out.Types, i.node.Type())
	}
	return q.complete()
}
