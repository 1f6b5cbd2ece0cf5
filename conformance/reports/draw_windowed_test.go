package reports

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
)

// windowGen draws SELECTs with windows over the oracle's tables. What depends on
// rows that an order does not distinguish is over a total order.
type windowGen struct {
	r *rand.Rand
	// args are the literals that are arguments in hbasekv's statement.
	args []any
}

// windowedStatement is a statement in two forms: with literals, and with some
// of them as arguments.
type windowedStatement struct {
	sql, prepared string
	args          []any
	// alone are statements with one call each, if there are several.
	alone []string
}

// windowSource is a FROM clause with its columns.
type windowSource struct {
	from               string
	key                []string // unique together
	numbers, all, keys []string
	grouped            bool
}

func (g *windowGen) source() windowSource {
	plain := windowSource{key: []string{"K", "Q", "T"}, numbers: []string{"T", "LENGTH(V)", "LENGTH(K)", "T DIV 1000"},
		all: []string{"K", "Q", "T", "V"}, keys: []string{"K", "Q", "LEFT(K, 1)", "LENGTH(Q)"}}
	typed := plain
	typed.numbers = append([]string{"D", "F", "U"}, plain.numbers...)
	typed.all = append([]string{"S", "D", "F", "A", "U"}, plain.all...)
	typed.keys = append([]string{"S", "A"}, plain.keys...)
	switch g.r.IntN(8) {
	case 0, 1, 2:
		plain.from = g.of("o", "p", "r")
		return plain
	case 3:
		typed.from = "v"
		return typed
	case 4, 5:
		typed.from = "(" + oracle.TypedSelect("K", "Q", "T", "V") + g.of("o", "p", "r") + ") d"
		return typed
	case 6:
		return windowSource{from: "p a JOIN r b ON a.K " + g.of("=", "<", ">=") + " b.K",
			key: []string{"a.K", "a.Q", "a.T", "b.K", "b.Q", "b.T"}, numbers: []string{"a.T", "LENGTH(b.V)", "b.T DIV 10"},
			all: []string{"a.K", "b.V", "a.T", "b.Q"}, keys: []string{"a.K", "b.K", "a.Q"}}
	}
	return windowSource{from: g.of("o", "p"), key: []string{"K", "Q"}, numbers: []string{"COUNT(*)", "SUM(T DIV 1000)",
		"MAX(LENGTH(V))", "LENGTH(K)"}, all: []string{"K", "MIN(V)", "COUNT(*)", "MAX(T)"},
		keys: []string{"K", "Q", "LEFT(K, 1)", "COUNT(*)"}, grouped: true}
}

func (g *windowGen) of(choices ...string) string { return choices[g.r.IntN(len(choices))] }

// number is a literal that may be an argument.
func (g *windowGen) number(n int) string {
	if g.r.IntN(2) == 0 {
		return fmt.Sprint(n)
	}
	g.args = append(g.args, n)
	return fmt.Sprintf("{%d}", n)
}

