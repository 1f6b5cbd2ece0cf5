package parse

import "fmt"

// class is how tightly an expression's outermost operator binds in sqlparser's
// grammar, which is coarser than MySQL's: where it wants a value, anything else
// is put in parentheses.
type class uint8

const (
	classValue     class = iota // value_expression
	classCondition              // condition: comparisons, IN, BETWEEN, EXISTS
	classLogic                  // expression: AND, OR, NOT, IS, DEFAULT
)

// shape is what the reader of an expression tells the one around it.
type shape struct {
	class  class
	height int // of the tree
	// column is true for a plain column, whose label is its name.
	column bool
	// text is the first piece of a string literal, which is its label.
	text []byte
}

// maxHeight bounds the tree of a statement, for the sake of those who walk it:
// a AND b AND c ... is a tree as high as it is long, and so are a UNION b UNION c
// ... and a JOIN b JOIN c .... What stands in subqueries counts too.
const maxHeight = 1 << 16

// above is the shape of an operator over operands.
func (p *parser) above(c class, operands ...shape) shape {
	s := shape{class: c}
	for _, o := range operands {
		s.height = max(s.height, o.height)
	}
	if s.height++; s.height > maxHeight {
		p.tooHigh()
	}
	return s
}

func (p *parser) tooHigh() {
	p.failAt(p.cur().start, fmt.Sprintf("at most %d operators in one expression", maxHeight))
}

// value reads an operand with f, and puts parentheses around it where
// sqlparser would not take it for a value.
func (p *parser) value(f func() shape) shape {
	start := p.out.len()
	s := f()
	return p.asValue(start, s)
}

// asValue is value for an operand that was read already, from start on.
func (p *parser) asValue(start int, s shape) shape {
	if s.class != classValue {
		p.out.wrap(start, "(")
		s = shape{height: s.height}
	}
	return s
}

// expr reads an expression by MySQL's precedence
// (https://dev.mysql.com/doc/refman/5.7/en/expressions.html).
func (p *parser) expr() shape {
	p.nest()
	left := p.xorExpr()
	for p.atOp("||") || p.atAny("OR") {
		p.pos++
		p.out.write("or")
		left = p.above(classLogic, left, p.xorExpr())
	}
	p.unnest()
	p.query.height = max(p.query.height, left.height)
	return left
}

func (p *parser) xorExpr() shape {
	start := p.out.len()
	left := p.andExpr()
	if !p.at("XOR") {
		return left
	}
	for p.accept("XOR") {
		p.out.write(",")
		left = p.above(classValue, left, p.andExpr())
	}
	p.out.wrap(start, "`"+FuncXor+"`(")
	return left
}

func (p *parser) andExpr() shape {
	left := p.notExpr()
	for p.atOp("&&") || p.atAny("AND") {
		p.pos++
		p.out.write("and")
		left = p.above(classLogic, left, p.notExpr())
	}
	return left
}

func (p *parser) notExpr() shape {
	if !p.at("NOT") {
		return p.comparison()
	}
	p.nest()
	p.pos++
	p.out.write("not")
	s := p.above(classLogic, p.notExpr())
	p.unnest()
	return s
}

// comparison reads a chain of comparisons and IS tests.
func (p *parser) comparison() shape {
	start := p.out.len()
	left := p.predicate()
	for {
		op := p.comparisonOp()
		switch {
		case p.at("IS"):
			left = p.isTest(left)
		case op != "":
			p.pos++
			left = p.asValue(start, left)
			left = p.above(classCondition, left, p.compared(op))
		default:
			return left
		}
	}
}

func (p *parser) comparisonOp() string {
	if p.cur().kind != tokOp {
		return ""
	}
	switch op := p.text(p.cur()); op {
	case "=", "<", ">", "<=", ">=", "<>", "<=>":
		return op
	case "!=":
		return "<>"
	}
	return ""
}

func (p *parser) isTest(left shape) shape {
	p.expect("IS")
	p.out.write("is")
	if p.accept("NOT") {
		p.out.write("not")
	}
	switch p.expectAny("NULL", "TRUE", "FALSE", "UNKNOWN") {
	case "TRUE":
		p.out.write("true")
	case "FALSE":
		p.out.write("false")
	default:
		p.out.write("null")
	}
	return p.above(classLogic, left)
}

// compared reads the right side of a comparison.
func (p *parser) compared(op string) shape {
	if p.atAny("ANY", "SOME", "ALL") && p.isOp(p.peek(1), "(") && p.isQuery(p.pos+1) {
		return p.quantified(op)
	}
	p.out.write(op)
	return p.value(p.predicate)
}

// quantified reads ANY (subquery) and ALL (subquery): = ANY is IN, <> ALL is
// NOT IN, all others are calls that say so.
func (p *parser) quantified(op string) shape {
	t := p.advance()
	all := p.isWord(t, "ALL")
	switch {
	case op == "<=>":
		p.failAt(t.start, "a value")
	case op == "=" && !all:
		p.out.write("in")
		return p.subquery()
	case op == "<>" && all:
		p.out.write("not in")
		return p.subquery()
	}
	p.out.write(op)
	p.out.ident(map[bool]string{true: FuncAll, false: FuncAny}[all])
	p.out.write("(")
	s := p.subquery()
	p.out.write(")")
	return s
}

