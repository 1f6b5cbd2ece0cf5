package block

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/clause"
	"github.com/hbasekv/hbasekv/sqlfront/exec/order"
	"github.com/hbasekv/hbasekv/sqlfront/exec/pipeline"
	"github.com/hbasekv/hbasekv/sqlfront/exec/query"
	"github.com/hbasekv/hbasekv/sqlfront/exec/setop"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
)

// Union is a set operation that is being planned.
type Union struct {
	Parts []UnionPart
	Width int // of the frame
	// Keys are the expressions of ORDER BY that are not columns of the result; their values follow it.
	Keys  []expr.Node
	Order []order.OrderItem
	Limit pipeline.Limit
	// Columns are the result's; their types are unified.
	Columns    []relation.Column
	Subqueries []query.Planned
	// Recursive is the index of the first part that reads what the parts have produced; 0 is none. In a
	// recursion, Out is set from the beginning.
	Recursive int
	Out       *setop.Union
}

// UnionPart is one query of a set operation, and how its rows are combined with those of the parts before.
type UnionPart struct {
	Query     *Query
	Operation clause.SetOperation
	// Correlations are what the part reads of the outer blocks; From are the columns of the union's frame
	// that hold it.
	Correlations []Correlation
	From         []int
}

// Unchanged reports whether the columns that cond reads have the part's own values in the union, and rows
// that the union takes for equal are identical in them.
func (u *Union) Unchanged(part *UnionPart, cond expr.Node) bool {
	return expr.OnlyColumns(cond, func(i int) bool {
		if i >= len(u.Columns) {
			return true
		}
		to := u.Columns[i].Type
		return part.Query.Columns[i].Type.Kind == to.Kind && (condition.Exact(to) || !u.distinct())
	})
}

// distinct reports whether equal rows are eliminated: no row and no column may then be left out beforehand.
func (u *Union) distinct() bool {
	return slices.ContainsFunc(u.Parts, func(p UnionPart) bool { return p.Operation != clause.UnionAll })
}

// keyOf is Query.KeyOf of the first part that has one.
func (u *Union) keyOf(i int) int {
	for _, p := range u.Parts {
		if k := p.Query.KeyOf(i); k >= 0 && p.Query.Columns[i].Type.Kind == u.Columns[i].Type.Kind {
			return k
		}
	}
	return -1
}
