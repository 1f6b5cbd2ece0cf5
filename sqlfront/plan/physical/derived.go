package physical

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/query"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
)

// buildDerived makes the node of a subquery in FROM, which computes no more than is read of it.
func (b *builder) buildDerived(l *block.Leaf, conds []expr.Node) (op.Node, error) {
	n := newDerived(l, l.Derived)
	n.giveLateral(l)
	rest := append(slices.Clone(conds), l.On...)
	if l.Over == nil {
		rest = b.pushInto(n, rest)
	} else {
		n.Over = l.Over
		n.fillGiven() // and no conditions: Over has none
	}
	n.Same = n.same()
	for _, cond := range rest {
		b.use(cond)
	}
	prune(l.Derived, func(i int) bool { return b.used[l.First+i] })
	return filtered(n.Derived, expr.Conjoin(rest)), Complete(l.Derived)
}

// buildJSONTable makes the node of JSON_TABLE.
func (b *builder) buildJSONTable(l *block.Leaf, where expr.Node) (op.Node, error) {
	d := &derivedTable{query: l.JSON.Document, Derived: &query.Derived{Query: l.JSON.Document.Out, Title: "Document",
		Alias: l.Relation.Alias, First: l.JSON.Out.Document, Lateral: len(l.Lateral) > 0}}
	d.giveLateral(l)
	d.fillGiven()
	n := l.JSON.Out
	n.Child = d.Derived
	return filtered(&n, where), Complete(l.JSON.Document)
}

// derivedTable is the node of a derived table with the plan of its query.
type derivedTable struct {
	*query.Derived
	query *block.Query
}

// newDerived is the node of a derived table or a view.
func newDerived(l *block.Leaf, q *block.Query) *derivedTable {
	title := "Derived table "
	switch {
	case l.Relation.Definition != nil:
		title = "View "
	case len(l.Lateral) > 0:
		title = "Lateral derived table "
	case l.Joined:
		title = "Derived tables of the same groups "
	}
	return &derivedTable{query: q,
		Derived: &query.Derived{Query: q.Out, Title: title + l.Relation.Alias, Alias: l.Relation.Alias, First: l.First,
			Lateral: len(l.Lateral) > 0}}
}

// pushInto hands the conditions on a derived table's columns to its query, and returns those that still have
// to be checked on its rows.
func (b *builder) pushInto(n *derivedTable, conds []expr.Node) []expr.Node {
	if n.query.Cut() {
		n.fillGiven()
		return conds
	}
	var rest []expr.Node
	for _, cond := range conds {
		if !absorb(n.query, n.inside(cond)) {
			rest = append(rest, cond)
		}
	}
	n.fillGiven()
	return rest
}

// inside rewrites a condition over the frame as one over the columns of the query.
func (n *derivedTable) inside(cond expr.Node) expr.Node {
	columns := len(n.query.Columns)
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

// giving is the number by which the query knows a column of the frame that is not its own.
func (n *derivedTable) giving(index int) int {
	if i := slices.Index(n.Gives, index); i >= 0 {
		return i
	}
	n.Gives = append(n.Gives, index)
	return len(n.Gives) - 1
}

// fillGiven records in which columns the query expects the values that it is given.
func (n *derivedTable) fillGiven() {
	n.Slots = make([]int, len(n.Gives))
	for i := range n.Gives {
		n.Slots[i] = n.query.Slot(i)
	}
}

// same reports whether a derived table has the same rows each time that it is opened.
func (n *derivedTable) same() bool {
	given := slices.ContainsFunc(n.Slots, func(slot int) bool { return slot >= 0 })
	return !given && n.query.Makes() && n.query.Settled()
}

// giveLateral sets which values a lateral derived table is given.
func (n *derivedTable) giveLateral(l *block.Leaf) {
	for _, c := range l.Lateral {
		n.query.GiveAt(n.giving(c.Outer.(*expr.Column).Index), c.Slot)
	}
}
