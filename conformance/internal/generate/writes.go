package generate

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// WriteGen draws statements that write to the table w, with expressions of the
// grammar. All rows have a T, which MariaDB would not choose, and name their
// columns, because one layout has a generated column.
type WriteGen struct{ *QueryGen }

// NewWriteGen returns a WriteGen that draws from r.
func NewWriteGen(r *rand.Rand) *WriteGen {
	g := &WriteGen{NewQueryGen(r)}
	g.columns = cells("")
	return g
}

// One returns one of the texts at random.
func (g *WriteGen) One(of ...string) string { return harness.Pick(g.R, of) }

// Statement is an INSERT, REPLACE, UPDATE or DELETE of the table w.
func (g *WriteGen) Statement() string {
	g.Depth = 1
	switch g.R.IntN(16) {
	case 13:
		return g.updateTables()
	case 14, 15:
		return g.deleteTables()
	case 10, 11:
		return g.UpdateJoin()
	case 12:
		return g.updateNumbers()
	case 0, 1:
		return g.insert("INSERT INTO w"+g.One(" (K, Q, T, V)", " (K, Q, T, V)", " (K, Q, T)", " (T, V, K, Q)")) + g.onDuplicate()
	case 2:
		return g.insert("INSERT IGNORE INTO w" + " (K, Q, T, V)")
	case 3:
		return g.insert("REPLACE INTO w" + " (K, Q, T, V)")
	case 4:
		return g.One("INSERT INTO w", "INSERT IGNORE INTO w", "REPLACE INTO w", "INSERT INTO w") + " (K, Q, T, V) " + g.rows(g.One("p", "r", "w", "o"))
	case 5:
		return "INSERT INTO w (K, Q, T, V) " + g.rows(g.One("p", "r")) + g.onDuplicate()
	case 6:
		return "DELETE FROM w" + g.Filter() + g.Some()
	}
	return "UPDATE w SET " + g.assignments() + g.Filter() + g.Some()
}

// UpdateJoin joins w with a derived table that has at most one row for each row of
// w: with several, MariaDB's plan would decide which one counts. Comparing a sum
// with a text is error 1292 in MySQL's strict mode, but not in MariaDB's.
func (g *WriteGen) UpdateJoin() string {
	by := g.One("K", "K", "Q")
	set := g.One("w.V = d.m", "w.V = d.n", "w.V = CONCAT(w.V, d.n)", "V = CONCAT(d.m, w.Q)", "w.V = IFNULL(d.m, 'none')", "w.V = d.n, w.Q = w.V",
		"w.V = "+g.Value(false), "K = CONCAT(w.K, d.n)", "w.T = 7000 + IFNULL(d.n, 0)")
	derived := "(" + g.grouped(by) + ") d"
	on := "w." + by + " = d.x"
	switch g.R.IntN(5) {
	case 0:
		return "UPDATE w, " + derived + " SET " + set + " WHERE " + on + g.One("", " AND w.T > 0", " AND d.n > 1", " AND w.K IN ('a', 'user1')")
	case 1:
		return "UPDATE w LEFT JOIN " + derived + " ON " + on + " SET " + set + g.One("", " WHERE d.n IS NULL", " WHERE w.K < 'b'")
	case 2:
		return "UPDATE " + derived + " RIGHT JOIN w ON " + on + " SET " + set
	case 3:
		return "UPDATE w JOIN (SELECT COUNT(*) n, " + g.One("MAX(V)", "MIN(K)", "MAX(T)") + " m FROM " + g.One("p", "r", "w") + g.Filter() + ") d SET " + set
	}
	return "UPDATE w " + g.One("JOIN ", "INNER JOIN ", "STRAIGHT_JOIN ") + derived + " ON " + on + " SET " + set + g.One("", " WHERE CONCAT(d.m) > 'b'", " WHERE w.Q = 'q'")
}