func (g *windowGen) statement() windowedStatement {
	if g.r.IntN(4) == 0 {
		return g.recursive()
	}
	g.args = nil
	var out windowedStatement
	s := g.source()
	var b strings.Builder
	b.WriteString("SELECT " + g.of("", "", "", "", "DISTINCT ") + strings.Join(s.key, ", "))
	var named, items []string
	for i := range g.r.IntN(3) + 1 - g.r.IntN(2)*g.r.IntN(2) {
		items = append(items, fmt.Sprintf(", %s w%d", g.item(&s, &named), i))
	}
	if items == nil {
		items = []string{", " + g.item(&s, &named) + " w0"}
	}
	b.WriteString(strings.Join(items, "") + " FROM " + s.from)
	if g.r.IntN(3) == 0 {
		b.WriteString(" WHERE " + s.key[0] + g.of(" > 'a'", " < 'b'", " LIKE 'a%'", " <> 'ab'"))
	}
	if s.grouped {
		b.WriteString(" GROUP BY K, Q" + g.of("", "", " HAVING COUNT(*) > 1"))
	}
	if len(named) > 0 {
		b.WriteString(" WINDOW " + strings.Join(named, ", "))
	}
	text := b.String()
	for i := range items {
		out.alone = append(out.alone, g.finish(strings.Replace(text, strings.Join(items, ""), items[i], 1)).sql)
	}
	if g.r.IntN(5) == 0 && !strings.Contains(s.from, " JOIN ") {
		text = fmt.Sprintf("SELECT * FROM (%s) z WHERE %s", text, g.of("w0 IS NOT NULL", "K > 'a'", "w0 > 1", "Q = 'q'", "K = 'ab' AND w0 < 3"))
	} else if g.r.IntN(3) == 0 {
		text += " ORDER BY " + g.of("w0, ", "w0 DESC, ", "") + strings.Join(s.key, ", ")
		if !s.grouped { // MariaDB truncates groups before they are ordered
			text += g.of("", " LIMIT 5", " LIMIT 3, 4")
		}
	}
	all := g.finish(text)
	all.alone = out.alone
	return all
}

// finish makes both forms of a text with marks for arguments.
func (g *windowGen) finish(text string) windowedStatement {
	out := windowedStatement{args: g.args}
	for rest := text; ; {
		before, mark, found := strings.Cut(rest, "{")
		out.sql, out.prepared = out.sql+before, out.prepared+before
		if !found {
			return out
		}
		var literal string
		literal, rest, _ = strings.Cut(mark, "}")
		out.sql, out.prepared = out.sql+literal, out.prepared+"?"
	}
}

// item is an expression with a call over a window.
func (g *windowGen) item(s *windowSource, named *[]string) string {
	call, total, frames := g.call(s)
	partition, order, frame := g.partition(s), g.order(s, total), ""
	for order == "" && !frames { // MariaDB requires one
		order = g.order(s, false)
	}
	if frames {
		order, frame = g.frame(s, order, total)
	}
	over := "(" + strings.TrimSpace(partition+order+frame) + ")"
	switch g.r.IntN(8) {
	case 0: // OVER name
		name := fmt.Sprintf("n%d", len(*named))
		*named = append(*named, name+" AS "+over)
		over = name
	case 1: // OVER (name ...)
		name := fmt.Sprintf("n%d", len(*named))
		*named = append(*named, name+" AS ("+strings.TrimSpace(partition)+")")
		over = "(" + name + " " + strings.TrimSpace(order+frame) + ")"
	}
	item := call + " OVER " + over
	switch name, _, _ := strings.Cut(call, "("); name {
	case "CUME_DIST", "PERCENT_RANK", "STD", "VAR_SAMP", "STDDEV_SAMP", "VARIANCE":
		return "ROUND(" + item + ", 6)" // MariaDB shows fewer digits
	}
	switch g.r.IntN(10) {
	case 0:
		return "COALESCE(" + item + ", 'none')"
	case 1:
		return "CASE WHEN " + item + " > 2 THEN 'many' ELSE 'few' END"
	}
	return item
}

