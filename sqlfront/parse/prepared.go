package parse

// preparedName is what an error calls the name of a prepared statement.
const preparedName = "the name of a prepared statement"

// prepareStatement reads PREPARE name FROM {'text' | @variable}
// (https://dev.mysql.com/doc/refman/5.7/en/sql-prepared-statements.html).
func (p *parser) prepareStatement() Statement {
	p.expect("PREPARE")
	s := &Prepare{Name: p.name(preparedName)}
	p.expect("FROM")
	if p.cur().kind == tokUserVar {
		s.Variable = variableName(p.text(p.advance()))
		return s
	}
	s.Text = p.stringValue("a statement in quotes or a user variable")
	return s
}

func (p *parser) executeStatement() Statement {
	p.expect("EXECUTE")
	s := &Execute{Name: p.name(preparedName)}
	if p.accept("USING") {
		p.list(func() {
			if p.cur().kind != tokUserVar {
				p.expected("a user variable")
			}
			s.Using = append(s.Using, variableName(p.text(p.advance())))
		})
	}
	return s
}

func (p *parser) deallocateStatement() Statement {
	p.expect("DEALLOCATE", "PREPARE")
	return &Deallocate{Name: p.name(preparedName)}
}