// predicate reads an operand with IN, BETWEEN, LIKE or REGEXP.
func (p *parser) predicate() shape {
	start := p.out.len()
	left := p.bitExpr(0)
	if p.cur().kind != tokWord {
		return left
	}
	word, not := p.cur(), ""
	if p.isWord(word, "NOT") && p.isWord(p.peek(1), "IN", "BETWEEN", "LIKE", "REGEXP", "RLIKE") {
		word, not = p.peek(1), "not "
	}
	switch {
	case p.isWord(word, "IN", "BETWEEN", "LIKE", "REGEXP", "RLIKE"):
	case p.at("SOUNDS", "LIKE"):
		return p.soundsLike(start, left)
	case p.at("MEMBER", "OF"):
		p.unsupported(word.start, "MEMBER OF")
	default:
		return left
	}
	if not != "" {
		p.pos++
	}
	p.pos++
	left = p.asValue(start, left)
	return p.predicateTail(word, not, left)
}

func (p *parser) predicateTail(word *token, not string, left shape) shape {
	switch {
	case p.isWord(word, "IN"):
		p.out.write(not + "in")
		return p.above(classCondition, left, p.inList())
	case p.isWord(word, "BETWEEN"):
		p.out.write(not + "between")
		low := p.value(p.bitValue)
		p.expect("AND")
		p.out.write("and")
		p.nest()
		high := p.value(p.predicate)
		p.unnest()
		return p.above(classCondition, left, low, high)
	case p.isWord(word, "LIKE"):
		p.out.write(not + "like")
		return p.like(left)
	}
	p.out.write(not + "regexp")
	return p.above(classCondition, left, p.value(p.bitValue))
}

func (p *parser) like(left shape) shape {
	pattern := p.value(p.bitValue)
	if !p.accept("ESCAPE") {
		return p.above(classCondition, left, pattern)
	}
	p.out.write("escape")
	return p.above(classCondition, left, pattern, p.value(p.simpleExpr))
}

// inList reads what stands behind IN.
func (p *parser) inList() shape {
	if !p.atOp("(") {
		p.expected("(")
	}
	if p.isQuery(p.pos) {
		return p.subquery()
	}
	return p.tuple()
}

// tuple reads (a, b, ...).
func (p *parser) tuple() shape {
	var all shape
	p.expectOp("(")
	p.out.write("(")
	p.separated(func() { all.height = max(all.height, p.expr().height) })
	p.expectOp(")")
	p.out.write(")")
	return p.above(classValue, all)
}

// separated is list with the commas written.
func (p *parser) separated(item func()) {
	item()
	for p.acceptOp(",") {
		p.out.write(",")
		item()
	}
}

func (p *parser) soundsLike(start int, left shape) shape {
	p.expect("SOUNDS", "LIKE")
	p.out.wrap(start, "`soundex`(")
	p.out.write("= `soundex`(")
	right := p.bitExpr(0)
	p.out.write(")")
	return p.above(classCondition, left, right)
}

func (p *parser) bitValue() shape { return p.bitExpr(0) }

// bitExpr reads arithmetic of at least this precedence.
func (p *parser) bitExpr(least int) shape {
	start := p.out.len()
	left := p.simpleExpr()
	for {
		op, precedence := p.arithmetic()
		if precedence == 0 || precedence < least {
			return left
		}
		p.pos++
		left = p.asValue(start, left)
		p.out.write(op)
		right := p.value(func() shape { return p.bitExpr(precedence + 1) })
		left = p.above(classValue, left, right)
	}
}

// arithmetic is the operator at the current token, in sqlparser's words, and
// its precedence from 1.
func (p *parser) arithmetic() (op string, precedence int) {
	t := p.cur()
	switch {
	case p.isWord(t, "DIV"):
		return "div", 5
	case p.isWord(t, "MOD"):
		return "%", 5
	case t.kind != tokOp:
		return "", 0
	}
	op = p.text(t)
	switch op {
	case "|":
		return op, 1
	case "&":
		return op, 2
	case "<<", ">>":
		return op, 3
	case "+", "-":
		return op, 4
	case "*", "/", "%":
		return op, 5
	case "^":
		return op, 6
	}
	return "", 0
}

// simpleExpr reads an operand with its signs and COLLATE.
func (p *parser) simpleExpr() shape {
	start := p.out.len()
	s := p.signed()
	for p.accept("COLLATE") {
		p.asValue(start, s)
		p.out.write("collate")
		p.out.ident(p.wordOrString("the name of a collation"))
		s = p.above(classValue, s)
	}
	return s
}

func (p *parser) signed() shape {
	t := p.cur()
	switch {
	case p.isWord(t, "BINARY"):
		p.out.write("binary")
	case t.kind != tokOp:
		return p.primary()
	case p.isOp(t, "-") || p.isOp(t, "+") || p.isOp(t, "~") || p.isOp(t, "!"):
		p.out.write(p.text(t))
	default:
		return p.primary()
	}
	p.nest()
	p.pos++
	s := p.above(classValue, p.value(p.simpleExpr))
	p.unnest()
	return s
}
