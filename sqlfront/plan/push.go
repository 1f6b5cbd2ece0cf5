package plan

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/clause"
	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
)

// A condition on the columns of a derived table or a view is asked inside it
// where that changes no row of the result. On its way in it is written over
// the columns of the query's result: column i is the i-th, and from the number
// of columns on come the values that are given when the query is opened.

// derivedTable is the node of a derived table with what plans its query.
type derivedTable struct {
	*exec.Derived
	query *query
}

// newDerived is the node of a derived table or a view.
func newDerived(l *leaf, q *query) *derivedTable {
	title := "Derived table "
	switch {
	case l.relation.Definition != nil:
		title = "View "
	case len(l.lateral) > 0:
		title = "Lateral derived table "
	case l.joined:
		title = "Derived tables of the same groups "
	}
	return &derivedTable{query: q,
		Derived: &exec.Derived{Query: q.out, Title: title + l.relation.Alias, Alias: l.relation.Alias, First: l.first,
			Lateral: len(l.lateral) > 0}}
}

// pushInto hands the conditions on a derived table's columns to its query, and
// gives back those that are still to be asked of its rows.
func (b *blockPlanner) pushInto(n *derivedTable, conds []expr.Node) []expr.Node {
	if n.query.cut() {
		n.fillGiven()
		return conds
	}
	var rest []expr.Node
	for _, cond := range conds {
		if !n.query.absorb(n.inside(cond)) {
			rest = append(rest, cond)
		}
	}
	n.fillGiven()
	return rest
}

// inside is a condition over the frame as one over the columns of the query.
func (n *derivedTable) inside(cond expr.Node) expr.Node {
	columns := len(n.query.columns)
	return expr.Rewrite(cond, func(e expr.Node) expr.Node {
		c, ok := e.(*expr.Column)
		if !ok {
			return e
		}
		moved := *c
		if moved.Index -= n.First; moved.Index < 0 || moved.Index >= columns {
			moved.Index = columns + n.giving(c.Index)
		}
		return &moved
	})
}

// giving is the number under which the query knows a column of the frame that
// is none of its own.
func (n *derivedTable) giving(index int) int {
	if i := slices.Index(n.Gives, index); i >= 0 {
		return i
	}
	n.Gives = append(n.Gives, index)
	return len(n.Gives) - 1
}

// fillGiven notes where the query wants what it is given.
func (n *derivedTable) fillGiven() {
	n.Slots = make([]int, len(n.Gives))
	for i := range n.Gives {
		n.Slots[i] = n.query.slot(i)
	}
}

// same reports whether a derived table has the same rows each time that it is opened.
func (n *derivedTable) same() bool {
	given := slices.ContainsFunc(n.Slots, func(slot int) bool { return slot >= 0 })
	return !given && n.query.makes() && n.query.settled()
}

// makes reports whether the query does more with rows than to pass them on.
func (q *query) makes() bool {
	if u := q.union; u != nil {
		return u.distinct() || u.recursive > 0 || u.limit.Present
	}
	b := q.planner
	return b.aggregated || b.out.Distinct || b.out.Limit.Present || b.windows != nil
}

// settled reports whether the query gives the same rows each time, and locks none.
func (q *query) settled() bool {
	if q.union != nil {
		return !slices.ContainsFunc(q.union.parts, func(p unionPart) bool { return !p.query.settled() })
	}
	return !q.planner.volatile() && q.planner.out.Lock == nil
}

// cut reports whether the query's rows depend on how many there are: below a
// LIMIT, and in a recursion, nothing may be left out.
func (q *query) cut() bool {
	if q.union != nil {
		return q.union.limit.Present || q.union.recursive > 0
	}
	return q.planner.out.Limit.Present
}

// slot is the column of the query's frame for the i-th given value, -1 where
// it reads none.
func (q *query) slot(i int) int {
	if s, ok := q.given[i]; ok {
		return s
	}
	return -1
}

// absorb makes the query leave out rows for which the condition does not hold.
// It is false where the condition has still to be asked.
func (q *query) absorb(cond expr.Node) bool {
	if !condition.Pushable(cond) {
		return false
	}
	if q.union != nil {
		q.absorbUnion(q.union, cond)
		return false
	}
	return q.absorbBlock(cond)
}

// absorbUnion hands the condition to the parts whose values are of the union's
// own kind. It is asked of the union's rows in any case.
func (q *query) absorbUnion(u *union, cond expr.Node) {
	for i := range u.parts {
		part := &u.parts[i]
		if part.query.cut() || !u.unchanged(part, cond) {
			continue
		}
		part.query.absorb(cond)
		for k, slot := range part.query.given {
			q.giveTo(part, k, slot)
		}
	}
}

