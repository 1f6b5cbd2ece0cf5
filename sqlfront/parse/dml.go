package parse

import (
	"strings"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// treeAs is the tree of what was written; it fails where sqlparser read
// another kind of statement than was meant.
func treeAs[T sqlparser.Statement](p *parser) T {
	node, ok := p.tree().(T)
	if !ok {
		p.failAt(p.toks[0].start, "")
	}
	return node
}

func (p *parser) selectStatement() Statement {
	p.query.mayHint, p.query.mayInto = true, true
	p.queryExpression()
	return &Select{
		Node:          treeAs[sqlparser.SelectStatement](p),
		Hints:         p.query.hints,
		CalcFoundRows: p.query.found,
		Locks:         p.query.locks,
		LockWait:      p.query.lockWait,
		Into:          p.query.into,
	}
}

func (p *parser) insertStatement() Statement {
	s := &Insert{}
	verb := p.expectAny("INSERT", "REPLACE")
	p.out.write(verb)
	s.Hints = p.hints()
	p.acceptAny("LOW_PRIORITY", "DELAYED", "HIGH_PRIORITY")
	if verb == "INSERT" && p.accept("IGNORE") {
		s.Ignore = true
		p.out.write("ignore")
	}
	p.accept("INTO")
	p.out.write("into")
	name := p.tableName()
	p.writeTable(name, -1, p.partitionSelection())
	p.insertRows(name)
	if verb == "INSERT" {
		p.onDuplicate()
	}
	p.refuseReturning()
	s.Node, s.SelectHints = treeAs[*sqlparser.Insert](p), p.query.hints
	return s
}

// insertRows reads the columns and where the rows come from.
func (p *parser) insertRows(table TableName) {
	var columns []string
	if p.atOp("(") && !p.isQuery(p.pos) {
		columns = p.insertColumns(table)
	}
	switch {
	case p.accept("VALUES"), p.accept("VALUE"):
		p.insertValues()
		p.rowAlias(columns)
	case columns == nil && p.accept("SET"):
		p.out.write("set")
		columns = p.insertSet(table)
		p.rowAlias(columns)
	case p.atOp("("), p.atAny("SELECT", "WITH", "TABLE"):
		p.query.mayHint = true
		p.queryExpression()
	default:
		p.expected("VALUES, SET or SELECT")
	}
}

// insertColumns reads (K, Q, ...). An empty list is written as none.
func (p *parser) insertColumns(table TableName) []string {
	p.expectOp("(")
	columns := []string{}
	if p.acceptOp(")") {
		return columns
	}
	p.out.write("(")
	p.separated(func() {
		columns = append(columns, p.targetColumn(table))
		p.out.ident(columns[len(columns)-1])
	})
	p.expectOp(")")
	p.out.write(")")
	return columns
}

// targetColumn reads a column of the table that rows go to. Its qualifier must
// be the table, since sqlparser forgets it.
func (p *parser) targetColumn(table TableName) string {
	if !p.atName() {
		p.expected("the name of a column")
	}
	path := p.columnPath()
	if n := len(path); n > 1 && path[n-2] != table.Name || n > 2 && table.Database != "" && path[0] != table.Database {
		p.fail(mysqlerr.New(mysqlerr.BadField, "Unknown column '%s' in 'field list'", strings.Join(path, ".")))
	}
	return path[len(path)-1]
}

func (p *parser) insertValues() {
	p.out.write("values")
	named := p.at("ROW")
	p.separated(func() {
		if named {
			p.expect("ROW")
		}
		p.expectOp("(")
		p.out.write("(")
		if !p.atOp(")") {
			p.separated(p.exprOrDefault)
		}
		p.expectOp(")")
		p.out.write(")")
	})
}

// exprOrDefault reads what can be assigned to a column.
func (p *parser) exprOrDefault() {
	if p.at("DEFAULT") && !p.called() {
		p.pos++
		p.out.write("default")
		return
	}
	p.expr()
}

func (p *parser) insertSet(table TableName) []string {
	var columns []string
	p.separated(func() {
		columns = append(columns, p.targetColumn(table))
		p.out.ident(columns[len(columns)-1])
		p.assigned()
	})
	return columns
}

// assigned reads = value.
func (p *parser) assigned() {
	if !p.acceptOp(":=") {
		p.expectOp("=")
	}
	p.out.write("=")
	p.exprOrDefault()
}

// rowAlias reads AS new [(a, b)] behind the rows.
func (p *parser) rowAlias(columns []string) {
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
		p.fail(mysqlerr.New(mysqlerr.ViewWrongList, "In definition of view, derived table or common table expression, SELECT list and column names list have different column counts (at position %d)", start+1))
	}
}