// call is a call, whether it needs a total order, and whether it has a frame.
func (g *windowGen) call(s *windowSource) (call string, total, frames bool) {
	number, any := g.of(s.numbers...), g.of(s.all...)
	switch g.r.IntN(16) {
	case 0:
		return "ROW_NUMBER()", true, false
	case 1:
		return g.of("RANK()", "DENSE_RANK()"), false, false
	case 2:
		return g.of("PERCENT_RANK()", "CUME_DIST()"), false, false
	case 3:
		return "NTILE(" + g.number(1+g.r.IntN(5)) + ")", true, false
	case 4, 5:
		offset := ""
		if g.r.IntN(2) == 0 {
			offset = ", " + g.number(g.r.IntN(4))
		}
		return g.of("LAG", "LEAD") + "(" + any + offset + ")", true, false
	case 6, 7:
		return g.of("FIRST_VALUE", "LAST_VALUE") + "(" + any + ")", true, true
	case 8:
		return "NTH_VALUE(" + any + ", " + g.number(1+g.r.IntN(3)) + ")", true, true
	case 9:
		return "COUNT(" + g.of("*", any) + ")", false, true
	case 10, 11:
		return g.of("SUM", "AVG") + "(" + number + ")", false, true
	case 12, 13:
		return g.of("MIN", "MAX") + "(" + any + ")", false, true
	case 14:
		// MariaDB uses 32 bits in windows, and other digits of large variances.
		return g.of("BIT_AND", "BIT_OR", "BIT_XOR") + "(LENGTH(" + s.key[0] + "))", false, true
	}
	if s.grouped { // MariaDB keeps four digits of their deviations
		return "COUNT(*)", false, true
	}
	return g.of("STD", "VAR_SAMP", "STDDEV_SAMP", "VARIANCE") + "(LENGTH(" + g.of(s.key[0], s.all[1]) + "))", false, true
}

func (g *windowGen) partition(s *windowSource) string {
	switch g.r.IntN(4) {
	case 0:
		return ""
	case 1:
		return "PARTITION BY " + g.of(s.keys...) + ", " + g.of(s.keys...)
	}
	return "PARTITION BY " + g.of(s.keys...)
}

// order is an ORDER BY, or none; a total one ends with the key.
func (g *windowGen) order(s *windowSource, total bool) string {
	if !total && g.r.IntN(4) == 0 {
		return ""
	}
	var by []string
	for range g.r.IntN(3) {
		by = append(by, g.of(append(s.keys, s.all...)...)+g.of("", " DESC", " ASC"))
	}
	if total || len(by) == 0 {
		for _, k := range s.key {
			by = append(by, k+g.of("", "", " DESC"))
		}
	}
	return " ORDER BY " + strings.Join(by, ", ")
}

// frame is an order and a frame over it.
func (g *windowGen) frame(s *windowSource, order string, total bool) (by, frame string) {
	switch g.r.IntN(6) {
	case 0, 1:
		return order, ""
	case 2:
		if !total { // the order has one number
			by := " ORDER BY " + g.of("LENGTH("+s.key[0]+")", s.numbers[len(s.numbers)-1]) + g.of("", " DESC")
			return by, " RANGE " + g.bounds("UNBOUNDED", g.number(g.r.IntN(4)))
		}
		return order, " RANGE " + g.of("UNBOUNDED PRECEDING", "BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
			"BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING")
	}
	if !total {
		order = g.order(s, true)
	}
	return order, " ROWS " + g.bounds("UNBOUNDED", g.number(g.r.IntN(4)))
}

// bounds are the bounds of a frame with one distance.
func (g *windowGen) bounds(unbounded, n string) string {
	switch g.r.IntN(9) {
	case 0:
		return n + " PRECEDING"
	case 1:
		return "BETWEEN CURRENT ROW AND " + n + " FOLLOWING"
	case 2:
		return "BETWEEN " + n + " FOLLOWING AND UNBOUNDED FOLLOWING"
	case 3:
		return "BETWEEN UNBOUNDED PRECEDING AND " + n + " PRECEDING"
	case 4:
		return "BETWEEN UNBOUNDED PRECEDING AND " + n + " FOLLOWING"
	case 5:
		return "BETWEEN " + n + " PRECEDING AND UNBOUNDED FOLLOWING"
	case 6:
		return "BETWEEN " + n + " PRECEDING AND 1 FOLLOWING"
	case 7:
		return "BETWEEN 4 PRECEDING AND " + n + " PRECEDING"
	}
	return "BETWEEN " + n + " FOLLOWING AND 4 FOLLOWING"
}

