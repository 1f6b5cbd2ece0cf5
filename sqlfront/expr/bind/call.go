package bind

import (
	"slices"
	"strconv"
	"strings"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/member"
	"github.com/hbasekv/hbasekv/sqlfront/expr/setfunc"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// plainArgs are a call's arguments; * is not allowed.
func plainArgs(exprs sqlparser.SelectExprs) ([]sqlparser.Expr, error) {
	out := make([]sqlparser.Expr, len(exprs))
	for i, e := range exprs {
		a, ok := e.(*sqlparser.AliasedExpr)
		if !ok {
			return nil, mysqlerr.New(mysqlerr.Parse, "You have an error in your SQL syntax near '*)'")
		}
		out[i] = a.Expr
	}
	return out, nil
}

func (b *Binder) bindFunc(f *sqlparser.FuncExpr) (expr.Node, error) {
	name := f.Name.String()
	if !f.Qualifier.IsEmpty() {
		return nil, mysqlerr.New(mysqlerr.SPDoesNotExist, "FUNCTION %s.%s does not exist", f.Qualifier.String(), name)
	}
	upper := strings.ToUpper(name)
	if setfunc.IsAggregate(upper) {
		return b.bindAggregate(upper, f)
	}
	if upper == "GROUPING" {
		return b.bindGrouping(f)
	}
	if bind, ok := specialForms[upper]; ok {
		return bind(b, f)
	}
	args, err := plainArgs(f.Exprs)
	if err != nil {
		return nil, err
	}
	nodes, err := b.bindAll(args...)
	if err != nil {
		return nil, err
	}
	return NewCall(name, nodes...)
}

// specialForms are functions whose arguments are not all expressions, or that have their own nodes.
var specialForms map[string]func(b *Binder, f *sqlparser.FuncExpr) (expr.Node, error)

func init() {
	specialForms = map[string]func(b *Binder, f *sqlparser.FuncExpr) (expr.Node, error){
		"IF":  (*Binder).bindIf,
		"MOD": (*Binder).bindMod,

		"COERCIBILITY": (*Binder).bindCoercibility,
		"FIND_IN_SET":  (*Binder).bindFindInSet,

		"DATE_ADD": bindDateFunction(false, false), "DATE_SUB": bindDateFunction(true, false),
		"ADDDATE": bindDateFunction(false, true), "SUBDATE": bindDateFunction(true, true),
		"TIMESTAMPADD": (*Binder).bindTimestampAdd,
	}
}

// bindFindInSet is FIND_IN_SET, which numbers the members of a SET as the column declares them.
func (b *Binder) bindFindInSet(f *sqlparser.FuncExpr) (expr.Node, error) {
	nodes, err := b.argsOf(f, 2)
	if err != nil {
		return nil, err
	}
	call, err := NewCall("FIND_IN_SET", slices.Clone(nodes)...)
	if err != nil || !expr.IsConst(nodes[0]) {
		return call, err
	}
	return member.Find(call, nodes[0], nodes[1]), nil
}

// maxGroupings is MySQL's limit for the arguments of GROUPING(), each of which has a bit.
const maxGroupings = 64

func (b *Binder) bindGrouping(f *sqlparser.FuncExpr) (expr.Node, error) {
	args, err := plainArgs(f.Exprs)
	switch {
	case err != nil:
		return nil, err
	case len(args) == 0:
		return nil, mysqlerr.New(mysqlerr.Parse, "You have an error in your SQL syntax: GROUPING() has no arguments")
	case len(args) > maxGroupings:
		return nil, mysqlerr.New(mysqlerr.InvalidNumberOfArgs, "GROUPING function may have at most %d arguments", maxGroupings)
	case b.Grouping == nil || b.inAggregate:
		return nil, mysqlerr.New(mysqlerr.InvalidGroupFuncUse, "Invalid use of group function")
	}
	nodes, err := b.bindAll(args...)
	if err != nil {
		return nil, err
	}
	return b.Grouping(nodes)
}

func (b *Binder) argsOf(f *sqlparser.FuncExpr, count int) ([]expr.Node, error) {
	args, err := plainArgs(f.Exprs)
	if err != nil {
		return nil, err
	}
	if len(args) != count {
		return nil, function.WrongCount(f.Name.String())
	}
	return b.bindAll(args...)
}

func (b *Binder) bindIf(f *sqlparser.FuncExpr) (expr.Node, error) {
	n, err := b.argsOf(f, 3)
	if err != nil {
		return nil, err
	}
	return collatedCase("if", nil, []expr.When{{Cond: numeric(n[0]), Then: n[1]}}, n[2])
}

func (b *Binder) bindMod(f *sqlparser.FuncExpr) (expr.Node, error) {
	n, err := b.argsOf(f, 2)
	if err != nil {
		return nil, err
	}
	return &expr.Arith{Op: expr.Modulo, L: numeric(n[0]), R: numeric(n[1])}, nil
}

var trimFunctions = map[string]string{"BOTH": function.TrimBoth, "LEADING": function.TrimLeading, "TRAILING": function.TrimTrailing}

// bindSyntax binds a call of a function with a syntax of its own.
func (b *Binder) bindSyntax(name string, args ...sqlparser.Expr) (expr.Node, error) {
	n, err := b.bindAll(args...)
	if err != nil {
		return nil, err
	}
	return NewCall(name, n...)
}

// bindVariable makes the call that reads a variable, with the variable's type at the time of planning.
func (b *Binder) bindVariable(call, scope, name string) (expr.Node, error) {
	args := []expr.Node{textConst(name)}
	if call == function.SystemVariable {
		args = []expr.Node{textConst(scope), textConst(name)}
	}
	n, err := NewCall(call, args...)
	if err == nil {
		scope, name = strings.ToLower(scope), strings.ToLower(name)
		n = n.(*expr.Call).WithType(b.Arguments.variable(scope, name, call == function.SystemVariable))
	}
	return n, err
}

func (b *Binder) bindAssignment(e *ast.SetUserVar) (expr.Node, error) {
	x, err := b.Bind(e.Expr)
	if err != nil {
		return nil, err
	}
	return NewCall(function.SetUserVariable, textConst(e.Name), x)
}

func (b *Binder) bindXor(e *ast.Xor) (expr.Node, error) {
	n, err := b.bindAll(e.ValTuple...)
	if err != nil {
		return nil, err
	}
	x := numeric(n[0])
	for _, y := range n[1:] {
		x = &expr.Xor{L: x, R: numeric(y)}
	}
	return x, nil
}

var castTargets = map[string]expr.CastTo{
	"signed": expr.ToSigned, "unsigned": expr.ToUnsigned, "char": expr.ToChar, "nchar": expr.ToChar,
	"binary": expr.ToBinary, "decimal": expr.ToDecimal, "date": expr.ToDate, "time": expr.ToTime, "datetime": expr.ToDateTime, "json": expr.ToJSON,
	"double": expr.ToDouble, "float": expr.ToFloat, "year": expr.ToYear,
}

func (b *Binder) bindConvert(e *sqlparser.ConvertExpr) (expr.Node, error) {
	x, err := b.Bind(e.Expr)
	if err != nil {
		return nil, err
	}
	c, err := castTo(x, e.Type)
	if err != nil {
		return nil, err
	}
	if c.To == expr.ToChar && e.Type.Charset != "" {
		return b.inCharset(x, e.Type.Charset, c.Length)
	}
	return c, nil
}

// castTo is x cast to a type without its character set.
func castTo(x expr.Node, t *sqlparser.ConvertType) (*expr.Cast, error) {
	to, ok := castTargets[strings.ToLower(t.Type)]
	if !ok {
		return nil, mysqlerr.Unsupported("CAST AS " + t.Type)
	}
	c := &expr.Cast{X: x, To: to}
	switch to {
	case expr.ToBinary:
		c.X = expr.Encoded(stringy(x))
	case expr.ToChar:
		c.X = stringy(x)
	case expr.ToJSON, expr.ToYear:
	default:
		c.X = numeric(x)
	}
	var err error
	if c.Length, err = typeLength(t.Length, -1); err != nil {
		return nil, err
	}
	if c.Scale, err = typeLength(t.Scale, 0); err != nil {
		return nil, err
	}
	return c, checkCast(c)
}

func typeLength(v *sqlparser.SQLVal, missing int) (int, error) {
	if v == nil {
		return missing, nil
	}
	n, err := strconv.Atoi(string(v.Val))
	if err != nil || n < 0 {
		return 0, mysqlerr.New(mysqlerr.TooBigField, "Display width out of range for column (max = 4294967295)")
	}
	return n, nil
}

func (b *Binder) bindConvertUsing(e *sqlparser.ConvertUsingExpr) (expr.Node, error) {
	x, err := b.Bind(e.Expr)
	if err != nil {
		return nil, err
	}
	return b.inCharset(x, e.Type, -1)
}

func (b *Binder) bindCollate(e *sqlparser.CollateExpr) (expr.Node, error) {
	x, err := b.Bind(e.Expr)
	if err != nil {
		return nil, err
	}
	return newCollate(x, strings.ToLower(e.Charset))
}

func (b *Binder) bindArrow(op string, left, right sqlparser.Expr) (expr.Node, error) {
	n, err := b.bindAll(left, right)
	if err != nil {
		return nil, err
	}
	call, err := NewCall("JSON_EXTRACT", n...)
	if err != nil || op == sqlparser.JSONExtractOp {
		return call, err
	}
	return NewCall("JSON_UNQUOTE", call)
}

// checkCast refuses lengths that the type cannot have.
func checkCast(c *expr.Cast) error {
	switch {
	case c.To == expr.ToDecimal && c.Length > value.MaxDigits:
		return mysqlerr.New(mysqlerr.TooBigPrecision, "Too big precision %d specified for column '%s'. Maximum is %d",
			c.Length, expr.Print(c.X), value.MaxDigits)
	case c.To == expr.ToDecimal && c.Scale > value.MaxScale:
		return mysqlerr.New(mysqlerr.TooBigScale, "Too big scale %d specified for column '%s'. Maximum is %d",
			c.Scale, expr.Print(c.X), value.MaxScale)
	case c.To == expr.ToDecimal && c.Length >= 0 && c.Scale > c.Length:
		return mysqlerr.New(mysqlerr.MBiggerThanD,
			"For float(M,D), double(M,D) or decimal(M,D), M must be >= D (column '%s')", expr.Print(c.X))
	case (c.To == expr.ToTime || c.To == expr.ToDateTime) && c.Length > 6:
		return mysqlerr.New(mysqlerr.TooBigPrecision, "Too big precision %d specified for column '%s'. Maximum is 6",
			c.Length, expr.Print(c.X))
	}
	return nil
}
