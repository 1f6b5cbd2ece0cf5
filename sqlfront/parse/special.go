package parse

import (
	"cmp"
	"strings"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
)

// form reads an operand with a syntax of its own. ok is false, and nothing has been read, if the word turns
// out to be a plain name.
type form func(*parser) (e expression, ok bool)

// specialForms are keyed by their first word in lower case; init fills it, since the forms refer to the
// parser, which refers to this map.
var specialForms map[string]form

func init() {
	specialForms = map[string]form{
		"case": always((*parser).caseForm), "cast": whenCalled((*parser).castForm),
		"convert": always((*parser).convertForm), "exists": always((*parser).existsForm),
		"interval": always((*parser).intervalForm), "values": always((*parser).valuesForm),
		"default": always((*parser).defaultForm), "match": (*parser).matchForm,
		"row": whenCalled((*parser).rowForm), "select": (*parser).selectForm,
		"null": word(&sqlparser.NullVal{}), `\n`: word(&sqlparser.NullVal{}),
		"true": word(sqlparser.BoolVal(true)), "false": word(sqlparser.BoolVal(false)),
		"date": dateForm(ast.LitDate), "time": dateForm(ast.LitTime), "timestamp": dateForm(ast.LitTimestamp),
		"trim": whenCalled((*parser).trimForm), "position": whenCalled((*parser).positionForm),
		"extract": whenCalled((*parser).extractForm), "group_concat": whenCalled((*parser).groupConcatForm),
		"char": whenCalled((*parser).charForm), "json_table": (*parser).jsonTableForm,
		"json_value": whenCalled((*parser).jsonValueForm), "weight_string": whenCalled((*parser).weightStringForm),
	}
	for _, name := range []string{"substring", "substr", "mid"} {
		specialForms[name] = whenCalled((*parser).substringForm)
	}
	for _, name := range []string{"timestampadd", "timestampdiff", "get_format"} {
		specialForms[name] = whenCalled((*parser).unitCallForm)
	}
	for _, name := range []string{"current_date", "current_time", "current_timestamp", "localtime", "localtimestamp",
		"utc_date", "utc_time", "utc_timestamp", "current_user"} {
		specialForms[name] = always((*parser).clockForm)
	}
}

// always is a form for a word that announces it; whenCalled is for one that needs a parenthesis after the
// word.
func always(read func(*parser) expression) form {
	return func(p *parser) (expression, bool) { return read(p), true }
}

func whenCalled(read func(*parser) expression) form {
	return func(p *parser) (expression, bool) {
		if !p.called() {
			return expression{}, false
		}
		return read(p), true
	}
}

// specialForm finds the form for a word, ignoring case and without allocating.
func specialForm(text string) form {
	var lower [32]byte
	if len(text) > len(lower) {
		return nil
	}
	for i := range len(text) {
		lower[i] = lex.LowerASCII(text[i])
	}
	return specialForms[string(lower[:len(text)])]
}

// called reports whether the word is followed by an opening parenthesis.
func (p *parser) called() bool { return p.IsOp(p.Peek(1), "(") }

func word(e sqlparser.Expr) form {
	return func(p *parser) (expression, bool) {
		p.Pos++
		return expression{Expr: e}, true
	}
}

// dateForm reads DATE '2020-01-01'.
func dateForm(kind ast.LiteralKind) form {
	return func(p *parser) (expression, bool) {
		if p.Peek(1).Kind != lex.String {
			return expression{}, false
		}
		p.Pos++
		return expression{Expr: p.dated(kind)}, true
	}
}

// clockForm reads CURRENT_TIMESTAMP and similar ones, with or without parentheses.
func (p *parser) clockForm() expression {
	f := newCall(p.NameOf(p.Advance()))
	if p.AcceptOp("(") && !p.AcceptOp(")") {
		first := p.Pos
		p.IntValue("a number of digits")
		p.Pos = first
		f.Exprs = sqlparser.SelectExprs{&sqlparser.AliasedExpr{Expr: p.number()}}
		p.ExpectOp(")")
	}
	return expression{Expr: f}
}

