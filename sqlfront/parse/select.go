package parse

import (
	"bytes"
	"strings"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
)

// selectCore reads a SELECT up to HAVING.
func (p *parser) selectCore() *sqlparser.Select {
	p.Nest()
	p.query.windows = nil
	p.Expect("SELECT")
	p.selectHints()
	node := &sqlparser.Select{SelectExprs: make(sqlparser.SelectExprs, 0, 4), From: noTable}
	p.selectModifiers(node)
	p.List(func() { node.SelectExprs = append(node.SelectExprs, p.selectItem()) })
	p.into()
	if p.Accept("FROM") {
		node.From = p.tables()
	}
	node.Where = p.where()
	node.GroupBy = p.groupBy()
	if p.Accept("HAVING") {
		node.Having = sqlparser.NewWhere(sqlparser.HavingStr, p.expr().Expr)
	}
	p.windowClause(node)
	p.Unnest()
	return node
}

// noTable is the FROM of a SELECT that has none.
var noTable = sqlparser.TableExprs{&sqlparser.AliasedTableExpr{Expr: ast.NewTable("", "dual")}}

// selectHints reads the hints of a SELECT. Those of the first one apply to the whole statement; others cannot
// choose versions.
func (p *parser) selectHints() {
	start := p.Current().Start
	h := p.hints()
	if p.query.mayHint {
		p.query.hints, p.query.mayHint, p.query.dump = h, false, p.atDump()
		return
	}
	if h.Versions != nil || h.TimeRange != nil {
		p.Unsupported(start, "VERSIONS or TIMERANGE after an inner or later SELECT")
	}
}

// atDump reports whether the SELECT is one by which mysqldump, mariadb-dump, mydumper and similar tools read
// a table: it has SQL_NO_CACHE in a comment that MySQL executes. People write it without a comment.
func (p *parser) atDump() bool {
	return p.At("SQL_NO_CACHE") && p.Executed(p.Current())
}

// selectModifiers reads DISTINCT and the words for MySQL's optimizer.
func (p *parser) selectModifiers(node *sqlparser.Select) {
	for {
		switch p.AcceptAny("ALL", "DISTINCT", "DISTINCTROW", "HIGH_PRIORITY", "STRAIGHT_JOIN", "SQL_SMALL_RESULT",
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

// selectItem reads one item. If it has no alias, it gets the label that MySQL would give it.
func (p *parser) selectItem() sqlparser.SelectExpr {
	if star := p.star(); star != nil {
		return star
	}
	first := p.Current()
	it := &ast.Item{}
	it.Expr = p.expr().Expr
	alias, aliased := p.alias()
	if !aliased {
		it.Label = p.label(first, it.Expr)
		return it
	}
	it.Label = ast.ShownLabel(alias)
	it.As = sqlparser.NewColIdent(it.Label)
	if c, ok := it.Expr.(*sqlparser.ColName); ok && it.Label == "" {
		it.Label = c.Name.String()
	}
	return it
}

// label is that of an item without an alias, which begins with the token: for a string, its first piece. A
// column is labelled by its name even in parentheses.
func (p *parser) label(first *lex.Token, e sqlparser.Expr) string {
	if c, ok := ast.Unparenthesized(e).(*sqlparser.ColName); ok {
		return c.Name.String()
	}
	if _, ok := e.(*ast.Literal); ok && first.IsText(p.SQL) {
		return ast.ShownLabel(strings.ToValidUTF8(string(first.Literal(p.SQL).Bytes), "\uFFFD"))
	}
	return ast.ShownLabel(p.Source(first.Start))
}

// star reads *, t.* and db.t.*; it is nil if there is none.
func (p *parser) star() sqlparser.SelectExpr {
	n := 0
	for n < 4 && p.IsName(p.Peek(n)) && p.IsOp(p.Peek(n+1), ".") {
		n += 2
	}
	if !p.IsOp(p.Peek(n), "*") {
		return nil
	}
	start := p.Current().Start
	var qualifier [2]string // the database, the table
	for range n / 2 {
		qualifier[0], qualifier[1] = qualifier[1], p.NameOf(p.Advance())
		p.Pos++
	}
	p.Pos++
	star := sqlparser.StarExpr{TableName: ast.TableIdents(qualifier[0], qualifier[1])}
	if p.view != nil {
		return p.viewStar(start, star)
	}
	return &star
}

// alias reads the [AS] alias of a select item, which is a name or a string.
func (p *parser) alias() (string, bool) {
	as := p.Accept("AS")
	switch {
	case p.atOffset():
		p.FailAt(p.Current().Start, "LIMIT before OFFSET")
	case p.atWindow() || !as && p.atSetOperator("EXCEPT", "INTERSECT"):
		return "", false
	case p.Current().Kind == lex.String:
		text := bytes.ToValidUTF8(p.Literal().Bytes, []byte("\uFFFD"))
		return strings.ReplaceAll(string(text), "\x00", ""), true
	case p.AtName():
		return p.NameOf(p.Advance()), true
	case as:
		p.Expected("an alias")
	}
	return "", false
}

// atOffset reports whether an OFFSET without LIMIT comes next: no number follows an alias.
func (p *parser) atOffset() bool {
	k := p.Peek(1).Kind
	return p.At("OFFSET") && (k == lex.Int || k == lex.Param)
}

func (p *parser) where() *sqlparser.Where {
	if !p.Accept("WHERE") {
		return nil
	}
	return sqlparser.NewWhere(sqlparser.WhereStr, p.expr().Expr)
}

func (p *parser) groupBy() (list sqlparser.GroupBy) {
	if !p.Accept("GROUP") {
		return nil
	}
	p.Expect("BY")
	p.List(func() { list = append(list, p.groupKey()) })
	if p.Accept("WITH", "ROLLUP") {
		return sqlparser.GroupBy{&ast.Rollup{ValTuple: sqlparser.ValTuple(list)}}
	}
	return list
}

// groupKey reads an expression of GROUP BY.
func (p *parser) groupKey() sqlparser.Expr {
	if p.AtAny("ROLLUP", "CUBE") && p.IsOp(p.Peek(1), "(") || p.At("GROUPING", "SETS") {
		p.Unsupported(p.Current().Start, "GROUP BY "+p.Text(p.Current())+": write GROUP BY ... WITH ROLLUP")
	}
	e := p.expr().Expr
	if p.AtAny("ASC", "DESC") {
		p.Unsupported(p.Current().Start, "GROUP BY ... "+p.Text(p.Current()))
	}
	return e
}
