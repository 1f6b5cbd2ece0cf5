package physical

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec/subquery"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
)

// Decorrelated changes a planned block into one for all outer rows, and reports whether it could. Its errors
// are those of [Complete].
func Decorrelated(q *block.Query, sub *subquery.Subquery, correlations []block.Correlation) (bool, error) {
	own, exists := q.Block, sub.Use.Kind == expr.SubqueryExists
	single := sub.Use.Kind == expr.SubqueryScalar || sub.Use.Kind == expr.SubqueryOperand
	if !exists && !single || !ofRowsAlone(own) || exists && !looksRowsUp(own) {
		return false, nil
	}
	by, keys, ok := takeEqual(own, correlations)
	unsure := slices.ContainsFunc(by, condition.IsComputedNumber)
	if !ok || unsure && len(by) > 1 {
		return false, nil
	}
	sub.Decorrelated, sub.DecorrelatedBy, sub.DecorrelatedUnsure = q.Out, by, unsure
	return true, giveKeys(q, keys, single)
}

// ofRowsAlone reports whether a block's result consists of rows of a stored table or of a pivot of one, or of
// one group of them, and depends on nothing else.
func ofRowsAlone(b *block.Block) bool {
	return ofOneTable(b) && b.Windows == nil && !b.Out.Distinct && !b.Out.Limit.Present && b.Having == nil &&
		len(b.Order) == 0 && len(b.Node.GroupBy) == 0 && len(b.Subqueries) == 0
}

// looksRowsUp reports whether a block only finds rows.
func looksRowsUp(b *block.Block) bool {
	return !b.Aggregated && !slices.ContainsFunc(b.Nodes, condition.Computes)
}

// takeEqual removes the equalities with the outer blocks from WHERE: by are their outer sides, keys their own
// sides. It is false if there are none, or if the block reads outer columns elsewhere.
func takeEqual(b *block.Block, outer []block.Correlation) (by, keys []expr.Node, ok bool) {
	outside := func(index int) bool { return outerAt(outer, index) >= 0 }
	var rest []expr.Node
	for _, n := range b.Where {
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
	if slices.ContainsFunc(b.Computed(), func(n expr.Node) bool { return expr.Reads(n, outside) }) {
		return nil, nil, false
	}
	b.Where, b.Correlations = rest, nil
	return by, keys, len(by) > 0
}

func outerAt(outer []block.Correlation, index int) int {
	return slices.IndexFunc(outer, func(c block.Correlation) bool { return c.Slot == index })
}

// equalOutside finds, in an equality, the key of the outer blocks, over the numbers of their columns, and the
// own side as a key; nil for none.
func equalOutside(n expr.Node, outer []block.Correlation) (own, key expr.Node) {
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

// isKeyOutside reports whether an expression is a column of the outer blocks, or integer arithmetic over
// some, which may fail but does not warn.
func isKeyOutside(n expr.Node, outer []block.Correlation) bool {
	columns, key := 0, true
	expr.Walk(n, func(n expr.Node) bool {
		switch n := n.(type) {
		case *expr.Column:
			at := outerAt(outer, n.Index)
			columns, key = columns+1, key && at >= 0 && condition.IsColumn(outer[at].Outer)
		case *expr.Const, *expr.Param:
		case *expr.Neg:
			key = key && condition.GivesInteger(n.X)
		case *expr.Arith:
			key = key && (n.Op == expr.Plus || n.Op == expr.Minus || n.Op == expr.Times) &&
				condition.GivesInteger(n.L) && condition.GivesInteger(n.R)
		default:
			key = false
		}
		return key
	})
	return key && columns > 0
}

// numbered rewrites an expression over the numbers of the columns of the outer blocks.
func numbered(n expr.Node, outer []block.Correlation) expr.Node {
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

// giveKeys makes a planned block return the keys, followed by its columns if these are wanted. An aggregate
// then has a group for each key.
func giveKeys(q *block.Query, keys []expr.Node, columns bool) error {
	b := q.Block
	if b.Aggregated {
		for _, k := range keys {
			if err := b.AddKey(k); err != nil {
				return err
			}
		}
	}
	items := b.Items
	b.Items, q.Out.Types = nil, nil
	for _, k := range keys {
		if b.KeyIndex != nil {
			k = b.OverKey(k)
		}
		b.Items = append(b.Items, block.Item{Node: k})
	}
	if columns {
		b.Items = append(b.Items, items...)
	}
	b.Nodes, b.Out.Columns = nil, len(b.Items)
	for _, i := range b.Items {
		b.Nodes, q.Out.Types = append(b.Nodes, i.Node), append(q.Out.Types, i.Node.Type())
	}
	return Complete(q)
}
