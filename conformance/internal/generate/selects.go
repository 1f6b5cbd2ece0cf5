package generate

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
)

// SelectGen draws SELECT statements over the oracle's table. The same seed
// yields the same statements.
type SelectGen struct{ R *rand.Rand }

// Statement is a SELECT from one table.
func (g *SelectGen) Statement() oracle.Generated {
	switch g.R.IntN(10) {
	case 0, 1, 2:
		return g.plain()
	case 3, 4:
		return g.expressions()
	case 5:
		return g.aggregate()
	case 6, 7, 8:
		return g.grouped()
	}
	return g.distinct()
}

func (g *SelectGen) one(of ...string) string { return harness.Pick(g.R, of) }

func (g *SelectGen) maybe(n int, s string) string {
	if g.R.IntN(n) == 0 {
		return s
	}
	return ""
}

func (g *SelectGen) plain() oracle.Generated {
	columns := g.one("*", "K, Q, T, V", "K, Q, T", "T, V, K", "o.V, o.K, o.Q", "K, V")
	return g.finish("SELECT "+columns+" FROM o", g.where())
}

func (g *SelectGen) expressions() oracle.Generated {
	var items []string
	for range 1 + g.R.IntN(3) {
		items = append(items, g.expr(3))
	}
	return g.finish("SELECT "+strings.Join(items, ", ")+" FROM o", g.where())
}

// finish adds a total order and a limit to some statements: a limit without a
// total order has more than one right answer.
func (g *SelectGen) finish(head, where string) oracle.Generated {
	sql := head + where
	switch g.R.IntN(3) {
	case 0:
		return oracle.Generated{SQL: sql, Ordered: false}
	case 1:
		return oracle.Generated{SQL: sql + g.totalOrder(), Ordered: true}
	}
	return oracle.Generated{SQL: sql + g.totalOrder() + g.limit(), Ordered: true}
}

func (g *SelectGen) totalOrder() string {
	by := g.one("K, Q, T DESC", "K, Q, T", "K DESC, Q DESC, T", "K DESC, Q DESC, T DESC", "T, Q, K", "Q, K DESC, T",
		"V, K, Q, T", "V DESC, K, Q, T", "LENGTH(V), K, Q, T", "T DESC, K, Q", "K, T, Q")
	return " ORDER BY " + by
}

func (g *SelectGen) limit() string {
	return g.one(" LIMIT 5", " LIMIT 0", " LIMIT 3, 4", " LIMIT 1", " LIMIT 7 OFFSET 2", " LIMIT 1000", " LIMIT 2 OFFSET 500")
}

func (g *SelectGen) where() string {
	if g.R.IntN(6) == 0 {
		return ""
	}
	return " WHERE " + g.cond(3)
}

func (g *SelectGen) aggregate() oracle.Generated {
	var items []string
	for range 1 + g.R.IntN(3) {
		items = append(items, g.agg())
	}
	return oracle.Generated{SQL: "SELECT " + strings.Join(items, ", ") + " FROM o" + g.where(), Ordered: true}
}

func (g *SelectGen) agg() string {
	return g.one("COUNT(*)", "COUNT(V)", "COUNT(K)", "COUNT(DISTINCT Q)", "COUNT(DISTINCT K, Q)", "MIN(K)", "MAX(K)", "MIN(T)", "MAX(T)",
		"MIN(V)", "MAX(V)", "SUM(LENGTH(V))", "AVG(LENGTH(K))", "SUM(T)", "MIN(Q)", "MAX(LENGTH(Q))", "SUM(T > 0)", "COUNT(NULLIF(Q, ''))",
		"SUM(CASE WHEN Q = 'q' THEN 1 ELSE 0 END)", "MAX(CASE WHEN Q = 'name' THEN V END)", "AVG(T DIV 1000000)", "COUNT(*) + 1", "MAX(T) - 1",
		"SUM(DISTINCT LENGTH(K))", "MIN(CONCAT(K, Q))", "AVG(T = 0)")
}