// recursive is a statement with a recursive common table expression.
func (g *windowGen) recursive() windowedStatement {
	g.args = nil
	union := g.of("UNION", "UNION ALL", "UNION ALL", "UNION DISTINCT")
	var with string
	switch g.r.IntN(7) {
	case 0:
		with = fmt.Sprintf("r AS (SELECT %s AS n, %s AS a %s SELECT n + %s, %s FROM r WHERE n < %s)", g.number(g.r.IntN(5)),
			g.of("0", "7", "1e0", "1.50", "-3"), union, g.number(1+g.r.IntN(3)), g.of("a", "a + 1", "a + n", "n", "n * 2", "-a"),
			g.number(5+g.r.IntN(40)))
	case 1:
		with = fmt.Sprintf("r(n, a) AS (SELECT 1, 1 UNION SELECT n %% %s + 1, a * 2 %% %s FROM r)", g.number(2+g.r.IntN(6)),
			g.number(3+g.r.IntN(5)))
	case 2:
		with = fmt.Sprintf("r AS (SELECT CAST(%s AS CHAR(30)) AS a, 1 AS n %s SELECT CONCAT(a, %s), n + 1 FROM r WHERE n < %s)",
			g.of("'x'", "'ab'", "''"), union, g.of("'b'", "n", "'-'"), g.number(1+g.r.IntN(9)))
	case 3:
		with = fmt.Sprintf("r AS (SELECT K AS a, T AS b, 1 AS n FROM %s WHERE %s %s SELECT x.K, x.T, n + 1 FROM %s WHERE n < 3 AND x.Q <> '')",
			g.of("p", "o"), g.of("K > 'a'", "T = 1", "Q = 'q'"), union,
			g.of("r JOIN p x ON x.K = r.a", "r JOIN p x ON x.K > r.a", "p x JOIN r ON x.K = r.a", "r, p x", "r LEFT JOIN p x ON x.K = r.a"))
	case 4:
		with = fmt.Sprintf("r AS (SELECT K AS a, Q AS b, 0 AS n FROM p WHERE %s %s SELECT r.a, r.b, n + 1 FROM r WHERE n < %s %s "+
			"SELECT r.b, r.a, n + 2 FROM r WHERE n < 2)", g.of("K > 'a'", "K < 'b'", "K = 'ab'"), union,
			g.number(1+g.r.IntN(3)), union)
	case 5:
		with = fmt.Sprintf("q AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM q WHERE n < %s), r AS (SELECT n, 1 AS a FROM q WHERE n > 2 %s "+
			"SELECT n * 2, a + 1 FROM r WHERE n < 50)", g.number(2+g.r.IntN(6)), union)
	default:
		with = fmt.Sprintf("r AS (SELECT DATE '2020-01-31' AS d, 1 AS n UNION ALL SELECT d + INTERVAL 1 %s, n + 1 FROM r WHERE n < %s)",
			g.of("DAY", "MONTH", "WEEK"), g.number(1+g.r.IntN(12)))
	}
	body := g.of("SELECT * FROM r", "SELECT COUNT(*), SUM(n), MAX(n) FROM r", "SELECT n, COUNT(*) FROM r GROUP BY n",
		"SELECT x.n, y.n FROM r x JOIN r y ON x.n = y.n + 1", "SELECT * FROM r WHERE n > 2",
		"SELECT n, RANK() OVER (ORDER BY n) FROM r", "SELECT n, SUM(n) OVER (ORDER BY n RANGE 2 PRECEDING) FROM r",
		"SELECT K, (SELECT COUNT(*) FROM r WHERE n < LENGTH(p.K)) FROM p", "SELECT DISTINCT n FROM r",
		"SELECT n FROM r UNION SELECT 5", "SELECT K FROM p WHERE LENGTH(K) IN (SELECT n FROM r)")
	if g.r.IntN(6) == 0 {
		return g.finish(fmt.Sprintf("SELECT * FROM (WITH RECURSIVE %s %s) z", with, g.of("SELECT n FROM r", "SELECT n, COUNT(*) c FROM r GROUP BY n")))
	}
	return g.finish("WITH RECURSIVE " + with + " " + body)
}
