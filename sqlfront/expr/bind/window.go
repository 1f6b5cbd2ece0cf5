package bind

import (
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/setfunc"
)

// WindowMisused is error 3593, for a call where windows are not allowed.
func WindowMisused(name string) error {
	return mysqlerr.New(mysqlerr.WindowInvalidUse, "You cannot use the window function '%s' in this context.'",
		strings.ToLower(name))
}

func (b *Binder) bindOver(o *ast.Over) (expr.Node, error) {
	if b.Window == nil || b.inAggregate {
		return nil, WindowMisused(calledName(o.Call()))
	}
	return b.Window(o)
}

func calledName(e sqlparser.Expr) string {
	f, _ := e.(*sqlparser.FuncExpr)
	return f.Name.String()
}

// BindWindowCall binds the call before OVER. Its arguments must not contain windows. Errors are those of
// Bind, 1064 for a wrong number of arguments and 1210 for an invalid number of rows.
func (b *Binder) BindWindowCall(o *ast.Over) (*setfunc.WindowCall, error) {
	f := o.Call().(*sqlparser.FuncExpr)
	name := strings.ToUpper(f.Name.String())
	inner := *b
	inner.Window = nil
	if setfunc.IsAggregate(name) {
		agg, err := aggregateOf(name, f, func(args []sqlparser.Expr) ([]expr.Node, error) { return inner.bindAll(args...) })
		if err != nil {
			return nil, err
		}
		return setfunc.NewWindowAggregate(agg), nil
	}
	args, err := plainArgs(f.Exprs)
	if err != nil {
		return nil, err
	}
	if !setfunc.WindowTakes(name, len(args)) {
		return nil, wrongNumberOfArguments(f)
	}
	bound, err := inner.bindAll(args...)
	if err != nil {
		return nil, err
	}
	w, err := setfunc.NewWindowCall(name, bound)
	if err != nil {
		return nil, err
	}
	return w, checkWindowCount(w, args)
}

// checkWindowCount checks the number of rows, which may be a literal, an argument or a variable.
func checkWindowCount(w *setfunc.WindowCall, written []sqlparser.Expr) error {
	at := w.CountAt()
	if at < 0 {
		return nil
	}
	switch e := written[at].(type) {
	case *ast.Number:
		if e.Int && expr.IsConst(w.Args[at]) {
			_, _, err := w.Count(&expr.Env{})
			return err
		}
	case *ast.Param, *ast.UserVar:
		return nil
	}
	return setfunc.WrongWindowArguments(w.Name)
}

// countsStar reports whether the call is COUNT(*).
func countsStar(name string, f *sqlparser.FuncExpr) bool {
	if name != "COUNT" || len(f.Exprs) != 1 {
		return false
	}
	_, star := f.Exprs[0].(*sqlparser.StarExpr)
	return star
}
