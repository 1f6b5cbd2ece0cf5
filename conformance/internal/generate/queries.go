// Package generate makes statements from a seed: the same seed makes the same statements.
package generate

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
)

// QueryGen draws SELECT statements of every form over the oracle's tables, with
// expressions of the grammar.
type QueryGen struct {
	*grammarGen
	Depth int
	alias int
}

// NewQueryGen returns a QueryGen that draws from r.
func NewQueryGen(r *rand.Rand) *QueryGen {
	return &QueryGen{grammarGen: newGrammarGen(r, expressions)}
}

// Query is a generated statement. If it is ordered, its rows have a defined order.
type Query struct {
	Root    *node
	Ordered bool
}

// Statement is a SELECT of any shape.
func (g *QueryGen) Statement() Query {
	g.alias, g.Depth = 0, 1+g.R.IntN(3)
	switch g.R.IntN(12) {
	case 0, 1, 2, 3:
		return g.finish(g.source())
	case 4, 5:
		return g.joinQuery()
	case 6, 7:
		return g.groupQuery()
	case 8:
		if g.R.IntN(4) == 0 {
			return g.documentQuery()
		}
		return g.aggregateQuery()
	case 9:
		return g.unionQuery()
	case 10:
		return g.distinctQuery()
	}
	return g.subqueryQuery()
}

// source is a FROM clause: its text, its columns by kind, and columns that
// together are unique.
type source struct {
	from    *node
	columns map[string][]string
	unique  []string
}

// enter makes a source's columns those of the expressions. The result restores
// the previous ones.
func (g *QueryGen) enter(s source) (leave func()) {
	old := g.columns
	g.columns = s.columns
	return func() { g.columns = old }
}

// merged are the columns of both sources.
func merged(a, b map[string][]string) map[string][]string {
	out := map[string][]string{}
	for _, m := range []map[string][]string{a, b} {
		for kind, names := range m {
			out[kind] = append(out[kind][:len(out[kind]):len(out[kind])], names...)
		}
	}
	return out
}

func (g *QueryGen) name() string {
	g.alias++
	return fmt.Sprintf("x%d", g.alias)
}

func (g *QueryGen) source() source {
	switch g.R.IntN(9) {
	case 0, 1, 2:
		return g.derived()
	case 3:
		return g.view()
	}
	return g.table(harness.Pick(g.R, []string{"o", "o", "p"}))
}

func (g *QueryGen) table(table string) source {
	prefix, from := "", table
	if g.alias > 0 || g.R.IntN(2) == 0 {
		alias := g.name()
		prefix, from = alias+".", table+harness.Pick(g.R, []string{" ", " AS "})+alias
	}
	return source{piece(from), cells(prefix), []string{prefix + "K", prefix + "Q", prefix + "T"}}
}

// cells are the columns of a table.
func cells(prefix string) map[string][]string {
	k, q, t, v := prefix+"K", prefix+"Q", prefix+"T", prefix+"V"
	return map[string][]string{"K": {k}, "Q": {q}, "T": {t}, "V": {v}, "bytes": {k, q, v, v}, "num": {t}, "any": {k, q, t, v}, "key": {k + ", " + q + ", " + t}}
}

// derived is a derived table whose columns have types that cells do not have.
func (g *QueryGen) derived() source {
	alias := g.name()
	p := alias + "."
	inner := g.table(harness.Pick(g.R, []string{"o", "p", "r"}))
	of := func(name string) string { return inner.columns[name][0] }
	leave := g.enter(inner)
	from := piece("("+oracle.TypedSelect(of("K"), of("Q"), of("T"), of("V"))+"{}{}) "+alias, inner.from, g.where())
	leave()
	return source{from, typedCells(p), []string{p + "K", p + "Q", p + "T"}}
}

// view is the view v, whose columns also have other types.
func (g *QueryGen) view() source {
	alias := g.name()
	p := alias + "."
	return source{piece("v AS " + alias), typedCells(p), []string{p + "K", p + "Q", p + "T"}}
}

