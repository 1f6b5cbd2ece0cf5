package parse

import (
	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
)

func (p *parser) selectStatement() ast.Statement {
	p.query.mayHint, p.query.mayInto = true, true
	node, _ := p.queryExpression()
	return &ast.Select{
		Node:          node,
		Hints:         p.query.hints,
		CalcFoundRows: p.query.found,
		Dump:          p.query.dump,
		Locks:         p.query.locks,
		LockWait:      p.query.lockWait,
		Into:          p.query.into,
	}
}

func (p *parser) insertStatement() ast.Statement {
	s := &ast.Insert{Node: &sqlparser.Insert{Action: sqlparser.ReplaceStr}}
	insert := p.ExpectAny("INSERT", "REPLACE") == "INSERT"
	s.Hints = p.hints()
	p.AcceptAny("LOW_PRIORITY", "DELAYED", "HIGH_PRIORITY")
	if insert {
		s.Node.Action, s.Ignore = sqlparser.InsertStr, p.Accept("IGNORE")
		s.Node.Ignore = either(s.Ignore, "ignore ", "")
	}
	p.Accept("INTO")
	name := p.TableName()
	s.Node.Table = ast.TableIdents(name.Database, name.Name)
	s.Node.Partitions = sqlparser.Partitions(ast.ColumnIdents(p.partitionSelection()))
	p.insertRows(s.Node)
	if insert {
		s.Node.OnDup = p.onDuplicate()
	}
	p.refuseReturning()
	s.SelectHints = p.query.hints
	return s
}

// insertRows reads the columns and the source of the rows.
func (p *parser) insertRows(node *sqlparser.Insert) {
	named := p.AtOp("(") && !p.isQuery(p.Pos)
	if named {
		node.Columns = p.insertColumns(node.Table)
	}
	switch {
	case p.Accept("VALUES"), p.Accept("VALUE"):
		node.Rows = p.insertValues()
		p.rowAlias(node.Columns)
	case !named && p.Accept("SET"):
		p.insertSet(node)
		p.rowAlias(node.Columns)
	case p.AtOp("("), p.AtAny("SELECT", "WITH", "TABLE"):
		p.query.mayHint = true
		node.Rows, _ = p.queryExpression()
	default:
		p.Expected("VALUES, SET or SELECT")
	}
}

// insertColumns reads (K, Q, ...), which may be empty.
func (p *parser) insertColumns(table sqlparser.TableName) (columns sqlparser.Columns) {
	if p.IsOp(p.Peek(1), ")") {
		p.Pos += 2
		return nil
	}
	p.Parenthesized(func() { columns = append(columns, p.targetColumn(table)) })
	return columns
}

// targetColumn reads a column of the table that rows go to. Its qualifier must be the table, since the tree
// cannot hold another one.
func (p *parser) targetColumn(table sqlparser.TableName) sqlparser.ColIdent {
	if !p.AtName() {
		p.Expected("the name of a column")
	}
	c := p.columnName()
	of := c.Qualifier
	if !of.Name.IsEmpty() && of.Name != table.Name || differ(of.Qualifier, table.Qualifier) {
		path := of.Name.String() + "." + c.Name.String()
		if !of.Qualifier.IsEmpty() {
			path = of.Qualifier.String() + "." + path
		}
		p.Fail(mysqlerr.New(mysqlerr.BadField, "Unknown column '%s' in 'field list'", path))
	}
	return c.Name
}

// differ reports whether two databases are both given and different.
func differ(a, b sqlparser.TableIdent) bool { return !a.IsEmpty() && !b.IsEmpty() && a != b }

func (p *parser) insertValues() (rows sqlparser.Values) {
	named := p.At("ROW")
	p.List(func() {
		if named {
			p.Expect("ROW")
		}
		row := make(sqlparser.ValTuple, 0, p.width(rows))
		p.ExpectOp("(")
		if !p.AtOp(")") {
			p.List(func() { row = append(row, p.exprOrDefault()) })
		}
		p.ExpectOp(")")
		rows = append(rows, row)
	})
	return rows
}

// width is the likely number of values in a row.
func (p *parser) width(rows sqlparser.Values) int {
	if len(rows) == 0 {
		return 4 // K, Q, T and V
	}
	return len(rows[0])
}

// exprOrDefault reads a value that is assigned to a column.
func (p *parser) exprOrDefault() sqlparser.Expr {
	if p.At("DEFAULT") && !p.called() {
		p.Pos++
		return &sqlparser.Default{}
	}
	return p.expr().Expr
}

