package parse

import (
	"github.com/hbasekv/hbasekv/sqlfront/clause"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// into reads INTO of a whole SELECT: @a, @b, or OUTFILE or DUMPFILE
// (https://dev.mysql.com/doc/refman/5.7/en/select-into.html).
func (p *parser) into() {
	if !p.at("INTO") {
		return
	}
	switch next := p.peek(1); {
	case next.kind != tokUserVar && !p.isWord(next, "OUTFILE", "DUMPFILE"):
		p.pos++
		p.expected("a user variable, OUTFILE or DUMPFILE")
	case !p.query.mayInto:
		p.unsupportedInstead("INTO in an inner SELECT", p.cur().start, "SELECT (subquery) INTO @a")
	case p.query.into != nil:
		p.expected("one INTO")
	}
	p.pos++
	if p.atAny("OUTFILE", "DUMPFILE") {
		p.query.into = p.intoFile()
		return
	}
	p.query.into = &Into{}
	p.list(func() {
		if p.cur().kind != tokUserVar {
			p.expected("a user variable, as in INTO @a")
		}
		p.query.into.Variables = append(p.query.into.Variables, variableName(p.text(p.advance())))
	})
}

func (p *parser) intoFile() *Into {
	if p.accept("DUMPFILE") {
		return &Into{Dump: true, File: p.stringValue("the name of a file in quotes")}
	}
	p.expect("OUTFILE")
	to := &Into{File: p.stringValue("the name of a file in quotes")}
	to.Charset = p.fileCharset()
	to.Format = p.textFormat()
	return to
}

// fileCharset reads the character set of a file.
func (p *parser) fileCharset() string {
	if p.accept("CHARACTER", "SET") || p.accept("CHAR", "SET") || p.accept("CHARSET") {
		return p.wordOrString("the name of a character set")
	}
	return ""
}

// textFormat reads FIELDS and LINES.
func (p *parser) textFormat() clause.TextFormat {
	f := clause.DefaultTextFormat()
	if p.acceptAny("FIELDS", "COLUMNS") != "" {
		p.oneOrMore("TERMINATED, ENCLOSED or ESCAPED", func() bool { return p.fieldsOption(&f) })
	}
	if p.accept("LINES") {
		p.oneOrMore("STARTING or TERMINATED", func() bool { return p.linesOption(&f) })
	}
	return f
}

// oneOrMore calls option while it reads one; the first must be there.
func (p *parser) oneOrMore(what string, option func() bool) {
	if !option() {
		p.expected(what)
	}
	for option() {
	}
}

func (p *parser) fieldsOption(f *clause.TextFormat) bool {
	switch {
	case p.accept("TERMINATED"):
		f.FieldsTerminated = p.byBytes()
	case p.accept("OPTIONALLY"):
		p.expect("ENCLOSED")
		f.Optionally, f.Enclosed = true, p.byByte()
	case p.accept("ENCLOSED"):
		f.Enclosed = p.byByte()
	case p.accept("ESCAPED"):
		f.Escaped = p.byByte()
	default:
		return false
	}
	return true
}

func (p *parser) linesOption(f *clause.TextFormat) bool {
	switch {
	case p.accept("STARTING"):
		f.LinesStarting = p.byBytes()
	case p.accept("TERMINATED"):
		f.LinesTerminated = p.byBytes()
	default:
		return false
	}
	return true
}

// byBytes reads BY and a string, hex or bit literal.
func (p *parser) byBytes() string {
	p.expect("BY")
	if k := p.cur().kind; k != tokHex && k != tokBit {
		return p.stringValue("a string")
	}
	return string(p.literal().Bytes)
}

// byByte is byBytes of one byte or none.
func (p *parser) byByte() string {
	start := p.cur().start
	s := p.byBytes()
	if len(s) > 1 {
		p.fail(mysqlerr.New(mysqlerr.WrongFieldTerminators,
			"Field separator argument is not what is expected; check the manual (at position %d)", start+1))
	}
	return s
}
