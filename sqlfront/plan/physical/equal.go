package physical

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
)

// equalities are the pairs of columns that inner joins set equal.
func equalities(from block.From) []expr.Node {
	j, ok := from.(*block.Join)
	if !ok || j.Outer {
		return nil
	}
	out := append(equalities(j.Left), equalities(j.Right)...)
	return append(out, j.On...)
}

// spread rewrites the conditions on one side of a join as conditions on the equal keys of the other side.
func (b *builder) spread(conds, equal []expr.Node, to block.From) []expr.Node {
	var out []expr.Node
	classes := condition.ColumnClasses{Equal: equal}
	for _, n := range conds {
		if _, _, pair := condition.EqualColumns(n); pair || !condition.ComparesOnly(n) {
			continue
		}
		for _, l := range leavesOf(to) {
			if moved := b.moveTo(l, n, &classes); moved != nil {
				out = append(out, moved)
			}
		}
	}
	return out
}

// leavesOf are the relations that always have a row in an item's rows and whose keys may be known: stored
// ones, and derived tables over them.
func leavesOf(from block.From) []*block.Leaf {
	switch from := from.(type) {
	case *block.Leaf:
		if from.Relation.Stored() || from.Derived != nil {
			return []*block.Leaf{from}
		}
	case *block.Join:
		if from.Outer {
			return leavesOf(from.Left)
		}
		return append(leavesOf(from.Left), leavesOf(from.Right)...)
	}
	return nil
}

// moveTo is a condition with the leaf's columns in place of those that they are equal to; nil if it reads
// another column, or none.
func (b *builder) moveTo(l *block.Leaf, n expr.Node, classes *condition.ColumnClasses) expr.Node {
	moved, all := false, true
	out := expr.Rewrite(n, func(n expr.Node) expr.Node {
		c, ok := n.(*expr.Column)
		if !ok || b.Scope.At(c.Index) == nil {
			return n
		}
		if other := b.equalKey(l, c, classes); other != nil {
			moved = true
			return other
		}
		all = false
		return n
	})
	if !moved || !all {
		return nil
	}
	return out
}

// equalKey is the leaf's K, Q or T, or prefix of K, that the conditions set equal to the column.
func (b *builder) equalKey(l *block.Leaf, c *expr.Column, classes *condition.ColumnClasses) expr.Node {
	class := classes.Of(c.Index)
	if l.Derived != nil {
		return b.derivedKey(l, c, class)
	}
	at := l.Relation.KeyColumns(l.First)
	for _, k := range []int{at.K, at.Q, at.T} {
		if class[k] && k != c.Index {
			return b.Scope.ColumnAt(k)
		}
	}
	k, length := b.prefixOf(c.Index)
	if length == 0 || !classes.Of(k)[at.K] {
		return nil
	}
	for _, p := range at.Prefixes {
		if p.Length == length && p.Index != c.Index {
			return b.Scope.ColumnAt(p.Index)
		}
	}
	return nil
}

// ofFirst rewrites conditions that set columns equal to use the equal keys of an item's first relation: the
// item's rows come in the order of these keys, so the next join may be by rows, too.
func (b *builder) ofFirst(from block.From, conds []expr.Node) []expr.Node {
	leaves, classes := leavesOf(from), condition.ColumnClasses{Equal: equalities(from)}
	out := slices.Clone(conds)
	for i, n := range conds {
		if _, _, pair := condition.EqualColumns(n); !pair || len(classes.Equal) == 0 || len(leaves) == 0 {
			continue
		}
		out[i] = expr.Rewrite(n, func(n expr.Node) expr.Node {
			if c, ok := n.(*expr.Column); ok && block.Holds(from, c.Index) && !block.Holds(leaves[0], c.Index) {
				if key := b.equalKey(leaves[0], c, &classes); key != nil {
					return key
				}
			}
			return n
		})
	}
	return out
}

// throughOuter adds a condition before those on K of an outer join's right side, which is NULL in rows
// without a partner: that the same column equals K of the first relation, in whose order the rows come. This
// holds in all rows that join.
func (b *builder) throughOuter(from block.From, conds []expr.Node) []expr.Node {
	var implied []expr.Node
	for _, n := range conds {
		x, y, pair := condition.EqualColumns(n)
		if !pair {
			continue
		}
		if block.Holds(from, x.Index) {
			x, y = y, x
		}
		if first := firstOf(from, y); first != nil && first != y && !block.Holds(from, x.Index) && b.isRowKey(first) {
			implied = append(implied, &expr.Compare{Op: expr.Eq, L: x, R: first})
		}
	}
	return append(implied, conds...)
}

// firstOf is the column of an item's first relation that a column equals unless it is NULL; nil if the joins
// do not tell.
func firstOf(from block.From, c *expr.Column) *expr.Column {
	for c != nil {
		j, ok := from.(*block.Join)
		if !ok {
			break
		}
		if from = j.Left; !block.Holds(from, c.Index) {
			c = equalOfLeft(j, c)
		}
	}
	return c
}

// equalOfLeft is the column of a join's left side that the join sets equal to a column of the right side; nil
// for none.
func equalOfLeft(j *block.Join, c *expr.Column) *expr.Column {
	for _, n := range j.On {
		x, y, pair := condition.EqualColumns(n)
		if pair && y.Index == c.Index {
			x, y = y, x
		}
		if pair && x.Index == c.Index && block.Holds(j.Left, y.Index) {
			return y
		}
	}
	return nil
}

// isRowKey reports whether a column is K of a stored relation.
func (b *builder) isRowKey(c *expr.Column) bool {
	for _, p := range b.Scope.Parts {
		if p.Relation.Stored() && len(p.Nodes) > 0 && p.Relation.KeyColumns(p.Nodes[0].Index).K == c.Index {
			return true
		}
	}
	return false
}

// derivedKey is the derived table's column that is a key in its query and belongs to the class.
func (b *builder) derivedKey(l *block.Leaf, c *expr.Column, class map[int]bool) expr.Node {
	for i := range l.Relation.Columns {
		if at := l.First + i; class[at] && at != c.Index && l.Derived.KeyOf(i) >= 0 {
			return b.Scope.ColumnAt(at)
		}
	}
	return nil
}

// prefixOf is the K that a generated column is a prefix of, and its length in bytes.
func (b *builder) prefixOf(index int) (k, length int) {
	for _, p := range b.Scope.Parts {
		if !p.Relation.Stored() || len(p.Nodes) == 0 {
			continue
		}
		at := p.Relation.KeyColumns(p.Nodes[0].Index)
		for _, prefix := range at.Prefixes {
			if prefix.Index == index {
				return at.K, prefix.Length
			}
		}
	}
	return 0, 0
}
