package parse

import (
	"strconv"
	"strings"
)

// form reads an operand with a syntax of its own; ok is false, and nothing has
// been passed, where the word turns out to be a plain name.
type form func(*parser) (s shape, ok bool)

// specialForms are by their first word in lower case; init fills it, as the
// forms refer to the parser that looks here.
var specialForms map[string]form

func init() {
	specialForms = map[string]form{
		"case": (*parser).caseForm, "cast": (*parser).castForm, "convert": (*parser).convertForm,
		"exists": (*parser).existsForm, "interval": (*parser).intervalForm,
		"values": (*parser).valuesForm, "default": (*parser).defaultForm, "match": (*parser).matchForm,
		"row": (*parser).rowForm, "select": (*parser).selectForm,
		"null": word("null"), "true": word("true"), "false": word("false"), `\n`: word("null"),
		"date": dateForm(LitDate), "time": dateForm(LitTime), "timestamp": dateForm(LitTimestamp),
		"substring": (*parser).substringForm, "substr": (*parser).substringForm, "mid": (*parser).substringForm,
		"trim": (*parser).trimForm, "position": (*parser).positionForm, "extract": (*parser).extractForm,
		"group_concat": (*parser).groupConcatForm, "char": (*parser).charForm,
		"timestampadd": (*parser).unitCallForm, "timestampdiff": (*parser).unitCallForm,
		"get_format": (*parser).unitCallForm, "json_table": (*parser).jsonTableForm,
		"current_date": (*parser).clockForm, "current_time": (*parser).clockForm,
		"current_timestamp": (*parser).clockForm, "localtime": (*parser).clockForm,
		"localtimestamp": (*parser).clockForm, "utc_date": (*parser).clockForm, "utc_time": (*parser).clockForm,
		"utc_timestamp": (*parser).clockForm, "current_user": (*parser).clockForm,
	}
}

// specialForm finds the form of a word in any case, without allocating.
func specialForm(text string) form {
	var lower [32]byte
	if len(text) > len(lower) {
		return nil
	}
	for i := range len(text) {
		lower[i] = lowerASCII(text[i])
	}
	return specialForms[string(lower[:len(text)])]
}

// called is true where the word is followed by an opening parenthesis.
func (p *parser) called() bool { return p.isOp(p.peek(1), "(") }

func word(text string) form {
	return func(p *parser) (shape, bool) {
		p.pos++
		p.out.write(text)
		return shape{}, true
	}
}

// dateForm reads DATE '2020-01-01'.
func dateForm(kind LiteralKind) form {
	return func(p *parser) (shape, bool) {
		if p.peek(1).kind != tokString {
			return shape{}, false
		}
		p.pos++
		return p.dated(kind), true
	}
}

// clockForm reads CURRENT_TIMESTAMP and its like, with or without parentheses.
func (p *parser) clockForm() (shape, bool) {
	p.out.ident(p.nameOf(p.advance()))
	p.out.write("(")
	if p.acceptOp("(") && !p.acceptOp(")") {
		p.out.write(p.text(p.cur()))
		p.intValue("a number of digits")
		p.expectOp(")")
	}
	p.out.write(")")
	return shape{}, true
}

func (p *parser) caseForm() (shape, bool) {
	p.pos++
	p.out.write("case")
	var s shape
	part := func() { s.height = max(s.height, p.expr().height) }
	if !p.at("WHEN") {
		part()
	}
	if !p.at("WHEN") {
		p.expected("WHEN")
	}
	for p.accept("WHEN") {
		p.out.write("when")
		part()
		p.expect("THEN")
		p.out.write("then")
		part()
	}
	if p.accept("ELSE") {
		p.out.write("else")
		part()
	}
	p.expect("END")
	p.out.write("end")
	return p.above(classValue, s), true
}

func (p *parser) existsForm() (shape, bool) {
	p.pos++
	p.out.write("exists")
	if !p.atOp("(") || !p.isQuery(p.pos) {
		p.expected("a subquery")
	}
	return p.above(classCondition, p.subquery()), true
}

func (p *parser) rowForm() (shape, bool) {
	if !p.called() {
		return shape{}, false
	}
	start := p.advance().start
	if !p.hasComma(p.pos) {
		p.failAt(start, "a row of at least two values")
	}
	return p.tuple(), true
}

// selectForm names the mistake of a subquery without parentheses.
func (p *parser) selectForm() (shape, bool) {
	p.expected("( in front of a subquery")
	return shape{}, false
}

