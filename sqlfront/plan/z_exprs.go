package plan

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
)

// upper are the expressions of the result: items, HAVING, ORDER BY and windows.
func (b *Block) upper() []expr.Node {
	var out []expr.Node
	for _, it := range b.items {
		out = append(out, it.node)
	}
	for _, o := range b.order {
		out = append(out, o.Expr)
	}
	if b.having != nil {
		out = append(out, b.having)
	}
	return append(out, b.windows.parts()...)
}

// computed are those of the result and of the groups.
func (b *Block) computed() []expr.Node {
	out := b.upper()
	for _, k := range b.keys {
		out = append(out, k.Node)
	}
	for _, a := range b.aggs {
		out = append(out, a.Agg.Reads()...)
	}
	return out
}

// all are all expressions of the block.
func (b *Block) all() []expr.Node {
	return append(append(b.computed(), b.where...), conditionsOf(b.from)...)
}

// volatile reports whether the block counts on each of its rows being made:
// its expressions act on the session or differ from row to row.
func (b *Block) volatile() bool {
	if b.isVolatile == nil {
		is := slices.ContainsFunc(b.all(), condition.Volatile)
		b.isVolatile = &is
	}
	return *b.isVolatile
}

// captured are the relations' columns that are read over the groups.
func (b *Block) captured() []int {
	seen := map[int]bool{}
	var out []int
	for _, n := range b.upper() {
		expr.Columns(n, func(c *expr.Column) {
			if b.scope.At(c.Index) != nil && !seen[c.Index] {
				seen[c.Index] = true
				out = append(out, c.Index)
			}
		})
	}
	return out
}

// plain reports whether the rows are rows of FROM: neither groups nor DISTINCT
// ones, without windows, nor cut by LIMIT.
func (b *Block) plain() bool {
	return !b.aggregated && b.windows == nil && !b.out.Distinct && !b.out.Limit.Present
}

// passesOn reports whether conditions on the i-th column of the result, which is made of a
// column of the block's rows, may be asked of these.
func (b *Block) passesOn(i int, c *expr.Column, cut bool) bool {
	return !cut && !(b.aggregated && (len(b.node.GroupBy) == 0 || b.rolledUp() != nil || !b.grouped()[c.Index])) &&
		b.windows.dividedBy(b.items[i].node) && !b.volatile()
}
