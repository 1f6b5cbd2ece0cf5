package parse

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// selectCore reads a SELECT up to HAVING.
func (p *parser) selectCore() *sqlparser.Select {
	p.nest()
	p.expect("SELECT")
	p.selectHints()
	node := &sqlparser.Select{SelectExprs: make(sqlparser.SelectExprs, 0, 4), From: noTable}
	p.selectModifiers(node)
	p.list(func() { node.SelectExprs = append(node.SelectExprs, p.selectItem()) })
	p.into()
	if p.accept("FROM") {
		node.From = p.tables()
	}
	node.Where = p.where()
	node.GroupBy = p.groupBy()
	if p.accept("HAVING") {
		node.Having = sqlparser.NewWhere(sqlparser.HavingStr, p.expr().Expr)
	}
	if p.at("WINDOW") {
		p.unsupported(p.cur().start, "WINDOW")
	}
	p.unnest()
	return node
}

// noTable is the FROM of a SELECT that has none.
var noTable = sqlparser.TableExprs{&sqlparser.AliasedTableExpr{Expr: NewTable("", "dual")}}

// selectHints reads the hints of a SELECT. Those of the first one hold for the
// whole statement; others cannot choose versions.
func (p *parser) selectHints() {
	start := p.cur().start
	h := p.hints()
	if p.query.mayHint {
		p.query.hints, p.query.mayHint = h, false
		return
	}
	if h.Versions != nil || h.TimeRange != nil {
		p.unsupported(start, "VERSIONS or TIMERANGE behind an inner or later SELECT")
	}
}

// selectModifiers reads DISTINCT and the words that MySQL's optimizer takes.
func (p *parser) selectModifiers(node *sqlparser.Select) {
	for {
		switch p.acceptAny("ALL", "DISTINCT", "DISTINCTROW", "HIGH_PRIORITY", "STRAIGHT_JOIN", "SQL_SMALL_RESULT",
			"SQL_BIG_RESULT", "SQL_BUFFER_RESULT", "SQL_CACHE", "SQL_NO_CACHE", "SQL_CALC_FOUND_ROWS") {
		case "DISTINCT", "DISTINCTROW":
			node.Distinct = sqlparser.DistinctStr
		case "STRAIGHT_JOIN":
			node.Hints = sqlparser.StraightJoinHint
		case "SQL_CALC_FOUND_ROWS":
			p.query.found = true
		case "":
			return
		}
	}
}

// selectItem reads one item, and gives it the label that MySQL would where it
// has no alias.
func (p *parser) selectItem() sqlparser.SelectExpr {
	if star := p.star(); star != nil {
		return star
	}
	first := p.cur()
	it := &Item{}
	it.Expr = p.expr().Expr
	alias, aliased := p.alias()
	if !aliased {
		it.Label = p.label(first, it.Expr)
		return it
	}
	it.Label = shownLabel(alias)
	it.As = sqlparser.NewColIdent(it.Label)
	if c, ok := it.Expr.(*sqlparser.ColName); ok && it.Label == "" {
		it.Label = c.Name.String()
	}
	return it
}

// label is that of an item without an alias, which begins with the token: of a
// string it is the first piece.
func (p *parser) label(first *token, e sqlparser.Expr) string {
	switch e := e.(type) {
	case *sqlparser.ColName:
		if first.kind != tokOp {
			return e.Name.String()
		}
	case *Literal:
		if first.kind == tokString || first.kind == tokIntro && p.sql[first.n] == p.sql[first.end-1] {
			return shownLabel(strings.ToValidUTF8(string(decodeLiteral(p.sql, first).Bytes), "\uFFFD"))
		}
	}
	return shownLabel(p.source(first.start))
}

// shownLabel is what a label or an alias is cut down to.
func shownLabel(label string) string { return cutLabel(strings.TrimLeftFunc(label, notGraphic)) }

// notGraphic are the characters that MySQL takes off the front of a label.
func notGraphic(r rune) bool { return r <= ' ' || r == 0x7F }

// maxLabel is MySQL's limit of an alias, in characters.
const maxLabel = 256

func cutLabel(label string) string {
	if len(label) <= maxLabel {
		return label
	}
	end := 0
	for range maxLabel {
		_, size := utf8.DecodeRuneInString(label[end:])
		end += size
		if end == len(label) {
			break
		}
	}
	return label[:end]
}

// star reads *, t.* and db.t.*; it is nil where there is none.
func (p *parser) star() sqlparser.SelectExpr {
	n := 0
	for n < 4 && p.isName(p.peek(n)) && p.isOp(p.peek(n+1), ".") {
		n += 2
	}
	if !p.isOp(p.peek(n), "*") {
		return nil
	}
	start := p.cur().start
	var qualifier [2]string // the database, the table
	for range n / 2 {
		qualifier[0], qualifier[1] = qualifier[1], p.nameOf(p.advance())
		p.pos++
	}
	p.pos++
	star := sqlparser.StarExpr{TableName: tableIdents(qualifier[0], qualifier[1])}
	if p.view != nil {
		return p.viewStar(start, star)
	}
	return &star
}