func (g *SelectGen) grouped() oracle.Generated {
	keys := strings.Split(g.one("K", "Q", "T", "K;Q", "LEFT(K, 1)", "LENGTH(V)", "SUBSTRING(K, 1, 2)", "T > 0", "Q;T", "LENGTH(K) + LENGTH(Q)",
		"V", "V IS NULL", "Q;K", "LEFT(K, 2);Q", "K;Q;T"), ";")
	by := strings.Join(keys, ", ")
	sql := fmt.Sprintf("SELECT %s, %s%s FROM o%s GROUP BY %s", by, g.agg(), g.maybe(2, ", "+g.agg()), g.where(), by)
	sql += g.maybe(3, " HAVING "+g.one("COUNT(*) > 1", "MAX(T) > 0", "MIN(V) IS NOT NULL", "SUM(LENGTH(V)) >= 3", "COUNT(*) BETWEEN 2 AND 9"))
	switch g.R.IntN(3) {
	case 0:
		return oracle.Generated{SQL: sql + " ORDER BY " + by, Ordered: true}
	case 1:
		return oracle.Generated{SQL: sql + " ORDER BY " + strings.Join(keys, " DESC, ") + " DESC" + g.limit(),
			Ordered: true}
	}
	return oracle.Generated{SQL: sql, Ordered: false}
}

func (g *SelectGen) distinct() oracle.Generated {
	what := g.one("K", "Q", "T", "K, Q", "LEFT(K, 2)", "V", "LENGTH(V)", "Q, V", "T > 0, Q", "K, T")
	sql := "SELECT DISTINCT " + what + " FROM o" + g.where()
	if g.R.IntN(2) == 0 {
		return oracle.Generated{SQL: sql + " ORDER BY " + what + g.maybe(2, g.limit()), Ordered: true}
	}
	return oracle.Generated{SQL: sql, Ordered: false}
}

// cond is a condition of the given depth.
func (g *SelectGen) cond(depth int) string {
	if depth == 0 || g.R.IntN(3) == 0 {
		return g.simple()
	}
	a, b := g.cond(depth-1), g.cond(depth-1)
	return g.one("("+a+" AND "+b+")", "("+a+" OR "+b+")", "NOT ("+a+")", a+" AND "+b, "("+a+") IS NOT TRUE", "("+a+") IS FALSE")
}

// simple is one predicate: mostly one that is pushed down, or a similar one
// that must not be.
func (g *SelectGen) simple() string {
	op := g.one("=", "<", "<=", ">", ">=", "<>", "<=>")
	switch g.R.IntN(16) {
	case 0, 1, 2:
		return "K " + op + " " + g.bytes()
	case 3:
		return "Q " + op + " " + g.bytes()
	case 4, 5:
		return "T " + op + " " + g.number()
	case 6:
		return "V " + op + " " + g.bytes()
	case 7:
		return g.one("K", "Q", "V") + g.maybe(3, " NOT") + " IN (" + g.bytes() + ", " + g.bytes() + ", " + g.bytes() + g.maybe(5, ", NULL") + ")"
	case 8:
		return g.one("K", "Q", "V") + g.maybe(3, " NOT") + " BETWEEN " + g.bytes() + " AND " + g.bytes()
	case 9:
		return g.one("K", "Q", "V") + g.maybe(3, " NOT") + " LIKE " + g.pattern()
	case 10:
		return "(K, Q) " + g.one("=", "<", "<=", ">", ">=", "<>") + " (" + g.bytes() + ", " + g.bytes() + ")"
	case 11:
		return "(K, Q)" + g.maybe(4, " NOT") + " IN ((" + g.bytes() + ", " + g.bytes() + "), (" + g.bytes() + ", " + g.bytes() + "))"
	case 12:
		return g.one("LEFT(K, 1)", "LEFT(K, 2)", "SUBSTRING(K, 1, 2)", "SUBSTRING(K, 2)", "LEFT(Q, 1)") + " " + op + " " + g.bytes()
	case 13:
		return "T" + g.maybe(3, " NOT") + g.one(" IN ("+g.number()+", "+g.number()+")", " BETWEEN "+g.number()+" AND "+g.number())
	case 14:
		return g.bytes() + " " + op + " K"
	}
	return g.one("V IS NULL", "V IS NOT NULL", "K = 10", "V > 3", "V = 12", "LENGTH(V) > 2", "K + 0 = 10", "Q = V", "K = Q", "T = V", "K < Q", "T + 1 > 2",
		"T % 2 = 0", "(K, Q, T) > ('a', 'q', 0)", "(K, Q, T) IN (('a', 'q', 1), ('b', '', 0))", "K IS NULL", "K = NULL", "V", "T", "NOT V", "LENGTH(K) = 1",
		"COALESCE(V, 'x') = 'x'", "T > 1.5", "T = '1'", "T < '2.5'", "IF(V IS NULL, K, Q) = 'a'")
}

