package parse

import (
	"strings"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
)

// primary reads an operand without operators.
func (p *parser) primary() expression {
	switch t := p.Current(); {
	case t.Kind == lex.Int || t.Kind == lex.Float:
		return expression{Expr: p.number()}
	case t.Kind.IsLiteral():
		return expression{Expr: p.recoded()}
	case t.Kind == lex.Param:
		return expression{Expr: &ast.Param{Index: p.param()}}
	case t.Kind == lex.UserVar:
		return p.userVariable()
	case t.Kind == lex.Op:
		return p.punctuated(p.Text(t))
	case t.Kind == lex.Word:
		return p.wordOperand()
	case t.Kind == lex.Quoted:
		return p.nameOrCall()
	}
	p.Expected("an expression")
	return expression{}
}

// number reads a number.
func (p *parser) number() *ast.Number {
	t := p.Advance()
	return &ast.Number{Text: p.Text(t), Int: t.Kind == lex.Int, Slot: int(t.Slot)}
}

// punctuated reads an operand that begins with punctuation.
func (p *parser) punctuated(op string) expression {
	switch op {
	case "(":
		return p.parentheses()
	case "@@":
		scope, name := p.systemVariableName()
		return expression{Expr: &ast.SystemVar{Scope: scope, Name: name}}
	case "{":
		return p.odbc()
	}
	p.Expected("an expression")
	return expression{}
}

// parentheses reads a subquery, a row or an expression in parentheses.
func (p *parser) parentheses() expression {
	if p.isQuery(p.Pos) {
		query, height := p.subquery()
		return expression{query, height}
	}
	list, height := p.row()
	if len(list) == 1 {
		return p.over(&sqlparser.ParenExpr{Expr: list[0]}, height)
	}
	return p.over(list, height)
}

// userVariable reads @name and @name := expr.
func (p *parser) userVariable() expression {
	name := lex.VariableName(p.Text(p.Advance()))
	if !p.AcceptOp(":=") {
		return expression{Expr: &ast.UserVar{Name: name}}
	}
	e := p.expr()
	return p.above(&ast.SetUserVar{UnaryExpr: sqlparser.UnaryExpr{Operator: ":=", Expr: e.Expr}, Name: name}, e)
}

// systemVariableName reads @@ [scope.] name; both come in lower case.
func (p *parser) systemVariableName() (scope, name string) {
	p.ExpectOp("@@")
	name = strings.ToLower(p.AnyName("the name of a system variable"))
	if !p.AcceptOp(".") {
		return "", name
	}
	part := strings.ToLower(p.AnyName("the name of a system variable"))
	switch name {
	case "global", "session":
		scope, name = name, part
	case "local":
		scope, name = "session", part
	default:
		return "", name + "." + part
	}
	if p.AcceptOp(".") {
		name += "." + strings.ToLower(p.AnyName("the name of a system variable"))
	}
	return scope, name
}

// odbc reads {d '...'}, {t '...'}, {ts '...'}, and {fn call}; fn and any other word are ignored
// (https://dev.mysql.com/doc/refman/5.7/en/expressions.html).
func (p *parser) odbc() (e expression) {
	p.ExpectOp("{")
	word := p.Current()
	p.Name("D, T, TS or FN")
	text := p.Current().Kind == lex.String
	switch {
	case text && p.IsWord(word, "D"):
		e.Expr = p.dated(ast.LitDate)
	case text && p.IsWord(word, "T"):
		e.Expr = p.dated(ast.LitTime)
	case text && p.IsWord(word, "TS"):
		e.Expr = p.dated(ast.LitTimestamp)
	default:
		e = p.expr()
	}
	p.ExpectOp("}")
	return e
}

// dated reads the string of a date or time literal.
func (p *parser) dated(kind ast.LiteralKind) *ast.Literal {
	lit := p.Literal()
	lit.Kind = kind
	p.reads(lit.Slot, ast.ReadDate+ast.Reading(kind-ast.LitDate))
	return lit
}

// wordOperand reads an operand that begins with an unquoted word.
func (p *parser) wordOperand() expression {
	t := p.Current()
	if f := specialForm(p.Text(t)); f != nil {
		if e, ok := f(p); ok {
			return e
		}
	}
	if lex.IsReserved(p.Text(t)) && !(p.IsOp(p.Peek(1), "(") && p.IsWord(t, callable...)) {
		p.Expected("an expression")
	}
	return p.nameOrCall()
}

// callable are the reserved words that are also names of functions.
var callable = []string{"LEFT", "RIGHT", "REPLACE", "INSERT", "IF", "MOD", "REPEAT", "CHAR", "DATABASE", "SCHEMA"}

