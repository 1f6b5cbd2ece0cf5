package parse

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
)

// TestNesting: nested texts are read up to a limit, and beyond it refused at once, however deep they are.
func TestNesting(t *testing.T) {
	for _, c := range []struct{ before, after, core string }{
		{"(", ")", "1"}, {"NOT ", "", "1"}, {"- ", "", "a"}, {"!", "", "a"}, {"BINARY ", "", "a"}, {"f(", ")", "1"},
		{"CASE WHEN ", " THEN 1 END", "1"}, {"CAST(", " AS CHAR)", "1"}, {"1 IN (", ")", "1"}, {"TRIM(1 FROM ", ")", "1"},
		{"(SELECT ", ")", "1"}, {"EXISTS (SELECT ", ")", "1"}, {"INTERVAL(1, ", ")", "1"}, {"@a := ", "", "1"},
		{"INTERVAL ", " DAY", "1"}, {"POSITION(", " IN 1)", "1"}, {"1 + (", ")", "1"}, {"1 BETWEEN 1 AND (", ")", "1"},
		{"1 BETWEEN 1 AND ", "", "1"}, {"1 NOT BETWEEN 1 AND ", "", "1"}, {"{fn ", "}", "1"},
	} {
		t.Run(c.before, func(t *testing.T) {
			nested := func(n int) string {
				return "SELECT " + strings.Repeat(c.before, n) + c.core + strings.Repeat(c.after, n)
			}
			_, err := Parse(nested(60))
			require.NoError(t, err)
			_, err = Parse(nested(10_000))
			require.True(t, mysqlerr.Is(err, mysqlerr.Parse), "%v", err)
			require.ErrorContains(t, err, "levels of nesting")
		})
	}
}

// TestManyTokens: a text that is almost only punctuation is refused before it has used much memory.
func TestManyTokens(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes some hundred megabytes")
	}
	_, err := Parse(strings.Repeat("(", lex.MaxTokens+1))
	require.True(t, mysqlerr.Is(err, mysqlerr.CapacityExceeded), "%v", err)
	for _, piece := range []string{",", "a;"} {
		_, err := lex.Pieces(strings.Repeat(piece, lex.MaxTokens+1))
		require.True(t, mysqlerr.Is(err, mysqlerr.CapacityExceeded), "%q: %v", piece, err)
	}
}

func TestNestedTables(t *testing.T) {
	for _, c := range []struct{ before, after string }{
		{"(", ")"}, {"(SELECT * FROM ", ") x"}, {"a JOIN (", ")"}, {"a LEFT JOIN ", " ON 1"}, {"a RIGHT JOIN ", " ON 1"},
	} {
		nested := func(n int) string {
			return "SELECT * FROM " + strings.Repeat(c.before, n) + "t" + strings.Repeat(c.after, n)
		}
		_, err := Parse(nested(60))
		require.NoError(t, err)
		_, err = Parse(nested(10_000))
		require.ErrorContains(t, err, "levels of nesting", c.before)
	}
	_, err := Parse(strings.Repeat("(", 1_000_000))
	require.ErrorContains(t, err, "levels of nesting")
	_, err = Parse("SELECT 1" + strings.Repeat(" UNION SELECT 1", maxUnions+1))
	require.ErrorContains(t, err, "fewer UNIONs")
}

// TestChains: a chain of operators is a tree whose height is the length of the chain.
func TestChains(t *testing.T) {
	for _, op := range []string{" AND a", " OR a", " XOR a", " + a", " IS NULL", " COLLATE x", " , a"} {
		_, err := Parse("SELECT a" + strings.Repeat(op, 10_000))
		require.NoError(t, err, op)
		_, err = Parse("SELECT a" + strings.Repeat(op, 70_000))
		if op == " , a" {
			require.NoError(t, err, op)
			continue
		}
		require.ErrorContains(t, err, "operators in one expression", op)
	}
	_, err := Parse("SELECT a" + strings.Repeat(" = a", 100))
	require.NoError(t, err)
	_, err = Parse("SELECT a" + strings.Repeat(" = a", 1000))
	require.ErrorContains(t, err, "levels of nesting")
}