// updateTables joins w with tables, possibly itself, that have at most one row for
// each row of w, or whose rows are not assigned.
func (g *WriteGen) updateTables() string {
	const row = "a.K = b.K AND a.Q = b.Q AND a.T = b.T"
	switch other := g.One("p", "r", "w", "o"); g.R.IntN(5) {
	case 0:
		return "UPDATE w a" + g.One(" JOIN ", " LEFT JOIN ", " STRAIGHT_JOIN ") + other + " b ON " + row + " SET " +
			g.One("a.V = b.V", "a.V = CONCAT(a.V, b.K)", "a.V = IFNULL(b.T, 'none')", "a.V = 'x', a.Q = CONCAT(b.Q, 'z')", "a.V = DEFAULT", "a.T = a.T + IFNULL(b.T, 1)")
	case 1:
		return "UPDATE " + g.One("", "", "", "IGNORE ") + other + " b" + g.One(" RIGHT JOIN ", " JOIN ") + "w a ON a." + g.One("K = b.K", "Q = b.Q", "K > b.K", "T = b.T") +
			g.One("", " AND b.T > 0") + " SET a.V = " + g.One("'x'", "CONCAT(a.V, '!')", "a.K", "a.T DIV 2", "NULL") + g.One("", " WHERE a.T > 1", " WHERE b.V IS NULL", " WHERE a.K < 'b'")
	case 2:
		return "UPDATE w a JOIN w b ON a.K = b.K AND a.Q = b.Q AND a.T " + g.One("<", "<>", "<=") + " b.T SET a.V = 'as a', b.V = " + g.One("'as b'", "a.K", "'as a'")
	case 3:
		return "UPDATE w a JOIN w b ON " + row + " SET " + g.One("a.T = 5, b.V = 'x'", "a.V = b.T, b.V = a.Q", "a.K = 'z', b.K = 'y'", "V = 1", "a.V = 'x', c.V = 1")
	default:
		return "UPDATE w JOIN " + g.One("p", "r") + " USING (K, Q, T) JOIN (" + g.grouped("K") + ") d ON d.x = K SET w.V = " + g.One("d.m", "p.V", "CONCAT(d.n, w.V)")
	}
}

// deleteTables deletes rows of w that a join selects.
func (g *WriteGen) deleteTables() string {
	other, c := g.One("p", "r", "w", "o"), g.One("a.K = b.K", "a.Q = b.Q", "a.K = b.K AND a.Q = b.Q AND a.T < b.T", "a.V = b.V", "a.K < b.K", "a.K = b.K AND a.V <> b.V", "a.T = b.T AND a.K > b.K")
	where := g.One("", " WHERE a.T > 0", " WHERE b.Q = 'q'", " WHERE b.V IS NULL", " WHERE a.K IN ('a', 'user1') OR b.T = 1", " WHERE LENGTH(a.V) > LENGTH(b.V)")
	targets := "a"
	if other == "w" {
		targets = g.One("a", "b", "a, b", "a.*, b.*", "b, a")
	}
	from := "w a" + g.One(" JOIN ", " LEFT JOIN ", " INNER JOIN ") + other + " b ON " + c
	switch g.R.IntN(7) {
	case 0:
		from = other + " b" + g.One(" RIGHT JOIN ", " STRAIGHT_JOIN ") + "w a ON " + c
	case 1:
		from = "w a JOIN (" + g.grouped("K") + ") d ON a.K = d.x"
		targets, where = "a", g.One("", " WHERE d.n > 1", " WHERE a.V < CONCAT(d.m)")
	case 2:
		return "DELETE " + g.One("", "IGNORE ", "QUICK ") + "FROM " + targets + " USING w a, " + other + " b WHERE " + c
	case 3:
		return g.One("DELETE w FROM w JOIN p USING (K, Q)", "DELETE w.* FROM w, p, r WHERE w.K = p.K AND p.Q = r.Q", "DELETE FROM w USING w NATURAL JOIN p", "DELETE w FROM w"+g.Filter(),
			"DELETE w FROM w a, p b", "DELETE a, a FROM w a, p b", "DELETE b FROM w a, ("+g.grouped("K")+") b")
	}
	return "DELETE " + g.One("", "LOW_PRIORITY ") + targets + " FROM " + from + where
}

