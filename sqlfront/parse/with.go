package parse

import (
	"strconv"
	"strings"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
)

// commonScope is a common table expression that is in scope, and those of the enclosing scopes: a table name
// without a database means the first of that name
// (https://dev.mysql.com/doc/refman/8.0/en/with.html).
type commonScope struct {
	table *ast.CommonTable
	outer *commonScope
	// reading is true while the query of the table itself is read.
	reading bool
}

// commonTable is the common table expression that the name stands for, or nil.
func (p *parser) commonTable(name ast.TableName) *commonScope {
	if name.Database != "" {
		return nil
	}
	for s := p.query.common; s != nil; s = s.outer {
		if s.table.Name == name.Name {
			return s
		}
	}
	return nil
}

// withStatement reads WITH and the statement after it.
func (p *parser) withStatement() ast.Statement {
	p.withClause()
	switch {
	case p.At("UPDATE"):
		return p.updateStatement()
	case p.At("DELETE"):
		return p.deleteStatement()
	case !p.AtOp("(") && !p.AtAny("SELECT", "VALUES", "TABLE"):
		p.Expected("SELECT, UPDATE or DELETE")
	}
	return p.selectStatement()
}

// withClause reads WITH [RECURSIVE] name AS (SELECT ...), ... and puts the names in scope, each also for the
// next ones.
func (p *parser) withClause() {
	p.Expect("WITH")
	recursive := p.Accept("RECURSIVE")
	outer := p.query.common
	p.List(func() {
		c := p.commonDefinition(outer, recursive)
		p.addCommon(c)
		p.query.common = &commonScope{c, p.query.common, false}
	})
}

// commonDefinition reads name [(columns)] AS (SELECT ...). outer is the scope around the WITH, where the name
// may exist already. The SELECT of a recursive one may refer to it.
func (p *parser) commonDefinition(outer *commonScope, recursive bool) *ast.CommonTable {
	t := p.Current()
	c := &ast.CommonTable{Name: p.NewName("the name of a common table expression")}
	for s := p.query.common; s != outer; s = s.outer {
		if s.table.Name == c.Name {
			p.Fail(mysqlerr.New(mysqlerr.NonUniqTable, "Not unique table/alias: '%s' (at position %d)", c.Name, t.Start+1))
		}
	}
	if p.AtOp("(") {
		c.Columns = p.columnNames()
	}
	p.Expect("AS")
	before := p.query.common
	if recursive {
		p.query.common = &commonScope{c, before, true}
	}
	c.Node = p.commonQuery()
	p.query.common = before
	return c
}

// addCommon adds a common table expression to the result.
func (p *parser) addCommon(c *ast.CommonTable) {
	c.Number = len(p.res.Common)
	p.res.Common = append(p.res.Common, c)
}

// columnNames reads (a, b, ...), whose names must differ.
func (p *parser) columnNames() (names []string) {
	p.Parenthesized(func() {
		t := p.Current()
		name := p.NewName("the name of a column")
		for _, n := range names {
			if strings.EqualFold(n, name) {
				p.Fail(mysqlerr.New(mysqlerr.DupFieldName, "Duplicate column name '%s' (at position %d)", name, t.Start+1))
			}
		}
		names = append(names, name)
	})
	return names
}

// namesColumns reports whether an alias with a list of columns begins at token i.
func (p *parser) namesColumns(i int) bool {
	if p.IsWord(&p.Tokens[i], "AS") {
		i++
	}
	return p.IsName(&p.Tokens[i]) && p.IsOp(&p.Tokens[i+1], "(")
}

// derivedWithColumns reads (SELECT ...) AS name (columns). sqlparser has no place for the columns, so it
// becomes a common table expression that is used only here.
func (p *parser) derivedWithColumns() sqlparser.TableExpr {
	c := &ast.CommonTable{Node: p.commonQuery(), Used: true}
	c.Name = p.tableAlias()
	c.Columns = p.columnNames()
	p.addCommon(c)
	table := ast.NewTable("", c.Name)
	table.Common = c
	return &sqlparser.AliasedTableExpr{Expr: table}
}

// commonQuery reads a query in parentheses, which does not become part of the statement's tree.
func (p *parser) commonQuery() sqlparser.SelectStatement {
	hint, into, windows := p.query.mayHint, p.query.mayInto, p.query.windows
	p.query.mayHint, p.query.mayInto = false, false
	p.Nest()
	p.ExpectOp("(")
	p.atQuery()
	node, _ := p.queryExpression()
	p.ExpectOp(")")
	p.Unnest()
	p.query.mayHint, p.query.mayInto, p.query.windows = hint, into, windows
	return node
}

// valuesQuery reads VALUES ROW(...), ROW(...) as a query, whose columns are column_0, column_1 and so on.
// Several rows become a derived table, since a UNION is not allowed everywhere that a SELECT is.
func (p *parser) valuesQuery() *sqlparser.Select {
	p.Nest()
	p.Expect("VALUES")
	first := p.valuesRow(1, 0)
	rows, all := 1, sqlparser.SelectStatement(first)
	for p.AcceptOp(",") {
		if rows++; rows > maxUnions {
			p.FailAt(p.Current().Start, "fewer rows")
		}
		all = &sqlparser.Union{Type: sqlparser.UnionAllStr, Left: all, Right: p.valuesRow(rows, len(first.SelectExprs))}
	}
	p.Unnest()
	if rows == 1 {
		return first
	}
	return &sqlparser.Select{SelectExprs: sqlparser.SelectExprs{&sqlparser.StarExpr{}},
		From: sqlparser.TableExprs{aliasedTable(&sqlparser.Subquery{Select: all}, "values")}}
}

// valuesRow reads ROW(...), which must have as many values as the first one.
func (p *parser) valuesRow(row, columns int) *sqlparser.Select {
	p.Expect("ROW")
	t := p.Current()
	node := &sqlparser.Select{From: noTable}
	p.Parenthesized(func() {
		label := "column_" + strconv.Itoa(len(node.SelectExprs))
		item := sqlparser.AliasedExpr{Expr: p.expr().Expr, As: sqlparser.NewColIdent(label)}
		node.SelectExprs = append(node.SelectExprs, &ast.Item{AliasedExpr: item, Label: label})
	})
	if row > 1 && len(node.SelectExprs) != columns {
		p.Fail(mysqlerr.New(mysqlerr.WrongValueCountOnRow,
			"Column count doesn't match value count at row %d (at position %d)", row, t.Start+1))
	}
	return node
}

// tableQuery reads TABLE t, which is SELECT * FROM t
// (https://dev.mysql.com/doc/refman/8.0/en/table.html).
func (p *parser) tableQuery() *sqlparser.Select {
	start := p.Current().Start
	p.Expect("TABLE")
	p.query.mayHint, p.query.windows = false, nil
	star := sqlparser.StarExpr{}
	node := &sqlparser.Select{SelectExprs: sqlparser.SelectExprs{&star}}
	if p.view != nil {
		node.SelectExprs[0] = p.viewTable(start, star)
	}
	name := p.TableName()
	table := p.table(name)
	if table.Common == nil && p.view != nil {
		p.viewRef(name.Offset, name, -1)
	}
	table.Partitions, table.Period = p.partitionSelection(), p.period()
	node.From = sqlparser.TableExprs{aliasedTable(table, "")}
	return node
}