func typedCells(p string) map[string][]string {
	columns := cells(p)
	columns["str"] = []string{p + "S"}
	columns["num"] = []string{p + "T", p + "D", p + "F", p + "U"}
	columns["date"] = []string{p + "A"}
	columns["any"] = append(columns["any"], p+"S", p+"D", p+"F", p+"U")
	return columns
}

// joined is a join of two or three tables.
func (g *QueryGen) joined() source {
	left, right := g.side(), g.side()
	s := g.join(left, right)
	if g.R.IntN(4) == 0 {
		s = g.join(s, g.table("r"))
	}
	return s
}

func (g *QueryGen) side() source {
	switch g.R.IntN(10) {
	case 0, 1:
		return g.derived()
	case 2:
		return g.view()
	}
	g.alias++
	return g.table(harness.Pick(g.R, []string{"p", "r", "p", "o"}))
}

func (g *QueryGen) join(left, right source) source {
	s := source{columns: merged(left.columns, right.columns), unique: append(left.unique, right.unique...)}
	s.columns["key"] = []string{strings.Join(s.unique, ", ")}
	defer g.enter(s)()
	kind := harness.Pick(g.R, []string{"JOIN", "INNER JOIN", "LEFT JOIN", "RIGHT JOIN", "CROSS JOIN", "STRAIGHT_JOIN", "LEFT OUTER JOIN", ","})
	on := g.on(left, right)
	if kind == "," {
		on = piece("")
	} else if kind == "CROSS JOIN" && g.R.IntN(2) == 0 {
		on = piece("")
	}
	s.from = piece("{} "+kind+" {}{}", left.from, right.from, on)
	return s
}

func (g *QueryGen) on(left, right source) *node {
	column := func(s source, name string) string { return harness.Pick(g.R, s.columns[name]) }
	switch g.R.IntN(6) {
	case 0, 1, 2:
		by := harness.Pick(g.R, []string{"K", "Q", "T", "V"})
		on := piece(" ON " + column(left, by) + " = " + column(right, by))
		if g.R.IntN(2) == 0 {
			return piece("{} AND {}", on, g.expr("cond", 1))
		}
		return on
	case 3:
		return piece(" ON " + column(left, "K") + " = " + column(right, "K") + " AND " + column(left, "Q") + " = " + column(right, "Q"))
	case 4:
		return piece(" ON " + column(left, "K") + " " + harness.Pick(g.R, []string{"<", ">=", "<>", "<=>"}) + " " + column(right, harness.Pick(g.R, []string{"K", "Q", "V"})))
	}
	return piece(" ON {}", g.expr("cond", 2))
}

// where returns a WHERE clause or nothing.
func (g *QueryGen) where() *node {
	switch g.R.IntN(6) {
	case 0, 1:
		return piece("")
	case 2:
		return piece(" WHERE {}", g.simple())
	case 3:
		return piece(" WHERE {} AND {}", g.simple(), g.expr("cond", g.Depth))
	case 4:
		return piece(" WHERE ({} OR {})", g.simple(), g.expr("cond", 1))
	}
	return piece(" WHERE {}", g.expr("cond", g.Depth))
}

// simple is a condition of a kind that is pushed down.
func (g *QueryGen) simple() *node {
	old := &SelectGen{g.R}
	text := old.simple()
	names := strings.NewReplacer("K ", g.columns["K"][0]+" ", "Q ", g.columns["Q"][0]+" ", "T ", g.columns["T"][0]+" ", "V ", g.columns["V"][0]+" ")
	if g.columns["K"][0] != "K" {
		for _, first := range []string{"K ", "Q ", "T ", "V "} {
			if strings.HasPrefix(text, first) && !strings.Contains(text, " K") && !strings.Contains(text, " V") && !strings.Contains(text, " Q") && !strings.Contains(text, " T") {
				return piece(names.Replace(first) + text[2:])
			}
		}
		return piece(g.columns["K"][0] + " > 'a'")
	}
	return piece(text)
}

