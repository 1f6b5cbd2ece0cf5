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

// A lateral derived table is planned as a subquery of its block, which sees the relations that
// stand in front of it. What it reads of them it is given when it is opened, for each row of
// theirs.

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

// inFront plans a query that sees the relations in front of it.
func (b *blockPlanner) inFront(t *ast.Lateral) (*block.Query, []block.Correlation, error) {
	clause := b.clause
	b.clause = "from clause"
	defer func() { b.clause = clause }()
	return b.correlated(t.Select, b)
}

// addOver plans a lateral derived table once more over partners of the rows that it reads, where
// it has some.
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

// correlateLaterals gives what lateral derived tables may read of the outer blocks its columns
// of the frame: behind a join's relations, where the frame is cleared for rows without a
// partner, they would be too late.
func (b *blockPlanner) correlateLaterals(exprs sqlparser.TableExprs) {
	if b.outer == nil {
		return
	}
	find := func(n sqlparser.SQLNode) (bool, error) {
		if c, ok := n.(*sqlparser.ColName); ok {
			_, _ = b.resolveOutside(bind.QualifierOf(c), c.Name.String()) // its errors are those of the reader
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

// forbiddenLateral is 3668: the rows of a RIGHT JOIN's left side are not there for all of those
// of its right side.
func forbiddenLateral(l *block.Leaf) error {
	return mysqlerr.New(mysqlerr.ForbiddenJoinType, "INNER or LEFT JOIN must be used for LATERAL references made by '%s'",
		l.Relation.Alias)
}
