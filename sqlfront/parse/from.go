package parse

import (
	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
)

// tables reads the table references of FROM.
func (p *parser) tables() (list sqlparser.TableExprs) {
	p.List(func() { list = append(list, p.tableReference()) })
	return list
}

// tableReference reads a table with its joins, which ODBC clients write as {oj ...}.
func (p *parser) tableReference() sqlparser.TableExpr {
	if !p.AcceptOp("{") {
		return p.joinedTable()
	}
	p.Name("OJ")
	table := p.joinedTable()
	p.ExpectOp("}")
	return table
}

// joinedTable reads a table with its joins.
func (p *parser) joinedTable() sqlparser.TableExpr {
	p.Nest()
	table := p.tableFactor()
	for j := p.join(table); j != nil; j = p.join(table) {
		table = j
		p.higher()
	}
	p.Unnest()
	return table
}

// join reads one join after a table; it is nil if there is none.
func (p *parser) join(left sqlparser.TableExpr) sqlparser.TableExpr {
	p.refuseFullJoin()
	kind := p.AcceptAny("STRAIGHT_JOIN", "LEFT", "RIGHT", "INNER", "CROSS", "JOIN", "NATURAL")
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
		p.Expect("JOIN")
		p.innerJoin(j)
	case "JOIN":
		p.innerJoin(j)
	case "NATURAL":
		p.naturalJoin(j)
	}
	return j
}

// refuseFullJoin says what to write instead of FULL OUTER JOIN. FULL is not a reserved word: after a table
// without an alias it is the alias, as in MySQL.
func (p *parser) refuseFullJoin() {
	if p.At("FULL", "JOIN") || p.At("FULL", "OUTER", "JOIN") {
		p.UnsupportedInstead("FULL OUTER JOIN", p.Current().Start, "SELECT ... FROM a LEFT JOIN b ON ... UNION ALL "+
			"SELECT ... FROM b LEFT JOIN a ON ... WHERE a.K IS NULL")
	}
}

func (p *parser) naturalJoin(j *sqlparser.JoinTableExpr) {
	p.refuseFullJoin()
	j.Join = sqlparser.NaturalJoinStr
	switch p.AcceptAny("LEFT", "RIGHT", "INNER") {
	case "LEFT":
		j.Join = sqlparser.NaturalLeftJoinStr
		p.Accept("OUTER")
	case "RIGHT":
		j.Join = sqlparser.NaturalRightJoinStr
		p.Accept("OUTER")
	}
	p.Expect("JOIN")
	j.RightExpr = p.tableFactor()
}

func (p *parser) innerJoin(j *sqlparser.JoinTableExpr) {
	j.Join, j.RightExpr = sqlparser.JoinStr, p.tableFactor()
	if !p.joinOn(j) {
		p.joinUsing(j)
	}
}

// outerJoin reads LEFT and RIGHT JOIN, whose right side may have joins of its own before the condition.
func (p *parser) outerJoin(j *sqlparser.JoinTableExpr, kind string) {
	p.Accept("OUTER")
	p.Expect("JOIN")
	j.Join, j.RightExpr = kind, p.tableFactor()
	p.Nest()
	for !p.AtAny("ON", "USING") {
		right := p.join(j.RightExpr)
		if right == nil {
			break
		}
		j.RightExpr = right
	}
	p.Unnest()
	if !p.joinOn(j) && !p.joinUsing(j) {
		p.Expected("ON or USING")
	}
}

func (p *parser) joinOn(j *sqlparser.JoinTableExpr) bool {
	if !p.At("ON") || p.At("ON", "DUPLICATE", "KEY") {
		return false
	}
	p.Pos++
	j.Condition.On = p.expr().Expr
	return true
}

func (p *parser) joinUsing(j *sqlparser.JoinTableExpr) bool {
	if !p.Accept("USING") {
		return false
	}
	p.Parenthesized(func() {
		j.Condition.Using = append(j.Condition.Using, sqlparser.NewColIdent(p.Name("the name of a column")))
	})
	return true
}

// tableFactor reads a table, a derived table or joins in parentheses.
func (p *parser) tableFactor() sqlparser.TableExpr {
	switch {
	case p.AtOp("(") && p.isQuery(p.Pos):
		return p.derivedTable()
	case p.AtOp("("):
		p.Pos++
		tables := p.tables()
		p.ExpectOp(")")
		return &sqlparser.ParenTableExpr{Exprs: tables}
	case p.At("LATERAL") && p.called():
		return p.lateral()
	case p.At("JSON_TABLE") && p.called():
		return p.jsonTable()
	case p.Accept("DUAL"):
		return noTable[0]
	}
	return p.baseTable()
}

