package parse

import (
	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

func (p *parser) selectStatement() Statement {
	p.query.mayHint, p.query.mayInto = true, true
	node, _ := p.queryExpression()
	return &Select{
		Node:          node,
		Hints:         p.query.hints,
		CalcFoundRows: p.query.found,
		Dump:          p.query.dump,
		Locks:         p.query.locks,
		LockWait:      p.query.lockWait,
		Into:          p.query.into,
	}
}

func (p *parser) insertStatement() Statement {
	s := &Insert{Node: &sqlparser.Insert{Action: sqlparser.ReplaceStr}}
	insert := p.expectAny("INSERT", "REPLACE") == "INSERT"
	s.Hints = p.hints()
	p.acceptAny("LOW_PRIORITY", "DELAYED", "HIGH_PRIORITY")
	if insert {
		s.Node.Action, s.Ignore = sqlparser.InsertStr, p.accept("IGNORE")
		s.Node.Ignore = either(s.Ignore, "ignore ", "")
	}
	p.accept("INTO")
	name := p.tableName()
	s.Node.Table = tableIdents(name.Database, name.Name)
	s.Node.Partitions = sqlparser.Partitions(columnIdents(p.partitionSelection()))
	p.insertRows(s.Node)
	if insert {
		s.Node.OnDup = p.onDuplicate()
	}
	p.refuseReturning()
	s.SelectHints = p.query.hints
	return s
}

// insertRows reads the columns and where the rows come from.
func (p *parser) insertRows(node *sqlparser.Insert) {
	named := p.atOp("(") && !p.isQuery(p.pos)
	if named {
		node.Columns = p.insertColumns(node.Table)
	}
	switch {
	case p.accept("VALUES"), p.accept("VALUE"):
		node.Rows = p.insertValues()
		p.rowAlias(node.Columns)
	case !named && p.accept("SET"):
		p.insertSet(node)
		p.rowAlias(node.Columns)
	case p.atOp("("), p.atAny("SELECT", "WITH", "TABLE"):
		p.query.mayHint = true
		node.Rows, _ = p.queryExpression()
	default:
		p.expected("VALUES, SET or SELECT")
	}
}

// insertColumns reads (K, Q, ...), which may be empty.
func (p *parser) insertColumns(table sqlparser.TableName) (columns sqlparser.Columns) {
	if p.isOp(p.peek(1), ")") {
		p.pos += 2
		return nil
	}
	p.parenthesized(func() { columns = append(columns, p.targetColumn(table)) })
	return columns
}

// targetColumn reads a column of the table that rows go to. Its qualifier must
// be the table, since the tree has no place for it.
func (p *parser) targetColumn(table sqlparser.TableName) sqlparser.ColIdent {
	if !p.atName() {
		p.expected("the name of a column")
	}
	c := p.columnName()
	of := c.Qualifier
	if !of.Name.IsEmpty() && of.Name != table.Name || differ(of.Qualifier, table.Qualifier) {
		path := of.Name.String() + "." + c.Name.String()
		if !of.Qualifier.IsEmpty() {
			path = of.Qualifier.String() + "." + path
		}
		p.fail(mysqlerr.New(mysqlerr.BadField, "Unknown column '%s' in 'field list'", path))
	}
	return c.Name
}

// differ is true of databases that are given both.
func differ(a, b sqlparser.TableIdent) bool { return !a.IsEmpty() && !b.IsEmpty() && a != b }

func (p *parser) insertValues() (rows sqlparser.Values) {
	named := p.at("ROW")
	p.list(func() {
		if named {
			p.expect("ROW")
		}
		row := make(sqlparser.ValTuple, 0, p.width(rows))
		p.expectOp("(")
		if !p.atOp(")") {
			p.list(func() { row = append(row, p.exprOrDefault()) })
		}
		p.expectOp(")")
		rows = append(rows, row)
	})
	return rows
}

// width is how many values a row is likely to have.
func (p *parser) width(rows sqlparser.Values) int {
	if len(rows) == 0 {
		return 4 // K, Q, T and V
	}
	return len(rows[0])
}

// exprOrDefault reads what can be assigned to a column.
func (p *parser) exprOrDefault() sqlparser.Expr {
	if p.at("DEFAULT") && !p.called() {
		p.pos++
		return &sqlparser.Default{}
	}
	return p.expr().Expr
}

func (p *parser) insertSet(node *sqlparser.Insert) {
	row := sqlparser.ValTuple{}
	p.list(func() {
		node.Columns = append(node.Columns, p.targetColumn(node.Table))
		row = append(row, p.assigned())
	})
	node.Rows = sqlparser.Values{row}
}

// assigned reads = value.
func (p *parser) assigned() sqlparser.Expr {
	if !p.acceptOp(":=") {
		p.expectOp("=")
	}
	return p.exprOrDefault()
}

// rowAlias reads AS new [(a, b)] behind the rows.
func (p *parser) rowAlias(columns sqlparser.Columns) {
	start := p.cur().start
	if !p.accept("AS") {
		return
	}
	q := &p.query
	q.rowAlias, q.columns = p.name("an alias"), columns
	if !p.atOp("(") {
		return
	}
	if len(columns) == 0 {
		p.unsupported(start, "aliases for the columns of an INSERT without a list of columns")
	}
	p.parenthesized(func() { q.columnAliases = append(q.columnAliases, p.name("an alias of a column")) })
	if len(q.columnAliases) != len(columns) {
		p.fail(mysqlerr.New(mysqlerr.ViewWrongList, "In definition of view, derived table or common table expression, "+
			"SELECT list and column names list have different column counts (at position %d)", start+1))
	}
}

func (p *parser) onDuplicate() sqlparser.OnDup {
	if !p.accept("ON") {
		return nil
	}
	p.expect("DUPLICATE", "KEY", "UPDATE")
	return sqlparser.OnDup(p.assignments())
}

// assignments reads column = value, ....
func (p *parser) assignments() (list sqlparser.UpdateExprs) {
	p.list(func() {
		if !p.atName() {
			p.expected("the name of a column")
		}
		name := p.columnName()
		list = append(list, &sqlparser.UpdateExpr{Name: name, Expr: p.assigned()})
	})
	return list
}

func (p *parser) refuseReturning() {
	if p.at("RETURNING") {
		p.unsupported(p.cur().start, "RETURNING")
	}
}

func (p *parser) updateStatement() Statement {
	s := &Update{Node: &sqlparser.Update{}}
	p.expect("UPDATE")
	s.Hints = p.hints()
	p.accept("LOW_PRIORITY")
	s.Ignore = p.accept("IGNORE")
	s.Node.TableExprs = p.tables()
	p.expect("SET")
	s.Node.Exprs = p.assignments()
	s.Node.Where, s.Node.OrderBy, s.Node.Limit = p.where(), p.orderBy(), p.limit(false)
	p.refuseReturning()
	return s
}

func (p *parser) deleteStatement() Statement {
	s := &Delete{Node: &sqlparser.Delete{}}
	p.expect("DELETE")
	s.Hints = p.hints()
	for {
		k := p.acceptAny("LOW_PRIORITY", "QUICK", "IGNORE")
		if k == "" {
			break
		}
		s.Ignore = s.Ignore || k == "IGNORE"
	}
	if from := p.accept("FROM"); from && !p.namesTargets() {
		s.Node.TableExprs = sqlparser.TableExprs{p.deleteTable()}
		s.Node.Where, s.Node.OrderBy, s.Node.Limit = p.where(), p.orderBy(), p.limit(false)
	} else {
		s.Node.Targets = p.deleteTargets(from)
		s.Node.TableExprs = p.tables()
		s.Node.Where = p.where()
	}
	p.refuseReturning()
	return s
}

// namesTargets is true behind a FROM that names what is deleted from, with the tables
// that are read behind USING.
func (p *parser) namesTargets() bool {
	for i := 0; ; i++ {
		t := p.peek(i)
		behindDot := i > 0 && p.isOp(p.peek(i-1), ".")
		if !p.isName(t) && !p.isOp(t, ",") && !p.isOp(t, ".") && !behindDot {
			return p.isWord(t, "USING")
		}
	}
}

// deleteTargets reads the tables to delete from, with the word in front of those that
// are read.
func (p *parser) deleteTargets(from bool) (targets sqlparser.TableNames) {
	p.list(func() { targets = append(targets, p.deleteTarget()) })
	if from {
		p.expect("USING")
	} else {
		p.expect("FROM")
	}
	return targets
}

// deleteTarget reads [database.]table[.*].
func (p *parser) deleteTarget() sqlparser.TableName {
	name := p.name("FROM or the name of a table")
	if !p.acceptOp(".") || p.acceptOp("*") {
		return tableIdents("", name)
	}
	database, name := name, p.anyName("the name of a table")
	if p.acceptOp(".") {
		p.expectOp("*")
	}
	return tableIdents(database, name)
}

// deleteTable reads the one table behind FROM.
func (p *parser) deleteTable() *sqlparser.AliasedTableExpr {
	table := p.table(p.tableName())
	table.Partitions, table.Period = p.partitionSelection(), p.period()
	alias := p.tableAlias()
	if table.Partitions == nil {
		table.Partitions = p.partitionSelection()
	}
	p.indexHints()
	return aliasedTable(table, alias)
}
