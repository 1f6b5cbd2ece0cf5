package parse

import (
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
)

// preparedName is what an error calls the name of a prepared statement.
const preparedName = "the name of a prepared statement"

// prepareStatement reads PREPARE name FROM {'text' | @variable}
// (https://dev.mysql.com/doc/refman/5.7/en/sql-prepared-statements.html).
func (p *parser) prepareStatement() ast.Statement {
	p.Expect("PREPARE")
	s := &ast.Prepare{Name: p.Name(preparedName)}
	p.Expect("FROM")
	if p.Current().Kind == lex.UserVar {
		s.Variable = lex.VariableName(p.Text(p.Advance()))
		return s
	}
	s.Text = p.StringValue("a statement in quotes or a user variable")
	return s
}

func (p *parser) executeStatement() ast.Statement {
	p.Expect("EXECUTE")
	s := &ast.Execute{Name: p.Name(preparedName)}
	if p.Accept("USING") {
		p.List(func() {
			if p.Current().Kind != lex.UserVar {
				p.Expected("a user variable")
			}
			s.Using = append(s.Using, lex.VariableName(p.Text(p.Advance())))
		})
	}
	return s
}

func (p *parser) deallocateStatement() ast.Statement {
	p.Expect("DEALLOCATE", "PREPARE")
	return &ast.Deallocate{Name: p.Name(preparedName)}
}