func (g *SelectGen) bytes() string {
	return g.one("'a'", "''", "'ab'", "'b'", "'B'", "X'00'", "X'FF'", "X'6100'", "'q'", "'q1'", "'name'", "'user1'", "'user2'", "'10'", "'z'", "' '", "'a '", "'x'", "'12'", "'abc'", "0x61", "X''")
}

func (g *SelectGen) number() string {
	return g.one("0", "1", "-5", "2", "100", "1700000000000", "9223372036854775807", "-9223372036854775808", "1.5", "-0.5", "99.0", "1e3", "'1'", "'abc'", "NULL", "18446744073709551615", "50")
}

func (g *SelectGen) pattern() string {
	return g.one("'a%'", "'%'", "'_'", "'user_'", "'%a'", "'a'", "''", "'q%'", `'a\%%'`, "X'61FF25'", "'1%'", "'a%b'", "'A%'", "X'FF25'", "'_b%'")
}

// expr is a value of any type.
func (g *SelectGen) expr(depth int) string {
	if depth == 0 {
		return g.one("K", "Q", "T", "V", "1", "'x'", "NULL", "-3", "2.5", "''")
	}
	a := g.expr(depth - 1)
	switch g.R.IntN(12) {
	case 0:
		return g.cond(1)
	case 1:
		return fmt.Sprintf("CONCAT(%s, %s)", g.one("K", "Q", "'-'", "T"), g.one("K", "Q", "V", "'z'", "T"))
	case 2:
		return fmt.Sprintf("CASE WHEN %s THEN %s ELSE %s END", g.cond(0), g.one("K", "V", "'y'"), g.one("Q", "V", "NULL", "'n'"))
	case 3:
		return fmt.Sprintf("IF(%s, T, %s)", g.cond(0), g.one("0", "1", "NULL", "-T DIV 2"))
	case 4:
		return g.one("T DIV 3", "T % 7", "LENGTH(V) * 2 - 1", "LENGTH(K) / 3", "(T DIV 1000) * 2", "-LENGTH(V)", "LENGTH(Q) + 0.5", "T DIV 0", "T + LENGTH(K)", "T - 1", "T * 2", "-T")
	case 5:
		return fmt.Sprintf("%s(%s)", g.one("HEX", "LENGTH", "UPPER", "LOWER", "REVERSE", "MD5", "ASCII", "CHAR_LENGTH"), g.one("K", "Q", "V", "'aBc'"))
	case 6:
		return fmt.Sprintf("COALESCE(%s, %s)", g.one("V", "NULLIF(K, 'a')", "NULL"), g.one("K", "'none'", "Q"))
	case 7:
		return fmt.Sprintf("SUBSTRING(%s, %s)", g.one("K", "V", "Q"), g.one("1, 1", "2", "-2", "-1, 1", "1, 0", "0", "9"))
	case 8:
		return g.one("T IS NULL", "V IS NULL", "LEFT(K, 2)", "RIGHT(V, 2)", "TRIM(K)", "REPLACE(K, 'a', 'bb')", "INSTR(K, 'a')", "LOCATE('q', Q)", "ABS(T DIV 2)", "SIGN(T)",
			"LPAD(Q, 4, '*')", "RPAD(Q, 3, '-')", "GREATEST(K, Q)", "LEAST(T, 5)", "MOD(T, 10)", "REPEAT(Q, 2)", "CAST(V AS SIGNED)", "CAST(T AS CHAR)", "CONV(T, 10, 16)", "STRCMP(K, Q)", "FIELD(Q, 'q', 'name')", "CONCAT_WS('/', K, Q, V)", "CRC32(K)")
	case 9:
		return "(" + a + ") IS NULL"
	}
	return a
}
