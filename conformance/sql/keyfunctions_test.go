package sql

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

var keyFunctionN = flag.Int("keyfunctions.n", 150, "statements of TestRandomKeyFunctions")

// TestRandomKeyFunctions compares conditions on functions of K and Q that find rows by key with
// equivalent conditions that cannot: in SELECT, through views and pivots, in joins, UPDATE and DELETE,
// with literals and with arguments; and with MariaDB, as far as it supports them.
func TestRandomKeyFunctions(t *testing.T) {
	seed := testseed.Of(t)
	for layout, partitions := range oracle.Partitionings {
		if layout == "prefix" {
			continue // as key
		}
		t.Run(layout, func(t *testing.T) {
			g := keyFunctionGen{rand.New(rand.NewPCG(seed, uint64(len(layout)))), t, nil}
			db := harness.OpenDB(t, ":memory:?versions=all")
			db.SetMaxOpenConns(1)
			var peer *sql.DB
			if *harness.MariaDB != "" {
				peer = oracle.OpenMariaDB(t)
			}
			g.fill(db, peer, partitions)
			for range *keyFunctionN / 3 {
				g.compare(db, peer)
			}
		})
	}
}

type keyFunctionGen struct {
	*rand.Rand
	t    *testing.T
	keys []string // as hexadecimal literals
}

func (g *keyFunctionGen) one(of ...string) string { return of[g.IntN(len(of))] }

// key is a key as people and programs write them, as a literal.
func (g *keyFunctionGen) key() string {
	s := g.one("1", "5", "42", "100", "a", "A", "ab", "aB", "user1", "User2", "é", "É", "straße", "д7", "Д7", "a#b", "A#b#c", "", "0", "x", "?", "𝄞",
		"18446744073709551615", "9223372036854775808", "-7", "k\u212a")
	switch g.IntN(6) {
	case 0:
		s = g.one(" ", "\t", "+", "0", "000", "\x00", "\x01", "-") + s
	case 1:
		s += g.one(" ", "  ", "x", "\x00", "\x01", "0", ".0", "e1", "!", "\xff", "?", "#z", " \x01")
	case 2:
		if n := g.Uint64() >> g.IntN(64); g.IntN(2) == 0 {
			s = fmt.Sprintf("%08d", n%1000)
		} else {
			// MariaDB takes bytes that begin with ED for surrogates.
			return strings.ReplaceAll(fmt.Sprintf("X'%016X'", n^uint64(g.IntN(2))<<63), "ED", "00")
		}
	}
	return fmt.Sprintf("X'%X'", s)
}

func (g *keyFunctionGen) fill(db, peer *sql.DB, partitions string) {
	var cells []string
	seen := map[string]bool{}
	for range 120 {
		k := g.key()
		if seen[k] {
			continue
		}
		seen[k] = true
		g.keys = append(g.keys, k)
		cells = append(cells, fmt.Sprintf("(%s, 'n', 1, %s)", k, g.one("'1'", "'42'", "'a'", "'user1'", "'A'", "NULL", "'é'", "'5 '", "X'0000000000000005'")),
			fmt.Sprintf("(%s, %s, %d, 'v')", k, g.one("'1'", "'A'", "'a '", "'é'", "X'FF'", "'m'"), 1+g.IntN(50)))
	}
	for _, to := range []*sql.DB{db, peer} {
		if to == nil {
			continue
		}
		harness.Must(g.t, to, "DROP TABLE IF EXISTS kf", "DROP VIEW IF EXISTS kv")
		if to == peer {
			partitions = ""
		}
		harness.Must(g.t, to, "CREATE TABLE kf "+oracle.Columns+partitions,
			"INSERT INTO kf VALUES "+strings.Join(cells, ", "),
			"SET sql_mode = '', max_error_count = 60000")
	}
}

