package parse

import (
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// primary reads an operand without operators.
func (p *parser) primary() shape {
	switch t := p.cur(); {
	case t.kind == tokInt || t.kind == tokFloat:
		p.out.write(p.text(p.advance()))
		return shape{}
	case t.kind.isLiteral():
		return p.literalOperand()
	case t.kind == tokParam:
		p.out.bind(":v", p.param()+1)
		return shape{}
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
	return shape{}
}

// punctuated reads an operand that begins with punctuation.
func (p *parser) punctuated(op string) shape {
	switch op {
	case "(":
		return p.parentheses()
	case "@@":
		return p.systemVariable()
	case "{":
		return p.odbc()
	}
	p.expected("an expression")
	return shape{}
}

// literalOperand reads a string, hex or bit literal.
func (p *parser) literalOperand() shape {
	first := p.cur()
	p.addLiteral(p.literal())
	if q := p.sql[first.end-1]; first.kind == tokString || first.kind == tokIntro && p.sql[first.n] == q {
		return shape{text: decodeLiteral(p.sql, first).Bytes}
	}
	return shape{}
}

// addLiteral writes a literal's bind variable.
func (p *parser) addLiteral(lit Literal) {
	p.out.bind(":s", len(p.res.Literals))
	p.res.Literals = append(p.res.Literals, lit)
}

func (p *parser) addString(text string) {
	p.addLiteral(Literal{Kind: LitString, Bytes: []byte(text)})
}

// parentheses reads a subquery, a row or an expression in parentheses.
func (p *parser) parentheses() shape {
	if p.isQuery(p.pos) {
		return p.subquery()
	}
	return p.tuple()
}

// userVariable reads @name and @name := expr.
func (p *parser) userVariable() shape {
	name := variableName(p.text(p.advance()))
	if !p.acceptOp(":=") {
		p.out.ident(FuncUserVar)
		p.out.write("(")
		p.addString(name)
		p.out.write(")")
		return shape{}
	}
	p.out.ident(FuncSetUserVar)
	p.out.write("(")
	p.addString(name)
	p.out.write(",")
	s := p.expr()
	p.out.write(")")
	return p.above(classValue, s)
}

// systemVariable reads @@name and @@scope.name.
func (p *parser) systemVariable() shape {
	scope, name := p.systemVariableName()
	p.out.ident(FuncSystemVar)
	p.out.write("(")
	p.addString(scope)
	p.out.write(",")
	p.addString(name)
	p.out.write(")")
	return shape{}
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

// odbc reads {d '...'}, {t '...'}, {ts '...'} and {fn call}.
func (p *parser) odbc() shape {
	p.expectOp("{")
	var s shape
	switch p.expectAny("D", "T", "TS", "FN") {
	case "D":
		p.dated(LitDate)
	case "T":
		p.dated(LitTime)
	case "TS":
		p.dated(LitTimestamp)
	case "FN":
		s = p.expr()
		s.column, s.text = false, nil
	}
	p.expectOp("}")
	return s
}

// dated reads the string of a date or time literal.
func (p *parser) dated(kind LiteralKind) shape {
	if p.cur().kind != tokString {
		p.expected("a string")
	}
	lit := p.literal()
	lit.Kind = kind
	p.addLiteral(lit)
	return shape{}
}

// wordOperand reads an operand that begins with an unquoted word.
func (p *parser) wordOperand() shape {
	t := p.cur()
	if f := specialForm(p.text(t)); f != nil {
		if s, ok := f(p); ok {
			return s
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
func (p *parser) nameOrCall() shape {
	if p.isOp(p.peek(1), "(") {
		return p.call()
	}
	if p.isOp(p.peek(1), ".") && p.isOp(p.peek(3), "(") {
		p.out.ident(p.nameOf(p.advance()))
		p.pos++
		p.out.write(".")
		return p.call()
	}
	return p.column()
}

// column reads [[database.]table.]column, and -> or ->> behind it.
func (p *parser) column() shape {
	parts := p.columnPath()
	s := shape{column: true}
	if alias, ok := p.aliasedColumn(parts); ok {
		p.out.write("values(")
		p.out.ident(alias)
		p.out.write(")")
		s.column = false
	} else {
		p.writePath(parts)
	}
	for _, arrow := range []string{"->>", "->"} {
		if p.acceptOp(arrow) {
			p.out.write(arrow)
			p.jsonPath()
			return shape{height: 1}
		}
	}
	return s
}

func (p *parser) columnPath() []string {
	parts := make([]string, 1, 3)
	parts[0] = p.nameOf(p.advance())
	for len(parts) < 3 && p.acceptOp(".") {
		parts = append(parts, p.anyName("the name of a column"))
	}
	return parts
}

func (p *parser) writePath(parts []string) {
	for i, part := range parts {
		if i > 0 {
			p.out.write(".")
		}
		p.out.ident(part)
	}
}

// aliasedColumn is the column that a name stands for which INSERT ... VALUES
// (...) AS new(a, b) declares.
func (p *parser) aliasedColumn(parts []string) (string, bool) {
	q := &p.query
	if q.rowAlias == "" || len(parts) > 2 || len(parts) == 2 && parts[0] != q.rowAlias {
		return "", false
	}
	name := parts[len(parts)-1]
	for i, a := range q.columnAliases {
		if strings.EqualFold(a, name) {
			return q.columns[i], true
		}
	}
	return name, len(parts) == 2
}

func (p *parser) jsonPath() {
	if p.cur().kind != tokString {
		p.expected("a JSON path in quotes")
	}
	p.addLiteral(p.literal())
}

// call reads name(arguments).
func (p *parser) call() shape {
	t := p.cur()
	name := p.anyName("the name of a function")
	if strings.HasPrefix(name, InternalPrefix) {
		p.fail(mysqlerr.New(mysqlerr.SPDoesNotExist, "FUNCTION %s does not exist (at position %d)", name, t.start+1))
	}
	p.out.ident(name)
	p.expectOp("(")
	p.out.write("(")
	s := p.arguments(aggregates[strings.ToLower(name)])
	p.out.write(")")
	p.noWindow()
	return p.above(classValue, s)
}

// aggregates take DISTINCT and ALL.
var aggregates = map[string]bool{"count": true, "sum": true, "avg": true, "min": true, "max": true}

// arguments reads the arguments of a call with the closing parenthesis.
func (p *parser) arguments(aggregate bool) shape {
	var s shape
	if p.acceptOp(")") {
		return s
	}
	if aggregate {
		if p.accept("DISTINCT") {
			p.out.write("distinct")
		} else {
			p.accept("ALL")
		}
	}
	if aggregate && p.atOp("*") && p.isOp(p.peek(1), ")") {
		p.pos++
		p.out.write("*")
	} else {
		p.separated(func() { s.height = max(s.height, p.expr().height) })
	}
	p.expectOp(")")
	return s
}

// noWindow refuses OVER behind a call.
func (p *parser) noWindow() {
	if p.at("OVER") && (p.isOp(p.peek(1), "(") || p.isName(p.peek(1))) {
		p.unsupportedInstead("window functions (OVER)", p.cur().start, "a join with a derived table that groups")
	}
}
