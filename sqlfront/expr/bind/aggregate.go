package bind

import (
	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/member"
	"github.com/hbasekv/hbasekv/sqlfront/expr/setfunc"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

func (b *Binder) bindAggregate(name string, f *sqlparser.FuncExpr) (expr.Node, error) {
	agg, err := aggregateOf(name, f, b.aggregateArgs)
	if err != nil {
		return nil, err
	}
	return b.finishAggregate(agg)
}

// aggregateOf is the call of an aggregate whose arguments are bound by bind.
func aggregateOf(name string, f *sqlparser.FuncExpr,
	bind func(args []sqlparser.Expr) ([]expr.Node, error)) (*setfunc.Aggregate, error) {
	agg := setfunc.NewAggregate(name)
	agg.Distinct = f.Distinct
	if countsStar(name, f) {
		return agg, nil
	}
	if !agg.Takes(len(f.Exprs)) {
		return nil, wrongNumberOfArguments(f)
	}
	args, err := plainArgs(f.Exprs)
	if err != nil {
		return nil, err
	}
	if agg.Args, err = bind(args); err != nil {
		return nil, err
	}
	if agg.TakesNumber() {
		agg.Args[0] = numeric(agg.Args[0])
	}
	return agg, nil
}

func wrongNumberOfArguments(f *sqlparser.FuncExpr) error {
	return mysqlerr.New(mysqlerr.Parse, "You have an error in your SQL syntax: wrong number of arguments of %s()",
		f.Name.String())
}

// aggregateArgs binds arguments, which must not contain aggregates.
func (b *Binder) aggregateArgs(args []sqlparser.Expr) ([]expr.Node, error) {
	inner := *b
	inner.inAggregate = true
	if b.Args != nil {
		inner.Scope = b.Args
	}
	return inner.bindAll(args...)
}

func (b *Binder) finishAggregate(agg *setfunc.Aggregate) (expr.Node, error) {
	if b.Agg == nil || b.inAggregate {
		return nil, mysqlerr.New(mysqlerr.InvalidGroupFuncUse, "Invalid use of group function")
	}
	return b.Agg(agg)
}

func (b *Binder) bindGroupConcat(g *ast.GroupConcat) (expr.Node, error) {
	agg := setfunc.NewAggregate("GROUP_CONCAT")
	agg.Distinct, agg.Separator = g.Distinct != "", []byte(",")
	args, err := plainArgs(g.Exprs)
	if err != nil {
		return nil, err
	}
	if agg.Args, err = b.aggregateArgs(args); err == nil {
		agg.Args, err = joined("group_concat", agg.Args)
	}
	if err != nil {
		return nil, err
	}
	for _, o := range g.OrderBy {
		n, err := b.groupConcatOrder(agg, o.Expr)
		if err != nil {
			return nil, err
		}
		agg.Order = append(agg.Order, setfunc.OrderItem{X: member.Numeric(n), Desc: o.Direction == sqlparser.DescScr})
	}
	if g.Separator != nil {
		agg.Separator = g.Separator.Bytes
	}
	return b.finishAggregate(agg)
}

// groupConcatOrder binds an ORDER BY item; an integer means an argument.
func (b *Binder) groupConcatOrder(agg *setfunc.Aggregate, e sqlparser.Expr) (expr.Node, error) {
	n, err := b.aggregateArgs([]sqlparser.Expr{e})
	if err != nil {
		return nil, err
	}
	number, isNumber := e.(*ast.Number)
	_, isParam := e.(*ast.Param)
	if n[0].Type().Kind != value.Int || !isParam && (!isNumber || !number.Int) {
		return n[0], nil
	}
	i, _ := expr.Ask(n[0], askPosition)
	if i >= 1 && i <= len(agg.Args) {
		return agg.Args[i-1], nil
	}
	return nil, mysqlerr.New(mysqlerr.BadField, "Unknown column '%d' in 'order clause'", i)
}
