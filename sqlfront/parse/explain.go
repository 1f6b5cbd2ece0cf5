package parse

import "strings"

// explainStatement reads EXPLAIN, DESCRIBE and DESC, of a table or of a
// statement.
func (p *parser) explainStatement() Statement {
	p.expectAny("EXPLAIN", "DESCRIBE", "DESC")
	if !p.explains() {
		return p.describeTable()
	}
	s := &Explain{Format: "TRADITIONAL"}
	for p.explainOption(s) {
	}
	if p.at("FOR") {
		p.unsupported(p.cur().start, "EXPLAIN FOR CONNECTION")
	}
	start := p.cur().start
	if !p.atOp("(") && !p.atAny(explainable...) {
		p.expected("SELECT, INSERT, REPLACE, UPDATE or DELETE")
	}
	s.Target = p.statement()
	s.TargetText = p.source(start)
	return s
}

var explainable = []string{"SELECT", "INSERT", "REPLACE", "UPDATE", "DELETE", "WITH", "VALUES", "TABLE"}

// explains is true where a statement is explained and not a table. The options
// are words that a table may be named by, too.
func (p *parser) explains() bool {
	next := p.peek(1)
	switch {
	case p.atOp("("), p.atAny(explainable...), p.at("FOR"):
		return true
	case p.at("FORMAT"):
		return p.isOp(next, "=")
	case p.at("ANALYZE"):
		return true
	case p.atAny("EXTENDED", "PARTITIONS", "BASIC", "OUTLINE", "EXTENDED_NOADDR"):
		return p.isOp(next, "(") || p.isWord(next, explainable...) || p.isWord(next, "FORMAT", "FOR")
	}
	return false
}

// explainOption reads one word in front of the statement.
func (p *parser) explainOption(s *Explain) bool {
	switch {
	case p.accept("ANALYZE"):
		s.Analyze = true
	case p.at("FORMAT"):
		p.pos++
		p.expectOp("=")
		t := p.cur()
		s.Format = strings.ToUpper(p.wordOrString("TRADITIONAL, TREE or JSON"))
		if s.Format != "TRADITIONAL" && s.Format != "TREE" && s.Format != "JSON" {
			p.failAt(t.start, "TRADITIONAL, TREE or JSON")
		}
	default:
		return p.acceptAny("EXTENDED", "PARTITIONS", "BASIC", "OUTLINE", "EXTENDED_NOADDR") != ""
	}
	return true
}

// describeTable reads table [column | 'pattern'].
func (p *parser) describeTable() Statement {
	d := &Describe{Table: p.tableName()}
	switch {
	case p.atString():
		d.Column = p.stringValue("")
	case p.atName():
		d.Column = p.name("")
	}
	return d
}
