package sqlfront_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
	"github.com/hbasekv/hbasekv/sqlfront"
)

var sharingN = flag.Int("sharing.n", 1500, "statements to compare with and without shared plans")

// sharedTables are tables of each layout, and relations that are not tables: a view with columns of other
// types and a group of families.
const sharedTables = `
CREATE TABLE plain (K varbinary(20), Q varbinary(20), T bigint, V varbinary(100), PRIMARY KEY (K, Q, T));
CREATE TABLE ranges (K varbinary(20), Q varbinary(20), T bigint, V varbinary(100), PRIMARY KEY (K, Q, T)) PARTITION BY RANGE COLUMNS(K) (PARTITION p0 VALUES LESS THAN ('ab'), PARTITION p1 VALUES LESS THAN ('b'), PARTITION p2 VALUES LESS THAN (MAXVALUE));
CREATE TABLE hashed (K varbinary(20), Q varbinary(20), T bigint, V varbinary(100), PRIMARY KEY (K, Q, T)) PARTITION BY KEY(K) PARTITIONS 5;
CREATE TABLE times (K varbinary(20), Q varbinary(20), T bigint, V varbinary(100), G bigint GENERATED ALWAYS AS (ABS(T)), PRIMARY KEY (K, Q, T)) PARTITION BY RANGE COLUMNS(G) (PARTITION p0 VALUES LESS THAN (2), PARTITION p1 VALUES LESS THAN (100), PARTITION p2 VALUES LESS THAN (MAXVALUE));
CREATE TABLE htable$f1 (K varbinary(20), Q varbinary(20), T bigint, V varbinary(100), PRIMARY KEY (K, Q, T));
CREATE VIEW odd AS SELECT T AS K, CAST(V AS CHAR) AS Q, LENGTH(K) AS T, K AS V FROM plain;
CREATE VIEW named AS SELECT K, Q, V AS T, V FROM plain`

var sharedNames = []string{"plain", "ranges", "hashed", "times", "plain", "odd", "d.ranges AS x", "missing"}

func sharedEngine(t testing.TB) *sqlfront.Engine {
	e := newEngine(t)
	s := newSession(t, e, "a")
	defer s.Close()
	for _, sql := range strings.Split(sharedTables, ";\n") {
		mustExec(t, s, sql)
	}
	for _, table := range storedTables {
		refill(t, s, table)
	}
	return e
}

var storedTables = []string{"plain", "ranges", "hashed", "times"}

func refill(t testing.TB, s *sqlfront.Session, table string) {
	mustExec(t, s, "DELETE /*+ VERSIONS(ALL) */ FROM "+table)
	mustExec(t, s, "INSERT INTO "+table+` (K, Q, T, V) VALUES ('a', 'q', 1, 'x'), ('a', 'q', 2, '12'), ('a', 'q1', 5, NULL), ('ab', 'q', -5, 'abc'),
			('b', '', 100, ''), ('B', 'name', 1, '1e1'), ('user1', 'q', 0, 'a%b'), ('user2', 'q', 1700000000000, '12abc'), ('10', '9', 9, ' 12')`)
}

// sharedGen makes statements of the forms that are shared, and similar ones that are not.
type sharedGen struct{ r *rand.Rand }

func (g sharedGen) one(of ...string) string { return of[g.r.IntN(len(of))] }

func (g sharedGen) literal() string {
	return g.one("'a'", "'ab'", "'b'", "''", "'q'", "\"q\"\"1\"", "'user%'", "'it''s'", `'\0\%'`, "'10'", "' 12'", "'1e1'", "'abc'", "1", "0", "-5", "007", "2", "100", "1700000000000",
		"9223372036854775807", "-9223372036854775808", "18446744073709551615", "1.5", "1e1", "- 5", "X'61'", "X'61'", "0x32", "x''", "b'1'", "_binary'a'", "N'a'", "'a' 'b'", "NULL", "TRUE", "DATE '2020-01-01'")
}

func (g sharedGen) column() string {
	return g.one("K", "K", "Q", "T", "T", "V", "`K`", "x.K", "k", "G", "nothing")
}