// nameOrCall reads a column or a call of a function.
func (p *parser) nameOrCall() expression {
	if p.IsOp(p.Peek(1), "(") {
		return p.call("")
	}
	if p.IsOp(p.Peek(1), ".") && p.IsOp(p.Peek(3), "(") {
		qualifier := p.NameOf(p.Advance())
		p.Pos++
		return p.call(qualifier)
	}
	return p.column()
}

// column reads [[database.]table.]column, and -> or ->> after it.
func (p *parser) column() expression {
	name := p.columnName()
	var e sqlparser.Expr = name
	if alias, ok := p.aliasedColumn(name); ok {
		e = &sqlparser.ValuesFuncExpr{Name: &sqlparser.ColName{Name: sqlparser.NewColIdent(alias)}}
	}
	for _, arrow := range []string{sqlparser.JSONUnquoteExtractOp, sqlparser.JSONExtractOp} {
		if p.AcceptOp(arrow) {
			if p.Current().Kind != lex.String {
				p.Expected("a JSON path in quotes")
			}
			return expression{&sqlparser.BinaryExpr{Operator: arrow, Left: e, Right: p.Literal()}, 1}
		}
	}
	return expression{Expr: e}
}

// columnName reads [[database.]table.]column.
func (p *parser) columnName() *sqlparser.ColName {
	var parts [3]string // the column, the name before it, ...
	parts[0] = p.NameOf(p.Advance())
	for n := 1; n < 3 && p.AcceptOp("."); n++ {
		parts[2], parts[1], parts[0] = parts[1], parts[0], p.AnyName("the name of a column")
	}
	return &sqlparser.ColName{Name: sqlparser.NewColIdent(parts[0]), Qualifier: ast.TableIdents(parts[2], parts[1])}
}

// aliasedColumn is the column for a name that INSERT ... VALUES (...) AS new(a, b) declares.
func (p *parser) aliasedColumn(c *sqlparser.ColName) (string, bool) {
	q, table := &p.query, c.Qualifier.Name.String()
	if q.rowAlias == "" || !c.Qualifier.Qualifier.IsEmpty() || table != "" && table != q.rowAlias {
		return "", false
	}
	name := c.Name.String()
	for i, a := range q.columnAliases {
		if strings.EqualFold(a, name) {
			return q.columns[i].String(), true
		}
	}
	return name, table != ""
}

// call reads name(arguments).
func (p *parser) call(qualifier string) expression {
	t := p.Current()
	name := p.AnyName("the name of a function")
	if strings.HasPrefix(name, internalPrefix) {
		p.Fail(mysqlerr.New(mysqlerr.SPDoesNotExist, "FUNCTION %s does not exist (at position %d)", name, t.Start+1))
	}
	f := &sqlparser.FuncExpr{Qualifier: sqlparser.NewTableIdent(qualifier), Name: sqlparser.NewColIdent(name)}
	p.ExpectOp("(")
	height := p.arguments(f, aggregates[strings.ToLower(name)])
	return p.overClause(p.over(f, height), t.Start)
}

// internalPrefix starts the names of functions with a syntax of their own, so that no statement can call them
// by name.
const internalPrefix = "$"

// newCall is a call of a function.
func newCall(name string, args ...sqlparser.Expr) *sqlparser.FuncExpr {
	f := &sqlparser.FuncExpr{Name: sqlparser.NewColIdent(name)}
	for _, arg := range args {
		f.Exprs = append(f.Exprs, &sqlparser.AliasedExpr{Expr: arg})
	}
	return f
}

// aggregates accept DISTINCT and ALL.
var aggregates = map[string]bool{"count": true, "sum": true, "avg": true, "min": true, "max": true}

// arguments reads the arguments of a call with the closing parenthesis.
func (p *parser) arguments(f *sqlparser.FuncExpr, aggregate bool) (height int) {
	if p.AcceptOp(")") {
		return 0
	}
	if aggregate && f.Qualifier.IsEmpty() && p.Accept("DISTINCT") {
		f.Distinct = true
	} else if aggregate {
		p.Accept("ALL")
	}
	if aggregate && p.AtOp("*") && p.IsOp(p.Peek(1), ")") {
		p.Pos++
		f.Exprs = append(f.Exprs, &sqlparser.StarExpr{})
	} else {
		f.Exprs, height = p.argumentList(f.Exprs)
	}
	p.ExpectOp(")")
	return height
}

// argumentList appends a, b, ...; the height is the largest of the arguments'.
func (p *parser) argumentList(list sqlparser.SelectExprs) (_ sqlparser.SelectExprs, height int) {
	p.List(func() {
		e := p.expr()
		list, height = append(list, &sqlparser.AliasedExpr{Expr: e.Expr}), max(height, e.height)
	})
	return list, height
}