// TestHeightInSubqueries: the heights of what is in a subquery, and on the left of a UNION or of a JOIN, are
// added.
func TestHeightInSubqueries(t *testing.T) {
	half := strings.Repeat(" + 1", maxHeight/2)
	for _, sql := range []string{
		"SELECT (SELECT 1" + half + ")" + half,
		"SELECT * FROM t WHERE (K IN (SELECT 1" + half + "))" + half,
		"SELECT (SELECT K FROM (SELECT 1" + half + ") x)" + half,
		"SELECT 1" + strings.Repeat(" + 1", maxHeight-10) + strings.Repeat(" UNION SELECT 1", 20),
		"SELECT * FROM (SELECT 1" + strings.Repeat(" + 1", maxHeight-10) + ") x" + strings.Repeat(" JOIN t", 20),
	} {
		_, err := Parse(sql)
		require.ErrorContains(t, err, "operators in one expression", sql[:50])
	}
	_, err := Parse("SELECT * FROM t" + strings.Repeat(" JOIN t", 70_000))
	require.ErrorContains(t, err, "operators in one expression")
	_, err = Parse("SELECT 1" + half + ", 1" + half + ", (SELECT 1" + half + ") UNION SELECT 1, 1, 1" + half)
	require.NoError(t, err)
}

func TestLongStatements(t *testing.T) {
	p, err := Parse("SELECT * FROM t WHERE K IN (?" + strings.Repeat(",?", 49_999) + ")")
	require.NoError(t, err)
	require.Equal(t, 50_000, p.NumParams)

	p, err = Parse("INSERT INTO t VALUES (1,'q',?,X'00')" + strings.Repeat(", (1,'q',?,X'00')", 9_999))
	require.NoError(t, err)
	require.Len(t, p.Stmt.(*ast.Insert).Node.Rows, 10_000)
	require.Len(t, literals(p), 20_000)

	big := strings.Repeat("'\x00\xff\\", 1<<18)
	quoted := strings.NewReplacer("'", "''", `\`, `\\`, "\x00", `\0`).Replace(big)
	p, err = Parse("SELECT '" + quoted + "'")
	require.NoError(t, err)
	require.Equal(t, big, string(literals(p)[0].Bytes))
	require.LessOrEqual(t, len(p.Stmt.(*ast.Select).Node.(*sqlparser.Select).SelectExprs[0].(*ast.Item).Label), 4*ast.MaxLabel)
}

// TestBadBytes: literals may have any bytes; outside of them NUL and text that is not UTF-8 are errors at
// their position.
func TestBadBytes(t *testing.T) {
	p, err := Parse("SELECT '\x00\xff', _binary'\x80'")
	require.NoError(t, err)
	require.Equal(t, []byte{0, 0xff}, literals(p)[0].Bytes)
	require.Equal(t, []byte{0x80}, literals(p)[1].Bytes)
	for sql, position := range map[string]int{
		"SELECT \x00": 8, "SELECT a\x00": 9, "SELECT a\xff": 8, "SELECT `a\x00b`": 8, "SELECT `\xff`": 8, "SELECT @\xff": 8,
		"\x00": 1, "\xff": 1, "SELECT 1\\": 9, "SELECT 1 \x01": 10, "SELECT 1 ^^ 2": 11,
	} {
		_, err := Parse(sql)
		require.True(t, mysqlerr.Is(err, mysqlerr.Parse), "%q: %v", sql, err)
		require.ErrorContains(t, err, fmt.Sprintf("(position %d", position), "%q", sql)
	}
}

// TestErrorsSayTheLine: the line counts from 1.
func TestErrorsSayTheLine(t *testing.T) {
	_, err := Parse("SELECT 1\nFROM t\nWHERE ,")
	require.ErrorContains(t, err, "near ',' at line 3 (position 23; expected an expression)")
}

func TestParseAtOnce(t *testing.T) {
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for j := range 200 {
				p, err := Parse(fmt.Sprintf("SELECT '%d', K FROM t WHERE K = %d XOR Q = ?", i, j))
				if err != nil || string(literals(p)[0].Bytes) != fmt.Sprint(i) {
					t.Errorf("%v %v", p, err)
				}
			}
		})
	}
	all.Wait()
}

func BenchmarkParse(b *testing.B) {
	for name, sql := range map[string]string{
		"get":      "SELECT K,Q,T,V FROM htable1$family1 WHERE K = ? AND Q = ?",
		"insert":   "INSERT INTO htable1$family1 (K, Q, T, V) VALUES (?, ?, ?, ?)",
		"rows1000": "INSERT INTO t VALUES (?,?,?,?)" + strings.Repeat(",(?,?,?,?)", 999),
		"show":     "SHOW FULL TABLES FROM hb LIKE 'x%'",
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(sql)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Parse(sql); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
