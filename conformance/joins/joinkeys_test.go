package joins

import (
	"database/sql"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

var joinKeyN = flag.Int("joinkeys.n", 60, "statements of TestRandomJoinKeys of each filling")

// TestRandomJoinKeys compares joins and subqueries whose conditions compare computed values,
// numbers with strings, or NULLs by <=>, with the same conditions in a form that cannot be a
// key, and is evaluated for each pair of rows: rows, errors and warnings are the same. Some
// values are not numbers, and some times overflow in a sum.
func TestRandomJoinKeys(t *testing.T) {
	seed := testseed.Of(t)
	for dirt, values := range map[string][]string{
		"numbers":  {"'1'", "'2'", "' 3'", "'4.0'", "'-0'", "'1e1'"},
		"texts":    {"'1'", "'2'", "'3x'", "NULL", "''", "'x'", "'0'"},
		"at times": {"'1'", "NULL", "'7'", "'9223372036854775807'", "'9223372036854775808'", "'x'"},
	} {
		t.Run(dirt, func(t *testing.T) {
			g := joinKeyGen{rand.New(rand.NewPCG(seed, uint64(len(dirt))))}
			db := harness.OpenDB(t, ":memory:?versions=all")
			db.SetMaxOpenConns(1)
			var peer *sql.DB
			if *harness.MariaDB != "" {
				peer = oracle.OpenMariaDB(t)
			}
			for _, table := range []string{"t", "u"} {
				cells := g.cells(values, dirt == "at times")
				for _, to := range []*sql.DB{db, peer} {
					if to != nil {
						harness.Must(t, to, "DROP TABLE IF EXISTS "+table, "CREATE TABLE "+table+harness.MemberColumns)
						harness.Must(t, to, cells.into(table)...)
					}
				}
			}
			harness.Must(t, db, "SET max_error_count = 60000, sql_mode = 'ERROR_FOR_DIVISION_BY_ZERO'")
			for range *joinKeyN {
				g.compare(t, db, peer)
			}
		})
	}
}

type joinKeyGen struct{ *rand.Rand }

func (g joinKeyGen) one(of ...string) string { return of[g.IntN(len(of))] }

type joinKeyCells []string

// into are the statements that write the cells.
func (c joinKeyCells) into(table string) []string {
	if len(c) == 0 {
		return nil
	}
	return []string{"INSERT INTO " + table + " VALUES " + strings.Join(c, ", ")}
}

// cells are few enough to compare each with each; some tables have none.
func (g joinKeyGen) cells(values []string, far bool) (out joinKeyCells) {
	for i := range g.IntN(4) * 12 {
		at := fmt.Sprint(g.IntN(9) - 2)
		if far && g.IntN(20) == 0 {
			at = g.one("9223372036854775807", "-9223372036854775808", "9007199254740993", "9007199254740992")
		}
		out = append(out, fmt.Sprintf("('k%02d', '%d', %s, %s)", i/2, i%2, at, g.one(values...)))
	}
	return out
}

// equal is a condition on rows of a and b, in # if it may fail or warn, or accepts NULLs.
func (g joinKeyGen) equal() string {
	a := g.one("a.T", "a.T + 1", "a.T - 2", "a.T * 2", "a.T DIV 2", "-a.T", "a.T % 3", "a.V", "CAST(a.V AS SIGNED)", "CAST(a.V AS UNSIGNED)", "a.V + 1", "a.T / 2", "a.V", "a.Q",
		"CAST(a.V AS DECIMAL(10, 1))", "a.T DIV a.Q", "LEFT(a.V, 1)", "a.n")
	b := g.one("b.T", "b.T", "b.T", "b.V", "b.V", "b.T + 1", "CAST(b.V AS SIGNED)", "b.V * 2", "b.Q", "b.n")
	if g.IntN(2) == 0 {
		a, b = b, a
	}
	op := g.one(" = ", " = ", " <=> ")
	columns := []string{"a.V", "b.V", "a.Q", "b.Q", "LEFT(a.V, 1)"}
	numbers := []string{"a.T", "b.T", "a.n", "b.n"}
	if plain := func(of []string) bool { return slices.Contains(of, a) && slices.Contains(of, b) }; op == " = " && (plain(columns) || plain(numbers)) {
		return a + op + b
	}
	return "#" + a + op + b + "#"
}

func (g joinKeyGen) conditions() string {
	out := []string{g.equal()}
	if g.IntN(3) == 0 {
		out = append(out, g.one(g.equal(), "a.K <> b.K", "a.V > b.V", "#a.Q <=> b.Q#", "#a.V <=> b.V#", "a.K < b.K AND a.Q = b.Q"))
		g.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	}
	return strings.Join(out, " AND ")
}

func (g joinKeyGen) statement() string {
	table := func() string {
		return g.one("(SELECT *, NULLIF(T, 1) + 0 AS n FROM t)", "(SELECT *, NULLIF(T, 1) + 0 AS n FROM u)", "(SELECT MAX(K) AS K, Q, T, MIN(V) AS V, COUNT(*) AS n FROM u GROUP BY Q, T)")
	}
	on, a, b := g.conditions(), table()+" a", table()+" b"
	if !strings.Contains(on, ".n") && g.IntN(3) > 0 {
		a, b = g.one("t a", "u a"), g.one("t b", "u b")
	}
	switch g.IntN(8) {
	case 0:
		return "SELECT a.K, a.Q, a.T FROM " + a + " WHERE " + g.one("", "NOT ") + "EXISTS (SELECT 1 FROM " + b + " WHERE " + on + ")"
	case 1:
		return "SELECT a.K, a.Q, a.T, (SELECT " + g.one("COUNT(*)", "MAX(b.T)", "MIN(b.K)") + " FROM " + b + " WHERE " + on + ") FROM " + a
	case 2:
		return "SELECT a.K, a.Q, a.T FROM " + a + " WHERE a.T" + g.one(" IN", " NOT IN", " >= ALL", " < ANY") + " (SELECT b.T FROM " + b + " WHERE " + on + ")"
	case 3:
		return "SELECT a.Q, COUNT(*), MAX(b.V) FROM " + a + g.one(" JOIN ", " LEFT JOIN ") + b + " ON " + on + " GROUP BY a.Q"
	case 4:
		return "SELECT a.K, a.Q, a.T FROM " + a + " LEFT JOIN " + b + " ON " + on + " WHERE b.K IS NULL"
	}
	return "SELECT a.K, a.Q, a.T, b.K, b.Q, b.T FROM " + a + g.one(" JOIN ", " LEFT JOIN ") + b + " ON " + on
}

// compare runs the query in several ways. Subqueries turn what selects rows into spans, so
// that the rest is evaluated for fewer rows than for pairs.
func (g joinKeyGen) compare(t *testing.T, db *sql.DB, peer *sql.DB) {
	text := g.statement()
	answer := func(text string, joinRows, workers, batch, memory int) (out []string, number uint16, warnings []string) {
		harness.Must(t, db, fmt.Sprintf("SET hbasekv_join_rows = %d, hbasekv_parallelism = %d, hbasekv_batch_cells = %d, tmp_table_size = %d", joinRows, workers, batch, memory))
		out, err := harness.TryLines(db, text)
		slices.Sort(out)
		if err == nil {
			warnings = harness.Lines(t, db, "SHOW COUNT(*) WARNINGS")
		}
		return out, harness.NumberOf(err), warnings
	}
	var pairs strings.Builder
	for i, part := range strings.Split(text, "#") {
		if i%2 == 1 {
			part = "((" + part + ") XOR 0)"
		}
		pairs.WriteString(part)
	}
	text = strings.ReplaceAll(text, "#", "")
	want, number, warned := answer(pairs.String(), harness.OneByOne, 1, harness.OneByOne, 1<<26)
	if peer != nil && number == 0 {
		if asked, err := harness.TryLines(peer, text); harness.NumberOf(err) != 1690 { // of a pair that is not evaluated here
			require.NoError(t, err, text)
			slices.Sort(asked)
			require.Equal(t, asked, want, text)
		}
	}
	for range 3 {
		joinRows, workers := []int{0, 1, 1, 20}[g.IntN(4)], []int{1, 3}[g.IntN(2)]
		batch, memory := []int{0, 1, 7, 1024}[g.IntN(4)], []int{1 << 26, 1 << 10}[g.IntN(2)]
		got, failed, told := answer(text, joinRows, workers, batch, memory)
		how := fmt.Sprintf("%s\njoin_rows=%d parallelism=%d batch_cells=%d memory=%d\n", text, joinRows, workers, batch, memory)
		how += strings.Join(harness.Lines(t, db, "EXPLAIN FORMAT=TREE "+text), "\n")
		if joins := strings.Contains(text, " JOIN "); joins {
			require.Equal(t, number, failed, how)
			require.Equal(t, warned, told, how)
		}
		if number == 0 && failed == 0 {
			require.Equal(t, want, got, how)
		}
	}
}

// TestKeyOutsideFails: a lookup by a sum fails if the sum does and there is a row to
// compare it with, and otherwise does not.
func TestKeyOutsideFails(t *testing.T) {
	db := harness.OpenDB(t, ":memory:")
	db.SetMaxOpenConns(1)
	for _, table := range []string{"t", "none"} {
		harness.Must(t, db, "CREATE TABLE "+table+harness.MemberColumns)
	}
	harness.Must(t, db, "INSERT INTO t VALUES ('a', 'q', 9223372036854775807, '1'), ('b', 'q', 1, '2'), ('c', 'q', 8, '3')")
	for _, n := range []int{harness.OneByOne, 0, 1} {
		harness.SetJoinRows(t, db, n)
		for text, want := range map[string]uint16{
			"SELECT K FROM t a WHERE EXISTS (SELECT 1 FROM t b WHERE b.T = a.T + 7)":                 1690,
			"SELECT K, (SELECT MAX(b.V) FROM t b WHERE b.T = a.T + 7) FROM t a":                      1690,
			"SELECT K, (SELECT MAX(b.V) FROM t b WHERE b.T = a.T + 7) FROM t a WHERE a.K > 'a'":      0,
			"SELECT K FROM t a WHERE EXISTS (SELECT 1 FROM none b WHERE b.T = a.T + 7)":              0,
			"SELECT K FROM t a WHERE EXISTS (SELECT 1 FROM t b WHERE b.T = a.T + 7 AND b.Q = 'z')":   0,
			"SELECT K FROM t a WHERE EXISTS (SELECT 1 FROM t b WHERE b.T = a.T + 7 AND b.K = a.V)":   0,
			"SELECT K, (SELECT COUNT(b.V) FROM none b WHERE b.T = a.T + 7 AND b.Q = 'q') FROM t a":   0,
			"SELECT K FROM t a WHERE NOT EXISTS (SELECT 1 FROM t b WHERE b.T = a.T + 7 AND V > '1')": 1690,
		} {
			_, err := harness.TryLines(db, text)
			require.Equal(t, want, harness.NumberOf(err), "%s with %d: %v", text, n, err)
		}
	}
}

// TestNullEndsAConjunction: what follows a NULL in a conjunction is not evaluated, because
// the condition is not true: it neither warns nor fails, in conditions of pairs as in those
// that are keys.
func TestNullEndsAConjunction(t *testing.T) {
	db := harness.OpenDB(t, ":memory:?versions=all")
	db.SetMaxOpenConns(1)
	harness.Must(t, db, "CREATE TABLE t"+harness.MemberColumns, "CREATE TABLE u"+harness.MemberColumns,
		"INSERT INTO t VALUES ('k', 'q', 1, NULL)", "INSERT INTO u VALUES ('k', 'q', 1, 'x')", "SET sql_mode = ''")
	for on, warnings := range map[string]string{
		"(b.T = a.V XOR 0) AND (b.V + a.T = 5 XOR 0)":            "0",
		"(b.T = a.V XOR 0) AND (b.V + a.T = 5 XOR 0) OR a.T > 1": "0",
		"(b.T = a.T XOR 0) AND (b.V + a.T = 5 XOR 0)":            "1",
		"NOT ((b.T = a.V XOR 0) AND (b.V + a.T = 5 XOR 0))":      "1",
	} {
		for _, join := range []string{"JOIN", "LEFT JOIN"} {
			harness.Lines(t, db, "SELECT a.K, b.K FROM t a "+join+" u b ON "+on)
			require.Equal(t, []string{warnings}, harness.Lines(t, db, "SHOW COUNT(*) WARNINGS"), "%s %s", join, on)
		}
	}
}
