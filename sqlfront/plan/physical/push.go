package physical

import (
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
)

// A condition on the columns of a derived table or a view is pushed into it if that does not change the
// result. On its way it is written over the columns of the query's result: column i is the i-th, and after
// them come the values that are given when the query is opened.

// absorb makes the query leave out rows for which the condition does not hold. It is false if the condition
// still has to be checked.
func absorb(q *block.Query, cond expr.Node) bool {
	if !condition.Pushable(cond) {
		return false
	}
	if q.Union != nil {
		absorbUnion(q, q.Union, cond)
		return false
	}
	return absorbBlock(q, cond)
}

// absorbUnion hands the condition to the parts whose values are those of the union. It is still checked on
// the union's rows.
func absorbUnion(q *block.Query, u *block.Union, cond expr.Node) {
	for i := range u.Parts {
		part := &u.Parts[i]
		if part.Query.Cut() || !u.Unchanged(part, cond) {
			continue
		}
		absorb(part.Query, cond)
		for k, slot := range part.Query.Given {
			giveTo(q, part, k, slot)
		}
	}
}

// giveTo passes a given value from the union's frame to a part's.
func giveTo(q *block.Query, part *block.UnionPart, k, slot int) {
	for _, c := range part.Correlations {
		if c.Slot == slot {
			return
		}
	}
	from, ok := q.Given[k]
	if !ok {
		from = q.Union.Width
		q.Union.Width++
		q.GiveAt(k, from)
	}
	part.Correlations = append(part.Correlations, block.Correlation{Slot: slot})
	part.From = append(part.From, from)
}

// absorbBlock adds the condition to the block's WHERE.
func absorbBlock(q *block.Query, cond expr.Node) bool {
	b := q.Block
	if b.Aggregated && len(b.Node.GroupBy) == 0 || b.RolledUp() != nil || b.Volatile() {
		return false
	}
	p := pushing{query: q, block: b}
	if b.Aggregated {
		p.grouped = b.Grouped()
	}
	out := expr.Rewrite(cond, p.column)
	if p.failed || !expr.GrowsLittle(cond, out) || !condition.Pushable(out) {
		return false
	}
	for _, k := range p.given {
		if q.Slot(k) < 0 {
			q.GiveAt(k, b.Alloc())
		}
	}
	b.Where = append(b.Where, expr.Conjuncts(expr.Rewrite(out, p.place))...)
	b.Given = b.Given || len(p.given) > 0
	return true
}

// pushing rewrites a condition over a block's result as one over its rows.
type pushing struct {
	query *block.Query
	block *block.Block
	// grouped are the columns that are the same in all rows of a group.
	grouped map[int]bool
	given   []int
	failed  bool
}

// givenColumn stands for a given value until it has a column of the frame.
type givenColumn struct {
	*expr.Column
	number int
}

func (p *pushing) column(e expr.Node) expr.Node {
	c, ok := e.(*expr.Column)
	if !ok {
		return e
	}
	if columns := len(p.block.Items); c.Index >= columns {
		p.given = append(p.given, c.Index-columns)
		return &givenColumn{c, c.Index - columns}
	}
	n := p.block.Items[c.Index].Node
	if !p.block.Windows.DividedBy(n) {
		p.failed = true
	}
	if p.block.Node.Distinct != "" && !condition.Exact(n.Type()) {
		p.failed = true
	}
	if p.block.Aggregated {
		n = p.ungrouped(n)
	}
	return n
}

// ungrouped rewrites an expression over groups as one over their rows.
func (p *pushing) ungrouped(n expr.Node) expr.Node {
	return expr.Rewrite(n, func(e expr.Node) expr.Node {
		c, ok := e.(*expr.Column)
		if !ok {
			return e
		}
		e = p.block.OverRows(c)
		isKey := e != expr.Node(c)
		if !condition.Exact(e.Type()) || !isKey && !p.grouped[c.Index] {
			p.failed = true
		}
		return e
	})
}

// place assigns given values a column of the frame.
func (p *pushing) place(e expr.Node) expr.Node {
	g, ok := e.(*givenColumn)
	if !ok {
		return e
	}
	c := *g.Column
	c.Index = p.query.Slot(g.number)
	return &c
}
