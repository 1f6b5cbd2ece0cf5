package parse

import (
	"strings"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// primary reads an operand without operators.
func (p *parser) primary() expression {
	switch t := p.cur(); {
	case t.kind == tokInt || t.kind == tokFloat:
		return expression{Expr: p.number()}
	case t.kind.isLiteral():
		return expression{Expr: p.recoded()}
	case t.kind == tokParam:
		return expression{Expr: &Param{Index: p.param()}}
	case t.kind == tokUserVar:
		return p.userVariable()
	case t.kind == tokOp:
		return p.punctuated(p.text(t))
	case t.kind == tokWord:
		return p.wordOperand()
	case t.kind == tokQuoted:
		return p.nameOrCall()
	}
	p.expected("an expression")
	return expression{}
}

// number passes a number.
func (p *parser) number() *Number {
	t := p.advance()
	return &Number{Text: p.text(t), Int: t.kind == tokInt, Slot: int(t.slot)}
}

// punctuated reads an operand that begins with punctuation.
func (p *parser) punctuated(op string) expression {
	switch op {
	case "(":
		return p.parentheses()
	case "@@":
		scope, name := p.systemVariableName()
		return expression{Expr: &SystemVar{Scope: scope, Name: name}}
	case "{":
		return p.odbc()
	}
	p.expected("an expression")
	return expression{}
}

// parentheses reads a subquery, a row or an expression in parentheses.
func (p *parser) parentheses() expression {
	if p.isQuery(p.pos) {
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
	name := variableName(p.text(p.advance()))
	if !p.acceptOp(":=") {
		return expression{Expr: &UserVar{Name: name}}
	}
	e := p.expr()
	return p.above(&SetUserVar{sqlparser.UnaryExpr{Operator: ":=", Expr: e.Expr}, name}, e)
}

// systemVariableName reads @@ [scope.] name; both come in lower case.
func (p *parser) systemVariableName() (scope, name string) {
	p.expectOp("@@")
	name = strings.ToLower(p.anyName("the name of a system variable"))
	if !p.acceptOp(".") {
		return "", name
	}
	part := strings.ToLower(p.anyName("the name of a system variable"))
	switch name {
	case "global", "session":
		scope, name = name, part
	case "local":
		scope, name = "session", part
	default:
		return "", name + "." + part
	}
	if p.acceptOp(".") {
		name += "." + strings.ToLower(p.anyName("the name of a system variable"))
	}
	return scope, name
}

// odbc reads {d '...'}, {t '...'}, {ts '...'}, and {fn call}, whose word means nothing, nor
// does any other (https://dev.mysql.com/doc/refman/5.7/en/expressions.html).
func (p *parser) odbc() (e expression) {
	p.expectOp("{")
	word := p.cur()
	p.name("D, T, TS or FN")
	text := p.cur().kind == tokString
	switch {
	case text && p.isWord(word, "D"):
		e.Expr = p.dated(LitDate)
	case text && p.isWord(word, "T"):
		e.Expr = p.dated(LitTime)
	case text && p.isWord(word, "TS"):
		e.Expr = p.dated(LitTimestamp)
	default:
		e = p.expr()
	}
	p.expectOp("}")
	return e
}

// dated reads the string of a date or time literal.
func (p *parser) dated(kind LiteralKind) *Literal {
	lit := p.literal()
	lit.Kind = kind
	p.reads(lit.Slot, ReadDate+Reading(kind-LitDate))
	return lit
}

// wordOperand reads an operand that begins with an unquoted word.
func (p *parser) wordOperand() expression {
	t := p.cur()
	if f := specialForm(p.text(t)); f != nil {
		if e, ok := f(p); ok {
			return e
		}
	}
	if isReserved(p.text(t)) && !(p.isOp(p.peek(1), "(") && p.isWord(t, callable...)) {
		p.expected("an expression")
	}
	return p.nameOrCall()
}

// callable are the reserved words that are names of functions.
var callable = []string{"LEFT", "RIGHT", "REPLACE", "INSERT", "IF", "MOD", "REPEAT", "CHAR", "DATABASE", "SCHEMA"}

// nameOrCall reads a column or a call of a function.
func (p *parser) nameOrCall() expression {
	if p.isOp(p.peek(1), "(") {
		return p.call("")
	}
	if p.isOp(p.peek(1), ".") && p.isOp(p.peek(3), "(") {
		qualifier := p.nameOf(p.advance())
		p.pos++
		return p.call(qualifier)
	}
	return p.column()
}

// column reads [[database.]table.]column, and -> or ->> behind it.
func (p *parser) column() expression {
	name := p.columnName()
	var e sqlparser.Expr = name
	if alias, ok := p.aliasedColumn(name); ok {
		e = &sqlparser.ValuesFuncExpr{Name: &sqlparser.ColName{Name: sqlparser.NewColIdent(alias)}}
	}
	for _, arrow := range []string{sqlparser.JSONUnquoteExtractOp, sqlparser.JSONExtractOp} {
		if p.acceptOp(arrow) {
			if p.cur().kind != tokString {
				p.expected("a JSON path in quotes")
			}
			return expression{&sqlparser.BinaryExpr{Operator: arrow, Left: e, Right: p.literal()}, 1}
		}
	}
	return expression{Expr: e}
}

// columnName passes [[database.]table.]column.
func (p *parser) columnName() *sqlparser.ColName {
	var parts [3]string // the column, what is in front of it, ...
	parts[0] = p.nameOf(p.advance())
	for n := 1; n < 3 && p.acceptOp("."); n++ {
		parts[2], parts[1], parts[0] = parts[1], parts[0], p.anyName("the name of a column")
	}
	return &sqlparser.ColName{Name: sqlparser.NewColIdent(parts[0]), Qualifier: tableIdents(parts[2], parts[1])}
}

// aliasedColumn is the column that a name stands for which INSERT ... VALUES
// (...) AS new(a, b) declares.
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
	t := p.cur()
	name := p.anyName("the name of a function")
	if strings.HasPrefix(name, internalPrefix) {
		p.fail(mysqlerr.New(mysqlerr.SPDoesNotExist, "FUNCTION %s does not exist (at position %d)", name, t.start+1))
	}
	f := &sqlparser.FuncExpr{Qualifier: sqlparser.NewTableIdent(qualifier), Name: sqlparser.NewColIdent(name)}
	p.expectOp("(")
	height := p.arguments(f, aggregates[strings.ToLower(name)])
	return p.overClause(p.over(f, height), t.start)
}

// internalPrefix starts no name that a statement can call: those of functions
// that have a syntax of their own begin with it.
const internalPrefix = "$"

// newCall is a call of a function.
func newCall(name string, args ...sqlparser.Expr) *sqlparser.FuncExpr {
	f := &sqlparser.FuncExpr{Name: sqlparser.NewColIdent(name)}
	for _, arg := range args {
		f.Exprs = append(f.Exprs, &sqlparser.AliasedExpr{Expr: arg})
	}
	return f
}

// aggregates take DISTINCT and ALL.
var aggregates = map[string]bool{"count": true, "sum": true, "avg": true, "min": true, "max": true}

// arguments reads the arguments of a call with the closing parenthesis.
func (p *parser) arguments(f *sqlparser.FuncExpr, aggregate bool) (height int) {
	if p.acceptOp(")") {
		return 0
	}
	if aggregate && f.Qualifier.IsEmpty() && p.accept("DISTINCT") {
		f.Distinct = true
	} else if aggregate {
		p.accept("ALL")
	}
	if aggregate && p.atOp("*") && p.isOp(p.peek(1), ")") {
		p.pos++
		f.Exprs = append(f.Exprs, &sqlparser.StarExpr{})
	} else {
		f.Exprs, height = p.argumentList(f.Exprs)
	}
	p.expectOp(")")
	return height
}

// argumentList appends a, b, ...; the height is that of the highest.
func (p *parser) argumentList(list sqlparser.SelectExprs) (_ sqlparser.SelectExprs, height int) {
	p.list(func() {
		e := p.expr()
		list, height = append(list, &sqlparser.AliasedExpr{Expr: e.Expr}), max(height, e.height)
	})
	return list, height
}
