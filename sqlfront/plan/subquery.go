package plan

import (
	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/exec/subquery"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/bind"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
	"github.com/hbasekv/hbasekv/sqlfront/plan/physical"
)

// A subquery that refers to the outer row only by equalities of columns of one table or pivot can be
// joined with all outer rows at once: EXISTS as a semi join, a scalar subquery as an outer join by
// these columns. It is planned a second time for that, as a query without correlations.

// addForAll plans the second way to evaluate a subquery, which reads its rows once, if there is one. The
// first way has been planned without an error.
func (b *blockPlanner) addForAll(sub *subquery.Subquery, s *sqlparser.Subquery) error {
	q, correlations, err := b.again(sub, s)
	if q == nil || err != nil {
		return err
	}
	readFor(q, sub.Use)
	if done, err := physical.Decorrelated(q, sub, correlations); done || err != nil {
		return err
	}
	sub.Partnered, err = physical.Partnered(q, correlations)
	return err
}

// again plans a correlated block a second time; nil if it is not correlated, or returns other rows each time.
func (b *blockPlanner) again(sub *subquery.Subquery, s *sqlparser.Subquery) (*block.Query, []block.Correlation, error) {
	if len(sub.Outer) == 0 || sub.Differs {
		return nil, nil, nil
	}
	var correlations []block.Correlation
	q, err := b.onceMore(func() (q *block.Query, err error) {
		q, correlations, err = b.correlated(s.Select, b)
		return q, err
	})
	if q == nil || err != nil || q.Union != nil || len(correlations) != len(sub.Outer) {
		return nil, nil, err
	}
	return q, correlations, nil
}

// bindSubquery binds a subquery in an expression.
func (b *blockPlanner) bindSubquery(s *sqlparser.Subquery, use expr.SubqueryUse) (expr.Node, error) {
	q, correlations, err := b.correlated(s.Select, b)
	if err == nil && use.Left != nil {
		use.Left, err = collatedWith(q, use)
	}
	if err == nil {
		readFor(q, use)
		err = physical.Complete(q)
	}
	if err != nil {
		return nil, err
	}
	if want := subqueryColumns(use); want > 0 && len(q.Columns) != want {
		return nil, mysqlerr.New(mysqlerr.OperandColumns, "Operand should contain %d column(s)", want)
	}
	if use.Left != nil {
		use.Left = bind.ComparedWith(use.Left, q.Out.Types)
	}
	sub := &subquery.Subquery{Query: q.Out, Text: b.subqueryText(s), Use: use, Differs: bind.Differs(s.Select)}
	for _, c := range correlations {
		sub.Slots, sub.Outer = append(sub.Slots, c.Slot), append(sub.Outer, c.Outer)
	}
	if err := b.addForAll(sub, s); err != nil {
		return nil, err
	}
	b.Subqueries = append(b.Subqueries, sub)
	if use.Kind == expr.SubqueryOperand {
		return asOperand(sub), nil
	}
	return sub, nil
}

// collatedWith is the left operand of a subquery with the collation of the comparison, which it also sets for
// the query's columns.
func collatedWith(q *block.Query, use expr.SubqueryUse) (expr.Node, error) {
	row := &expr.Tuple{}
	for _, c := range q.Columns {
		row.Items = append(row.Items, &expr.Column{T: c.Type})
	}
	right := expr.Node(row)
	if len(row.Items) == 1 {
		right = row.Items[0]
	}
	both, err := bind.Collated(use.Op.String(), use.Left, right)
	if err != nil {
		return nil, err
	}
	items := []expr.Node{both[1]}
	if t, ok := both[1].(*expr.Tuple); ok {
		items = t.Items
	}
	for i, n := range items {
		if c, ok := n.(*expr.Collate); ok {
			collate(q, i, c)
		}
	}
	return both[0], nil
}

// collate changes the collation of a column of a query that is not complete.
func collate(q *block.Query, i int, c *expr.Collate) {
	if q.Block != nil {
		q.Block.Nodes[i] = c.With([]expr.Node{q.Block.Nodes[i]})
	}
	q.Columns[i].Type = c.Type()
	q.Out.Types[i] = c.Type()
}

// readFor drops what the use of a query ignores: for EXISTS the values of its select list
// (https://dev.mysql.com/doc/refman/5.7/en/exists-and-not-exists-subqueries.html), except those that
// distinguish rows.
func readFor(q *block.Query, use expr.SubqueryUse) {
	if use.Kind != expr.SubqueryExists || q.Block == nil || q.Block.Out.Distinct {
		return
	}
	for i, n := range q.Block.Nodes {
		if condition.Computes(n) {
			q.Block.Nodes[i] = &expr.Const{T: n.Type()}
		}
	}
}

// asOperand is the subquery as an operand of a comparison: a value, or a row if it has several columns.
func asOperand(s *subquery.Subquery) expr.Node {
	s.Use.Kind = expr.SubqueryScalar
	if len(s.Query.Types) == 1 {
		return s
	}
	t := &expr.Tuple{}
	for i := range s.Query.Types {
		item := *s
		item.Column = i
		t.Items = append(t.Items, &item)
	}
	return t
}

// subqueryColumns is the number of columns that a subquery must have; 0 is any.
func subqueryColumns(use expr.SubqueryUse) int {
	if use.Kind == expr.SubqueryExists || use.Kind == expr.SubqueryOperand {
		return 0
	}
	if t, ok := use.Left.(*expr.Tuple); ok {
		return len(t.Items)
	}
	return 1
}

// subqueryText identifies equal subqueries. If literals are arguments, no two are equal: the next execution
// may have other values.
func (b *blockPlanner) subqueryText(s *sqlparser.Subquery) string {
	if b.looking == 0 {
		return ""
	}
	return sqlparser.String(s.Select)
}
