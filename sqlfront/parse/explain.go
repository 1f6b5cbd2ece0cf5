package parse

import (
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
)

// explainStatement reads EXPLAIN, DESCRIBE and DESC of a table or of a statement.
func (p *parser) explainStatement() ast.Statement {
	p.ExpectAny("EXPLAIN", "DESCRIBE", "DESC")
	if !p.explains() {
		return p.describeTable()
	}
	s := &ast.Explain{Format: "TRADITIONAL"}
	for p.explainOption(s) {
	}
	if p.At("FOR") {
		p.Unsupported(p.Current().Start, "EXPLAIN FOR CONNECTION")
	}
	start := p.Current().Start
	if !p.AtOp("(") && !p.AtAny(explainable...) {
		p.Expected("SELECT, INSERT, REPLACE, UPDATE or DELETE")
	}
	s.Target = p.statement()
	s.TargetText = p.Source(start)
	return s
}

var explainable = []string{"SELECT", "INSERT", "REPLACE", "UPDATE", "DELETE", "WITH", "VALUES", "TABLE"}

// explains reports whether a statement is explained, not a table. The options may be names of tables, too.
func (p *parser) explains() bool {
	next := p.Peek(1)
	switch {
	case p.AtOp("("), p.AtAny(explainable...), p.At("FOR"):
		return true
	case p.At("FORMAT"):
		return p.IsOp(next, "=")
	case p.At("ANALYZE"):
		return true
	case p.AtAny("EXTENDED", "PARTITIONS", "BASIC", "OUTLINE", "EXTENDED_NOADDR"):
		return p.IsOp(next, "(") || p.IsWord(next, explainable...) || p.IsWord(next, "FORMAT", "FOR")
	}
	return false
}

// explainOption reads one word before the statement.
func (p *parser) explainOption(s *ast.Explain) bool {
	switch {
	case p.Accept("ANALYZE"):
		s.Analyze = true
	case p.At("FORMAT"):
		p.Pos++
		p.ExpectOp("=")
		t := p.Current()
		s.Format = strings.ToUpper(p.WordOrString("TRADITIONAL, TREE or JSON"))
		if s.Format != "TRADITIONAL" && s.Format != "TREE" && s.Format != "JSON" {
			p.FailAt(t.Start, "TRADITIONAL, TREE or JSON")
		}
	default:
		return p.AcceptAny("EXTENDED", "PARTITIONS", "BASIC", "OUTLINE", "EXTENDED_NOADDR") != ""
	}
	return true
}

// describeTable reads table [column | 'pattern'].
func (p *parser) describeTable() ast.Statement {
	d := &ast.Describe{Table: p.TableName()}
	switch {
	case p.AtString():
		d.Column = p.StringValue("")
	case p.AtName():
		d.Column = p.Name("")
	}
	return d
}
