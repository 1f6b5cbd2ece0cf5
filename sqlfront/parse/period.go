package parse

import (
	"strconv"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/clause"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

const timestampWords = "a number of milliseconds or ?"

// period reads FOR SYSTEM_TIME and returns it, or nil.
func (p *parser) period() *clause.Period {
	if !p.accept("FOR", "SYSTEM_TIME") {
		return nil
	}
	f := &clause.Period{A: noOperand, B: noOperand}
	switch p.expectAny("ALL", "AS", "FROM", "BETWEEN") {
	case "AS":
		p.expect("OF")
		if p.at("TRANSACTION") {
			p.unsupported(p.cur().start, "AS OF TRANSACTION")
		}
		f.Kind, f.A = clause.PeriodAsOf, p.moment()
	case "FROM":
		f.Kind, f.A = clause.PeriodFromTo, p.moment()
		p.expect("TO")
		f.B = p.moment()
	case "BETWEEN":
		f.Kind, f.A = clause.PeriodBetween, p.moment()
		p.expect("AND")
		f.B = p.moment()
	}
	return f
}

// moment reads [TIMESTAMP] expression, whose value is a number of milliseconds or a time.
func (p *parser) moment() clause.Operand {
	if next := p.peek(1); p.at("TIMESTAMP") && next.kind != tokString && !p.isOp(next, "(") {
		p.pos++
	}
	start := p.cur().start
	p.nest()
	e := p.bitExpr(0)
	p.unnest()
	p.query.height, p.res.Height = max(p.query.height, e.height), max(p.res.Height, e.height)
	switch e := e.Expr.(type) {
	case *Param:
		return clause.Operand{Param: e.Index}
	case *Number:
		if n, err := strconv.ParseInt(e.Text, 10, 64); err == nil {
			return clause.Operand{Param: -1, Const: n}
		}
	}
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		if _, ok := n.(*sqlparser.Subquery); ok {
			p.unsupportedInstead("a subquery in FOR SYSTEM_TIME", start, "SET @t = (SELECT ...), and FOR SYSTEM_TIME ... @t")
		}
		return true, nil
	}, e.Expr)
	return clause.Operand{Param: -1, Expr: e.Expr}
}

// hintNames are the hints that are acted on.
var hintNames = []string{"VERSIONS", "TIMERANGE", "MAX_EXECUTION_TIME"}

// hints reads /*+ ... */ behind a verb. What is not known is passed with a
// warning, as in MySQL; a mistake in a hint that chooses versions is an error,
// since without the hint the answer would be another.
func (p *parser) hints() Hints {
	var h Hints
	if p.cur().kind != tokHintBegin {
		return h
	}
	p.pos++
	for p.cur().kind != tokHintEnd {
		switch {
		case p.cur().kind == tokEOF:
			p.expected("*/")
		case p.atAny(hintNames...):
			p.knownHint(&h)
		default:
			p.unknownHint()
		}
	}
	p.pos++
	return h
}

func (p *parser) knownHint(h *Hints) {
	t := p.advance()
	p.expectOp("(")
	switch {
	case p.isWord(t, "VERSIONS"):
		h.Versions = p.versionsHint()
	case p.isWord(t, "TIMERANGE"):
		h.TimeRange = &clause.TimeRangeHint{A: p.operand(timestampWords)}
		p.expectOp(",")
		h.TimeRange.B = p.operand(timestampWords)
	default:
		ms := p.operand(timestampWords)
		h.MaxExecutionTime = &ms
	}
	p.expectOp(")")
}

func (p *parser) versionsHint() *clause.VersionsHint {
	if p.accept("ALL") {
		return &clause.VersionsHint{All: true, N: noOperand}
	}
	t := p.cur()
	n := p.operand("ALL, a number of versions or ?")
	if n.Param < 0 && n.Const < 1 {
		p.fail(mysqlerr.New(mysqlerr.WrongArguments,
			"Incorrect arguments to VERSIONS (at position %d): at least 1 version", t.start+1))
	}
	return &clause.VersionsHint{N: n}
}

// unknownHint passes one word with the parentheses behind it.
func (p *parser) unknownHint() {
	t := p.advance()
	if t.kind == tokBad {
		p.pos--
		p.expected("")
	}
	if p.acceptOp("(") {
		for depth := 1; depth > 0 && p.cur().kind != tokHintEnd && p.cur().kind != tokEOF; {
			switch in := p.cur(); {
			case in.kind == tokParam:
				p.param()
				continue
			case p.isOp(in, "("):
				depth++
			case p.isOp(in, ")"):
				depth--
			}
			p.pos++
		}
	}
	if t.kind == tokWord {
		p.res.Warnings = append(p.res.Warnings, "Optimizer hint "+p.text(t)+" is ignored"+
			mysqlerr.NearestOf(p.text(t), hintNames))
	}
}