// items are result columns with labels to which other clauses may refer.
func (g *QueryGen) items(count int) *node {
	kinds := []string{"any", "num", "str", "bytes", "date", "cond", "choice", "any", "time"}
	items := make([]*node, count)
	for i := range items {
		items[i] = piece("{}"+harness.Pick(g.R, []string{"", "", fmt.Sprintf(" AS c%d", i), fmt.Sprintf(" c%d", i)}), g.item(harness.Pick(g.R, kinds)))
	}
	return joined(", ", items)
}

func (g *QueryGen) item(kind string) *node {
	if g.R.IntN(6) == 0 {
		kind = harness.Pick(g.R, []string{"json", "odate", "real"})
	}
	return g.expr(kind, g.Depth)
}

// finish selects expressions of a source, in a total order or in none.
func (g *QueryGen) finish(s source) Query {
	defer g.enter(s)()
	head := piece("SELECT {} FROM {}{}", g.items(1+g.R.IntN(3)), s.from, g.where())
	if g.R.IntN(3) == 0 {
		return Query{head, false}
	}
	return Query{piece("{}{}{}", head, g.order(s), g.limit()), true}
}

// order is a total order.
func (g *QueryGen) order(s source) *node {
	by := make([]string, len(s.unique))
	for i, column := range s.unique {
		by[i] = column + harness.Pick(g.R, []string{"", "", " DESC", " ASC"})
	}
	first := piece("")
	if g.R.IntN(2) == 0 {
		first = piece("{}"+harness.Pick(g.R, []string{"", " DESC"})+", ", g.key(harness.Pick(g.R, []string{"num", "str", "bytes", "date", "any"}), 1))
	}
	n := piece(" ORDER BY {}"+strings.Join(by, ", "), first)
	n.fixed = true
	return n
}

// key is an expression to order or group by. A plain number would be a position.
func (g *QueryGen) key(kind string, depth int) *node {
	for {
		n := g.expr(kind, depth)
		if text := n.String(); strings.Trim(text, "-+(0123456789.e)TRUFALS") != "" {
			return n
		}
	}
}

func (g *QueryGen) limit() *node {
	return piece(harness.Pick(g.R, []string{"", "", "", " LIMIT 5", " LIMIT 0", " LIMIT 3, 4", " LIMIT 7 OFFSET 2", " LIMIT 1000"}))
}

func (g *QueryGen) joinQuery() Query { return g.finish(g.joined()) }

func (g *QueryGen) aggregateQuery() Query {
	s := g.anySource()
	defer g.enter(s)()
	var items []*node
	for range 1 + g.R.IntN(3) {
		items = append(items, g.aggregate())
	}
	having := piece("")
	if g.R.IntN(6) == 0 {
		having = piece(" HAVING {} {} {}", g.expr("agg", 1), g.expr("cmp", 0), g.expr("any", 0))
		g.columns = nil
	}
	return Query{piece("SELECT {} FROM {}{}{}", joined(", ", items), s.from, g.where0(s), having), false}
}

func (g *QueryGen) where0(s source) *node {
	defer g.enter(s)()
	return g.where()
}

func (g *QueryGen) anySource() source {
	if g.R.IntN(3) == 0 {
		return g.joined()
	}
	return g.source()
}