func (p *parser) matchForm() (shape, bool) {
	p.unsupported(p.cur().start, "MATCH ... AGAINST")
	return shape{}, false
}

func (p *parser) jsonTableForm() (shape, bool) {
	if p.called() {
		p.unsupported(p.cur().start, "JSON_TABLE")
	}
	return shape{}, false
}

// valuesForm reads VALUES(column).
func (p *parser) valuesForm() (shape, bool) {
	p.pos++
	p.expectOp("(")
	p.out.write("values(")
	if !p.atName() {
		p.expected("the name of a column")
	}
	p.writePath(p.columnPath())
	p.expectOp(")")
	p.out.write(")")
	return shape{}, true
}

// defaultForm reads DEFAULT(column).
func (p *parser) defaultForm() (shape, bool) {
	if !p.called() {
		p.expected("an expression")
	}
	p.pos += 2
	if !p.atName() {
		p.expected("the name of a column")
	}
	path := p.columnPath()
	p.expectOp(")")
	p.out.write("default (")
	p.out.ident(path[len(path)-1])
	p.out.write(")")
	return shape{class: classLogic}, true
}

// intervalForm reads INTERVAL expr unit, and the function INTERVAL(a, b, ...).
func (p *parser) intervalForm() (shape, bool) {
	p.pos++
	if p.atOp("(") && p.hasComma(p.pos) {
		p.out.ident("interval")
		p.out.write("(")
		p.pos++
		s := p.arguments(false)
		p.out.write(")")
		return p.above(classValue, s), true
	}
	p.out.write("interval")
	s := p.value(p.expr)
	unit := strings.ToUpper(p.anyName("the unit of the interval"))
	if !units[unit] {
		p.failAt(p.toks[p.pos-1].start, "the unit of the interval")
	}
	p.out.ident(unit)
	return p.above(classValue, s), true
}

// units are MySQL's units of intervals
// (https://dev.mysql.com/doc/refman/5.7/en/expressions.html#temporal-intervals).
var units = map[string]bool{
	"MICROSECOND": true, "SECOND": true, "MINUTE": true, "HOUR": true, "DAY": true, "WEEK": true,
	"MONTH": true, "QUARTER": true, "YEAR": true, "SECOND_MICROSECOND": true,
	"MINUTE_MICROSECOND": true, "MINUTE_SECOND": true, "HOUR_MICROSECOND": true,
	"HOUR_SECOND": true, "HOUR_MINUTE": true, "DAY_MICROSECOND": true, "DAY_SECOND": true,
	"DAY_MINUTE": true, "DAY_HOUR": true, "YEAR_MONTH": true,
}

// unitCallForm reads TIMESTAMPDIFF(unit, a, b), TIMESTAMPADD and GET_FORMAT.
func (p *parser) unitCallForm() (shape, bool) {
	if !p.called() {
		return shape{}, false
	}
	format := p.at("GET_FORMAT")
	p.out.ident(p.nameOf(p.advance()))
	p.pos++
	p.out.write("(")
	t := p.cur()
	unit := strings.TrimPrefix(strings.ToUpper(p.anyName("a unit")), "SQL_TSI_")
	if !format && !units[unit] {
		p.failAt(t.start, "a unit of time")
	}
	p.addString(unit)
	p.expectOp(",")
	p.out.write(",")
	s := p.arguments(false)
	p.out.write(")")
	return p.above(classValue, s), true
}

// extractForm reads EXTRACT(unit FROM x).
func (p *parser) extractForm() (shape, bool) {
	if !p.called() {
		return shape{}, false
	}
	p.out.ident(p.nameOf(p.advance()))
	p.pos++
	p.out.write("(")
	t := p.cur()
	unit := strings.ToUpper(p.anyName("a unit"))
	if !units[unit] {
		p.failAt(t.start, "a unit of time")
	}
	p.addString(unit)
	p.expect("FROM")
	p.out.write(",")
	return p.lastArgument(), true
}

// lastArgument reads an expression and the end of the call.
func (p *parser) lastArgument() shape {
	s := p.expr()
	p.expectOp(")")
	p.out.write(")")
	return p.above(classValue, s)
}

// positionForm reads POSITION(a IN b) as locate(a, b).
func (p *parser) positionForm() (shape, bool) {
	if !p.called() {
		return shape{}, false
	}
	p.pos += 2
	p.out.ident("locate")
	p.out.write("(")
	a := p.bitExpr(0)
	p.expect("IN")
	p.out.write(",")
	return p.above(classValue, a, p.lastArgument()), true
}