// function is a function of a column, which is written as @; with shared, one that MariaDB has.
func (g *keyFunctionGen) function(shared bool) string {
	f := g.one("CAST(@ AS CHAR(20))", "CAST(@ AS CHAR)", "CAST(@ AS CHAR(2))", "CONVERT(@ USING utf8mb4)", "CAST(@ AS UNSIGNED)", "CAST(@ AS SIGNED)",
		"CAST(@ AS CHAR) COLLATE utf8mb4_bin", "HEX(@)", "REVERSE(@)", "LEFT(@, 2)", "SUBSTRING(@, 1, 3)", "SUBSTRING_INDEX(@, '#', 1)", "CONCAT('a', @)",
		"CAST(@ AS BINARY(3))", "BINARY CAST(@ AS CHAR)", "LEFT(CAST(@ AS CHAR), 2)", "UPPER(@)", "LEFT(HEX(@), 4)")
	if !shared && g.IntN(2) == 0 {
		f = g.one("BYTES_TO_LONG(@)", "SORTABLE_TO_LONG(@)", "REVERSE_TS_TO_LONG(@)", "BYTES_TO_DOUBLE(@)", "BYTES_TO_INT(@)", "SALT(@, 4)", "UNSALT(@)",
			"HASH_PREFIX(@, 2)", "ROWKEY_PART(@, '#', 1)", "ROWKEY('#', 'a', @)", "BYTES_TO_LONG(UNSALT(@))", "HEX(REVERSE(@))", "FIXED_WIDTH(LENGTH(@), 4)")
	}
	return f
}

// of inserts a column into a function.
func of(function, column string) string { return strings.ReplaceAll(function, "@", column) }

// opaque is an expression in a form that finds no key.
func opaque(expression string) string { return "IFNULL(" + expression + ", NULL)" }

// conditionWith inserts an expression and constants into a condition.
func conditionWith(condition, expression string, constants ...string) string {
	out := strings.Builder{}
	for _, c := range condition {
		switch {
		case c == '~':
			out.WriteString(expression)
		case c == '$' && len(constants) > 0:
			out.WriteString(constants[0])
			constants = constants[1:]
		default:
			out.WriteRune(c)
		}
	}
	return out.String()
}