// groupQuery groups by expressions, positions or aliases that are repeated in a
// result column.
func (g *QueryGen) groupQuery() Query {
	s := g.anySource()
	defer g.enter(s)()
	var items, by, order []*node
	for i := range 1 + g.R.IntN(2) {
		key := g.key(harness.Pick(g.R, []string{"K", "Q", "bytes", "num", "str", "any", "date", "V"}), g.R.IntN(3))
		switch g.R.IntN(3) {
		case 0:
			items, by = append(items, key), append(by, key)
			order = append(order, key)
		case 1:
			items, by = append(items, key), append(by, piece(fmt.Sprint(i+1)))
			order = append(order, piece(fmt.Sprint(i+1)))
		case 2:
			alias := piece(fmt.Sprintf("g%d", i))
			items, by = append(items, piece("{} AS {}", key, alias)), append(by, alias)
			order = append(order, piece("{}"+harness.Pick(g.R, []string{"", " DESC"}), alias))
		}
	}
	for range 1 + g.R.IntN(2) {
		items = append(items, g.aggregate())
	}
	having := piece("")
	if g.R.IntN(4) == 0 {
		having = piece(" HAVING {}", g.having())
	}
	sql := piece("SELECT {} FROM {}{} GROUP BY {}{}", joined(", ", items), s.from, g.where(), joined(", ", by), having)
	if g.R.IntN(2) == 0 {
		return Query{sql, false}
	}
	by2 := joined(", ", order)
	by2.fixed = true
	return Query{piece("{} ORDER BY {}{}", sql, by2, g.limit()), true}
}

// documentQuery aggregates cells into documents: one per cell, or one of many
// with different keys, because MariaDB keeps equal keys.
func (g *QueryGen) documentQuery() Query {
	s := g.table(harness.Pick(g.R, []string{"o", "p", "r"}))
	defer g.enter(s)()
	if g.R.IntN(2) == 0 {
		head := g.form("SELECT "+harness.Pick(g.R, []string{"{K}", "LENGTH({Q})", "LEFT({K}, 1)"})+", JSON_ARRAYAGG({T}), JSON_OBJECTAGG(CONCAT(HEX({K}), '.', HEX({Q}), '.', {T}), {cell})", 1)
		return Query{piece("{} FROM {}{} GROUP BY 1", head, s.from, g.where()), false}
	}
	head := g.form("SELECT {K}, JSON_ARRAYAGG({T}), JSON_OBJECTAGG(HEX({Q}), {scalar}), JSON_ARRAYAGG({scalar}), MAX(CASE WHEN {cond} THEN {V} END)", 1)
	return Query{piece("{} FROM {}{} GROUP BY "+strings.Join(s.unique, ", "), head, s.from, g.where()), false}
}

// aggregate is an aggregate expression, or a deviation: doubles whose last digits
// depend on the order of the rows are not converted to text.
func (g *QueryGen) aggregate() *node {
	if g.R.IntN(8) == 0 {
		return g.expr("spread", 1)
	}
	return g.expr("agg", g.Depth)
}

func (g *QueryGen) having() *node {
	return piece("{} {} {}", g.form(harness.Pick(g.R, []string{"COUNT(*)", "COUNT(*) + 0", "MIN(LENGTH({K}))", "g0"}), 0), g.expr("cmp", 0), piece(harness.Pick(g.R, []string{"1", "2", "'1'", "1.5"})))
}

func (g *QueryGen) distinctQuery() Query {
	s := g.anySource()
	defer g.enter(s)()
	sql := piece("SELECT DISTINCT {} FROM {}{}", g.items(1+g.R.IntN(2)), s.from, g.where())
	return Query{sql, false}
}

// unionQuery is a UNION of two or three queries of the same width.
func (g *QueryGen) unionQuery() Query {
	kinds := []string{harness.Pick(g.R, []string{"wide", "str", "bytes", "cond"}), harness.Pick(g.R, []string{"wide", "str", "bytes", "K", "T"})}[:1+g.R.IntN(2)]
	g.unmixed = true
	defer func() { g.unmixed = false }()
	arms := []*node{g.arm(kinds), piece(harness.Pick(g.R, []string{" UNION ", " UNION ALL ", " UNION DISTINCT "})), g.arm(kinds)}
	if g.R.IntN(3) == 0 {
		arms = append(arms, piece(harness.Pick(g.R, []string{" UNION ", " UNION ALL "})), g.arm(kinds))
	}
	return Query{joined("", arms), false}
}