func (g sharedGen) predicate() string {
	c, not := g.column(), g.one("", "", " NOT")
	switch g.r.IntN(9) {
	case 0:
		return c + not + " BETWEEN " + g.literal() + " AND " + g.literal()
	case 1:
		return c + not + " IN (" + g.literal() + ", " + g.literal() + ")"
	case 2:
		return c + not + " LIKE " + g.one("'a%'", "'%'", "'a_'", "'user%'", g.literal()) + g.one("", "", "", " ESCAPE '|'")
	case 3:
		return g.one("LENGTH(V) > 1", "K = Q", "V IS NULL", "1 = 0", "T = 1 + 1", "K + 0 = 10", "'a' = K", "(K, Q) = ('a', 'q')", "T = 1 = 1", "K = 'a' IS TRUE", "LEFT(K, 1) = 'a'", "K = 'a' COLLATE utf8mb4_bin")
	}
	return c + g.one("=", " = ", " < ", ">", "<=", " >= ", "<>", "!=", "<=>", " REGEXP ") + g.literal()
}

func (g sharedGen) where(depth int) string {
	if depth == 0 || g.r.IntN(3) == 0 {
		return g.predicate()
	}
	a, b := g.where(depth-1), g.where(depth-1)
	return g.one(a+" AND "+b, a+" and "+b, "("+a+" OR "+b+")", a+" || "+b, "NOT ("+a+")", "NOT "+a, a+" XOR "+b, "("+a+") IS NOT TRUE", a+" /* 'why' */ AND -- so\n"+b)
}

func (g sharedGen) statement() string {
	table, where := sharedNames[g.r.IntN(len(sharedNames))], " WHERE "+g.where(2)
	switch g.r.IntN(8) {
	case 0:
		return "UPDATE " + table + " SET " + g.one("V", "V", "V", "Q", "T", "K") + " = " + g.literal() + g.one("", ", V = "+g.literal(), ", V = CONCAT(V, 'x')") + where + g.one("", " ORDER BY K, Q LIMIT 2")
	case 1:
		return "DELETE FROM " + strings.TrimSuffix(table, " AS x") + where + g.one("", " LIMIT 1")
	case 2:
		having := g.one(" HAVING COUNT(*) > ", " HAVING MIN(T) <> ", " HAVING K = ", " HAVING LEFT(K, 1) = ", " HAVING SUM(T + 1) < ", " HAVING LEFT(K, 1) IN ('a', 'b') OR K > ") + g.literal()
		return "SELECT " + g.one("COUNT(*), MAX(V)", "V, COUNT(*)", "K, MIN(Q)", "SUM(T), 'x' = 'x'", "LEFT(K, 1), SUM(T + 1)") + " FROM " + table + where +
			g.one("", " GROUP BY K", " GROUP BY 1", " GROUP BY K, Q", " GROUP BY LEFT(K, 1)") + g.one("", having)
	case 3:
		return "SELECT (SELECT MAX(T) FROM plain WHERE K = 'a') FROM " + table + where
	}
	return g.one("SELECT ", "select\n", "SELECT /*+ VERSIONS(ALL) */ ", "SELECT DISTINCT ") + g.one("*", "K, Q, V", "1+1, 'a', K = 'a'", "T, V AS `x`") + " FROM " + table + where +
		g.one("", " ORDER BY 1 LIMIT 3", " ORDER BY K DESC, Q, T LIMIT 1, 2", " FOR UPDATE", " LIMIT 0", ";")
}

// TestSharedPlansAnswerAlike compares statements that share plans with the same statements planned with their
// literals: columns and their types, rows, counts, errors, warnings, and what is stored afterwards.
func TestSharedPlansAnswerAlike(t *testing.T) {
	g := sharedGen{rand.New(rand.NewPCG(testseed.Of(t), 1))}
	alone, together := sharedEngine(t), sharedEngine(t)
	alone.ShareNothing()
	together.ShareAtOnce()
	a, b := newSession(t, alone, "a"), newSession(t, together, "a")
	lifted := 0
	for range *sharingN {
		sql := g.statement()
		if g.r.IntN(40) == 0 {
			sql = g.one("SET sql_mode = ''", "SET sql_mode = DEFAULT")
		}
		compareAnswers(t, a, b, sql, g.r.IntN(2) == 0)
		if st, err := b.Prepare(context.Background(), sql); err == nil && st.Shares() {
			require.Zero(t, st.Parsed.NumParams)
			lifted++
		}
	}
	require.Greater(t, lifted, *sharingN/6)
}

