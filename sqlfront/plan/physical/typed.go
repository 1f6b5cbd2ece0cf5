package physical

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec/join"
	"github.com/hbasekv/hbasekv/sqlfront/exec/lookup"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/typedscan"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
)

// buildTyped makes the node of a typed table: conditions on its key go to the access to its cells, the others
// are checked on its rows. other is the side of a join whose rows are known when it is opened, nil for none.
func (b *builder) buildTyped(l *block.Leaf, other block.From, conds []expr.Node) op.Node {
	if l.Cells == 0 {
		l.Cells = b.Width
		b.Width += l.Relation.CellColumns()
	}
	given := b.givenBy(other)
	k := typedscan.RowColumn(l.Cells, l.Relation.Family())
	var onRow, rest []expr.Node
	for _, cond := range conds {
		if moved := typedscan.OfRow(cond, l.Relation.Typed, l.First, k, given); moved != nil && condition.Pushable(cond) {
			onRow = append(onRow, moved)
			continue
		}
		if moved := onMoment(l, cond, given); moved != nil && condition.Pushable(cond) {
			onRow = append(onRow, moved)
			continue
		}
		if n := semiOf(l, k, cond); n != nil {
			onRow = append(onRow, n)
		}
		rest = append(rest, cond)
		b.use(cond)
	}
	if n := lookupOf(l, k, conds, given); n != nil {
		onRow = append(onRow, n)
	}
	cells := l.Relation.AccessCells(l.Cells, expr.Conjoin(onRow))
	if other != nil || len(b.Correlations) > 0 || b.Given {
		cells.Given = func(index int) bool { return !cells.Has(index) && given(index) }
	}
	var read []int
	for _, at := range b.readOf(l.Span()) {
		if at -= l.First; at < len(l.Relation.Typed.Columns) {
			read = append(read, at)
		}
	}
	of := typedscan.New
	if l.Relation.OfMoments() {
		of = typedscan.NewHistory
	}
	return filtered(of(cells, l.Relation.Typed, l.First, read, l.Virtual), expr.Conjoin(rest))
}

// onMoment rewrites a condition on the moment of a row alone as one on the times of its cells; nil for any
// other.
func onMoment(l *block.Leaf, cond expr.Node, given func(index int) bool) expr.Node {
	if !l.Relation.OfMoments() {
		return nil
	}
	found, other, moment := false, false, l.Relation.MomentOfCells(l.Cells)
	moved := expr.Rewrite(cond, func(n expr.Node) expr.Node {
		c, ok := n.(*expr.Column)
		switch {
		case !ok:
			return n
		case c.Index == l.First+len(l.Relation.Typed.Columns):
			found = true
			return moment
		}
		other = other || !given(c.Index)
		return n
	})
	if !found || other {
		return nil
	}
	return moved
}

// givenBy reports which columns have values before a relation is opened: those of the other side of a join,
// which may be nil, and of the outer blocks.
func (b *builder) givenBy(other block.From) func(index int) bool {
	return func(index int) bool { return other != nil && block.Holds(other, index) || b.Scope.At(index) == nil }
}

// addByKeys makes a join find the rows of a typed table on its right side by the keys of one left row, or of
// all, if these lead to rows.
func (b *builder) addByKeys(out *join.Join, j *block.Join, l *block.Leaf, right, both []expr.Node) {
	face := l.Relation.Typed
	isKey := func(index int) bool {
		at := index - l.First
		return block.Holds(l, index) && face.KeyPart(at) == 0 && !face.HasCell(at)
	}
	isIndexed := func(index int) bool { return block.Holds(l, index) && leadsIndex(l, index-l.First) }
	for _, leads := range []func(int) bool{isKey, isIndexed} {
		column, key := b.keyOf(j, both, leads)
		if column == nil || slices.ContainsFunc(right, condition.Settles(leads)) {
			continue
		}
		each, keys := slices.Concat(right, both), &op.Keys{}
		out.ByKey = b.byIndexes(l, j.Left, each)
		if _, ok := key.(*expr.Column); !ok {
			return // it may warn
		}
		among := append(slices.Clone(right), &lookup.Keys{X: column, Of: keys, T: key.Type()})
		out.Among = &join.Among{Rows: b.byIndexes(l, nil, among), Key: key, Keys: keys}
		return
	}
}
