package parse

import (
	"fmt"
	"strings"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
)

// expression is the result of reading an expression.
type expression struct {
	sqlparser.Expr
	height int // of the tree
}

// maxHeight bounds the height of a statement's tree, because code recurses into it: a AND b AND c ... is a
// tree as high as it is long, and so are a UNION b UNION c ... and a JOIN b JOIN c .... Subqueries count too.
const maxHeight = 1 << 16

// above is an operator over operands.
func (p *parser) above(e sqlparser.Expr, operands ...expression) expression {
	height := 0
	for i := range operands {
		height = max(height, operands[i].height)
	}
	return p.over(e, height)
}

// over is an operator over operands of this height.
func (p *parser) over(e sqlparser.Expr, height int) expression {
	if height++; height > maxHeight {
		p.tooHigh()
	}
	return expression{e, height}
}

func (p *parser) tooHigh() {
	p.FailAt(p.Current().Start, fmt.Sprintf("at most %d operators in one expression", maxHeight))
}

// isValue is false for an expression that binds less tightly than an operand.
func isValue(e sqlparser.Expr) bool {
	switch e.(type) {
	case *sqlparser.ComparisonExpr, *sqlparser.RangeCond, *sqlparser.ExistsExpr, *sqlparser.AndExpr,
		*sqlparser.OrExpr, *sqlparser.NotExpr, *sqlparser.IsExpr, *sqlparser.Default:
		return false
	}
	return true
}

// asValue puts an expression that is not a value into parentheses, so that the tree prints as it was read.
func asValue(e expression) expression {
	if !isValue(e.Expr) {
		e.Expr = &sqlparser.ParenExpr{Expr: e.Expr}
	}
	return e
}

// expr reads an expression by MySQL's precedence
// (https://dev.mysql.com/doc/refman/5.7/en/expressions.html).
func (p *parser) expr() expression {
	p.Nest()
	left := p.xorExpr()
	for p.AtOp("||") || p.AtAny("OR") {
		p.Pos++
		right := p.xorExpr()
		left = p.above(&sqlparser.OrExpr{Left: left.Expr, Right: right.Expr}, left, right)
	}
	p.Unnest()
	p.query.height = max(p.query.height, left.height)
	p.res.Height = max(p.res.Height, left.height)
	return left
}

func (p *parser) xorExpr() expression {
	first := p.andExpr()
	if !p.At("XOR") {
		return first
	}
	x, height := &ast.Xor{ValTuple: sqlparser.ValTuple{first.Expr}}, first.height
	for p.Accept("XOR") {
		next := p.andExpr()
		x.ValTuple = append(x.ValTuple, next.Expr)
		height = p.over(nil, max(height, next.height)).height
	}
	return expression{x, height}
}

func (p *parser) andExpr() expression {
	left := p.notExpr()
	for p.AtOp("&&") || p.AtAny("AND") {
		p.Pos++
		right := p.notExpr()
		left = p.above(&sqlparser.AndExpr{Left: left.Expr, Right: right.Expr}, left, right)
	}
	return left
}

func (p *parser) notExpr() expression {
	if !p.At("NOT") {
		return p.comparison()
	}
	p.Nest()
	p.Pos++
	e := p.notExpr()
	p.Unnest()
	return p.above(&sqlparser.NotExpr{Expr: e.Expr}, e)
}

// comparison reads a chain of comparisons and IS tests. An operand that is itself a comparison gets
// parentheses, whose nesting is bounded like that of others.
func (p *parser) comparison() expression {
	left := p.predicate()
	for nested := p.Depth; ; {
		op := p.comparisonOp()
		switch {
		case p.At("IS"):
			left = p.isTest(left)
		case op != "":
			if !isValue(left.Expr) {
				nested++
			}
			if nested > lex.MaxNesting {
				p.TooDeep(p.Current().Start)
			}
			p.Pos++
			left = p.compared(op, asValue(left))
		default:
			return left
		}
	}
}

func (p *parser) comparisonOp() string {
	if p.Current().Kind != lex.Op {
		return ""
	}
	switch op := p.Text(p.Current()); op {
	case "=", "<", ">", "<=", ">=", "<=>", "!=":
		return op
	case "<>":
		return sqlparser.NotEqualStr
	}
	return ""
}