// substringForm reads SUBSTRING(s FROM a FOR b) as substring(s, a, b).
func (p *parser) substringForm() (shape, bool) {
	if !p.called() {
		return shape{}, false
	}
	p.out.ident(p.nameOf(p.advance()))
	p.pos++
	p.out.write("(")
	s := p.expr()
	if !p.accept("FROM") {
		return p.moreArguments(s), true
	}
	p.out.write(",")
	s = p.above(classValue, s, p.expr())
	if p.accept("FOR") {
		p.out.write(",")
		s = p.above(classValue, s, p.expr())
	}
	p.expectOp(")")
	p.out.write(")")
	return s, true
}

// moreArguments reads the arguments behind the first.
func (p *parser) moreArguments(s shape) shape {
	for p.acceptOp(",") {
		p.out.write(",")
		s.height = max(s.height, p.expr().height)
	}
	p.expectOp(")")
	p.out.write(")")
	return p.above(classValue, s)
}

// trimForm reads TRIM([{BOTH | LEADING | TRAILING}] [remove] FROM s); TRIM(s)
// stays a call of trim.
func (p *parser) trimForm() (shape, bool) {
	if !p.called() {
		return shape{}, false
	}
	name := p.nameOf(p.advance())
	p.pos++
	start := p.out.len()
	p.out.write("(")
	side := p.acceptAny("BOTH", "LEADING", "TRAILING")
	if side != "" && p.accept("FROM") {
		p.out.insert(start, "`"+trimCalls[side]+"`")
		return p.lastArgument(), true
	}
	operand := p.out.here()
	s := p.expr()
	switch {
	case p.accept("FROM"):
		p.out.insert(start, "`"+trimCalls[side]+"`")
		return p.above(classValue, s, p.trimmed(operand)), true
	case side != "":
		p.expected("FROM")
	}
	p.out.insert(start, "`"+name+"`")
	return p.moreArguments(s), true
}

var trimCalls = map[string]string{
	"": FuncTrimBoth, "BOTH": FuncTrimBoth, "LEADING": FuncTrimLeading, "TRAILING": FuncTrimTrailing,
}

// trimmed reads the s of TRIM(remove FROM s) and writes it in front of what is
// removed.
func (p *parser) trimmed(remove place) shape {
	p.out.insert(remove.at, ",")
	end := p.out.len()
	s := p.expr()
	p.out.swap(remove, end)
	p.expectOp(")")
	p.out.write(")")
	return s
}

// charForm reads CHAR(n, ... [USING charset]).
func (p *parser) charForm() (shape, bool) {
	if !p.called() {
		return shape{}, false
	}
	start := p.out.len()
	p.out.ident(p.nameOf(p.advance()))
	p.pos++
	p.out.write("(")
	var s shape
	p.separated(func() { s.height = max(s.height, p.expr().height) })
	p.out.write(")")
	if p.accept("USING") {
		p.out.insert(start, "convert(")
		p.out.write("using")
		p.out.ident(p.wordOrString("the name of a character set"))
		p.out.write(")")
	}
	p.expectOp(")")
	return p.above(classValue, s), true
}

// groupConcatForm reads GROUP_CONCAT with DISTINCT, ORDER BY and SEPARATOR.
func (p *parser) groupConcatForm() (shape, bool) {
	if !p.called() {
		return shape{}, false
	}
	p.pos += 2
	p.out.write("group_concat(")
	if p.accept("DISTINCT") {
		p.out.write("distinct")
	}
	var s shape
	p.separated(func() { s.height = max(s.height, p.expr().height) })
	p.orderBy()
	if p.accept("SEPARATOR") {
		p.separator()
	}
	p.expectOp(")")
	p.out.write(")")
	p.noWindow()
	return p.above(classValue, s), true
}

// separator writes the bind variable as a string: sqlparser wants one here.
func (p *parser) separator() {
	if !p.cur().kind.isLiteral() {
		p.expected("a string")
	}
	p.out.write("separator ':s" + strconv.Itoa(len(p.res.Literals)) + "'")
	p.res.Literals = append(p.res.Literals, p.literal())
}

// hasComma is true where the parentheses that open at token i hold a comma
// outside of inner ones.
func (p *parser) hasComma(i int) bool {
	for i++; i < len(p.toks) && p.toks[i].kind != tokEOF; i++ {
		t := &p.toks[i]
		switch {
		case p.isOp(t, ","):
			return true
		case p.isOp(t, ")"):
			return false
		case p.isOp(t, "(") && t.n > 0:
			i = t.n
		}
	}
	return false
}
