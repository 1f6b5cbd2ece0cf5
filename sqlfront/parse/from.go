package parse

import (
	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// tables reads the table references of FROM.
func (p *parser) tables() (list sqlparser.TableExprs) {
	p.list(func() { list = append(list, p.tableReference()) })
	return list
}

// tableReference reads a table with its joins, which ODBC's clients write as {oj ...}.
func (p *parser) tableReference() sqlparser.TableExpr {
	if !p.acceptOp("{") {
		return p.joinedTable()
	}
	p.name("OJ")
	table := p.joinedTable()
	p.expectOp("}")
	return table
}

// joinedTable reads a table with its joins.
func (p *parser) joinedTable() sqlparser.TableExpr {
	p.nest()
	table := p.tableFactor()
	for j := p.join(table); j != nil; j = p.join(table) {
		table = j
		p.higher()
	}
	p.unnest()
	return table
}

// join reads one join behind a table; it is nil where there is none.
func (p *parser) join(left sqlparser.TableExpr) sqlparser.TableExpr {
	p.refuseFullJoin()
	kind := p.acceptAny("STRAIGHT_JOIN", "LEFT", "RIGHT", "INNER", "CROSS", "JOIN", "NATURAL")
	if kind == "" {
		return nil
	}
	j := &sqlparser.JoinTableExpr{LeftExpr: left}
	switch kind {
	case "STRAIGHT_JOIN":
		j.Join, j.RightExpr = sqlparser.StraightJoinStr, p.tableFactor()
		p.joinOn(j)
	case "LEFT":
		p.outerJoin(j, sqlparser.LeftJoinStr)
	case "RIGHT":
		p.outerJoin(j, sqlparser.RightJoinStr)
	case "INNER", "CROSS":
		p.expect("JOIN")
		p.innerJoin(j)
	case "JOIN":
		p.innerJoin(j)
	case "NATURAL":
		p.naturalJoin(j)
	}
	return j
}

// refuseFullJoin says what to write for a FULL OUTER JOIN. FULL is no reserved word: behind
// a table without an alias it is the alias, as in MySQL.
func (p *parser) refuseFullJoin() {
	if p.at("FULL", "JOIN") || p.at("FULL", "OUTER", "JOIN") {
		p.unsupportedInstead("FULL OUTER JOIN", p.cur().start, "SELECT ... FROM a LEFT JOIN b ON ... UNION ALL "+
			"SELECT ... FROM b LEFT JOIN a ON ... WHERE a.K IS NULL")
	}
}

func (p *parser) naturalJoin(j *sqlparser.JoinTableExpr) {
	p.refuseFullJoin()
	j.Join = sqlparser.NaturalJoinStr
	switch p.acceptAny("LEFT", "RIGHT", "INNER") {
	case "LEFT":
		j.Join = sqlparser.NaturalLeftJoinStr
		p.accept("OUTER")
	case "RIGHT":
		j.Join = sqlparser.NaturalRightJoinStr
		p.accept("OUTER")
	}
	p.expect("JOIN")
	j.RightExpr = p.tableFactor()
}

func (p *parser) innerJoin(j *sqlparser.JoinTableExpr) {
	j.Join, j.RightExpr = sqlparser.JoinStr, p.tableFactor()
	if !p.joinOn(j) {
		p.joinUsing(j)
	}
}

// outerJoin reads LEFT and RIGHT JOIN, whose right side may be joins of its own
// in front of the condition.
func (p *parser) outerJoin(j *sqlparser.JoinTableExpr, kind string) {
	p.accept("OUTER")
	p.expect("JOIN")
	j.Join, j.RightExpr = kind, p.tableFactor()
	p.nest()
	for !p.atAny("ON", "USING") {
		right := p.join(j.RightExpr)
		if right == nil {
			break
		}
		j.RightExpr = right
	}
	p.unnest()
	if !p.joinOn(j) && !p.joinUsing(j) {
		p.expected("ON or USING")
	}
}

func (p *parser) joinOn(j *sqlparser.JoinTableExpr) bool {
	if !p.at("ON") || p.at("ON", "DUPLICATE", "KEY") {
		return false
	}
	p.pos++
	j.Condition.On = p.expr().Expr
	return true
}

func (p *parser) joinUsing(j *sqlparser.JoinTableExpr) bool {
	if !p.accept("USING") {
		return false
	}
	p.parenthesized(func() {
		j.Condition.Using = append(j.Condition.Using, sqlparser.NewColIdent(p.name("the name of a column")))
	})
	return true
}

// tableFactor reads a table, a derived table or joins in parentheses.
func (p *parser) tableFactor() sqlparser.TableExpr {
	switch {
	case p.atOp("(") && p.isQuery(p.pos):
		return p.derivedTable()
	case p.atOp("("):
		p.pos++
		tables := p.tables()
		p.expectOp(")")
		return &sqlparser.ParenTableExpr{Exprs: tables}
	case p.at("LATERAL") && p.called():
		return p.lateral()
	case p.at("JSON_TABLE") && p.called():
		return p.jsonTable()
	case p.accept("DUAL"):
		return noTable[0]
	}
	return p.baseTable()
}

func (p *parser) derivedTable() sqlparser.TableExpr {
	end := p.toks[p.pos].n
	if p.namesColumns(end + 1) {
		return p.derivedWithColumns()
	}
	query, _ := p.subquery()
	return aliasedTable(query, p.derivedAlias(end))
}

// derivedAlias reads the alias that a derived table, which ends at a token, must have.
func (p *parser) derivedAlias(end int) string {
	alias := p.tableAlias()
	if alias == "" {
		p.fail(mysqlerr.New(mysqlerr.DerivedMustHaveAlias,
			"Every derived table must have its own alias (at position %d)", p.toks[end].end+1))
	}
	return alias
}

func aliasedTable(table sqlparser.SimpleTableExpr, alias string) *sqlparser.AliasedTableExpr {
	return &sqlparser.AliasedTableExpr{Expr: table, As: sqlparser.NewTableIdent(alias)}
}

// baseTable reads a table with its PARTITION, FOR SYSTEM_TIME, alias and index
// hints.
func (p *parser) baseTable() *sqlparser.AliasedTableExpr {
	name := p.tableName()
	table := p.table(name)
	if table.Common == nil && p.view != nil {
		p.viewRef(name.Offset, name, -1)
	}
	table.Partitions, table.Period = p.partitionSelection(), p.period()
	alias := p.tableAlias()
	p.indexHints()
	return aliasedTable(table, alias)
}

// table is the node of a name, which may be that of a common table expression.
func (p *parser) table(name TableName) *Table {
	t := NewTable(name.Database, name.Name)
	if c := p.commonTable(name); c != nil {
		t.Common = c
		c.Used, c.Recursive = c.Used || !c.reading, c.Recursive || c.reading
	}
	return t
}

// partitionSelection reads PARTITION (p0, p1); it is nil where there is none.
func (p *parser) partitionSelection() (names []string) {
	if p.accept("PARTITION") {
		p.parenthesized(func() { names = append(names, p.name("the name of a partition")) })
	}
	return names
}

// indexHints passes USE, FORCE and IGNORE INDEX: the plan needs no advice.
func (p *parser) indexHints() {
	for p.atAny("USE", "FORCE", "IGNORE") && p.isWord(p.peek(1), "INDEX", "KEY") {
		p.pos += 2
		if p.accept("FOR") && p.acceptAny("JOIN") == "" {
			p.expectAny("ORDER", "GROUP")
			p.expect("BY")
		}
		p.expectOp("(")
		if !p.atOp(")") {
			p.list(func() { p.anyName("the name of an index") })
		}
		p.expectOp(")")
		p.acceptOp(",")
	}
}

// tableAlias reads [AS] alias, or nothing.
func (p *parser) tableAlias() string {
	if p.at("AS", "OF") {
		p.unsupported(p.cur().start, "AS OF without FOR SYSTEM_TIME")
	}
	as := p.accept("AS")
	switch {
	case p.atOffset():
		p.failAt(p.cur().start, "LIMIT in front of OFFSET")
	case p.atWindow() || !as && p.atSetOperator("EXCEPT", "INTERSECT"):
		return ""
	case p.at("FULL", "OUTER", "JOIN"):
		p.refuseFullJoin()
	case p.atName():
		return p.nameOf(p.advance())
	case as:
		p.expected("an alias")
	}
	return ""
}