func (p *parser) caseForm() expression {
	p.Pos++
	c, height := &sqlparser.CaseExpr{}, 0
	part := func() sqlparser.Expr {
		e := p.expr()
		height = max(height, e.height)
		return e.Expr
	}
	if !p.At("WHEN") {
		c.Expr = part()
	}
	if !p.At("WHEN") {
		p.Expected("WHEN")
	}
	for p.Accept("WHEN") {
		when := &sqlparser.When{Cond: part()}
		p.Expect("THEN")
		when.Val = part()
		c.Whens = append(c.Whens, when)
	}
	if p.Accept("ELSE") {
		c.Else = part()
	}
	p.Expect("END")
	return p.over(c, height)
}

func (p *parser) existsForm() expression {
	p.Pos++
	if !p.AtOp("(") || !p.isQuery(p.Pos) {
		p.Expected("a subquery")
	}
	query, height := p.subquery()
	return p.over(&sqlparser.ExistsExpr{Subquery: query}, height)
}

func (p *parser) rowForm() expression {
	start := p.Advance().Start
	if !p.HasComma(p.Pos) {
		p.FailAt(start, "a row of at least two values")
	}
	list, height := p.row()
	return p.over(list, height)
}

// selectForm fails with the mistake: a subquery without parentheses.
func (p *parser) selectForm() (expression, bool) {
	p.Expected("( before a subquery")
	return expression{}, false
}

func (p *parser) matchForm() (expression, bool) {
	p.Unsupported(p.Current().Start, "MATCH ... AGAINST")
	return expression{}, false
}

func (p *parser) jsonTableForm() (expression, bool) {
	if p.called() {
		p.Unsupported(p.Current().Start, "JSON_TABLE")
	}
	return expression{}, false
}

// valuesForm reads VALUES(column).
func (p *parser) valuesForm() expression {
	p.Pos++
	p.ExpectOp("(")
	if !p.AtName() {
		p.Expected("the name of a column")
	}
	name := p.columnName()
	p.ExpectOp(")")
	return expression{Expr: &sqlparser.ValuesFuncExpr{Name: name}}
}

// defaultForm reads DEFAULT(column).
func (p *parser) defaultForm() expression {
	if !p.called() {
		p.Expected("an expression")
	}
	p.Pos += 2
	if !p.AtName() {
		p.Expected("the name of a column")
	}
	name := p.columnName()
	p.ExpectOp(")")
	return expression{Expr: &sqlparser.Default{ColName: name.Name.String()}}
}

