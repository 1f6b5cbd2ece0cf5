package bind

import (
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/function/temporal"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
)

// newDateAdd converts hex literals to numbers, except for an amount in several units, which is a text.
func newDateAdd(x, amount expr.Node, unit string, sub bool) expr.Node {
	if !strings.Contains(unit, "_") {
		amount = numeric(amount)
	}
	return &expr.DateAdd{X: x, Amount: amount, Unit: unit, Sub: sub}
}

func (b *Binder) bindDateAdd(x sqlparser.Expr, i *sqlparser.IntervalExpr, sub bool) (expr.Node, error) {
	n, err := b.bindAll(x, i.Expr)
	if err != nil {
		return nil, err
	}
	if !temporal.IsUnit(i.Unit) {
		return nil, mysqlerr.Unsupported("INTERVAL unit " + i.Unit)
	}
	return newDateAdd(n[0], n[1], i.Unit, sub), nil
}

// bindIntervalArith binds x + INTERVAL, INTERVAL + x and x - INTERVAL.
func (b *Binder) bindIntervalArith(e *sqlparser.BinaryExpr) (expr.Node, bool, error) {
	if i, ok := e.Right.(*sqlparser.IntervalExpr); ok && (e.Operator == sqlparser.PlusStr || e.Operator == sqlparser.MinusStr) {
		n, err := b.bindDateAdd(e.Left, i, e.Operator == sqlparser.MinusStr)
		return n, true, err
	}
	if i, ok := e.Left.(*sqlparser.IntervalExpr); ok && e.Operator == sqlparser.PlusStr {
		n, err := b.bindDateAdd(e.Right, i, false)
		return n, true, err
	}
	return nil, false, nil
}

// bindDateFunction binds DATE_ADD, DATE_SUB, ADDDATE and SUBDATE; the latter two also accept days.
func bindDateFunction(sub, days bool) func(*Binder, *sqlparser.FuncExpr) (expr.Node, error) {
	return func(b *Binder, f *sqlparser.FuncExpr) (expr.Node, error) {
		args, err := plainArgs(f.Exprs)
		if err != nil {
			return nil, err
		}
		if len(args) != 2 {
			return nil, function.WrongCount(f.Name.String())
		}
		i, ok := args[1].(*sqlparser.IntervalExpr)
		if !ok && !days {
			return nil, mysqlerr.New(mysqlerr.Parse, "You have an error in your SQL syntax; %s needs an INTERVAL", f.Name.String())
		}
		if !ok {
			i = &sqlparser.IntervalExpr{Expr: args[1], Unit: "DAY"}
		}
		return b.bindDateAdd(args[0], i, sub)
	}
}

// bindTimestampAdd binds TIMESTAMPADD(unit, n, x).
func (b *Binder) bindTimestampAdd(f *sqlparser.FuncExpr) (expr.Node, error) {
	n, err := b.argsOf(f, 3)
	if err != nil {
		return nil, err
	}
	name, err := unitName(n[0])
	if err != nil {
		return nil, err
	}
	return newDateAdd(n[2], n[1], name, false), nil
}

func unitName(n expr.Node) (string, error) {
	c, ok := n.(*expr.Const)
	if ok && temporal.IsUnit(string(c.V.AsBytes())) {
		return string(c.V.AsBytes()), nil
	}
	return "", mysqlerr.Unsupported("unit " + expr.Print(n))
}