func (p *parser) onDuplicate() {
	if !p.accept("ON") {
		return
	}
	p.expect("DUPLICATE", "KEY", "UPDATE")
	p.out.write("on duplicate key update")
	p.assignments()
}

// assignments reads column = value, ....
func (p *parser) assignments() {
	p.separated(func() {
		if !p.atName() {
			p.expected("the name of a column")
		}
		p.writePath(p.columnPath())
		p.assigned()
	})
}

func (p *parser) refuseReturning() {
	if p.at("RETURNING") {
		p.unsupported(p.cur().start, "RETURNING")
	}
}

func (p *parser) updateStatement() Statement {
	s := &Update{}
	p.expect("UPDATE")
	p.out.write("update")
	s.Hints = p.hints()
	p.accept("LOW_PRIORITY")
	s.Ignore = p.accept("IGNORE")
	p.query.stored = nil
	p.tables()
	if stored := p.query.stored; len(stored) > 1 {
		p.unsupported(stored[1], "UPDATE of several tables")
	}
	p.expect("SET")
	p.out.write("set")
	p.assignments()
	p.rowsTouched()
	s.Node = treeAs[*sqlparser.Update](p)
	return s
}

// rowsTouched reads WHERE, ORDER BY and LIMIT of UPDATE and DELETE.
func (p *parser) rowsTouched() {
	p.where()
	p.orderBy()
	p.limit(false)
	p.refuseReturning()
}

func (p *parser) refuseJoin(construct string) {
	if p.atOp(",") || p.atAny("JOIN", "INNER", "CROSS", "LEFT", "RIGHT", "NATURAL", "STRAIGHT_JOIN") {
		p.unsupported(p.cur().start, construct)
	}
}

const manyDeletes = "DELETE from several tables"

func (p *parser) deleteStatement() Statement {
	s := &Delete{}
	p.expect("DELETE")
	p.out.write("delete from")
	s.Hints = p.hints()
	for {
		k := p.acceptAny("LOW_PRIORITY", "QUICK", "IGNORE")
		if k == "" {
			break
		}
		s.Ignore = s.Ignore || k == "IGNORE"
	}
	if p.accept("FROM") {
		s.Alias = p.deleteTable()
		p.rowsTouched()
	} else {
		s.Alias = p.deleteNamed()
	}
	s.Node = withAlias(treeAs[*sqlparser.Delete](p), s.Alias)
	return s
}

// withAlias is a tree, which others may have too, with an alias of its table.
func withAlias(tree *sqlparser.Delete, alias string) *sqlparser.Delete {
	from, ok := tree.TableExprs[0].(*sqlparser.AliasedTableExpr)
	if !ok {
		return tree
	}
	table, out := *from, *tree
	table.As = sqlparser.NewTableIdent(alias)
	out.TableExprs = append(sqlparser.TableExprs{&table}, tree.TableExprs[1:]...)
	return &out
}

// deleteTable reads the table behind FROM; sqlparser takes no alias there.
func (p *parser) deleteTable() string {
	name := p.tableName()
	if p.atOp(".") || p.at("USING") {
		p.unsupported(p.cur().start, manyDeletes)
	}
	partitions, period := p.partitionSelection(), p.period()
	alias := p.tableAlias()
	if partitions < 0 {
		partitions = p.partitionSelection()
	}
	p.writeTable(name, period, partitions)
	p.indexHints()
	p.refuseJoin(manyDeletes)
	if p.at("USING") {
		p.unsupported(p.cur().start, manyDeletes)
	}
	return alias
}

// deleteTarget reads [database.]table[.*], and returns the table.
func (p *parser) deleteTarget() string {
	target := p.name("FROM or the name of a table")
	for p.acceptOp(".") {
		if p.acceptOp("*") {
			break
		}
		target = p.anyName("the name of a table")
	}
	return target
}

// deleteNamed reads DELETE t FROM t, which is MySQL's form for several tables,
// with one table.
func (p *parser) deleteNamed() string {
	start := p.cur().start
	target := p.deleteTarget()
	p.refuseJoin(manyDeletes)
	p.expect("FROM")
	if p.atOp("(") {
		p.unsupported(p.cur().start, manyDeletes)
	}
	name, alias := p.baseTable(false)
	p.refuseJoin(manyDeletes)
	if known := alias == "" && target == name.Name || alias != "" && target == alias; !known {
		p.fail(mysqlerr.New(mysqlerr.UnknownTable, "Unknown table '%s' in MULTI DELETE (at position %d)", target, start+1))
	}
	p.where()
	p.refuseReturning()
	return alias
}
