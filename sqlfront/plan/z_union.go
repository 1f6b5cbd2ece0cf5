package plan

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/clause"
	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
)

// union is a set operation that is being planned.
type union struct {
	parts []unionPart
	width int // of the frame
	// keys are the expressions of ORDER BY that are no columns of the result;
	// their values stand behind it.
	keys  []expr.Node
	order []exec.OrderItem
	limit exec.Limit
	// columns are the result's; their types are unified.
	columns    []relation.Column
	subqueries []*exec.Subquery
	// recursive is the first part that reads what the parts have given; 0 is none.
	// out is then there from the beginning.
	recursive int
	out       *exec.Union
}

// unionPart is one query of a set operation, and what is done with its rows to those of
// the parts before.
type unionPart struct {
	query     *query
	operation clause.SetOperation
	// correlations are what the part reads of the blocks around; from are the
	// columns of the union's frame that hold it.
	correlations []correlation
	from         []int
}

// unchanged reports whether the part's values of the columns that cond reads
// are those of the union, and rows that the union takes for equal are equal in
// them.
func (u *union) unchanged(part *unionPart, cond expr.Node) bool {
	return expr.OnlyColumns(cond, func(i int) bool {
		if i >= len(u.columns) {
			return true
		}
		to := u.columns[i].Type
		return part.query.columns[i].Type.Kind == to.Kind && (condition.Exact(to) || !u.distinct())
	})
}

// distinct reports whether rows are looked for that are equal: of those that are none may
// be left out, and no column.
func (u *union) distinct() bool {
	return slices.ContainsFunc(u.parts, func(p unionPart) bool { return p.operation != clause.UnionAll })
}

// keyOf is that of the first part that has one.
func (u *union) keyOf(i int) int {
	for _, p := range u.parts {
		if k := p.query.keyOf(i); k >= 0 && p.query.columns[i].Type.Kind == u.columns[i].Type.Kind {
			return k
		}
	}
	return -1
}