// updateNumbers reads texts as numbers: a text that is not a number is an error, in the condition
// too.
func (g *WriteGen) updateNumbers() string {
	return "UPDATE " + g.One("", "", "IGNORE ") + "w SET V = " + g.One("'n'", "V", "(SELECT SUM(x.V) FROM "+g.One("p", "r")+" x)", "(SELECT MAX(x.V + 0) FROM r x WHERE x.K = w.K)") +
		" WHERE " + g.One("V > 30", "V BETWEEN 5 AND 20", "V", "V + 0 = 12", "K = 10", "V IN (7, 12)", "K = 'user1' AND V < 5")
}

// grouped is a SELECT of x, n and m in which x is unique.
func (g *WriteGen) grouped(by string) string {
	from := " FROM " + g.One("p", "r", "w", "o") + g.Filter()
	switch g.R.IntN(5) {
	case 0:
		return "SELECT DISTINCT " + by + " x, 1 n, 'm' m" + from
	case 1:
		return "SELECT " + by + " x, 2 n, 'm' m" + from + " UNION SELECT " + by + ", 2, 'm' FROM " + g.One("p", "r", "w") + g.Filter()
	}
	return "SELECT " + by + " x, COUNT(*) n, " + g.One("MAX(V)", "MIN(V)", "MAX(K)", "SUM(T > 0)", "MAX(CONCAT(K, Q))") + " m" + from + " GROUP BY " + by +
		g.One("", "", " HAVING COUNT(*) > 1", " HAVING MAX(T) > 0")
}

// Key is a literal of K.
func (g *WriteGen) Key() string {
	return g.One("'a'", "'b'", "''", "X'FF'", "X'00'", "'user1'", "'a '", "'10'", "'9'", "CONCAT('a', 'b')", "LOWER('AB')", "UNHEX('6100')")
}

// Qualifier is a literal of Q.
func (g *WriteGen) Qualifier() string { return g.One("'q'", "''", "'q1'", "X'00'", "'name'", "'12'") }

func (g *WriteGen) time() string {
	return g.One("0", "1", "2", "100", "-5", "9223372036854775807", "-9223372036854775808", "'7'", "1.5", "1e3", "3 + 4", "LENGTH('abc')", "9223372036854775808", "'abc'", "NULL IS NULL")
}

// Value is an expression for V; unless columns is set, it reads no column.
func (g *WriteGen) Value(columns bool) string {
	if !columns {
		old := g.columns
		g.columns = map[string][]string{}
		defer func() { g.columns = old }()
		return g.One("NULL", "'x'", "''", "X'00FF'", "'12'", "1.50", "1e3", "CONCAT('a', 1)", "7 DIV 2", "REPEAT('ab', 3)", "IF(1 > 2, 'a', 'b')", "1 / 0", "'abc' + 1", "DATE '2020-01-31'", "DEFAULT", "HEX('a')", "9223372036854775807 + 1")
	}
	if g.R.IntN(4) == 0 {
		g.unmixed = true
		return g.expr(g.One("str", "bytes"), 1).String()
	}
	return g.One("CONCAT(V, 'x')", "V + 1", "NULL", "K", "CONCAT(K, Q)", "T", "T DIV 2", "UPPER(V)", "IFNULL(V, 'none')", "LENGTH(V) * 2", "V", "''", "CASE WHEN T > 0 THEN V ELSE 'n' END", "REPLACE(V, '1', 'one')", "HEX(V)", "CAST(V AS SIGNED)", "NULLIF(V, 'x')")
}