// TestSharedPlansOfNearMisses compares statements whose plan depends on the type of a literal.
func TestSharedPlansOfNearMisses(t *testing.T) {
	alone, together := sharedEngine(t), sharedEngine(t)
	alone.ShareNothing()
	together.ShareAtOnce()
	a, b := newSession(t, alone, "a"), newSession(t, together, "a")
	for _, c := range []struct {
		sql    string
		lifted bool
	}{
		// A string column equal to a number has many values: error 1140.
		{"SELECT V, COUNT(*) FROM plain WHERE V = 12", false},
		{"SELECT V, COUNT(*) FROM plain WHERE V = '12'", true},
		{"SELECT T, COUNT(*) FROM plain WHERE T = 1", true},
		{"SELECT T, COUNT(*) FROM plain WHERE T = '1'", true},
		// In a view T is a string.
		{"SELECT T, COUNT(*) FROM named WHERE T = 12", false},
		{"SELECT T, COUNT(*) FROM named WHERE T = '12'", true},
		{"SELECT * FROM named WHERE T IN (12, 1)", true},
		// Hex literals are numbers beside numbers.
		{"SELECT * FROM plain WHERE T = X'31'", true},
		{"SELECT * FROM plain WHERE T = 0x01 AND K = 'a'", true},
		{"SELECT * FROM plain WHERE K = X'61' AND V > x''", true},
		{"SELECT * FROM odd WHERE K = X'61'", true}, // where K is a number
		{"UPDATE plain SET V = X'31' WHERE K IN (X'61', 0x62)", true},
		{"UPDATE plain SET T = X'31' WHERE K = b'01100001'", true},
		{"SELECT * FROM plain WHERE K = 'a' AND T + 9223372036854775807 > 0", true},
		{"SELECT * FROM plain WHERE K = 'a' AND 1 = 0", true},
		{"SELECT * FROM plain WHERE T = 'abc'", true},
		{"UPDATE plain SET T = 'abc' WHERE K = 'a'", true},
		{"UPDATE plain SET K = 'far too long for the column K' WHERE K = 'a'", true},
		{"SELECT nothing FROM plain WHERE K = 'a'", false},
		{"SELECT * FROM plain WHERE nothing = 'a'", false},
		{"SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'D' AND TABLE_NAME IN ('PLAIN', 'odd')", true},
		{"SELECT * FROM missing WHERE K = 'a'", false},
	} {
		compareAnswers(t, a, b, c.sql, true)
		st, err := b.Prepare(context.Background(), c.sql)
		require.NoError(t, err, c.sql)
		require.Equal(t, c.lifted, st.Shares(), c.sql)
	}
}

// TestSharedPlansOfCommonTables refers to one common table expression where literals are arguments and where
// they are part of the text.
func TestSharedPlansOfCommonTables(t *testing.T) {
	alone, together := sharedEngine(t), sharedEngine(t)
	alone.ShareNothing()
	together.ShareAtOnce()
	a, b := newSession(t, alone, "a"), newSession(t, together, "a")
	for _, form := range []string{
		"WITH c AS (SELECT K, T FROM plain WHERE T < %d) SELECT COUNT(*), (SELECT COUNT(*) FROM c) FROM c",
		"WITH c AS (SELECT K, T FROM plain WHERE T < %d) SELECT (SELECT MAX(T) FROM c), K FROM plain WHERE K IN (SELECT K FROM c)",
		"WITH c AS (SELECT K, T FROM plain WHERE T < %d) SELECT K FROM c GROUP BY K HAVING COUNT(*) < (SELECT COUNT(*) FROM c) ORDER BY (SELECT MIN(T) FROM c), K",
		"WITH c AS (SELECT K, T FROM plain WHERE T < %d), d AS (SELECT (SELECT COUNT(*) FROM c) AS n FROM c) SELECT COUNT(*), MAX(n) FROM d",
		"WITH RECURSIVE c AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM c WHERE n < %d) SELECT COUNT(*), (SELECT SUM(n) FROM c) FROM c",
		"WITH c AS (SELECT K, T FROM plain WHERE T < %d) SELECT (SELECT COUNT(*) FROM c) AS n, COUNT(*) FROM c GROUP BY (SELECT COUNT(*) FROM c)",
	} {
		for _, n := range []int{2, 6, 101, 0} {
			compareAnswers(t, a, b, fmt.Sprintf(form, n), false)
		}
	}
}