// alias reads [AS] alias of a select item, a name or a string.
func (p *parser) alias() (string, bool) {
	as := p.accept("AS")
	switch {
	case p.atOffset():
		p.failAt(p.cur().start, "LIMIT in front of OFFSET")
	case p.atSetOperator():
		p.refuseSetOperator()
	case p.cur().kind == tokString:
		text := bytes.ToValidUTF8(p.literal().Bytes, []byte("\uFFFD"))
		return strings.ReplaceAll(string(text), "\x00", ""), true
	case p.atName():
		return p.nameOf(p.advance()), true
	case as:
		p.expected("an alias")
	}
	return "", false
}

// atOffset is true at an OFFSET that should have had a LIMIT in front: as an
// alias it would be followed by something else.
func (p *parser) atOffset() bool {
	k := p.peek(1).kind
	return p.at("OFFSET") && (k == tokInt || k == tokParam)
}

// atSetOperator is true at EXCEPT or INTERSECT, which are no reserved words.
func (p *parser) atSetOperator() bool {
	next := p.peek(1)
	return p.atAny("EXCEPT", "INTERSECT") && (p.isWord(next, "SELECT", "ALL", "DISTINCT") || p.isOp(next, "("))
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
	case p.atSetOperator():
		p.refuseSetOperator()
	case p.at("WINDOW") && p.isWord(p.peek(2), "AS"):
		p.unsupported(p.cur().start, "WINDOW")
	case p.at("FULL") && p.isWord(p.peek(1), "OUTER", "JOIN"):
		p.unsupported(p.cur().start, "FULL OUTER JOIN")
	case p.atName():
		return p.nameOf(p.advance())
	case as:
		p.expected("an alias")
	}
	return ""
}

func (p *parser) where() *sqlparser.Where {
	if !p.accept("WHERE") {
		return nil
	}
	return sqlparser.NewWhere(sqlparser.WhereStr, p.expr().Expr)
}

func (p *parser) groupBy() (list sqlparser.GroupBy) {
	if !p.accept("GROUP") {
		return nil
	}
	p.expect("BY")
	p.list(func() {
		list = append(list, p.expr().Expr)
		if p.atAny("ASC", "DESC") {
			p.unsupported(p.cur().start, "GROUP BY ... "+p.text(p.cur()))
		}
	})
	if p.at("WITH", "ROLLUP") {
		p.unsupported(p.cur().start, "WITH ROLLUP")
	}
	return list
}

// tables reads the table references of FROM.
func (p *parser) tables() (list sqlparser.TableExprs) {
	p.list(func() { list = append(list, p.joinedTable()) })
	return list
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

func (p *parser) naturalJoin(j *sqlparser.JoinTableExpr) {
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
	t := p.cur()
	switch {
	case p.atOp("(") && p.isQuery(p.pos):
		return p.derivedTable()
	case p.atOp("("):
		p.pos++
		tables := p.tables()
		p.expectOp(")")
		return &sqlparser.ParenTableExpr{Exprs: tables}
	case p.at("JSON_TABLE") && p.called(), p.at("LATERAL") && p.called():
		p.unsupported(t.start, strings.ToUpper(p.text(t)))
	case p.accept("DUAL"):
		return noTable[0]
	}
	table, _ := p.baseTable()
	return table
}

func (p *parser) derivedTable() sqlparser.TableExpr {
	end := p.toks[p.pos].n
	if p.namesColumns(end + 1) {
		return p.derivedWithColumns()
	}
	query, _ := p.subquery()
	alias := p.tableAlias()
	if alias == "" {
		p.fail(mysqlerr.New(mysqlerr.DerivedMustHaveAlias,
			"Every derived table must have its own alias (at position %d)", p.toks[end].end+1))
	}
	return aliasedTable(query, alias)
}

func aliasedTable(table sqlparser.SimpleTableExpr, alias string) *sqlparser.AliasedTableExpr {
	return &sqlparser.AliasedTableExpr{Expr: table, As: sqlparser.NewTableIdent(alias)}
}

// baseTable reads a table with its PARTITION, FOR SYSTEM_TIME, alias and index
// hints.
func (p *parser) baseTable() (*sqlparser.AliasedTableExpr, TableName) {
	name := p.tableName()
	table := p.table(name)
	if table.Common == nil {
		p.query.stored = append(p.query.stored, name.Offset)
		if p.view != nil {
			p.viewRef(name.Offset, name, -1)
		}
	}
	table.Partitions, table.Period = p.partitionSelection(), p.period()
	alias := p.tableAlias()
	p.indexHints()
	return aliasedTable(table, alias), name
}

// table is the node of a name, which may be that of a common table expression.
func (p *parser) table(name TableName) *Table {
	t := NewTable(name.Database, name.Name)
	if t.Common = p.commonTable(name); t.Common != nil {
		t.Common.Used = true
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
