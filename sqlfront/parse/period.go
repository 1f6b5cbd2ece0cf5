package parse

import (
	"strconv"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/clause"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
)

// noOperand is an operand that a clause does not have.
var noOperand = clause.Operand{Param: -1}

const timestampWords = "a number of milliseconds or ?"

// period reads FOR SYSTEM_TIME and returns it, or nil.
func (p *parser) period() *clause.Period {
	if !p.Accept("FOR", "SYSTEM_TIME") {
		return nil
	}
	f := &clause.Period{A: noOperand, B: noOperand}
	switch p.ExpectAny("ALL", "AS", "FROM", "BETWEEN") {
	case "AS":
		p.Expect("OF")
		if p.At("TRANSACTION") {
			p.Unsupported(p.Current().Start, "AS OF TRANSACTION")
		}
		f.Kind, f.A = clause.PeriodAsOf, p.moment()
	case "FROM":
		f.Kind, f.A = clause.PeriodFromTo, p.moment()
		p.Expect("TO")
		f.B = p.moment()
	case "BETWEEN":
		f.Kind, f.A = clause.PeriodBetween, p.moment()
		p.Expect("AND")
		f.B = p.moment()
	}
	return f
}

// moment reads [TIMESTAMP] expression, whose value is a number of milliseconds or a time.
func (p *parser) moment() clause.Operand {
	if next := p.Peek(1); p.At("TIMESTAMP") && next.Kind != lex.String && !p.IsOp(next, "(") {
		p.Pos++
	}
	start := p.Current().Start
	p.Nest()
	e := p.bitExpr(0)
	p.Unnest()
	p.query.height, p.res.Height = max(p.query.height, e.height), max(p.res.Height, e.height)
	switch e := e.Expr.(type) {
	case *ast.Param:
		return clause.Operand{Param: e.Index}
	case *ast.Number:
		if n, err := strconv.ParseInt(e.Text, 10, 64); err == nil {
			return clause.Operand{Param: -1, Const: n}
		}
	}
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		if _, ok := n.(*sqlparser.Subquery); ok {
			p.UnsupportedInstead("a subquery in FOR SYSTEM_TIME", start, "SET @t = (SELECT ...), and FOR SYSTEM_TIME ... @t")
		}
		return true, nil
	}, e.Expr)
	return clause.Operand{Param: -1, Expr: e.Expr}
}

// hintNames are the hints that have an effect.
var hintNames = []string{"VERSIONS", "TIMERANGE", "MAX_EXECUTION_TIME"}

// hints reads /*+ ... */ after a verb. Unknown hints are skipped with a warning, as in MySQL; a mistake in a
// hint that chooses versions is an error, since the result without it would differ.
func (p *parser) hints() ast.Hints {
	var h ast.Hints
	if p.Current().Kind != lex.HintBegin {
		return h
	}
	p.Pos++
	for p.Current().Kind != lex.HintEnd {
		switch {
		case p.Current().Kind == lex.EOF:
			p.Expected("*/")
		case p.AtAny(hintNames...):
			p.knownHint(&h)
		default:
			p.unknownHint()
		}
	}
	p.Pos++
	return h
}

func (p *parser) knownHint(h *ast.Hints) {
	t := p.Advance()
	p.ExpectOp("(")
	switch {
	case p.IsWord(t, "VERSIONS"):
		h.Versions = p.versionsHint()
	case p.IsWord(t, "TIMERANGE"):
		h.TimeRange = &clause.TimeRangeHint{A: p.operand(timestampWords)}
		p.ExpectOp(",")
		h.TimeRange.B = p.operand(timestampWords)
	default:
		ms := p.operand(timestampWords)
		h.MaxExecutionTime = &ms
	}
	p.ExpectOp(")")
}

func (p *parser) versionsHint() *clause.VersionsHint {
	if p.Accept("ALL") {
		return &clause.VersionsHint{All: true, N: noOperand}
	}
	t := p.Current()
	n := p.operand("ALL, a number of versions or ?")
	if n.Param < 0 && n.Const < 1 {
		p.Fail(mysqlerr.New(mysqlerr.WrongArguments,
			"Incorrect arguments to VERSIONS (at position %d): at least 1 version", t.Start+1))
	}
	return &clause.VersionsHint{N: n}
}

// unknownHint skips one word with the parentheses after it.
func (p *parser) unknownHint() {
	t := p.Advance()
	if t.Kind == lex.Bad {
		p.Pos--
		p.Expected("")
	}
	if p.AcceptOp("(") {
		for depth := 1; depth > 0 && p.Current().Kind != lex.HintEnd && p.Current().Kind != lex.EOF; {
			switch in := p.Current(); {
			case in.Kind == lex.Param:
				p.param()
				continue
			case p.IsOp(in, "("):
				depth++
			case p.IsOp(in, ")"):
				depth--
			}
			p.Pos++
		}
	}
	if t.Kind == lex.Word {
		p.res.Warnings = append(p.res.Warnings, "Optimizer hint "+p.Text(t)+" is ignored"+
			mysqlerr.NearestOf(p.Text(t), hintNames))
	}
}

// operand reads ? or an int64 with an optional sign.
func (p *parser) operand(what string) clause.Operand {
	if p.Current().Kind == lex.Param {
		return clause.Operand{Param: p.param()}
	}
	t, sign := p.Current(), ""
	if p.AtOp("-") || p.AtOp("+") {
		sign = p.Text(p.Advance())
	}
	if p.Current().Kind != lex.Int {
		p.Expected(what)
	}
	n, err := strconv.ParseInt(sign+p.Text(p.Current()), 10, 64)
	if err != nil {
		p.FailAt(t.Start, what+" between -2^63 and 2^63-1")
	}
	p.Pos++
	return clause.Operand{Param: -1, Const: n}
}