// compareAnswers leaves the tables as they were: T of written cells is the clock's.
func compareAnswers(t *testing.T, a, b *sqlfront.Session, sql string, inTx bool) {
	sessions := []*sqlfront.Session{a, b}
	if givesRows(sql) {
		require.Equal(t, wholeAnswer(a, sql), wholeAnswer(b, sql), sql)
		return
	}
	if inTx {
		mustExec(t, a, "BEGIN")
		mustExec(t, b, "BEGIN")
	}
	require.Equal(t, wholeAnswer(a, sql), wholeAnswer(b, sql), sql)
	for _, table := range storedTables {
		if !strings.Contains(sql, table) {
			continue
		}
		all := "SELECT /*+ VERSIONS(ALL) */ K, Q, V, T < 1750000000000 FROM " + table + " ORDER BY K, Q, T"
		require.Equal(t, answer(a, all), answer(b, all), sql)
		for _, s := range sessions {
			if inTx {
				mustExec(t, s, "ROLLBACK")
			} else {
				refill(t, s, table)
			}
		}
		return
	}
	if inTx {
		mustExec(t, a, "ROLLBACK")
		mustExec(t, b, "ROLLBACK")
	}
}

// wholeAnswer is answer with the types of the columns and the warnings.
func wholeAnswer(s *sqlfront.Session, sql string) string {
	out := typedAnswer(s, sql)
	return clockTime.ReplaceAllString(out+fmt.Sprint(s.Warnings()), "CLOCK")
}

func typedAnswer(s *sqlfront.Session, sql string) string {
	ctx := context.Background()
	st, err := s.Prepare(ctx, sql)
	if err != nil {
		return printError(err)
	}
	if !givesRows(sql) {
		return answer(s, sql)
	}
	rows, err := s.Query(ctx, st, nil)
	if err != nil {
		return printError(err)
	}
	return fmt.Sprintf("%+v\n", rows.Columns()) + printRows(rows)
}

var (
	filters = regexp.MustCompile(`(?m)(Filter|where|WHERE|filter)[^\n]*$`)
	clocks  = regexp.MustCompile(`[0-9.]+ ?(ns|µs|us|ms|s)\b`)
)

// TestSharedPlansReadAlike compares what a shared plan reads, by EXPLAIN ANALYZE, with what the plan with the
// literals reads.
func TestSharedPlansReadAlike(t *testing.T) {
	g := sharedGen{rand.New(rand.NewPCG(testseed.Of(t), 2))}
	e := sharedEngine(t)
	e.ShareAtOnce()
	s := newSession(t, e, "a")
	compared := 0
	for range *sharingN {
		sql := strings.TrimSuffix(g.statement(), ";")
		_ = answer(s, "BEGIN")
		_ = answer(s, sql)
		_ = answer(s, "ROLLBACK")
		st, err := s.Prepare(context.Background(), sql)
		if err != nil || !st.Shares() {
			continue
		}
		explain := g.one("EXPLAIN ", "EXPLAIN FORMAT=TREE ", "EXPLAIN ANALYZE ")
		if !strings.HasPrefix(strings.ToUpper(sql), "SELECT") {
			explain = "EXPLAIN "
		}
		st, err = s.Prepare(context.Background(), explain+sql)
		require.NoError(t, err)
		want := explained(s.Query(context.Background(), st, nil))
		require.Equal(t, want, explained(s.ExplainShared(context.Background(), explain+sql)), sql)
		compared++
	}
	require.Greater(t, compared, *sharingN/8)
}

func explained(rows sqlfront.Rows, err error) string {
	if err != nil {
		return printError(err)
	}
	defer rows.Close()
	var out strings.Builder
	for {
		row, err := rows.Next()
		if err == io.EOF {
			return clocks.ReplaceAllString(filters.ReplaceAllString(out.String(), "$1"), "TIME")
		}
		if err != nil {
			return printError(err)
		}
		for _, v := range row {
			out.WriteString(v.String() + " | ")
		}
		out.WriteString("\n")
	}
}
