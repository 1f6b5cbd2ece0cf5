package parse

// statement reads the statement that the first word announces.
func (p *parser) statement() Statement {
	switch {
	case p.atOp("("), p.atAny("SELECT"):
		return p.selectStatement()
	case p.atAny("INSERT", "REPLACE"):
		return p.insertStatement()
	case p.at("UPDATE"):
		return p.updateStatement()
	case p.at("DELETE"):
		return p.deleteStatement()
	}
	p.expected("a statement")
	return nil
}