func (p *parser) derivedTable() sqlparser.TableExpr {
	end := p.Tokens[p.Pos].N
	if p.namesColumns(end + 1) {
		return p.derivedWithColumns()
	}
	query, _ := p.subquery()
	return aliasedTable(query, p.derivedAlias(end))
}

// derivedAlias reads the alias that a derived table must have; end is the token at which that ends.
func (p *parser) derivedAlias(end int) string {
	alias := p.tableAlias()
	if alias == "" {
		p.Fail(mysqlerr.New(mysqlerr.DerivedMustHaveAlias,
			"Every derived table must have its own alias (at position %d)", p.Tokens[end].End+1))
	}
	return alias
}

func aliasedTable(table sqlparser.SimpleTableExpr, alias string) *sqlparser.AliasedTableExpr {
	return &sqlparser.AliasedTableExpr{Expr: table, As: sqlparser.NewTableIdent(alias)}
}

// baseTable reads a table with its PARTITION, FOR SYSTEM_TIME, alias and index
// hints.
func (p *parser) baseTable() *sqlparser.AliasedTableExpr {
	name := p.TableName()
	table := p.table(name)
	if table.Common == nil && p.view != nil {
		p.viewRef(name.Offset, name, -1)
	}
	table.Partitions, table.Period = p.partitionSelection(), p.period()
	alias := p.tableAlias()
	table.Hints = p.indexHints()
	return aliasedTable(table, alias)
}

// table is the node for a name, which may be that of a common table expression.
func (p *parser) table(name ast.TableName) *ast.Table {
	t := ast.NewTable(name.Database, name.Name)
	if c := p.commonTable(name); c != nil {
		t.Common = c.table
		t.Common.Used, t.Common.Recursive = t.Common.Used || !c.reading, t.Common.Recursive || c.reading
	}
	return t
}

// partitionSelection reads PARTITION (p0, p1); it is nil if there is none.
func (p *parser) partitionSelection() (names []string) {
	if p.Accept("PARTITION") {
		p.Parenthesized(func() { names = append(names, p.Name("the name of a partition")) })
	}
	return names
}

// indexHints reads USE, FORCE and IGNORE INDEX; it ignores those FOR ORDER BY and GROUP BY.
func (p *parser) indexHints() (hints []ast.IndexHint) {
	for p.AtAny("USE", "FORCE", "IGNORE") && p.IsWord(p.Peek(1), "INDEX", "KEY") {
		hint, counts := ast.IndexHint{Verb: p.ExpectAny("USE", "FORCE", "IGNORE")}, true
		p.Pos++
		if p.Accept("FOR") && p.AcceptAny("JOIN") == "" {
			p.ExpectAny("ORDER", "GROUP")
			p.Expect("BY")
			counts = false
		}
		p.ExpectOp("(")
		if !p.AtOp(")") {
			p.List(func() { hint.Names = append(hint.Names, p.AnyName(indexName)) })
		}
		p.ExpectOp(")")
		if p.AcceptOp(","); counts {
			hints = append(hints, hint)
		}
	}
	return hints
}

// tableAlias reads [AS] alias, or nothing.
func (p *parser) tableAlias() string {
	if p.At("AS", "OF") {
		p.Unsupported(p.Current().Start, "AS OF without FOR SYSTEM_TIME")
	}
	as := p.Accept("AS")
	switch {
	case p.atOffset():
		p.FailAt(p.Current().Start, "LIMIT before OFFSET")
	case p.atWindow() || !as && p.atSetOperator("EXCEPT", "INTERSECT"):
		return ""
	case p.At("FULL", "OUTER", "JOIN"):
		p.refuseFullJoin()
	case p.AtName():
		return p.NameOf(p.Advance())
	case as:
		p.Expected("an alias")
	}
	return ""
}

// lateral reads LATERAL (SELECT ...) [AS] alias [(columns)].
func (p *parser) lateral() sqlparser.TableExpr {
	p.Expect("LATERAL")
	end := p.Tokens[p.Pos].N
	p.checkQuery()
	query, _ := p.subquery()
	out := &ast.Lateral{Subquery: query}
	alias := p.derivedAlias(end)
	if p.AtOp("(") {
		out.Columns = p.columnNames()
	}
	return aliasedTable(out, alias)
}

// checkQuery fails if the parenthesis does not hold a query.
func (p *parser) checkQuery() {
	if !p.isQuery(p.Pos) {
		p.Pos++
		p.atQuery()
		p.Expected("SELECT")
	}
}
