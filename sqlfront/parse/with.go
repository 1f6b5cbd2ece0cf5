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
	table *CommonTable
	outer *commonScope
}

// commonTable is the common table expression that the name stands for, or nil.
func (p *parser) commonTable(name TableName) *CommonTable {
	if name.Database != "" {
		return nil
	}
	for s := p.query.common; s != nil; s = s.outer {
		if s.table.Name == name.Name {
			return s.table
		}
	}
	return nil
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

// withClause reads WITH [RECURSIVE] name AS (SELECT ...), ... and puts the names in
// scope, each for those behind it too.
func (p *parser) withClause() {
	p.expect("WITH")
	recursive := p.accept("RECURSIVE")
	outer := p.query.common
	p.list(func() {
		c := p.commonDefinition(outer, recursive)
		p.addCommon(c)
		p.query.common = &commonScope{c, p.query.common}
	})
}

// commonDefinition reads name [(columns)] AS (SELECT ...); outer is what is
// in scope around the WITH, where the name may be taken. The SELECT of a recursive
// one may name it.
func (p *parser) commonDefinition(outer *commonScope, recursive bool) *CommonTable {
	t := p.cur()
	c := &CommonTable{Name: p.newName("the name of a common table expression")}
	for s := p.query.common; s != outer; s = s.outer {
		if s.table.Name == c.Name {
			p.fail(mysqlerr.New(mysqlerr.NonUniqTable, "Not unique table/alias: '%s' (at position %d)", c.Name, t.start+1))
		}
	}
	if p.atOp("(") {
		c.Columns = p.columnNames()
	}
	p.expect("AS")
	before := p.query.common
	if recursive {
		c.reading = true
		p.query.common = &commonScope{c, before}
	}
	c.Node = p.commonQuery()
	c.reading, p.query.common = false, before
	return c
}

// addCommon takes a common table expression into the result.
func (p *parser) addCommon(c *CommonTable) {
	c.Number = len(p.res.Common)
	p.res.Common = append(p.res.Common, c)
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
func (p *parser) derivedWithColumns() sqlparser.TableExpr {
	c := &CommonTable{Node: p.commonQuery(), Used: true}
	c.Name = p.tableAlias()
	c.Columns = p.columnNames()
	p.addCommon(c)
	table := NewTable("", c.Name)
	table.Common = c
	return &sqlparser.AliasedTableExpr{Expr: table}
}

// commonQuery reads a query in parentheses, which is no part of the statement's
// tree.
func (p *parser) commonQuery() sqlparser.SelectStatement {
	hint, into, windows := p.query.mayHint, p.query.mayInto, p.query.windows
	p.query.mayHint, p.query.mayInto = false, false
	p.nest()
	p.expectOp("(")
	p.atQuery()
	node, _ := p.queryExpression()
	p.expectOp(")")
	p.unnest()
	p.query.mayHint, p.query.mayInto, p.query.windows = hint, into, windows
	return node
}

// valuesQuery reads VALUES ROW(...), ROW(...) as a query, whose columns are
// column_0, column_1 and so on. Of several rows it makes a derived table, as a
// UNION cannot stand everywhere that a SELECT can.
func (p *parser) valuesQuery() *sqlparser.Select {
	p.nest()
	p.expect("VALUES")
	first := p.valuesRow(1, 0)
	rows, all := 1, sqlparser.SelectStatement(first)
	for p.acceptOp(",") {
		if rows++; rows > maxUnions {
			p.failAt(p.cur().start, "fewer rows")
		}
		all = &sqlparser.Union{Type: sqlparser.UnionAllStr, Left: all, Right: p.valuesRow(rows, len(first.SelectExprs))}
	}
	p.unnest()
	if rows == 1 {
		return first
	}
	return &sqlparser.Select{SelectExprs: sqlparser.SelectExprs{&sqlparser.StarExpr{}},
		From: sqlparser.TableExprs{aliasedTable(&sqlparser.Subquery{Select: all}, "values")}}
}

// valuesRow reads ROW(...), which must have as many values as the first one.
func (p *parser) valuesRow(row, columns int) *sqlparser.Select {
	p.expect("ROW")
	t := p.cur()
	node := &sqlparser.Select{From: noTable}
	p.parenthesized(func() {
		label := "column_" + strconv.Itoa(len(node.SelectExprs))
		item := sqlparser.AliasedExpr{Expr: p.expr().Expr, As: sqlparser.NewColIdent(label)}
		node.SelectExprs = append(node.SelectExprs, &Item{item, label})
	})
	if row > 1 && len(node.SelectExprs) != columns {
		p.fail(mysqlerr.New(mysqlerr.WrongValueCountOnRow,
			"Column count doesn't match value count at row %d (at position %d)", row, t.start+1))
	}
	return node
}

// tableQuery reads TABLE t, which is SELECT * FROM t
// (https://dev.mysql.com/doc/refman/8.0/en/table.html).
func (p *parser) tableQuery() *sqlparser.Select {
	start := p.cur().start
	p.expect("TABLE")
	p.query.mayHint, p.query.windows = false, nil
	star := sqlparser.StarExpr{}
	node := &sqlparser.Select{SelectExprs: sqlparser.SelectExprs{&star}}
	if p.view != nil {
		node.SelectExprs[0] = p.viewTable(start, star)
	}
	name := p.tableName()
	table := p.table(name)
	if table.Common == nil && p.view != nil {
		p.viewRef(name.Offset, name, -1)
	}
	table.Partitions, table.Period = p.partitionSelection(), p.period()
	node.From = sqlparser.TableExprs{aliasedTable(table, "")}
	return node
}
