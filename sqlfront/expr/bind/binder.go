package bind

import (
	"context"
	"strings"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/cancelcheck"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/setfunc"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
)

// Binder makes nodes from syntax trees. Its functions may be nil; an expression that needs them is then an
// error.
type Binder struct {
	Scope Scope
	// Arguments give placeholders and variables their types; nil makes them NULL.
	Arguments *Arguments
	// Carries makes literals arguments: only their values matter here.
	Carries bool
	// Agg takes a bound aggregate and returns the node for its result; if nil, aggregates are error 1111.
	Agg func(*setfunc.Aggregate) (expr.Node, error)
	// Window binds a call over a window and returns the node for its result; if nil, such calls are error
	// 3593.
	Window func(*ast.Over) (expr.Node, error)
	// Grouping takes the arguments of GROUPING() and returns the node for its result; if nil, it is error
	// 1111.
	Grouping func(args []expr.Node) (expr.Node, error)
	// Args resolves names in aggregates' arguments; nil means Scope.
	Args Scope
	// Subquery binds a subquery; if nil, subqueries are error 1235.
	Subquery func(q *sqlparser.Subquery, use expr.SubqueryUse) (expr.Node, error)
	// Values binds VALUES(column) in ON DUPLICATE KEY UPDATE.
	Values func(column string) (expr.Node, error)
	// Default binds DEFAULT and DEFAULT(column); column is empty for the first.
	Default func(column string) (expr.Node, error)
	// Meter counts the work and has the context that ends it; it may be nil.
	Meter *cancelcheck.Meter

	inAggregate bool
	plain       bool // expressions of literals are not folded
}

// Bind makes a node from e: it finds columns and functions, counts arguments and folds constants. Errors are
// those of the Scope (1054, 1052), of functions and their arguments (1305, 1582), of collations (1267 and
// similar ones), 1241 for a row, 1235 for unsupported expressions, those of the Binder's functions, and of
// the Meter's context.
func (b *Binder) Bind(e sqlparser.Expr) (expr.Node, error) {
	n, err := b.bind(e)
	if err != nil {
		return nil, err
	}
	if _, ok := n.(*expr.Tuple); ok {
		return nil, expr.OperandColumns(1)
	}
	return n, nil
}

// bindSyntaxTree makes a node from a tree, depending on its type.
var bindSyntaxTree func(b *Binder, e sqlparser.Expr) (expr.Node, error)

// bind is Bind that also accepts Tuples.
func (b *Binder) bind(e sqlparser.Expr) (expr.Node, error) {
	if err := b.Meter.Step(bindUnits); err != nil {
		return nil, err
	}
	n, err := bindSyntaxTree(b, e)
	if err != nil {
		return nil, err
	}
	return b.simplify(n)
}

// bindUnits is the approximate cost of binding and planning a node.
const bindUnits = 256

func (b *Binder) bindSubquery(q *sqlparser.Subquery, use expr.SubqueryUse) (expr.Node, error) {
	if b.Subquery == nil {
		return nil, mysqlerr.Unsupported("subquery")
	}
	return b.Subquery(q, use)
}

// QualifierOf is the qualifier of a column's name: a table, database.table, or nothing.
func QualifierOf(e *sqlparser.ColName) string {
	if q := e.Qualifier.Qualifier.String(); q != "" {
		return q + "." + e.Qualifier.Name.String()
	}
	return e.Qualifier.Name.String()
}

func (b *Binder) bindColumn(e *sqlparser.ColName) (expr.Node, error) {
	table := QualifierOf(e)
	if b.Scope == nil {
		return nil, mysqlerr.New(mysqlerr.BadField, "Unknown column '%s' in 'field list'", strings.TrimPrefix(table+"."+e.Name.String(), "."))
	}
	return b.Scope.Resolve(table, e.Name.String())
}

func (b *Binder) bindTuple(t sqlparser.ValTuple) (expr.Node, error) {
	items, err := b.bindRows(sqlparser.Exprs(t))
	if err != nil {
		return nil, err
	}
	if len(items) == 1 {
		return items[0], nil
	}
	return &expr.Tuple{Items: items}, nil
}

// bindAll binds scalars.
func (b *Binder) bindAll(exprs ...sqlparser.Expr) ([]expr.Node, error) {
	out := make([]expr.Node, len(exprs))
	for i, e := range exprs {
		n, err := b.Bind(e)
		if err != nil {
			return nil, err
		}
		out[i] = n
	}
	return out, nil
}

// bindRows binds scalars or Tuples.
func (b *Binder) bindRows(exprs []sqlparser.Expr) ([]expr.Node, error) {
	out := make([]expr.Node, len(exprs))
	for i, e := range exprs {
		n, err := b.bind(e)
		if err != nil {
			return nil, err
		}
		out[i] = n
	}
	return out, nil
}

// simplify folds an expression of literals into its value; one that fails, warns, reads the session or is
// long stays.
func (b *Binder) simplify(n expr.Node) (expr.Node, error) {
	p, ok := n.(expr.Parent)
	if !ok || !expr.Foldable(n) || b.plain {
		return n, nil
	}
	if _, ok := n.(*expr.Tuple); ok {
		return n, nil
	}
	of, ok := readsArguments(p.Children())
	if !ok || of != nil && (!of.folds || !b.Carries) {
		return n, nil
	}
	var ctx context.Context
	if b.Meter != nil {
		ctx = b.Meter.Ctx
	}
	if of != nil {
		return of.fold(ctx, n)
	}
	v, has := foldedValue(ctx, n, nil)
	switch {
	case !has && ctx != nil && ctx.Err() != nil:
		return nil, ctx.Err()
	case !has:
		return n, nil
	}
	return &expr.Const{V: v, T: n.Type()}, nil
}

// Scope resolves columns: the error is 1054 for an unknown one, 1052 for an ambiguous one. table may be
// empty, or "database.table".
type Scope interface {
	Resolve(table, column string) (expr.Node, error)
}