// intervalForm reads INTERVAL expr unit, and the function INTERVAL(a, b, ...).
func (p *parser) intervalForm() expression {
	p.Pos++
	if p.AtOp("(") && p.HasComma(p.Pos) {
		p.Pos++
		f := newCall("interval")
		return p.over(f, p.arguments(f, false))
	}
	e := asValue(p.expr())
	unit := strings.ToUpper(p.AnyName("the unit of the interval"))
	if !units[unit] {
		p.FailAt(p.Tokens[p.Pos-1].Start, "the unit of the interval")
	}
	return p.above(&sqlparser.IntervalExpr{Expr: e.Expr, Unit: unit}, e)
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

// beginCall reads name(.
func (p *parser) beginCall() *sqlparser.FuncExpr {
	f := newCall(p.NameOf(p.Advance()))
	p.Pos++
	return f
}

// wordArgument is a word as an argument of a call.
func wordArgument(word string) *sqlparser.AliasedExpr {
	return &sqlparser.AliasedExpr{Expr: &ast.Literal{Bytes: []byte(word), Slot: -1}}
}

// unitCallForm reads TIMESTAMPDIFF(unit, a, b), TIMESTAMPADD and GET_FORMAT.
func (p *parser) unitCallForm() expression {
	format := p.At("GET_FORMAT")
	f := p.beginCall()
	t := p.Current()
	unit := strings.TrimPrefix(strings.ToUpper(p.AnyName("a unit")), "SQL_TSI_")
	if !format && !units[unit] {
		p.FailAt(t.Start, "a unit of time")
	}
	f.Exprs = append(f.Exprs, wordArgument(unit))
	p.ExpectOp(",")
	return p.over(f, p.arguments(f, false))
}

// extractForm reads EXTRACT(unit FROM x).
func (p *parser) extractForm() expression {
	f := p.beginCall()
	t := p.Current()
	unit := strings.ToUpper(p.AnyName("a unit"))
	if !units[unit] {
		p.FailAt(t.Start, "a unit of time")
	}
	p.Expect("FROM")
	e := p.lastArgument()
	f.Exprs = append(f.Exprs, wordArgument(unit), &sqlparser.AliasedExpr{Expr: e.Expr})
	return p.above(f, e)
}

// lastArgument reads an expression and the end of the call.
func (p *parser) lastArgument() expression {
	e := p.expr()
	p.ExpectOp(")")
	return e
}

// positionForm reads POSITION(a IN b) as locate(a, b).
func (p *parser) positionForm() expression {
	p.Pos += 2
	p.Nest()
	a := p.bitExpr(0)
	p.Unnest()
	p.Expect("IN")
	b := p.lastArgument()
	return p.above(newCall("locate", a.Expr, b.Expr), a, b)
}

// substringForm reads SUBSTRING(s FROM a FOR b) as substring(s, a, b).
func (p *parser) substringForm() expression {
	f := p.beginCall()
	e := p.expr()
	if !p.Accept("FROM") {
		return p.moreArguments(f, e)
	}
	from, count := p.expr(), expression{}
	f.Exprs = append(f.Exprs, &sqlparser.AliasedExpr{Expr: e.Expr}, &sqlparser.AliasedExpr{Expr: from.Expr})
	if p.Accept("FOR") {
		count = p.expr()
		f.Exprs = append(f.Exprs, &sqlparser.AliasedExpr{Expr: count.Expr})
	}
	p.ExpectOp(")")
	return p.above(f, e, from, count)
}

// moreArguments reads the arguments after the first.
func (p *parser) moreArguments(f *sqlparser.FuncExpr, first expression) expression {
	f.Exprs = append(f.Exprs, &sqlparser.AliasedExpr{Expr: first.Expr})
	height := first.height
	if p.AcceptOp(",") {
		var more int
		f.Exprs, more = p.argumentList(f.Exprs)
		height = max(height, more)
	}
	p.ExpectOp(")")
	return p.over(f, height)
}

// trimForm reads TRIM([{BOTH | LEADING | TRAILING}] [remove] FROM s); TRIM(s)
// stays a call of trim.
func (p *parser) trimForm() expression {
	f := p.beginCall()
	side := p.AcceptAny("BOTH", "LEADING", "TRAILING")
	if side != "" && p.Accept("FROM") {
		s := p.lastArgument()
		return p.above(&ast.Trim{ValTuple: sqlparser.ValTuple{s.Expr}, Side: side}, s)
	}
	remove := p.expr()
	switch {
	case p.Accept("FROM"):
		s := p.lastArgument()
		return p.above(&ast.Trim{ValTuple: sqlparser.ValTuple{s.Expr, remove.Expr}, Side: cmp.Or(side, "BOTH")}, s, remove)
	case side != "":
		p.Expected("FROM")
	}
	return p.moreArguments(f, remove)
}

// charForm reads CHAR(n, ... [USING charset]).
func (p *parser) charForm() expression {
	f := p.beginCall()
	var height int
	f.Exprs, height = p.argumentList(nil)
	e := p.over(f, height)
	if p.Accept("USING") {
		e.Expr = &sqlparser.ConvertUsingExpr{Expr: f, Type: p.WordOrString("the name of a character set")}
	}
	p.ExpectOp(")")
	return e
}

// groupConcatForm reads GROUP_CONCAT with DISTINCT, ORDER BY and SEPARATOR.
func (p *parser) groupConcatForm() expression {
	start := p.Current().Start
	p.Pos += 2
	g := &ast.GroupConcat{}
	if p.Accept("DISTINCT") {
		g.Distinct = sqlparser.DistinctStr
	}
	var height int
	g.Exprs, height = p.argumentList(nil)
	g.OrderBy = p.orderBy()
	if p.Accept("SEPARATOR") {
		if !p.Current().Kind.IsLiteral() {
			p.Expected("a string")
		}
		g.Separator = p.recoded()
	}
	p.ExpectOp(")")
	return p.overClause(p.over(g, height), start)
}
