package parse

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/xwb1989/sqlparser"
)

// selectCore reads a SELECT up to HAVING.
func (p *parser) selectCore() *sqlparser.Select {
	p.nest()
	p.query.windows = nil
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
	p.windowClause(node)
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
		p.query.hints, p.query.mayHint, p.query.dump = h, false, p.atDump()
		return
	}
	if h.Versions != nil || h.TimeRange != nil {
		p.unsupported(start, "VERSIONS or TIMERANGE behind an inner or later SELECT")
	}
}

// atDump is true behind the SELECT by which mysqldump, mariadb-dump, mydumper and their kin
// read a table: SQL_NO_CACHE in a comment that MySQL executes. People write it without one.
func (p *parser) atDump() bool {
	return p.at("SQL_NO_CACHE") && slices.ContainsFunc(p.versions, func(v span) bool { return v.holds(p.cur()) })
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
// string it is the first piece. A column has its name in parentheses, too.
func (p *parser) label(first *token, e sqlparser.Expr) string {
	if c, ok := inParentheses(e).(*sqlparser.ColName); ok {
		return c.Name.String()
	}
	if _, ok := e.(*Literal); ok && first.isText(p.sql) {
		return shownLabel(strings.ToValidUTF8(string(decodeLiteral(p.sql, first).Bytes), "\uFFFD"))
	}
	return shownLabel(p.source(first.start))
}

// inParentheses is what parentheses are around, if any are.
func inParentheses(e sqlparser.Expr) sqlparser.Expr {
	for {
		p, ok := e.(*sqlparser.ParenExpr)
		if !ok {
			return e
		}
		e = p.Expr
	}
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
	case p.atWindow() || !as && p.atSetOperator("EXCEPT", "INTERSECT"):
		return "", false
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
	p.list(func() { list = append(list, p.groupKey()) })
	if p.accept("WITH", "ROLLUP") {
		return sqlparser.GroupBy{&Rollup{sqlparser.ValTuple(list)}}
	}
	return list
}

// groupKey reads an expression of GROUP BY.
func (p *parser) groupKey() sqlparser.Expr {
	if p.atAny("ROLLUP", "CUBE") && p.isOp(p.peek(1), "(") || p.at("GROUPING", "SETS") {
		p.unsupported(p.cur().start, "GROUP BY "+p.text(p.cur())+": write GROUP BY ... WITH ROLLUP")
	}
	e := p.expr().Expr
	if p.atAny("ASC", "DESC") {
		p.unsupported(p.cur().start, "GROUP BY ... "+p.text(p.cur()))
	}
	return e
}
