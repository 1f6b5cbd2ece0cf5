package block

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/constrain"
	"github.com/hbasekv/hbasekv/sqlfront/exec/query"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Query is a planned SELECT or UNION: a whole statement, a subquery or a
// derived table.
type Query struct {
	Columns []relation.Column
	// Block is nil for a UNION, which Union is then.
	Block *Block
	Union *Union
	// Out is what runs; physical.Complete fills it in.
	Out *query.Query
	// Given are the columns of the frame into which the query's reader puts values, by the numbers of the
	// values.
	Given map[int]int
}

// NewQuery is a query with such a result that is still to be completed.
func NewQuery(columns []relation.Column) *query.Query {
	out := &query.Query{Types: make([]value.Type, len(columns))}
	for i, c := range columns {
		out.Types[i] = c.Type
	}
	return out
}

// Makes reports whether the query does more than pass rows on.
func (q *Query) Makes() bool {
	if u := q.Union; u != nil {
		return u.distinct() || u.Recursive > 0 || u.Limit.Present
	}
	b := q.Block
	return b.Aggregated || b.Out.Distinct || b.Out.Limit.Present || b.Windows != nil
}

// Settled reports whether the query gives the same rows each time, and locks none.
func (q *Query) Settled() bool {
	if q.Union != nil {
		return !slices.ContainsFunc(q.Union.Parts, func(p UnionPart) bool { return !p.Query.Settled() })
	}
	return !q.Block.Volatile() && q.Block.Out.Lock == nil
}

// Cut reports whether the query's rows depend on their number: below a LIMIT, and in a recursion, none may be
// left out.
func (q *Query) Cut() bool {
	if q.Union != nil {
		return q.Union.Limit.Present || q.Union.Recursive > 0
	}
	return q.Block.Out.Limit.Present
}

// Slot is the column of the query's frame for the i-th given value, -1 if it is not read.
func (q *Query) Slot(i int) int {
	if s, ok := q.Given[i]; ok {
		return s
	}
	return -1
}

// GiveAt sets the column of the query's frame for the k-th given value.
func (q *Query) GiveAt(k, slot int) {
	if q.Given == nil {
		q.Given = map[int]int{}
	}
	q.Given[k] = slot
}

// KeyOf is the position of the i-th column of the query's result among the keys K, Q and T of a stored
// relation, if it is one and conditions on it can be pushed there; else -1.
func (q *Query) KeyOf(i int) int {
	if q.Cut() {
		return -1
	}
	if q.Union != nil {
		return q.Union.keyOf(i)
	}
	b := q.Block
	c, ok := b.Items[i].Node.(*expr.Column)
	if !ok || !b.passesOn(i, c, false) {
		return -1
	}
	return KeyIn(b.From, c.Index)
}

// LeadsToRows reports whether the i-th column of the query's result is K of a stored relation, or a function
// that leads to it, and conditions on it can be pushed there.
func (q *Query) LeadsToRows(i int) bool {
	if q.Union != nil {
		return q.Union.keyOf(i) == 0
	}
	if q.KeyOf(i) == 0 {
		return true
	}
	b := q.Block
	n := expr.Rewrite(b.Items[i].Node, func(n expr.Node) expr.Node {
		if c, ok := n.(*expr.Column); ok {
			return b.OverRows(c)
		}
		return n
	})
	c, _ := constrain.FunctionOf(n)
	return c != nil && b.passesOn(i, c, q.Cut()) && KeyIn(b.From, c.Index) == 0
}

// OfTable reports whether a derived table consists of rows or groups of a stored one.
func (q *Query) OfTable() bool {
	b := q.Block
	if b == nil {
		return false
	}
	l, ok := b.From.(*Leaf)
	return ok && len(l.Lateral) == 0 && l.Relation.OfCells() && b.Windows == nil && !b.Out.Limit.Present &&
		len(b.Subqueries) == 0 && b.Out.Lock == nil && !b.Volatile()
}