// arm is a query of a UNION: columns of the given kinds.
func (g *QueryGen) arm(kinds []string) *node {
	s := g.source()
	defer g.enter(s)()
	items := make([]*node, len(kinds))
	for i, kind := range kinds {
		items[i] = g.expr(kind, g.Depth)
	}
	if g.R.IntN(4) == 0 && kinds[0] == "wide" && len(kinds) == 1 {
		return piece("SELECT {}", piece(harness.Pick(g.R, []string{"1", "NULL", "-9223372036854775808", "2.5"})))
	}
	return piece("SELECT {} FROM {}{}", joined(", ", items), s.from, g.where())
}

// subqueryQuery has subqueries in its items and its condition, correlated or not.
func (g *QueryGen) subqueryQuery() Query {
	s := g.source()
	if g.R.IntN(2) == 0 {
		s = g.table("p")
	}
	defer g.enter(s)()
	items := []*node{piece(s.unique[0]), g.item("any")}
	if g.R.IntN(2) == 0 {
		items = append(items, piece("({})", g.scalar()))
	}
	sql := piece("SELECT {} FROM {} WHERE {}", joined(", ", items), s.from, g.subCondition(s))
	if g.R.IntN(2) == 0 {
		return Query{sql, false}
	}
	return Query{piece("{}{}{}", sql, g.order(s), g.limit()), true}
}

// inSubquery has the columns of a table in scope, and sometimes also the outer ones.
func (g *QueryGen) inSubquery(build func(s source) *node) *node {
	g.alias++
	s := g.table(harness.Pick(g.R, []string{"p", "r", "o"}))
	scope := s
	if g.R.IntN(2) == 0 {
		scope.columns = merged(s.columns, g.columns)
		scope.columns["key"] = s.columns["key"]
	}
	defer g.enter(scope)()
	return build(s)
}

// scalar is a subquery of one row.
func (g *QueryGen) scalar() *node {
	return g.inSubquery(func(s source) *node {
		if g.R.IntN(2) == 0 {
			where := g.where()
			g.columns = s.columns // an aggregate of outer columns would belong to the outer query
			return piece("SELECT {} FROM {}{}", g.expr("agg", 1), s.from, where)
		}
		return piece("SELECT {} FROM {}{} ORDER BY "+strings.Join(s.unique, ", ")+" LIMIT 1", g.expr("any", 1), s.from, g.where())
	})
}

func (g *QueryGen) column() *node {
	return g.inSubquery(func(s source) *node {
		what := piece(harness.Pick(g.R, s.columns[harness.Pick(g.R, []string{"K", "Q", "V", "T"})]))
		if g.R.IntN(3) == 0 {
			what = g.expr("any", 1)
		}
		return piece("SELECT {} FROM {}{}", what, s.from, g.where())
	})
}

func (g *QueryGen) subCondition(s source) *node {
	switch g.R.IntN(7) {
	case 0, 1:
		return piece("{} "+harness.Pick(g.R, []string{"IN", "NOT IN"})+" ({})", g.operand(s), g.column())
	case 2:
		return piece(harness.Pick(g.R, []string{"EXISTS", "NOT EXISTS"})+" ({})", g.column())
	case 3, 4:
		return piece("{} {} ({})", g.operand(s), g.expr("cmp", 0), g.scalar())
	case 5:
		// MariaDB compares with the smallest or largest value of the column, which
		// differs if the operand has another type.
		return piece(harness.Pick(g.R, s.columns["bytes"])+harness.Pick(g.R, []string{" = ", " <> ", " < ", " >= "})+harness.Pick(g.R, []string{"ANY", "ALL", "SOME"})+" ({})", g.inSubquery(func(s source) *node {
			return piece("SELECT "+harness.Pick(g.R, s.columns["bytes"])+" FROM {}{}", s.from, g.where())
		}))
	}
	return piece("({} AND {})", g.subCondition(s), g.expr("cond", 1))
}

func (g *QueryGen) operand(s source) *node {
	if g.R.IntN(2) == 0 {
		return piece(harness.Pick(g.R, s.columns[harness.Pick(g.R, []string{"K", "Q", "V", "T"})]))
	}
	return g.expr(harness.Pick(g.R, []string{"num", "str", "bytes", "any"}), 1)
}
