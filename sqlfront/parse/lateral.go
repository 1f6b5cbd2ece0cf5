package parse

import "github.com/xwb1989/sqlparser"

// Lateral is LATERAL (SELECT ...) in FROM: a derived table that may read the tables in front of
// it (https://dev.mysql.com/doc/refman/8.0/en/lateral-derived-tables.html).
type Lateral struct {
	*sqlparser.Subquery
	Columns []string // nil where none are named
}

// Format prints the word, the query and the names of its columns.
func (l *Lateral) Format(buf *sqlparser.TrackedBuffer) {
	buf.Myprintf("lateral %v", l.Subquery)
	if l.Columns != nil {
		buf.Myprintf(" /* %v */", sqlparser.Columns(columnIdents(l.Columns)))
	}
}

// lateral reads LATERAL (SELECT ...) [AS] alias [(columns)].
func (p *parser) lateral() sqlparser.TableExpr {
	p.expect("LATERAL")
	end := p.toks[p.pos].n
	p.checkQuery()
	query, _ := p.subquery()
	out := &Lateral{Subquery: query}
	alias := p.derivedAlias(end)
	if p.atOp("(") {
		out.Columns = p.columnNames()
	}
	return aliasedTable(out, alias)
}

// checkQuery fails where the parenthesis holds no query.
func (p *parser) checkQuery() {
	if !p.isQuery(p.pos) {
		p.pos++
		p.atQuery()
		p.expected("SELECT")
	}
}