func (g *WriteGen) insert(into string) string {
	var rows []string
	for range 1 + g.R.IntN(3) {
		values := []string{g.Key(), g.Qualifier(), g.time(), g.Value(false)}
		if strings.Contains(into, "IGNORE") { // a bad value skips the row here, but MariaDB stores another value
			values[2], values[3] = g.One("0", "1", "2", "100", "-5", "1.5"), g.One("'x'", "NULL", "12", "''")
		}
		switch {
		case strings.HasSuffix(into, "(K, Q, T)"):
			values = values[:3]
		case strings.HasSuffix(into, "(T, V, K, Q)"):
			values = []string{values[2], values[3], values[0], values[1]}
		}
		rows = append(rows, "("+strings.Join(values, ", ")+")")
	}
	return into + " VALUES " + strings.Join(rows, ", ")
}

// rows is a SELECT of cells in a total order.
func (g *WriteGen) rows(from string) string {
	s := fmt.Sprintf("SELECT %s, %s, %s, %s FROM %s", g.One("K", "K", "CONCAT(K, 'x')", "Q", "'new'"), g.One("Q", "'q'", "Q"), g.One("T", "T", "T DIV 2", "IFNULL(LENGTH(V), 3)", "5"),
		g.Clean(), from)
	// Q alone would be the label of the text 'q'.
	order := strings.ReplaceAll(" ORDER BY {}.K, {}.Q, {}.T", "{}", from)
	return s + g.Filter() + order + g.One("", " LIMIT 3", " LIMIT 1", " DESC LIMIT 4")
}

// Clean is a value that causes no warning: whether such a warning of a SELECT is
// an error depends on MariaDB's plan, but in MySQL it is one.
func (g *WriteGen) Clean() string {
	for {
		if v := g.Value(true); !strings.Contains(v, "V + 1") && !strings.Contains(v, "AS SIGNED") {
			return v
		}
	}
}

func (g *WriteGen) onDuplicate() string {
	if g.R.IntN(2) == 0 {
		return ""
	}
	return " ON DUPLICATE KEY UPDATE " + g.One("V = VALUES(V)", "V = CONCAT(w.V, '+')", "V = 'dup'", "V = NULL", "V = w.V", "T = w.T + 1", "V = IF(VALUES(V) IS NULL, w.V, VALUES(V))", "w.V = CONCAT(w.K, VALUES(V))", "V = LENGTH(w.V) + 1")
}

func (g *WriteGen) assignments() string {
	return g.One("V = "+g.Value(true), "V = "+g.Value(true), "V = "+g.Value(true), "T = T + 1", "T = "+g.time(), "K = CONCAT(K, 'z')", "Q = 'moved'", "K = Q, Q = K", "V = 'a', V = CONCAT(V, 'b')", "T = T DIV 2", "V = K, K = 'k'", "K = "+g.Key())
}

// Filter is a WHERE clause over the columns, or nothing.
func (g *WriteGen) Filter() string {
	if g.R.IntN(5) == 0 {
		return ""
	}
	conditions := []string{"K = " + g.Key(), "K > " + g.Key(), "Q = " + g.Qualifier(), "T > 0", "T IN (1, 2, 100)", "V IS NULL", "V = 'x'", "LENGTH(V) > 1", "K IN ('a', 'b', 'user1')", "K LIKE 'a%'", "T BETWEEN -5 AND 2",
		"(K, Q) > ('a', 'q')", "V IS NOT NULL", "NOT (K = 'a')", "LEFT(K, 1) = 'a'"}
	where := " WHERE " + harness.Pick(g.R, conditions)
	if g.R.IntN(2) == 0 {
		where += g.One(" AND ", " OR ") + harness.Pick(g.R, conditions)
	}
	return where
}

// Some is an ORDER BY with a LIMIT, or nothing.
func (g *WriteGen) Some() string {
	return g.One(" ORDER BY K, Q, T", " ORDER BY K DESC, Q DESC, T DESC", " ORDER BY T, K, Q LIMIT 3", " ORDER BY K, Q, T LIMIT 2", " ORDER BY V, K, Q, T LIMIT 4", " ORDER BY K, Q, T LIMIT 0")
}
