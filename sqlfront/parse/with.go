package parse

import (
	"strconv"
	"strings"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// commonScope is a common table expression that is in scope, and those around
// it: a table name without a database means the first of that name
// (https://dev.mysql.com/doc/refman/8.0/en/with.html).
type commonScope struct {
	index int // in Parsed.Common
	outer *commonScope
}

// commonTable is the index of the common table expression that the name
// stands for, or -1.
func (p *parser) commonTable(name TableName) int {
	if name.Database != "" {
		return -1
	}
	for s := p.query.common; s != nil; s = s.outer {
		if p.res.Common[s.index].Name == name.Name {
			return s.index
		}
	}
	return -1
}

// withStatement reads WITH and the statement behind it.
func (p *parser) withStatement() Statement {
	p.withClause()
	switch {
	case p.at("UPDATE"):
		return p.updateStatement()
	case p.at("DELETE"):
		return p.deleteStatement()
	case !p.atOp("(") && !p.atAny("SELECT", "VALUES", "TABLE"):
		p.expected("SELECT, UPDATE or DELETE")
	}
	return p.selectStatement()
}

// withClause reads WITH name AS (SELECT ...), ... and puts the names in scope,
// each for those behind it too.
func (p *parser) withClause() {
	p.expect("WITH")
	if p.at("RECURSIVE") {
		p.unsupported(p.cur().start, "WITH RECURSIVE")
	}
	outer := p.query.common
	p.list(func() {
		c := p.commonDefinition(outer)
		p.res.Common = append(p.res.Common, c)
		p.query.common = &commonScope{len(p.res.Common) - 1, p.query.common}
	})
}

// commonDefinition reads name [(columns)] AS (SELECT ...); outer is what is
// in scope around the WITH, where the name may be taken.
func (p *parser) commonDefinition(outer *commonScope) (c CommonTable) {
	t := p.cur()
	c.Name = p.newName("the name of a common table expression")
	for s := p.query.common; s != outer; s = s.outer {
		if p.res.Common[s.index].Name == c.Name {
			p.fail(mysqlerr.New(mysqlerr.NonUniqTable, "Not unique table/alias: '%s' (at position %d)", c.Name, t.start+1))
		}
	}
	if p.atOp("(") {
		p.parenthesized(func() { c.Columns = append(c.Columns, p.columnInList(c.Columns)) })
	}
	p.expect("AS")
	c.Node = p.commonQuery()
	return c
}

// columnInList reads a column of a list that has these already.
func (p *parser) columnInList(before []string) string {
	t := p.cur()
	name := p.newName("the name of a column")
	for _, b := range before {
		if strings.EqualFold(b, name) {
			p.fail(mysqlerr.New(mysqlerr.DupFieldName, "Duplicate column name '%s' (at position %d)", name, t.start+1))
		}
	}
	return name
}

// commonQuery reads the query of a common table expression and returns its
// tree, which is none of the statement's.
func (p *parser) commonQuery() sqlparser.SelectStatement {
	out, hint, into := p.out, p.query.mayHint, p.query.mayInto
	p.out = output{token: out.token}
	p.query.mayHint, p.query.mayInto = false, false
	p.nest()
	p.expectOp("(")
	p.atQuery()
	p.queryExpression()
	node := treeAs[sqlparser.SelectStatement](p)
	p.expectOp(")")
	p.unnest()
	p.out, p.query.mayHint, p.query.mayInto = out, hint, into
	return node
}

// valuesQuery reads VALUES ROW(...), ROW(...) as a query, whose columns are
// column_0, column_1 and so on. Of several rows it makes a derived table, as a
// UNION cannot stand everywhere in sqlparser's words.
func (p *parser) valuesQuery() {
	p.nest()
	p.expect("VALUES")
	start, rows, columns := p.out.len(), 0, 0
	p.list(func() {
		if rows++; rows > maxUnions {
			p.failAt(p.cur().start, "fewer rows")
		}
		if rows > 1 {
			p.out.write("union all")
		}
		columns = p.valuesRow(rows, columns)
	})
	if rows > 1 {
		p.out.wrap(start, "select * from (")
		p.out.write("as `values`")
	}
	p.unnest()
}

// valuesRow reads ROW(...), which must have as many values as the first one,
// and returns how many.
func (p *parser) valuesRow(row, columns int) int {
	p.expect("ROW")
	t := p.cur()
	p.expectOp("(")
	p.out.write("select")
	n := 0
	p.separated(func() {
		p.expr()
		p.out.write("as")
		p.out.ident("column_" + strconv.Itoa(n))
		n++
	})
	p.expectOp(")")
	if row > 1 && n != columns {
		p.fail(mysqlerr.New(mysqlerr.WrongValueCountOnRow, "Column count doesn't match value count at row %d (at position %d)", row, t.start+1))
	}
	return n
}
