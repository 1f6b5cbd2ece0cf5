package query

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec/agg"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/order"
	"github.com/hbasekv/hbasekv/sqlfront/exec/pipeline"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
)

// sort sorts the rows of an operator, which have been computed.
func (b *Select) sort(x *op.Frame, rows, src op.Operator, g op.Provided, limit int64) op.Operator {
	if g.Leading > 0 {
		within := order.NewSortedWithin(x, rows, b.Order, g.Leading, limit)
		_, within.Plain = scan.Of(src)
		return within
	}
	out := order.NewSorted(x, rows, b.Order, limit)
	if !b.Distinct {
		out.InParallel(&b.Projection, src)
	}
	return out
}

// leading returns the wish for rows in the order of the first keys, of which limit are wanted, 0
// for all. DISTINCT without limit finds equal rows in parts.
func (b *Select) leading(limit int64) op.Leading {
	switch {
	case len(b.Order) < 2 || b.Distinct && limit == 0:
		return op.NotLeading
	case limit == 0:
		return op.LeadsAll
	}
	return op.LeadsFirst
}

// Different returns the distinct rows of a SELECT that is read completely, in the order of the
// first of each: as groups by all columns, in batches and on several goroutines.
func (b *Select) Different(x *op.Frame, src op.Operator, together bool) *pipeline.Project {
	nodes, width := b.Projection.Nodes, len(src.Env().Row)
	n := &agg.Aggregate{Captured: columnsReadBy(nodes[b.Columns:]), Width: width + b.Columns, RowColumn: -1,
		Distinct: true}
	columns := slices.Clone(nodes)
	for i, node := range nodes[:b.Columns] {
		n.Keys = append(n.Keys, agg.GroupKey{Node: node, Slot: width + i})
		columns[i] = &expr.Column{Index: width + i, T: node.Type()}
	}
	n.Settle()
	over := pipeline.NewProjection(columns)
	if !together {
		return over.Start(x, n.Hashed(x, src, op.Desired{}))
	}
	return over.Start(x, n.Streamed(x, src, op.Desired{}))
}

// distinct returns the distinct rows of an operator; together says that equal rows are consecutive,
// all that all rows are read.
func (b *Select) distinct(x *op.Frame, src, rows op.Operator, together, all bool) op.Operator {
	hidden := b.Projection.Nodes[b.Columns:]
	if all && pipeline.Large(x.Context, pipeline.BranchesOf(src)) && !slices.ContainsFunc(hidden, op.HasSubquery) {
		return b.Different(x, src, together)
	}
	out := order.NewDistinct(x, rows, b.Columns, together)
	out.All = all
	return out
}

// columnsReadBy returns the frame's columns that expressions read.
func columnsReadBy(nodes []expr.Node) (out []int) {
	for _, n := range nodes {
		expr.Columns(n, func(c *expr.Column) {
			if !slices.Contains(out, c.Index) {
				out = append(out, c.Index)
			}
		})
	}
	return out
}
