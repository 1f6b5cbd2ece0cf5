package block

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec/computed"
	"github.com/hbasekv/hbasekv/sqlfront/exec/subquery"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
)

// From is a bound table expression: a leaf or a join.
type From interface {
	// Span is the range of the item's columns in the frame, from first to before end.
	Span() (first, end int)
}

// Leaf is one relation.
type Leaf struct {
	Relation *relation.Relation
	First    int
	Derived  *Query // of a subquery in FROM, or of a view
	// Virtual are the expressions of a typed table's virtual columns over the block's frame, by column. Cells
	// is the frame's first column for its cells, 0 if there is none yet.
	Virtual []expr.Node
	Cells   int
	// Again plans Derived once more; its result is nil if that has been done too often. It is nil for lateral
	// tables.
	Again func() (*Query, error)
	// Joined says that it was a join of several relations; On are the conditions that are left of it.
	Joined bool
	On     []expr.Node
	// Lateral is what Derived, or the document of JSON, reads of the block's frame, and the slots in its own
	// frame.
	Lateral []Correlation
	Over    *subquery.Subquery // Derived over partners; nil if it has none
	JSON    *JSONTable         // nil for anything else
}

// Join is a join. A right join is a left join with its sides exchanged.
type Join struct {
	Left, Right From
	Outer       bool // every row of Left, with NULLs if Right has no match
	Straight    bool // Left comes first
	On          []expr.Node
}

// Span is the range of the relation's columns in the frame.
func (l *Leaf) Span() (int, int) { return l.First, l.First + len(l.Relation.Columns) }

// Span is the range of both sides' columns in the frame.
func (j *Join) Span() (int, int) {
	a, b := j.Left.Span()
	c, d := j.Right.Span()
	return min(a, c), max(b, d)
}

// Holds reports whether the column belongs to one of the item's relations.
func Holds(from From, index int) bool {
	if j, ok := from.(*Join); ok {
		return Holds(j.Left, index) || Holds(j.Right, index)
	}
	first, end := from.Span()
	return index >= first && index < end
}

// KeyIn is the position of a column of the frame among the keys of its relation.
func KeyIn(from From, index int) int {
	if j, ok := from.(*Join); ok {
		return max(KeyIn(j.Left, index), KeyIn(j.Right, index))
	}
	l := from.(*Leaf)
	if i := index - l.First; l.Derived != nil && i >= 0 && i < len(l.Relation.Columns) {
		return l.Derived.KeyOf(i)
	}
	if !l.Relation.Stored() {
		return -1
	}
	at := l.Relation.KeyColumns(l.First)
	return slices.Index([]int{at.K, at.Q, at.T}, index)
}

// ConditionsOf are the conditions of the joins of a table expression.
func ConditionsOf(from From) []expr.Node {
	j, ok := from.(*Join)
	if !ok {
		return nil
	}
	return append(append(ConditionsOf(j.Left), ConditionsOf(j.Right)...), j.On...)
}

// settleByJoins adds to settled the columns that conditions of joins set equal to constants or to settled
// columns.
func settleByJoins(from From, settled map[int]bool) {
	j, ok := from.(*Join)
	if !ok {
		return
	}
	settleByJoins(j.Left, settled)
	settleByJoins(j.Right, settled)
	if j.Outer && slices.ContainsFunc(j.On, func(n expr.Node) bool { return j.tellsApart(n, settled) }) {
		return
	}
	for _, n := range j.On {
		condition.SettleByEquality(n, settled, func(index int) bool { return !j.Outer || Holds(j.Right, index) })
	}
}

// tellsApart reports whether a condition may find partners for some, and not for other, rows of the left side
// that agree in their settled columns.
func (j *Join) tellsApart(n expr.Node, settled map[int]bool) bool {
	return condition.Volatile(n) || expr.Reads(n, func(index int) bool { return !settled[index] && Holds(j.Left, index) })
}

// ReadByLaterals are the columns of the block's frame that lateral derived tables read.
func ReadByLaterals(from From) (out []expr.Node) {
	switch from := from.(type) {
	case *Leaf:
		for _, c := range from.Lateral {
			out = append(out, c.Outer)
		}
	case *Join:
		out = append(ReadByLaterals(from.Left), ReadByLaterals(from.Right)...)
	}
	return out
}

// ReadsOther is a relation of one item that reads columns of another item, nil for none.
func ReadsOther(from, other From) *Leaf {
	switch from := from.(type) {
	case *Leaf:
		for _, c := range from.Lateral {
			if Holds(other, c.Outer.(*expr.Column).Index) {
				return from
			}
		}
	case *Join:
		if l := ReadsOther(from.Left, other); l != nil {
			return l
		}
		return ReadsOther(from.Right, other)
	}
	return nil
}

// JSONTable is JSON_TABLE as an item of FROM.
type JSONTable struct {
	Document *Query // of one row
	Out      computed.JSONTable
}
