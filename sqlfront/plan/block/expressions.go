package block

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
)

// Upper are the expressions of the result: items, HAVING, ORDER BY and windows.
func (b *Block) Upper() []expr.Node {
	var out []expr.Node
	for _, it := range b.Items {
		out = append(out, it.Node)
	}
	for _, o := range b.Order {
		out = append(out, o.Expr)
	}
	if b.Having != nil {
		out = append(out, b.Having)
	}
	return append(out, b.Windows.parts()...)
}

// Computed are the expressions of the result and of the groups.
func (b *Block) Computed() []expr.Node {
	out := b.Upper()
	for _, k := range b.Keys {
		out = append(out, k.Node)
	}
	for _, a := range b.Aggs {
		out = append(out, a.Agg.Reads()...)
	}
	return out
}

// All are all expressions of the block.
func (b *Block) All() []expr.Node {
	return append(append(b.Computed(), b.Where...), ConditionsOf(b.From)...)
}

// Volatile reports whether each of the block's rows must be computed: its expressions change the session or
// differ from row to row.
func (b *Block) Volatile() bool {
	if b.isVolatile == nil {
		is := slices.ContainsFunc(b.All(), condition.Volatile)
		b.isVolatile = &is
	}
	return *b.isVolatile
}

// Captured are the relations' columns that are read over the groups.
func (b *Block) Captured() []int {
	seen := map[int]bool{}
	var out []int
	for _, n := range b.Upper() {
		expr.Columns(n, func(c *expr.Column) {
			if b.Scope.At(c.Index) != nil && !seen[c.Index] {
				seen[c.Index] = true
				out = append(out, c.Index)
			}
		})
	}
	return out
}

// Plain reports whether the rows are rows of FROM: without groups, DISTINCT, windows and LIMIT.
func (b *Block) Plain() bool {
	return !b.Aggregated && b.Windows == nil && !b.Out.Distinct && !b.Out.Limit.Present
}

// passesOn reports whether conditions on the i-th column of the result, which is computed from column c of
// the block's rows, may be checked on these.
func (b *Block) passesOn(i int, c *expr.Column, cut bool) bool {
	return !cut && !(b.Aggregated && (len(b.Node.GroupBy) == 0 || b.RolledUp() != nil || !b.Grouped()[c.Index])) &&
		b.Windows.DividedBy(b.Items[i].Node) && !b.Volatile()
}