func (p *parser) insertSet(node *sqlparser.Insert) {
	row := sqlparser.ValTuple{}
	p.List(func() {
		node.Columns = append(node.Columns, p.targetColumn(node.Table))
		row = append(row, p.assigned())
	})
	node.Rows = sqlparser.Values{row}
}

// assigned reads = value.
func (p *parser) assigned() sqlparser.Expr {
	if !p.AcceptOp(":=") {
		p.ExpectOp("=")
	}
	return p.exprOrDefault()
}

// rowAlias reads AS new [(a, b)] after the rows.
func (p *parser) rowAlias(columns sqlparser.Columns) {
	start := p.Current().Start
	if !p.Accept("AS") {
		return
	}
	q := &p.query
	q.rowAlias, q.columns = p.Name("an alias"), columns
	if !p.AtOp("(") {
		return
	}
	if len(columns) == 0 {
		p.Unsupported(start, "aliases for the columns of an INSERT without a list of columns")
	}
	p.Parenthesized(func() { q.columnAliases = append(q.columnAliases, p.Name("an alias of a column")) })
	if len(q.columnAliases) != len(columns) {
		p.Fail(mysqlerr.New(mysqlerr.ViewWrongList, "In definition of view, derived table or common table expression, "+
			"SELECT list and column names list have different column counts (at position %d)", start+1))
	}
}

func (p *parser) onDuplicate() sqlparser.OnDup {
	if !p.Accept("ON") {
		return nil
	}
	p.Expect("DUPLICATE", "KEY", "UPDATE")
	return sqlparser.OnDup(p.assignments())
}

// assignments reads column = value, ....
func (p *parser) assignments() (list sqlparser.UpdateExprs) {
	p.List(func() {
		if !p.AtName() {
			p.Expected("the name of a column")
		}
		name := p.columnName()
		list = append(list, &sqlparser.UpdateExpr{Name: name, Expr: p.assigned()})
	})
	return list
}

func (p *parser) refuseReturning() {
	if p.At("RETURNING") {
		p.Unsupported(p.Current().Start, "RETURNING")
	}
}

func (p *parser) updateStatement() ast.Statement {
	s := &ast.Update{Node: &sqlparser.Update{}}
	p.Expect("UPDATE")
	s.Hints = p.hints()
	p.Accept("LOW_PRIORITY")
	s.Ignore = p.Accept("IGNORE")
	s.Node.TableExprs = p.tables()
	p.Expect("SET")
	s.Node.Exprs = p.assignments()
	s.Node.Where, s.Node.OrderBy, s.Node.Limit = p.where(), p.orderBy(), p.limit(false)
	p.refuseReturning()
	return s
}

func (p *parser) deleteStatement() ast.Statement {
	s := &ast.Delete{Node: &sqlparser.Delete{}}
	p.Expect("DELETE")
	s.Hints = p.hints()
	for {
		k := p.AcceptAny("LOW_PRIORITY", "QUICK", "IGNORE")
		if k == "" {
			break
		}
		s.Ignore = s.Ignore || k == "IGNORE"
	}
	if from := p.Accept("FROM"); from && !p.namesTargets() {
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

// namesTargets reports whether the FROM just read names the tables to delete from, and USING the tables to
// read.
func (p *parser) namesTargets() bool {
	for i := 0; ; i++ {
		t := p.Peek(i)
		behindDot := i > 0 && p.IsOp(p.Peek(i-1), ".")
		if !p.IsName(t) && !p.IsOp(t, ",") && !p.IsOp(t, ".") && !behindDot {
			return p.IsWord(t, "USING")
		}
	}
}

// deleteTargets reads the tables to delete from, and the word before those that are read.
func (p *parser) deleteTargets(from bool) (targets sqlparser.TableNames) {
	p.List(func() { targets = append(targets, p.deleteTarget()) })
	if from {
		p.Expect("USING")
	} else {
		p.Expect("FROM")
	}
	return targets
}

// deleteTarget reads [database.]table[.*].
func (p *parser) deleteTarget() sqlparser.TableName {
	name := p.Name("FROM or the name of a table")
	if !p.AcceptOp(".") || p.AcceptOp("*") {
		return ast.TableIdents("", name)
	}
	database, name := name, p.AnyName("the name of a table")
	if p.AcceptOp(".") {
		p.ExpectOp("*")
	}
	return ast.TableIdents(database, name)
}

// deleteTable reads the single table after FROM.
func (p *parser) deleteTable() *sqlparser.AliasedTableExpr {
	table := p.table(p.TableName())
	table.Partitions, table.Period = p.partitionSelection(), p.period()
	alias := p.tableAlias()
	if table.Partitions == nil {
		table.Partitions = p.partitionSelection()
	}
	table.Hints = p.indexHints()
	return aliasedTable(table, alias)
}
