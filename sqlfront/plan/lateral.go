package plan

import (
	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/exec/subquery"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/bind"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
	"github.com/hbasekv/hbasekv/sqlfront/plan/physical"
)

// A lateral derived table is planned as a subquery of its block, in which the earlier relations of FROM
// are visible. It is opened again for each row of those, with the values that it reads of them.

// addLateral plans a lateral derived table.
func (b *blockPlanner) addLateral(l *block.Leaf, t *ast.Lateral, alias string) error {
	q, correlations, err := b.inFront(t)
	if err != nil {
		return err
	}
	if t.Columns != nil && len(t.Columns) != len(q.Columns) {
		return wrongColumnList()
	}
	l.First, l.Derived, l.Lateral = b.Width, q, correlations
	if l.Relation, err = derivedRelation(alias, t.Columns, q); err != nil {
		return err
	}
	return b.addOver(l, t.Subquery)
}

// inFront plans a query in which the earlier relations are visible.
func (b *blockPlanner) inFront(t *ast.Lateral) (*block.Query, []block.Correlation, error) {
	clause := b.clause
	b.clause = "from clause"
	defer func() { b.clause = clause }()
	return b.correlated(t.Select, b)
}

// addOver plans a lateral derived table a second time, joined with the rows that it reads, if that is
// possible.
func (b *blockPlanner) addOver(l *block.Leaf, s *sqlparser.Subquery) error {
	over := &subquery.Subquery{Query: l.Derived.Out, Differs: bind.Differs(s.Select)}
	over.Use.Kind = expr.SubqueryScalar
	for _, c := range l.Lateral {
		over.Slots, over.Outer = append(over.Slots, c.Slot), append(over.Outer, c.Outer)
	}
	q, correlations, err := b.again(over, s)
	if q == nil || err != nil {
		return err
	}
	if over.Partnered, err = physical.Partnered(q, correlations); over.Partnered != nil {
		l.Over = over
	}
	return err
}

// correlateLaterals assigns columns of the frame to what lateral derived tables may read of the outer blocks.
// It does so before the relations of a join get theirs, since the frame after these is cleared for rows
// without a match.
func (b *blockPlanner) correlateLaterals(exprs sqlparser.TableExprs) {
	if b.outer == nil {
		return
	}
	find := func(n sqlparser.SQLNode) (bool, error) {
		if c, ok := n.(*sqlparser.ColName); ok {
			_, _ = b.resolveOutside(bind.QualifierOf(c), c.Name.String()) // an unknown name is an error when the query is planned
		}
		return true, nil
	}
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		var query *sqlparser.Subquery
		switch n := n.(type) {
		case *ast.Lateral:
			query = n.Subquery
		case *ast.JSONTable:
			query = n.Subquery
		default:
			return true, nil
		}
		return false, sqlparser.Walk(find, query)
	}, exprs)
}

// forbiddenLateral is error 3668: the left side of a RIGHT JOIN may have no row for a row of its right
// side.
func forbiddenLateral(l *block.Leaf) error {
	return mysqlerr.New(mysqlerr.ForbiddenJoinType, "INNER or LEFT JOIN must be used for LATERAL references made by '%s'",
		l.Relation.Alias)
}