// constant is a value, as a literal.
func (g *keyFunctionGen) constant(db *sql.DB, function string) (literal string, arg any) {
	switch g.IntN(8) {
	case 0:
		return "NULL", nil
	case 1:
		n := g.one("0", "1", "5", "42", "100", "7")
		return n, map[string]int64{"0": 0, "1": 1, "5": 5, "42": 42, "100": 100, "7": 7}[n]
	case 2:
		return "18446744073709551615", uint64(18446744073709551615)
	}
	// The function's value for one of the keys, or a similar value.
	k := g.keys[g.IntN(len(g.keys))]
	var v any
	require.NoError(g.t, db.QueryRow("SELECT "+of(function, k)).Scan(&v), "%s %s", function, k)
	var s string
	switch v := v.(type) {
	case nil:
		return "NULL", nil
	case int64, uint64:
		return fmt.Sprint(v), v
	case float64:
		return fmt.Sprintf("%v", v), v
	case []byte:
		s = string(v)
	case string:
		s = v
	}
	s = g.one(s, s, s, strings.ToUpper(s), strings.ToLower(s), s+" ", s+"\x01", strings.TrimRight(s, " "), s+"a")
	if g.IntN(4) == 0 {
		return fmt.Sprintf("X'%X'", s), []byte(s)
	}
	s = strings.ToValidUTF8(s, "?")
	return "'" + strings.NewReplacer(`\`, `\\`, "'", "''").Replace(s) + "'", s
}

// condition is a condition on a function, which is written as ~, and its arguments, written as
// dollars.
func (g *keyFunctionGen) condition(db *sql.DB, function string) (condition string, literals []string, args []any) {
	constant := func() {
		l, a := g.constant(db, function)
		literals, args = append(literals, l), append(args, a)
	}
	constant()
	switch g.IntN(10) {
	case 0, 1, 2:
		return "~ = $", literals, args
	case 3:
		return g.one("~ <=> $", "NOT (~ <=> $)", "~ <> $", "NOT (~ = $)"), literals, args
	case 4, 5:
		return g.one("~ < $", "~ <= $", "~ > $", "$ < ~"), literals, args
	case 6:
		constant()
		return g.one("~ BETWEEN $ AND $", "~ NOT BETWEEN $ AND $", "~ >= $ AND ~ < $"), literals, args
	case 7:
		if s := literals[0]; strings.HasPrefix(s, "'") {
			s = s[1 : len(s)-1]
			s = s[:min(len(s), 1+g.IntN(3))]
			return "~ LIKE '" + strings.ToValidUTF8(strings.NewReplacer(`\`, "", "'", "").Replace(s), "") + g.one("%", "_", "", "%x") + "'", nil, nil
		}
	}
	constant()
	return g.one("~ IN ($, $)", "(~, Q) IN (($, 'n'), ($, 'm'))", "~ NOT IN ($, $)", "~ = $ OR ~ = $"), literals, args
}

// compare runs a random statement in both forms, and in MariaDB.
func (g *keyFunctionGen) compare(db, peer *sql.DB) {
	shared := peer != nil
	f := g.function(shared)
	condition, literals, args := g.condition(db, f)
	marks := slices.Repeat([]string{"?"}, len(args))
	k := of(f, "K")
	switch g.IntN(6) {
	case 0:
		g.change(db, conditionWith(condition, k, literals...), conditionWith(condition, opaque(k), literals...))
		return
	case 1:
		g.view(db, k, func(id string, constants []string) string { return conditionWith(condition, id, constants...) }, literals, marks, args)
		return
	case 2:
		g.join(db, shared)
		return
	}
	where := func(w string) string { return "SELECT HEX(K), Q, T FROM kf WHERE " + w }
	found := where(conditionWith(condition, k, literals...))
	want := g.answer(db, where(conditionWith(condition, opaque(k), literals...)))
	require.Equal(g.t, want, g.answer(db, found), found)
	require.Equal(g.t, g.answer(db, where(conditionWith(condition, opaque(k), marks...)), args...), g.answer(db, where(conditionWith(condition, k, marks...)), args...),
		"%s %#v", condition, args)
	// For rows in IN, and for bytes beside text, MariaDB uses the left row's collation, and the text's.
	if shared && !strings.Contains(condition, "LIKE") && !strings.Contains(condition, "(~, Q)") && !strings.Contains(found, "X'") {
		require.Equal(g.t, g.answer(peer, found), want, found)
	}
	order := func(by string) string { return " ORDER BY " + by + g.one("", " DESC") + ", K, Q, T LIMIT 7" }
	tail := order("~")
	require.Equal(g.t, harness.Lines(g.t, db, found+conditionWith(tail, opaque(k))), harness.Lines(g.t, db, found+conditionWith(tail, k)), found+tail)
}

func (g *keyFunctionGen) answer(db harness.Execer, query string, args ...any) []string {
	out := harness.Lines(g.t, db, query, args...)
	slices.Sort(out)
	return out
}

// change compares what UPDATE and DELETE do with what SELECT finds. What is only a warning in a SELECT is
// an error there, for rows that are read.
func (g *keyFunctionGen) change(db *sql.DB, found, opaque string) {
	tx, err := db.Begin()
	require.NoError(g.t, err)
	defer func() { require.NoError(g.t, tx.Rollback()) }()
	all, want := g.answer(tx, "SELECT HEX(K), Q, T FROM kf"), g.answer(tx, "SELECT HEX(K), Q, T FROM kf WHERE "+opaque)
	r, err := tx.Exec(g.one("DELETE FROM kf", "UPDATE kf SET V = 'changed', K = CONCAT('changed ', K)") + " WHERE " + found)
	if err != nil {
		require.Contains(g.t, []uint16{1292, 1300, 1062, 1406}, harness.NumberOf(err), found)
		return
	}
	n, err := r.RowsAffected()
	require.NoError(g.t, err)
	require.Len(g.t, want, int(n), found)
	left := slices.DeleteFunc(all, func(row string) bool { return slices.Contains(want, row) })
	require.Equal(g.t, left, g.answer(tx, "SELECT HEX(K), Q, T FROM kf WHERE K NOT LIKE 'changed %'"), found)
}

// view compares conditions on a column of a view, of a view of it, and of a pivot.
func (g *keyFunctionGen) view(db *sql.DB, k string, where func(string, []string) string, literals, marks []string, args []any) {
	rows := "SELECT " + k + " AS id, K, Q, T FROM kf"
	if g.IntN(2) == 0 {
		rows = "SELECT " + k + " AS id, K, MAX(Q) AS Q, MAX(CASE WHEN Q = 'n' THEN V END) AS n FROM kf GROUP BY K"
	}
	harness.Must(g.t, db, "CREATE OR REPLACE VIEW kv AS "+rows, "CREATE OR REPLACE VIEW kw AS SELECT * FROM kv")
	from := "SELECT * FROM " + g.one("kv", "kw") + " WHERE "
	require.Equal(g.t, g.answer(db, from+where(opaque("id"), literals)), g.answer(db, from+where("id", literals)), "%s: %s", rows, where("id", literals))
	require.Equal(g.t, g.answer(db, from+where(opaque("id"), marks), args...), g.answer(db, from+where("id", marks), args...), "%s: %s %#v", rows,
		where("id", marks), args)
}

// join compares joins by functions of the keys of one side.
func (g *keyFunctionGen) join(db *sql.DB, shared bool) {
	k := of(g.function(shared), "b.K")
	other := g.one("a.V", "CAST(a.V AS CHAR)", "CAST(a.V AS SIGNED)", "a.T", "a.K", "CAST(a.K AS CHAR)", "CAST(a.K AS CHAR) COLLATE utf8mb4_bin",
		of(g.function(shared), "a.K"))
	on := g.one("~ = "+other, other+" = ~ AND b.Q = 'n'", "~ IN ("+other+", 'a')", "~ <=> "+other)
	joined := "SELECT HEX(a.K), a.Q, a.T, HEX(b.K), b.Q, b.T FROM kf a " + g.one("", "LEFT ") + "JOIN kf b ON " + on
	require.Equal(g.t, g.answer(db, conditionWith(joined, opaque(k))), g.answer(db, conditionWith(joined, k)), conditionWith(joined, k))
	in := "SELECT HEX(b.K), b.Q, b.T FROM kf b WHERE ~ IN (SELECT " + other + " FROM kf a WHERE a.Q = 'n')"
	require.Equal(g.t, g.answer(db, conditionWith(in, opaque(k))), g.answer(db, conditionWith(in, k)), conditionWith(in, k))
}

// TestEmptySpansTakeNoSeeks: the many spans of a number's forms need few seeks in each partition
// whose keys are digits.
func TestEmptySpansTakeNoSeeks(t *testing.T) {
	for partitions, layout := range map[int]string{1: "", 7: " PARTITION BY KEY(K) PARTITIONS 7"} {
		db := harness.OpenDB(t, ":memory:")
		harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable+layout)
		var cells []string
		for i := range 2000 {
			cells = append(cells, fmt.Sprintf("('%d', 'q', 1, 'v')", i))
		}
		harness.Must(t, db, "INSERT INTO t VALUES "+strings.Join(cells, ", "))
		for _, where := range []string{"CAST(K AS UNSIGNED) = 42", "CAST(K AS SIGNED) IN (42, 4200)", "CAST(K AS CHAR(20)) = '42'", "CAST(K AS CHAR) = 42"} {
			require.Len(t, harness.Lines(t, db, "SELECT V FROM t WHERE "+where), 1)
			did := harness.Reads.FindString(strings.Join(harness.Lines(t, db,
				"EXPLAIN ANALYZE SELECT V FROM t WHERE "+where), ""))
			var rows, cells, seeks int
			_, err := fmt.Sscanf(did, "rows %d, cells %d, seeks %d", &rows, &cells, &seeks)
			require.NoError(t, err, did)
			require.LessOrEqual(t, cells, 12*partitions, where)
			require.LessOrEqual(t, seeks, 8*partitions, where)
		}
	}
}
