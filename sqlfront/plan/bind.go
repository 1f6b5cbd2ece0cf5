package plan

import (
	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/bind"
	"github.com/hbasekv/hbasekv/sqlfront/expr/member"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
)

func (q *queryPlanner) block(node *sqlparser.Select, outer *blockPlanner) (*blockPlanner, error) {
	b := q.newBlock(node, &relation.Scope{}, outer)
	return b, b.plan()
}

func (b *blockPlanner) plan() error {
	from, err := b.planFrom(b.Node.From)
	if err != nil {
		return err
	}
	if b.outer != nil || len(b.Scope.Parts) > 1 {
		b.Scope.NameTables()
	}
	if err := b.bindItems(); err != nil {
		return err
	}
	if err := b.bindWhere(); err != nil {
		return err
	}
	if err := b.bindGroups(); err != nil {
		return err
	}
	if err := b.bindHaving(); err != nil {
		return err
	}
	if err := b.bindOrder(); err != nil {
		return err
	}
	if err := b.checkWindows(); err != nil {
		return err
	}
	if b.Aggregated && b.Node == b.changed {
		return groupFunctionMisused()
	}
	return b.finish(from)
}

// bind binds an expression of a clause. aggregates says whether it may contain any.
func (b *blockPlanner) bind(e sqlparser.Expr, clause string, scope bind.Scope, aggregates bool) (expr.Node, error) {
	before := *b
	b.clause, b.aggregates, b.names = clause, aggregates, scope
	if clause == "field list" {
		b.names = aliases{b}
	}
	if !carries(clause) {
		b.looking++
		defer func() { b.looking-- }()
	}
	binder := b.binder(scope)
	if clause == "having clause" {
		binder.Args = aliases{b}
	}
	n, err := binder.Bind(e)
	b.clause, b.aggregates, b.names = before.clause, before.aggregates, before.names
	return n, err
}

func (b *blockPlanner) binder(scope bind.Scope) *bind.Binder {
	return &bind.Binder{Scope: scope, Arguments: b.Arguments, Carries: b.carried() != nil, Subquery: b.bindSubquery,
		Agg: b.addAggregate, Window: b.bindWindow, Grouping: b.bindGrouping,
		Values: b.bindValues, Default: b.bindDefault, Meter: b.Meter}
}

func (b *blockPlanner) bindWhere() error {
	if b.Node.Where == nil {
		return nil
	}
	n, err := b.bind(b.Node.Where.Expr, "where clause", b, false)
	if err != nil {
		return err
	}
	b.Where = expr.Conjuncts(member.Numeric(n))
	return nil
}

func (b *blockPlanner) bindItems() error {
	defer func() { b.Scope.Own = false }()
	for i, e := range b.Node.SelectExprs {
		b.Scope.Own = i < b.own && b.changed == sqlparser.SelectStatement(b.Node)
		var err error
		switch e := e.(type) {
		case *sqlparser.StarExpr:
			err = b.addStar(e.TableName)
		case *ast.ViewStar:
			err = b.addStar(e.TableName)
			b.noteStar(e.Number)
		case *ast.Item:
			err = b.addItem(e)
		default:
			err = mysqlerr.Unsupported(sqlparser.String(e))
		}
		if err != nil {
			return err
		}
		if len(b.Items) > maxColumns {
			return mysqlerr.New(mysqlerr.TooManyFields, "Too many columns")
		}
	}
	b.Columns += len(b.Items)
	return nil
}

func (b *blockPlanner) addItem(e *ast.Item) error {
	n, err := b.bind(e.Expr, "field list", b, true)
	if err != nil {
		return err
	}
	it := block.Item{Label: e.Label, Node: n}
	if c, ok := n.(*expr.Column); ok {
		it.Origin = b.Scope.At(c.Index)
	}
	b.Items = append(b.Items, it)
	return nil
}
