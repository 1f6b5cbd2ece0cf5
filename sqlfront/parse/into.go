package parse

import (
	"github.com/hbasekv/hbasekv/sqlfront/clause"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
)

// into reads INTO of a whole SELECT: @a, @b, or OUTFILE or DUMPFILE
// (https://dev.mysql.com/doc/refman/5.7/en/select-into.html).
func (p *parser) into() {
	if !p.At("INTO") {
		return
	}
	switch next := p.Peek(1); {
	case next.Kind != lex.UserVar && !p.IsWord(next, "OUTFILE", "DUMPFILE"):
		p.Pos++
		p.Expected("a user variable, OUTFILE or DUMPFILE")
	case !p.query.mayInto:
		p.UnsupportedInstead("INTO in an inner SELECT", p.Current().Start, "SELECT (subquery) INTO @a")
	case p.query.into != nil:
		p.Expected("one INTO")
	}
	p.Pos++
	if p.AtAny("OUTFILE", "DUMPFILE") {
		p.query.into = p.intoFile()
		return
	}
	p.query.into = &ast.Into{}
	p.List(func() {
		if p.Current().Kind != lex.UserVar {
			p.Expected("a user variable, as in INTO @a")
		}
		p.query.into.Variables = append(p.query.into.Variables, lex.VariableName(p.Text(p.Advance())))
	})
}

func (p *parser) intoFile() *ast.Into {
	if p.Accept("DUMPFILE") {
		return &ast.Into{Dump: true, File: p.StringValue("the name of a file in quotes")}
	}
	p.Expect("OUTFILE")
	to := &ast.Into{File: p.StringValue("the name of a file in quotes")}
	to.Charset = p.fileCharset()
	to.Format = p.textFormat()
	return to
}

// fileCharset reads the character set of a file.
func (p *parser) fileCharset() string {
	if p.Accept("CHARACTER", "SET") || p.Accept("CHAR", "SET") || p.Accept("CHARSET") {
		return p.WordOrString("the name of a character set")
	}
	return ""
}

// textFormat reads FIELDS and LINES.
func (p *parser) textFormat() clause.TextFormat {
	f := clause.DefaultTextFormat()
	if p.AcceptAny("FIELDS", "COLUMNS") != "" {
		p.oneOrMore("TERMINATED, ENCLOSED or ESCAPED", func() bool { return p.fieldsOption(&f) })
	}
	if p.Accept("LINES") {
		p.oneOrMore("STARTING or TERMINATED", func() bool { return p.linesOption(&f) })
	}
	return f
}

// oneOrMore calls option until it is false, and fails if it is the first time.
func (p *parser) oneOrMore(what string, option func() bool) {
	if !option() {
		p.Expected(what)
	}
	for option() {
	}
}

func (p *parser) fieldsOption(f *clause.TextFormat) bool {
	switch {
	case p.Accept("TERMINATED"):
		f.FieldsTerminated = p.byBytes()
	case p.Accept("OPTIONALLY"):
		p.Expect("ENCLOSED")
		f.Optionally, f.Enclosed = true, p.byByte()
	case p.Accept("ENCLOSED"):
		f.Enclosed = p.byByte()
	case p.Accept("ESCAPED"):
		f.Escaped = p.byByte()
	default:
		return false
	}
	return true
}

func (p *parser) linesOption(f *clause.TextFormat) bool {
	switch {
	case p.Accept("STARTING"):
		f.LinesStarting = p.byBytes()
	case p.Accept("TERMINATED"):
		f.LinesTerminated = p.byBytes()
	default:
		return false
	}
	return true
}

// byBytes reads BY and a string, hex or bit literal.
func (p *parser) byBytes() string {
	p.Expect("BY")
	if k := p.Current().Kind; k != lex.Hex && k != lex.Bit {
		return p.StringValue("a string")
	}
	return string(p.Literal().Bytes)
}

// byByte is byBytes of one byte or none.
func (p *parser) byByte() string {
	start := p.Current().Start
	s := p.byBytes()
	if len(s) > 1 {
		p.Fail(mysqlerr.New(mysqlerr.WrongFieldTerminators,
			"Field separator argument is not what is expected; check the manual (at position %d)", start+1))
	}
	return s
}
