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
		c.Columns = p.columnNames()
	}
	p.expect("AS")
	c.Node = p.commonQuery()
	return c
}

// columnNames reads (a, b, ...), names that differ.
func (p *parser) columnNames() (names []string) {
	p.parenthesized(func() {
		t := p.cur()
		name := p.newName("the name of a column")
		for _, n := range names {
			if strings.EqualFold(n, name) {
				p.fail(mysqlerr.New(mysqlerr.DupFieldName, "Duplicate column name '%s' (at position %d)", name, t.start+1))
			}
		}
		names = append(names, name)
	})
	return names
}

// namesColumns is true where an alias with a list of columns begins at token i.
func (p *parser) namesColumns(i int) bool {
	if p.isWord(&p.toks[i], "AS") {
		i++
	}
	return p.isName(&p.toks[i]) && p.isOp(&p.toks[i+1], "(")
}

// derivedWithColumns reads (SELECT ...) AS name (columns). sqlparser has no place
// for the columns: it is made a common table expression that is named here alone.
func (p *parser) derivedWithColumns() {
	c := CommonTable{Node: p.commonQuery(), Used: true}
	c.Name = p.tableAlias()
	c.Columns = p.columnNames()
	p.res.Common = append(p.res.Common, c)
	p.out.ident(TableRef{Name: c.Name, Period: -1, Partitions: -1, Common: len(p.res.Common) - 1}.mark())
}

// commonQuery reads a query in parentheses and returns its tree, which is no
// part of the statement's.
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
