package physical

import (
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/pipeline"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
)

// builder finds how the rows of a block are found.
type builder struct {
	*block.Block
	// used are the columns that are read by more than the conditions of their own relation.
	used map[int]bool
	// ordering is true while a join is planned in several orders.
	ordering bool
}

func (b *builder) use(n expr.Node) {
	expr.Columns(n, func(c *expr.Column) { b.used[c.Index] = true })
}

// readOf are the columns of a span that are read by more than the conditions of their own
// relation.
func (b *builder) readOf(first, end int) (out []int) {
	for index := first; index < end; index++ {
		if b.used[index] {
			out = append(out, index)
		}
	}
	return out
}

// within reports whether n reads no relations' columns but the item's.
func (b *builder) within(from block.From, n expr.Node) bool {
	return expr.OnlyColumns(n, func(index int) bool { return block.Holds(from, index) || b.Scope.At(index) == nil })
}

func (b *builder) access(l *block.Leaf, where expr.Node, needV bool) *scan.Access {
	if found := cellLookup(l, where); found != nil {
		where = expr.Conjoin([]expr.Node{where, found})
	}
	a := l.Relation.Access(l.First, where, needV)
	if len(b.Correlations) > 0 || b.Given {
		a.Given = func(index int) bool { return b.Scope.At(index) == nil }
	}
	return a
}

func filtered(child op.Node, where expr.Node) op.Node {
	if where == nil {
		return child
	}
	return &pipeline.Filter{Child: child, Cond: where, Title: "where"}
}