// isTests are the operators of IS by the word after it: without NOT and with it.
var isTests = map[string][2]string{
	"NULL": {sqlparser.IsNullStr, sqlparser.IsNotNullStr}, "UNKNOWN": {sqlparser.IsNullStr, sqlparser.IsNotNullStr},
	"TRUE": {sqlparser.IsTrueStr, sqlparser.IsNotTrueStr}, "FALSE": {sqlparser.IsFalseStr, sqlparser.IsNotFalseStr},
}

func (p *parser) isTest(left expression) expression {
	p.Expect("IS")
	not := 0
	if p.Accept("NOT") {
		not = 1
	}
	op := isTests[p.ExpectAny("NULL", "TRUE", "FALSE", "UNKNOWN")][not]
	return p.above(&sqlparser.IsExpr{Operator: op, Expr: left.Expr}, left)
}

// compared reads the right side of a comparison.
func (p *parser) compared(op string, left expression) expression {
	var right expression
	if p.AtAny("ANY", "SOME", "ALL") && p.IsOp(p.Peek(1), "(") && p.isQuery(p.Pos+1) {
		op, right = p.quantified(op)
	} else {
		right = asValue(p.predicate())
	}
	return p.above(&sqlparser.ComparisonExpr{Operator: op, Left: left.Expr, Right: right.Expr}, left, right)
}

// quantified reads ANY (subquery) and ALL (subquery): = ANY is IN, <> ALL is
// NOT IN.
func (p *parser) quantified(op string) (string, expression) {
	t := p.Advance()
	all := p.IsWord(t, "ALL")
	if op == sqlparser.NullSafeEqualStr {
		p.FailAt(t.Start, "a value")
	}
	query, height := p.subquery()
	switch {
	case op == sqlparser.EqualStr && !all:
		return sqlparser.InStr, expression{query, height}
	case op == sqlparser.NotEqualStr && all:
		return sqlparser.NotInStr, expression{query, height}
	}
	return op, expression{&ast.Quantified{ExistsExpr: sqlparser.ExistsExpr{Subquery: query}, All: all}, height}
}

// predicate reads an operand with IN, BETWEEN, LIKE or REGEXP.
func (p *parser) predicate() expression {
	left := p.bitExpr(0)
	if p.Current().Kind != lex.Word {
		return left
	}
	word, not := p.Current(), false
	if p.IsWord(word, "NOT") && p.IsWord(p.Peek(1), "IN", "BETWEEN", "LIKE", "REGEXP", "RLIKE") {
		word, not = p.Peek(1), true
	}
	switch {
	case p.IsWord(word, "IN", "BETWEEN", "LIKE", "REGEXP", "RLIKE"):
	case p.At("SOUNDS", "LIKE"):
		return p.soundsLike(left)
	case p.At("MEMBER", "OF"):
		return p.memberOf(asValue(left))
	default:
		return left
	}
	if not {
		p.Pos++
	}
	p.Pos++
	return p.predicateTail(word, not, asValue(left))
}

func (p *parser) predicateTail(word *lex.Token, not bool, left expression) expression {
	switch {
	case p.IsWord(word, "IN"):
		return p.in(not, left)
	case p.IsWord(word, "BETWEEN"):
		return p.between(not, left)
	case p.IsWord(word, "LIKE"):
		return p.like(not, left)
	}
	right := asValue(p.bitExpr(0))
	op := either(not, sqlparser.NotRegexpStr, sqlparser.RegexpStr)
	return p.above(&sqlparser.ComparisonExpr{Operator: op, Left: left.Expr, Right: right.Expr}, left, right)
}

func either(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}

// in reads what follows IN.
func (p *parser) in(not bool, left expression) expression {
	if !p.AtOp("(") {
		p.Expected("(")
	}
	var right expression
	if p.isQuery(p.Pos) {
		right.Expr, right.height = p.subquery()
	} else {
		list, height := p.row()
		right = p.over(list, height)
	}
	op := either(not, sqlparser.NotInStr, sqlparser.InStr)
	return p.above(&sqlparser.ComparisonExpr{Operator: op, Left: left.Expr, Right: right.Expr}, left, right)
}

func (p *parser) between(not bool, left expression) expression {
	low := asValue(p.bitExpr(0))
	p.Expect("AND")
	p.Nest()
	high := asValue(p.predicate())
	p.Unnest()
	op := either(not, sqlparser.NotBetweenStr, sqlparser.BetweenStr)
	return p.above(&sqlparser.RangeCond{Operator: op, Left: left.Expr, From: low.Expr, To: high.Expr}, left, low, high)
}

