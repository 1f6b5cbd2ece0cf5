package expr

import (
	"strconv"
	"strings"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
)

// plainArgs are a call's arguments; * is none.
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

func (b *Binder) bindFunc(f *sqlparser.FuncExpr) (Node, error) {
	name := f.Name.String()
	if !f.Qualifier.IsEmpty() {
		return nil, mysqlerr.New(mysqlerr.SPDoesNotExist, "FUNCTION %s.%s does not exist", f.Qualifier.String(), name)
	}
	upper := strings.ToUpper(name)
	if isAggregate(upper) {
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

// specialForms are functions whose arguments are not all expressions, or that
// are nodes of their own.
var specialForms map[string]func(b *Binder, f *sqlparser.FuncExpr) (Node, error)

func init() {
	specialForms = map[string]func(b *Binder, f *sqlparser.FuncExpr) (Node, error){
		"IF":  (*Binder).bindIf,
		"MOD": (*Binder).bindMod,

		"DATE_ADD": bindDateFunction(false, false), "DATE_SUB": bindDateFunction(true, false),
		"ADDDATE": bindDateFunction(false, true), "SUBDATE": bindDateFunction(true, true),
		"TIMESTAMPADD": (*Binder).bindTimestampAdd,
	}
}

// maxGroupings is MySQL's limit of the arguments of GROUPING(), each of which has a bit.
const maxGroupings = 64

func (b *Binder) bindGrouping(f *sqlparser.FuncExpr) (Node, error) {
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

func (b *Binder) argsOf(f *sqlparser.FuncExpr, count int) ([]Node, error) {
	args, err := plainArgs(f.Exprs)
	if err != nil {
		return nil, err
	}
	if len(args) != count {
		return nil, function.WrongCount(f.Name.String())
	}
	return b.bindAll(args...)
}

func (b *Binder) bindIf(f *sqlparser.FuncExpr) (Node, error) {
	n, err := b.argsOf(f, 3)
	if err != nil {
		return nil, err
	}
	return newCase(nil, []When{{numeric(n[0]), n[1]}}, n[2]), nil
}

func (b *Binder) bindMod(f *sqlparser.FuncExpr) (Node, error) {
	n, err := b.argsOf(f, 2)
	if err != nil {
		return nil, err
	}
	return &Arith{Modulo, numeric(n[0]), numeric(n[1])}, nil
}

var trimFunctions = map[string]string{"BOTH": function.TrimBoth, "LEADING": function.TrimLeading, "TRAILING": function.TrimTrailing}

// bindSyntax binds a call of a function that has a syntax of its own.
func (b *Binder) bindSyntax(name string, args ...sqlparser.Expr) (Node, error) {
	n, err := b.bindAll(args...)
	if err != nil {
		return nil, err
	}
	return NewCall(name, n...)
}

// bindVariable makes the call that reads a variable, with the type that it has when
// its statement is planned.
func (b *Binder) bindVariable(call, scope, name string) (Node, error) {
	args := []Node{textConst(name)}
	if call == function.SystemVariable {
		args = []Node{textConst(scope), textConst(name)}
	}
	n, err := NewCall(call, args...)
	if err == nil {
		n.(*Call).typ = b.Arguments.variable(strings.ToLower(scope), strings.ToLower(name), call == function.SystemVariable)
	}
	return n, err
}

func (b *Binder) bindAssignment(e *parse.SetUserVar) (Node, error) {
	x, err := b.Bind(e.Expr)
	if err != nil {
		return nil, err
	}
	return NewCall(function.SetUserVariable, textConst(e.Name), x)
}

func (b *Binder) bindXor(e *parse.Xor) (Node, error) {
	n, err := b.bindAll(e.ValTuple...)
	if err != nil {
		return nil, err
	}
	x := numeric(n[0])
	for _, y := range n[1:] {
		x = &Xor{x, numeric(y)}
	}
	return x, nil
}

var castTargets = map[string]CastTo{
	"signed": ToSigned, "unsigned": ToUnsigned, "char": ToChar, "nchar": ToChar, "binary": ToBinary,
	"decimal": ToDecimal, "date": ToDate, "time": ToTime, "datetime": ToDateTime, "json": ToJSON,
	"double": ToDouble, "float": ToFloat, "year": ToYear,
}

func (b *Binder) bindConvert(e *sqlparser.ConvertExpr) (Node, error) {
	x, err := b.Bind(e.Expr)
	if err != nil {
		return nil, err
	}
	to, ok := castTargets[strings.ToLower(e.Type.Type)]
	if !ok {
		return nil, mysqlerr.Unsupported("CAST AS " + e.Type.Type)
	}
	c := &Cast{X: x, To: to, Length: -1}
	if to != ToChar && to != ToBinary && to != ToJSON && to != ToYear {
		c.X = numeric(x)
	}
	if c.Length, err = typeLength(e.Type.Length, -1); err != nil {
		return nil, err
	}
	if c.Scale, err = typeLength(e.Type.Scale, 0); err != nil {
		return nil, err
	}
	if to == ToChar && e.Type.Charset != "" {
		if c.To, err = charsetTarget(e.Type.Charset); err != nil {
			return nil, err
		}
	}
	return c, c.check()
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

func (b *Binder) bindConvertUsing(e *sqlparser.ConvertUsingExpr) (Node, error) {
	x, err := b.Bind(e.Expr)
	if err != nil {
		return nil, err
	}
	to, err := charsetTarget(e.Type)
	if err != nil {
		return nil, err
	}
	return &Cast{X: x, To: to, Length: -1}, nil
}

// charsetTarget is the cast that a character set asks for: all text is UTF-8
// here. 1115 for no character set, 1235 for one that would change bytes.
func charsetTarget(name string) (CastTo, error) {
	switch name = strings.ToLower(name); name {
	case "binary":
		return ToBinary, nil
	case "utf8", "utf8mb3", "utf8mb4", "ascii":
		return ToChar, nil
	}
	if otherCharsets[name] {
		return ToChar, mysqlerr.Unsupported("CHARACTER SET " + name)
	}
	return ToChar, mysqlerr.New(mysqlerr.UnknownCharset, "Unknown character set: '%s'", name)
}

// otherCharsets are those that MySQL has and this driver has not.
var otherCharsets = func() map[string]bool {
	names := strings.Fields(`big5 dec8 cp850 hp8 koi8r latin1 latin2 swe7 ujis sjis hebrew tis620 euckr koi8u gb2312 greek
		cp1250 gbk latin5 armscii8 ucs2 cp866 keybcs2 macce macroman cp852 latin7 cp1251 utf16 utf16le cp1256 cp1257 utf32
		geostd8 cp932 eucjpms gb18030`)
	set := map[string]bool{}
	for _, n := range names {
		set[n] = true
	}
	return set
}()

func (b *Binder) bindCollate(e *sqlparser.CollateExpr) (Node, error) {
	x, err := b.Bind(e.Expr)
	if err != nil {
		return nil, err
	}
	return newCollate(x, strings.ToLower(e.Charset))
}

func (b *Binder) bindArrow(op string, left, right sqlparser.Expr) (Node, error) {
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
