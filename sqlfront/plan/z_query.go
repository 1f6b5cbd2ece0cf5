package plan

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/constrain"
	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// query is a planned SELECT or UNION: a whole statement, a subquery or a
// derived table.
type query struct {
	columns []relation.Column
	// block is nil for a UNION, which union is then.
	block *Block
	union *union
	// out is what runs; complete fills it in.
	out *exec.Query
	// given are the columns of the frame for the values that whoever opens
	// the query puts there, by their numbers.
	given map[int]int
}

// newQuery is a query with such a result, as it is before it is completed.
func newQuery(columns []relation.Column) *exec.Query {
	out := &exec.Query{Types: make([]value.Type, len(columns))}
	for i, c := range columns {
		out.Types[i] = c.Type
	}
	return out
}

// makes reports whether the query does more with rows than to pass them on.
func (q *query) makes() bool {
	if u := q.union; u != nil {
		return u.distinct() || u.recursive > 0 || u.limit.Present
	}
	b := q.block
	return b.aggregated || b.out.Distinct || b.out.Limit.Present || b.windows != nil
}

// settled reports whether the query gives the same rows each time, and locks none.
func (q *query) settled() bool {
	if q.union != nil {
		return !slices.ContainsFunc(q.union.parts, func(p unionPart) bool { return !p.query.settled() })
	}
	return !q.block.volatile() && q.block.out.Lock == nil
}

// cut reports whether the query's rows depend on how many there are: below a
// LIMIT, and in a recursion, nothing may be left out.
func (q *query) cut() bool {
	if q.union != nil {
		return q.union.limit.Present || q.union.recursive > 0
	}
	return q.block.out.Limit.Present
}

// slot is the column of the query's frame for the i-th given value, -1 where
// it reads none.
func (q *query) slot(i int) int {
	if s, ok := q.given[i]; ok {
		return s
	}
	return -1
}

func (q *query) giveAt(k, slot int) {
	if q.given == nil {
		q.given = map[int]int{}
	}
	q.given[k] = slot
}

// keyOf is the place of the i-th column of the query's result among the keys
// K, Q and T of a stored relation, where it is one and conditions on it get
// there; else -1.
func (q *query) keyOf(i int) int {
	if q.cut() {
		return -1
	}
	if q.union != nil {
		return q.union.keyOf(i)
	}
	b := q.block
	c, ok := b.items[i].node.(*expr.Column)
	if !ok || !b.passesOn(i, c, false) {
		return -1
	}
	return keyIn(b.from, c.Index)
}

// leadsToRows reports whether the i-th column of the query's result is the K of a stored
// relation, or a function that leads to it, and conditions on it get there.
func (q *query) leadsToRows(i int) bool {
	if q.union != nil {
		return q.union.keyOf(i) == 0
	}
	if q.keyOf(i) == 0 {
		return true
	}
	b := q.block
	n := expr.Rewrite(b.items[i].node, func(n expr.Node) expr.Node {
		if c, ok := n.(*expr.Column); ok {
			return b.overRows(c)
		}
		return n
	})
	c, _ := constrain.FunctionOf(n)
	return c != nil && b.passesOn(i, c, q.cut()) && keyIn(b.from, c.Index) == 0
}

// ofTable reports whether a derived table is of rows or groups of a stored one.
func (q *query) ofTable() bool {
	b := q.block
	if b == nil {
		return false
	}
	l, ok := b.from.(*leaf)
	return ok && len(l.lateral) == 0 && l.relation.Stored() && b.windows == nil && !b.out.Limit.Present &&
		len(b.subqueries) == 0 && b.out.Lock == nil && !b.volatile()
}