func (p *parser) like(not bool, left expression) expression {
	pattern := asValue(p.bitExpr(0))
	like := &sqlparser.ComparisonExpr{Left: left.Expr, Right: pattern.Expr}
	like.Operator = either(not, sqlparser.NotLikeStr, sqlparser.LikeStr)
	if !p.Accept("ESCAPE") {
		return p.above(like, left, pattern)
	}
	escape := asValue(p.simpleExpr())
	like.Escape = escape.Expr
	return p.above(like, left, pattern, escape)
}

// row reads (a, b, ...); the height is the largest of the values'.
func (p *parser) row() (list sqlparser.ValTuple, height int) {
	p.ExpectOp("(")
	list, height = p.exprs()
	p.ExpectOp(")")
	return list, height
}

// exprs reads a, b, ...; the height is the largest of the values'.
func (p *parser) exprs() (list sqlparser.ValTuple, height int) {
	p.List(func() {
		e := p.expr()
		list, height = append(list, e.Expr), max(height, e.height)
	})
	return list, height
}

// memberOf reads value MEMBER OF (array).
func (p *parser) memberOf(left expression) expression {
	p.Expect("MEMBER", "OF")
	p.ExpectOp("(")
	array := p.lastArgument()
	return p.above(&ast.MemberOf{ValTuple: sqlparser.ValTuple{left.Expr, array.Expr}}, left, array)
}

func (p *parser) soundsLike(left expression) expression {
	p.Expect("SOUNDS", "LIKE")
	right := p.bitExpr(0)
	return p.above(&sqlparser.ComparisonExpr{Operator: sqlparser.EqualStr,
		Left: newCall("soundex", left.Expr), Right: newCall("soundex", right.Expr)}, left, right)
}

// bitExpr reads arithmetic of at least this precedence.
func (p *parser) bitExpr(least int) expression {
	left := p.simpleExpr()
	for {
		op, precedence := p.arithmetic()
		if precedence == 0 || precedence < least {
			return left
		}
		p.Pos++
		left = asValue(left)
		right := asValue(p.bitExpr(precedence + 1))
		var both sqlparser.Expr = &sqlparser.BinaryExpr{Operator: op, Left: left.Expr, Right: right.Expr}
		if op == lex.Concat {
			both = newCall("concat", left.Expr, right.Expr)
		}
		left = p.above(both, left, right)
	}
}

// arithmetic is the operator at the current token, and its precedence from 1.
func (p *parser) arithmetic() (op string, precedence int) {
	t := p.Current()
	switch {
	case p.IsWord(t, "DIV"):
		return sqlparser.IntDivStr, 5
	case p.IsWord(t, "MOD"):
		return sqlparser.ModStr, 5
	case t.Kind != lex.Op:
		return "", 0
	}
	op = p.Text(t)
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
	case lex.Concat:
		return op, 7
	}
	return "", 0
}

// simpleExpr reads an operand with its signs and COLLATE.
func (p *parser) simpleExpr() expression {
	e := p.signed()
	for p.Accept("COLLATE") {
		e = asValue(e)
		e = p.above(&sqlparser.CollateExpr{Expr: e.Expr, Charset: p.WordOrString("the name of a collation")}, e)
	}
	return e
}

func (p *parser) signed() expression {
	t := p.Current()
	op := ""
	switch {
	case p.IsWord(t, "BINARY"):
		op = sqlparser.BinaryStr
	case p.IsOp(t, "-") || p.IsOp(t, "+") || p.IsOp(t, "~") || p.IsOp(t, "!"):
		op = p.Text(t)
	default:
		return p.primary()
	}
	p.Nest()
	p.Pos++
	e := asValue(p.simpleExpr())
	p.Unnest()
	return p.above(p.withSign(op, e.Expr), e)
}

// withSign applies a sign to an operand; the sign of an integer becomes part of it.
func (p *parser) withSign(op string, e sqlparser.Expr) sqlparser.Expr {
	n, ok := e.(*ast.Number)
	if !ok || !n.Int || op != "-" && op != "+" {
		return &sqlparser.UnaryExpr{Operator: op, Expr: e}
	}
	if op == "+" {
		return n
	}
	if text, negative := strings.CutPrefix(n.Text, "-"); negative {
		n.Text = text
		p.reads(n.Slot, ast.ReadPlain)
	} else {
		n.Text = "-" + n.Text
		p.reads(n.Slot, ast.ReadNegative)
	}
	return n
}