// giveTo passes a given value on from the union's frame to a part's.
func (q *query) giveTo(part *unionPart, k, slot int) {
	for _, c := range part.correlations {
		if c.slot == slot {
			return
		}
	}
	from, ok := q.given[k]
	if !ok {
		from = q.union.width
		q.union.width++
		q.giveAt(k, from)
	}
	part.correlations = append(part.correlations, correlation{slot: slot})
	part.from = append(part.from, from)
}

func (q *query) giveAt(k, slot int) {
	if q.given == nil {
		q.given = map[int]int{}
	}
	q.given[k] = slot
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

// absorbBlock adds the condition to the block's WHERE.
func (q *query) absorbBlock(cond expr.Node) bool {
	b := q.planner
	if b.aggregated && len(b.node.GroupBy) == 0 || b.rolledUp() != nil || b.volatile() {
		return false
	}
	p := pushing{query: q, block: b}
	if b.aggregated {
		p.grouped = b.grouped()
	}
	out := expr.Rewrite(cond, p.column)
	if p.failed || !expr.GrowsLittle(cond, out) || !condition.Pushable(out) {
		return false
	}
	for _, k := range p.given {
		if q.slot(k) < 0 {
			q.giveAt(k, b.alloc())
		}
	}
	b.where = append(b.where, expr.Conjuncts(expr.Rewrite(out, p.place))...)
	b.given = b.given || len(p.given) > 0
	return true
}

// pushing turns a condition over a block's result into one over its rows.
type pushing struct {
	query *query
	block *blockPlanner
	// grouped are the columns that are the same in all rows of a group.
	grouped map[int]bool
	given   []int
	failed  bool
}

// givenColumn stands for a given value until it has its place in the frame.
type givenColumn struct {
	*expr.Column
	number int
}

func (p *pushing) column(e expr.Node) expr.Node {
	c, ok := e.(*expr.Column)
	if !ok {
		return e
	}
	if columns := len(p.block.items); c.Index >= columns {
		p.given = append(p.given, c.Index-columns)
		return &givenColumn{c, c.Index - columns}
	}
	n := p.block.items[c.Index].node
	if !p.block.windows.dividedBy(n) {
		p.failed = true
	}
	if p.block.node.Distinct != "" && !condition.Exact(n.Type()) {
		p.failed = true
	}
	if p.block.aggregated {
		n = p.ungrouped(n)
	}
	return n
}

// ungrouped is an expression over groups as one over their rows.
func (p *pushing) ungrouped(n expr.Node) expr.Node {
	return expr.Rewrite(n, func(e expr.Node) expr.Node {
		c, ok := e.(*expr.Column)
		if !ok {
			return e
		}
		e = p.block.overRows(c)
		isKey := e != expr.Node(c)
		if !condition.Exact(e.Type()) || !isKey && !p.grouped[c.Index] {
			p.failed = true
		}
		return e
	})
}

// overRows is a column over groups as an expression over their rows, where it is a key.
func (b *blockPlanner) overRows(c *expr.Column) (n expr.Node) {
	n = c
	for _, k := range b.keys {
		if k.Slot == c.Index {
			n = k.Node
		}
	}
	return n
}

// place gives what was given its column of the frame.
func (p *pushing) place(e expr.Node) expr.Node {
	g, ok := e.(*givenColumn)
	if !ok {
		return e
	}
	c := *g.Column
	c.Index = p.query.slot(g.number)
	return &c
}

// grouped are the columns that have one value in each group, by which the rows
// of a group cannot be told apart.
func (b *blockPlanner) grouped() map[int]bool {
	out := map[int]bool{}
	for _, k := range b.keys {
		if c, ok := k.Node.(*expr.Column); ok && condition.Exact(c.T) {
			out[c.Index] = true
		}
	}
	for _, p := range b.scope.Parts {
		p.SettleByKey(out)
	}
	return out
}

// volatile reports whether the block counts on each of its rows being made:
// its expressions act on the session or differ from row to row.
func (b *blockPlanner) volatile() bool {
	if b.isVolatile == nil {
		is := slices.ContainsFunc(b.all(), condition.Volatile)
		b.isVolatile = &is
	}
	return *b.isVolatile
}

// all are all expressions of the block.
func (b *blockPlanner) all() []expr.Node {
	return append(append(b.computed(), b.where...), conditionsOf(b.from)...)
}

// computed are those of the result and of the groups.
func (b *blockPlanner) computed() []expr.Node {
	out := b.upper()
	for _, k := range b.keys {
		out = append(out, k.Node)
	}
	for _, a := range b.aggs {
		out = append(out, a.Agg.Reads()...)
	}
	return out
}
