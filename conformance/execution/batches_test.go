package execution

import (
	"database/sql"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

var batchStatements = flag.Int("batches.statements", 15, "statements of TestBatchesDoNotShow")

// batchTable has rows with most of the qualifiers a..e, with values that are digits,
// texts, empty, NULL and of other kinds, and some with several versions.
func batchTable(t *testing.T, r *rand.Rand, partitioning string) *sql.DB {
	db := harness.OpenDB(t, ":memory:")
	harness.Must(t, db, "CREATE TABLE t (K varbinary(64), Q varbinary(64), T bigint, V varbinary(200), PRIMARY KEY (K, Q, T))"+partitioning)
	var rows []string
	for i := range 400 {
		for _, q := range "abcde" {
			if r.IntN(4) == 0 {
				continue
			}
			for range 1 + r.IntN(2)*r.IntN(3) {
				rows = append(rows, fmt.Sprintf("('%c%03d', '%c', %d, %s)", 'p'+rune(i%3), i, q, 1_700_000_000_000+r.Int64N(40_000_000_000), batchValue(r, q)))
			}
		}
	}
	harness.Must(t, db, "REPLACE INTO t VALUES "+strings.Join(rows, ", "))
	harness.Must(t, db, "CREATE TABLE d (K varbinary(64), Q varbinary(64), T bigint, V varbinary(200), PRIMARY KEY (K, Q, T))")
	for i := range 14 {
		harness.Must(t, db, fmt.Sprintf("REPLACE INTO d VALUES ('C%d', 'q', %d, '%d'), ('%[1]d', 'q', 1, 'x')", i, i%3,
			i*7))
	}
	return db
}

// batchValue is usually of the qualifier's own kind.
func batchValue(r *rand.Rand, q rune) string {
	kind := q
	if r.IntN(150) == 0 {
		kind = rune("abcdef"[r.IntN(6)])
	}
	switch kind {
	case 'a':
		return fmt.Sprintf("'%d'", r.IntN(50)-10)
	case 'b':
		return fmt.Sprintf("'C%d'", r.IntN(12))
	case 'c':
		return fmt.Sprintf("'%d.%d'", r.IntN(9), r.IntN(100))
	case 'd':
		return []string{"''", "'x'", "'Y'", "'xyz'", "'y_%'"}[r.IntN(5)]
	case 'e':
		return []string{"NULL", "'7'", "' 8 '", "'-0'", "'99999999999999999999'", "'0x1'", "'1e3'"}[r.IntN(7)]
	}
	return fmt.Sprintf("'%d zwei'", r.IntN(9))
}

// batchGen generates statements like those of report tools.
type batchGen struct{ *rand.Rand }

func (g batchGen) one(of ...string) string { return of[g.IntN(len(of))] }

// scalar is an expression over the columns of the table.
func (g batchGen) scalar(depth int) string {
	if depth == 0 {
		return g.one("K", "Q", "V", "T", "V", "LENGTH(V)", "LEFT(K, 2)", "1", "'7'", "NULL")
	}
	s := func() string { return g.scalar(depth - 1) }
	form := g.one("%[1]s", "CASE WHEN %[3]s THEN %[1]s END", "IF(%[3]s, %[1]s, %[2]s)", "CAST(%[1]s AS SIGNED)", "(%[1]s + %[2]s)",
		"(T DIV %[4]d)", "(%[1]s MOD 7)", "LEFT(%[1]s, %[4]d)", "SUBSTR(%[1]s, %[4]d, 2)", "CONCAT(%[1]s, %[2]s)", "LENGTH(%[1]s)",
		"IFNULL(%[1]s, %[2]s)", "CAST(%[1]s AS DOUBLE)", "HOUR(FROM_UNIXTIME(T DIV 1000))", "DATE_FORMAT(FROM_UNIXTIME(T / 1000), '%%Y-%%m')",
		"CASE Q WHEN 'a' THEN %[1]s WHEN 'b' THEN V ELSE %[2]s END", "(%[1]s - 1)", "(%[1]s * %[2]s)", "NULLIF(%[1]s, %[2]s)",
		"DATE(FROM_UNIXTIME(T / 1000))", "FROM_UNIXTIME(T DIV 1000)", "(%[1]s * 2.5 + 1)", "(%[1]s / %[4]d)", "(V - %[2]s)", "COALESCE(%[1]s, %[2]s, 'x')",
		"CASE WHEN %[3]s THEN 'low' WHEN V > 3 THEN %[1]s ELSE 2.5 END", "(%[3]s)", "UPPER(%[1]s)", "ISNULL(%[1]s)", "CASE WHEN %[3]s THEN V + 1 ELSE 2 END")
	return strings.NewReplacer("%[1]s", s(), "%[2]s", s(), "%[3]s", g.condition(depth-1), "%[4]d", fmt.Sprint(1+g.IntN(4)), "%%", "%").Replace(form)
}

func (g batchGen) condition(depth int) string {
	switch g.IntN(9) {
	case 7:
		x := g.one("V", "V", "T DIV 1000000000", "CAST(V AS SIGNED)", "LEFT(V, 1)", "V + 0", g.scalar(max(depth, 0)))
		return fmt.Sprintf("%s %s%s", x, g.one("", "NOT "), g.one("BETWEEN 3 AND 7", "BETWEEN 1.5 AND 9.25", "BETWEEN '1' AND 'x'", "BETWEEN 1e0 AND 7", "BETWEEN NULL AND 5",
			"BETWEEN V AND Q", "IN ('7', 'x', 'C1')", "IN (3, 7, 1700)", "IN (1, '7', 'x')", "IN ('x', NULL)", "IN (1.5, 2)",
			"IN ('1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11', '12', '13', '14', '15', '16', '17', '18')"))
	case 8:
		return fmt.Sprintf("%s %s %s", g.one("FROM_UNIXTIME(T / 1000)", "FROM_UNIXTIME(T DIV 1000)", "FROM_UNIXTIME(T / 1000000)", "DATE(FROM_UNIXTIME(T / 1000))", "V", "T", "CAST(V AS DOUBLE)"),
			g.one("=", "<", ">", "<=", ">=", "<>"), g.one("'2023-12-01 12:30:00.5'", "'2024-01-01'", "DATE '2024-01-10'", "20231224", "'2023-00-01'", "2.5", "-1e0", "1e300",
				"'1720000000000'", "1720000000000.5", "CAST(3 AS UNSIGNED)", "'03:00'"))
	case 0, 1:
		return fmt.Sprintf("Q = '%c'", 'a'+rune(g.IntN(6)))
	case 2:
		return fmt.Sprintf("%s %s %s", g.scalar(max(depth, 0)), g.one("=", "<", ">", "<=", ">=", "<>"), g.one("'7'", "3", "'C1'", "'x'", "T"))
	case 3:
		return fmt.Sprintf("V LIKE '%s'", g.one("C1%", "%1", "x", "_", `y\_%`))
	case 4:
		return g.scalar(max(depth, 0)) + " IS " + g.one("", "NOT ") + "NULL"
	case 5:
		return fmt.Sprintf("(%s %s %s)", g.condition(depth-1), g.one("AND", "OR"), g.condition(depth-1))
	}
	return g.one("Q IN ('a', 'c')", "NOT (V > '5')", "T > 1720000000000", "V BETWEEN '1' AND '5'")
}

func (g batchGen) aggregate() string {
	x := g.scalar(g.IntN(3))
	return strings.ReplaceAll(g.one("COUNT(*)", "COUNT(%s)", "SUM(%s)", "AVG(%s)", "MIN(%s)", "MAX(%s)", "COUNT(DISTINCT %s)", "SUM(DISTINCT %s)", "MAX(%s)",
		"GROUP_CONCAT(%s ORDER BY 1)", "GROUP_CONCAT(%s, Q ORDER BY T DESC, K, Q SEPARATOR '')", "GROUP_CONCAT(DISTINCT %s ORDER BY 1)", "JSON_ARRAYAGG(%s)", "JSON_OBJECTAGG(Q, %s)",
		"JSON_OBJECTAGG(%s, T)", "BIT_OR(%s)"), "%s", x)
}

// ofQualifier is an aggregate of only the cells of one qualifier.
func (g batchGen) ofQualifier() string {
	then := g.one("V", "V", "CAST(V AS SIGNED)", "LENGTH(V)", "V + 0", "LEFT(V, 2)", "IFNULL(V, 'none')", "1", "T", "K", "CONCAT(K, T, V)")
	return fmt.Sprintf(g.one("MAX(CASE WHEN Q = '%c' THEN %s END)", "MIN(IF(Q = '%c', %s, NULL))", "COUNT(CASE Q WHEN '%c' THEN %s END)",
		"MAX(CASE WHEN '%c' = Q THEN %s ELSE NULL END)", "SUM(CASE WHEN Q = '%c' THEN %s END)", "COUNT(DISTINCT IF(Q = '%c', %s, NULL))", "SUM(CASE WHEN Q = '%c' AND %s > '3' THEN 7 ELSE 0 END)",
		"SUM(IF(Q = '%c', ISNULL(%s), 0))", "SUM(Q = '%[1]c')", "GROUP_CONCAT(IF(Q = '%c', %s, NULL))", "MAX(CASE WHEN Q = '%c' AND T > 1720000000000 AND V > '3' THEN %s END)"), 'a'+rune(g.IntN(6)), then)
}

// cells is a condition that selects cells of the table, usually all.
func (g batchGen) cells() string {
	return g.one("", "", " WHERE K > 'p2'", " WHERE Q IN ('a', 'b', 'e')", " WHERE K = 'none'")
}

// pivot is a subquery with columns K, x, y, n, sometimes only of the cells of one qualifier.
func (g batchGen) pivot() string {
	if g.IntN(3) == 0 {
		return fmt.Sprintf("(SELECT K, %s AS x, %s AS y, %s AS n FROM t%s GROUP BY K%s) p", g.ofQualifier(), g.ofQualifier(), g.ofQualifier(),
			g.cells(), g.one("", " HAVING x IS NOT NULL"))
	}
	column := func() string {
		q := 'a' + rune(g.IntN(6))
		then := g.one("V", "V", "V", "CAST(V AS SIGNED)", "T", "1", "LENGTH(V)", "CONCAT(V, 'x')")
		return fmt.Sprintf(g.one("MAX(CASE WHEN Q = '%c' THEN %s END)", "MIN(IF(Q = '%c', %s, NULL))", "COUNT(CASE Q WHEN '%c' THEN %s END)",
			"SUM(CASE WHEN '%c' = Q THEN %s END)", "MAX(CASE WHEN Q = '%c' AND T > 0 THEN %s END)", "MAX(CASE WHEN Q = '%c' THEN %s ELSE NULL END)",
			"COUNT(DISTINCT CASE WHEN Q <> '%c' THEN %s END)"), q, then)
	}
	where, having := "", ""
	if g.IntN(3) == 0 {
		where = " WHERE " + g.condition(1)
	}
	if g.IntN(4) == 0 {
		having = " HAVING " + g.one("x IS NOT NULL", "x > '1'", "n > 1", "y + 1 > 3")
	}
	return fmt.Sprintf("(SELECT K, %s AS x, %s AS y, %s AS n FROM t%s GROUP BY K%s) p", column(), column(), g.one("COUNT(*)", "MAX(T)", column()), where, having)
}

// join is a join of cells or of pivots, without an order.
func (g batchGen) join() string {
	also := g.one("", "", " AND b.V <> ''", " AND a.V > b.V", " AND a.T - b.T > 0", " AND a.V + 1 > 3", " AND b.T < 1720000000000")
	from := g.one("t a %s t b ON b.K = a.K AND b.Q = a.Q", "t a %s t b ON a.K = b.K AND b.Q = 'b'", "t a %s t b ON a.K = b.K AND a.Q = 'a'",
		"t a %s t b ON b.V = a.V AND b.Q = 'c' AND LEFT(a.K, 3) = LEFT(b.K, 3)", "t a %s t b ON b.Q = a.V AND b.K < 'p02'",
		"t a %s (SELECT V, Q, COUNT(*) AS T, CAST(V AS SIGNED) AS K FROM t WHERE K < 'q' GROUP BY V, Q) b ON b.V = a.V AND b.Q = a.Q",
		"t a %s d b ON b.K = a.V", "t a %s d b ON b.K = a.V AND b.T = 1", "t a JOIN t c ON c.K = a.K AND c.Q = a.Q %s d b ON b.K = c.V")
	from = fmt.Sprintf(from, g.one("JOIN", "LEFT JOIN")) + also
	return fmt.Sprintf(g.one("SELECT COUNT(*), COUNT(b.V), SUM(b.T %% 7), MAX(a.V) FROM %s", "SELECT a.Q, COUNT(*), MIN(b.V), SUM(b.K) FROM %s GROUP BY a.Q",
		"SELECT b.V, COUNT(*), MAX(a.T) FROM %s WHERE a.K > 'p1' GROUP BY b.V", "SELECT a.K, a.Q, b.V FROM %s",
		"SELECT COUNT(*), SUM(a.V) FROM %s WHERE a.V LIKE 'C%%' AND b.V > '1'", "SELECT DISTINCT a.Q, b.V FROM %s"), from)
}

// chosen are rows that others select: semi and anti joins.
func (g batchGen) chosen() string {
	other := g.one("t", "t", "d") + " b"
	values := g.one("K", "Q", "V", "V", "T", "NULLIF(V, '1')", "LEFT(K, 2)", "CAST(V AS SIGNED)", "NULL")
	cond := g.one("%[1]s IN (SELECT %[2]s FROM %[3]s%[4]s)", "%[1]s NOT IN (SELECT %[2]s FROM %[3]s%[4]s)", "%[1]s IN (SELECT %[2]s FROM %[3]s%[4]s GROUP BY 1)",
		"EXISTS (SELECT 1 FROM %[3]s WHERE b.K = a.K AND b.Q = 'b')", "NOT EXISTS (SELECT * FROM d b WHERE b.V = a.V AND b.Q <> a.Q AND b.T % 3 = 1)",
		"EXISTS (SELECT %[2]s FROM %[3]s WHERE b.K = a.V AND b.V IS NOT NULL)", "NOT EXISTS (SELECT 1 FROM %[3]s WHERE b.K = a.K AND a.Q = b.Q AND b.T > 1720000000000)",
		"EXISTS (SELECT 1 FROM d b WHERE b.Q = a.Q AND b.V + 1 > 7)", "%[1]s IN (SELECT %[2]s FROM d b WHERE b.Q = a.Q)")
	where := g.one("", " WHERE b.T % 5 = 0", " WHERE b.V + 1 > 3", " WHERE b.Q = 'b'", " WHERE b.K < 'p02'", " WHERE b.K = 'none'", " WHERE b.V IS NOT NULL")
	cond = strings.NewReplacer("%[1]s", g.one("a.K", "a.Q", "a.V", "a.V", "a.T", "LEFT(a.V, 1)"), "%[2]s", values, "%[3]s", other, "%[4]s", where).Replace(cond)
	cond = strings.ReplaceAll(g.one("%s", "%s", "a.Q <> 'c' AND %s", "a.K > 'p1' AND %s", "(%s OR a.V > '5')", "NOT %s", "(%s) IS NULL", "a.V + 1 > 2 AND %s"), "%s", cond)
	if g.IntN(4) == 0 {
		of := strings.NewReplacer("a.Q", "a.x", "a.V", "a.y", "a.T", "a.n").Replace(cond)
		return "SELECT x, COUNT(*), MAX(n) FROM " + strings.TrimSuffix(g.pivot(), "p") + "a WHERE " + of + " GROUP BY x"
	}
	return strings.ReplaceAll(g.one("SELECT a.Q, COUNT(*), MAX(a.T) FROM t a WHERE @ GROUP BY a.Q", "SELECT COUNT(*), SUM(a.V) FROM t a WHERE @",
		"SELECT a.K, a.Q, a.V FROM t a WHERE @", "SELECT a.V, b.T FROM t a JOIN t b ON b.K = a.K AND b.Q = a.Q WHERE @"), "@", cond)
}

// first are the first rows in an order.
func (g batchGen) first() string {
	x := g.one("V", "T", "Q", g.scalar(g.IntN(3)))
	return fmt.Sprintf(g.one("SELECT %s AS x FROM t %s ORDER BY x %s LIMIT %d", "SELECT K, Q, V, %s AS x FROM t %s ORDER BY x %s, K, Q LIMIT %d"), x,
		g.one("", "", "WHERE "+g.condition(1)), g.one("", "DESC"), 1+g.IntN(30))
}

// window are calls over frames that end at the row, move, or look back.
func (g batchGen) window() string {
	call := g.one("SUM(n)", "AVG(y)", "SUM(CAST(x AS SIGNED))", "COUNT(x)", "MIN(y)", "MAX(n)", "FIRST_VALUE(x)", "LAST_VALUE(n)", "NTH_VALUE(y, 2)", "STDDEV_POP(n)",
		"SUM(n / 3)", "BIT_OR(n)") + g.one(" OVER (PARTITION BY x ORDER BY y, K", " OVER (ORDER BY n, K", " OVER (PARTITION BY x, n ORDER BY K") +
		g.one(")", " ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)", " ROWS BETWEEN 1 FOLLOWING AND 3 FOLLOWING)", " ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)")
	call = g.one(call, call, "SUM(n) OVER (PARTITION BY x)", "COUNT(*) OVER (ORDER BY n)", "LAG(y, 2, 'x') OVER (PARTITION BY x ORDER BY K)", "LEAD(n) OVER (ORDER BY y, K)",
		"SUM(n) OVER (ORDER BY CAST(y AS SIGNED) RANGE BETWEEN 2 PRECEDING AND 1 FOLLOWING)")
	return fmt.Sprintf(g.one("SELECT K, %s AS w FROM %s", "SELECT COUNT(*), MAX(w), MIN(w), SUM(w) FROM (SELECT %s AS w FROM %s) z",
		"SELECT x, w FROM (SELECT x, %s AS w FROM %s) z WHERE w > 1 LIMIT 7"), call, g.pivot())
}

// union is the rows of several parts, some of which warn, or have other types.
func (g batchGen) union() string {
	part := func() string {
		return fmt.Sprintf("SELECT %s, %s, %s, %s FROM %s", g.one("K", "K", "LEFT(K, 2)", "T"), g.one("Q", "Q", "'q'", "NULL"), g.one("T", "T", "V", "T / 7", "1e0"),
			g.one("V", "V", "CAST(V AS SIGNED)", "LENGTH(V)", g.scalar(1)), g.one("t", "t", "d", "t WHERE "+g.condition(1), "t WHERE Q = 'none'",
				"(SELECT * FROM t UNION ALL SELECT * FROM d) s", "(SELECT K, Q, MAX(T) AS T, MIN(V) AS V FROM t GROUP BY K, Q) s",
				"(SELECT LEFT(V, 2) AS K, Q, COUNT(*) AS T, MAX(V) AS V FROM t GROUP BY LEFT(V, 2), Q) s",
				"(SELECT Q AS K, "+g.scalar(1)+" AS Q, "+g.aggregate()+" AS T, MIN("+g.scalar(1)+") AS V FROM t GROUP BY Q, 2) s"))
	}
	all := func() string {
		return g.one(" UNION ALL ", " UNION ALL ", " UNION ALL ", " UNION ", " EXCEPT ", " EXCEPT ALL ", " INTERSECT ", " INTERSECT ALL ")
	}
	u := "(SELECT K, Q, T, V FROM t" + g.one("", " WHERE K < 'q1'", " WHERE "+g.condition(1)) + all() + part()
	for range g.IntN(3) {
		u += all() + part()
	}
	return fmt.Sprintf(g.one("SELECT Q, COUNT(*), MAX(V), MIN(T), SUM(V) FROM %s GROUP BY Q", "SELECT V, COUNT(*) FROM %s GROUP BY V", "SELECT COUNT(*) FROM %s",
		"SELECT K, MAX(CASE WHEN Q = 'a' THEN V END) AS x, COUNT(*) FROM %s GROUP BY K", "SELECT * FROM %s WHERE V > '5'", "SELECT DISTINCT K, V FROM %s",
		"SELECT x, COUNT(*), SUM(n), MAX(y) FROM (SELECT K, MAX(CASE WHEN Q = 'a' THEN V END) AS x, COUNT(*) AS n, AVG(T) AS y FROM %s GROUP BY K) p WHERE n > 1 GROUP BY x",
		"SELECT LENGTH(V) FROM %s WHERE T > 5", "SELECT COUNT(*), MAX(T) FROM %s WHERE "+g.condition(1), "SELECT K, T, V FROM %s ORDER BY V, T, K, Q LIMIT 9",
		"SELECT t.K, COUNT(*) FROM %s JOIN t ON t.K = u.K GROUP BY t.K"), u+") u")
}

func (g batchGen) statement() string {
	switch g.IntN(16) {
	case 15:
		asked := fmt.Sprintf("%s, %s FROM t%s", g.ofQualifier(), g.ofQualifier(), g.cells())
		return g.one("SELECT "+asked, "SELECT LEFT(K, 2), "+asked+" GROUP BY LEFT(K, 2)", "SELECT LENGTH(K), LEFT(K, 1), "+asked+" GROUP BY LEFT(K, 1), LENGTH(K)")
	case 13:
		return g.window()
	case 14:
		return g.first()
	case 11, 12:
		return g.chosen()
	case 8, 9, 10:
		return g.join()
	case 5:
		return fmt.Sprintf("SELECT K, x, y, n FROM %s %s ORDER BY %s, K %s", g.pivot(), g.one("", "WHERE y > '3'", "WHERE LENGTH(x) + 1 > 2"),
			g.one("CAST(x AS SIGNED) DESC", "y", "n DESC, x", "x IS NULL, y DESC"), g.one("", "LIMIT 10", "LIMIT 3, 5", "LIMIT 2000"))
	case 6:
		return fmt.Sprintf(g.one("SELECT DISTINCT x, n FROM %s", "SELECT DISTINCT LEFT(K, 2), y FROM %s WHERE x IS NOT NULL", "SELECT COUNT(*), MAX(x), SUM(y) FROM %s",
			"SELECT COUNT(DISTINCT x, y), GROUP_CONCAT(DISTINCT n ORDER BY n) FROM %s", "SELECT LEFT(K, 1), COUNT(*), AVG(y) FROM %s GROUP BY LEFT(K, 1)"), g.pivot())
	case 7:
		return fmt.Sprintf(g.one("SELECT K, x, ROW_NUMBER() OVER (PARTITION BY x ORDER BY y, K) FROM %s", "SELECT K, n - LAG(n) OVER (ORDER BY K) FROM %s",
			"SELECT q, MAX(y) FROM (SELECT x, y, NTILE(4) OVER (ORDER BY CAST(y AS SIGNED), K) AS q FROM %s) w GROUP BY q"), g.pivot())
	case 0:
		return fmt.Sprintf("SELECT %s, %s FROM t WHERE %s", g.aggregate(), g.aggregate(), g.condition(2))
	case 1:
		return fmt.Sprintf("SELECT K, x, y, n FROM %s", g.pivot())
	case 2:
		return fmt.Sprintf("SELECT x, COUNT(*), AVG(y), MAX(n), SUM(CAST(y AS SIGNED)) FROM %s %s GROUP BY x", g.pivot(),
			g.one("", "WHERE y > '3'", "WHERE x LIKE 'C%'", "WHERE n = 1", "WHERE LENGTH(x) + 1 > 2"))
	case 3:
		return fmt.Sprintf("SELECT p.x, COUNT(*), MAX(r.y) FROM %s JOIN %s ON r.K = p.K GROUP BY p.x", g.pivot(), strings.TrimSuffix(g.pivot(), "p")+"r")
	}
	key := g.scalar(g.IntN(3))
	return fmt.Sprintf("SELECT %s AS g, %s AS a, %s AS b FROM t %s GROUP BY g %s", key, g.aggregate(), g.aggregate(),
		g.one("", "WHERE "+g.condition(2)), g.one("", "HAVING a IS NOT NULL", "HAVING COUNT(*) > 2"))
}

// TestBatchesDoNotShow: nothing depends on how many cells are evaluated together,
// nor on the number of goroutines.
func TestBatchesDoNotShow(t *testing.T) { testBatches(t, batchGen.statement) }

// TestBatchesOfUnionsDoNotShow is the same for the parts of unions.
func TestBatchesOfUnionsDoNotShow(t *testing.T) { testBatches(t, batchGen.union) }

func testBatches(t *testing.T, draw func(batchGen) string) {
	seed := testseed.Of(t)
	for name, partitioning := range map[string]string{"one": "", "key5": " PARTITION BY KEY(K) PARTITIONS 5"} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 1))
			db := batchTable(t, r, partitioning)
			g := batchGen{r}
			conns := batchConns(t, db)
			for range *batchStatements {
				conns.requireSame(t, draw(g))
			}
		})
	}
}

// batchSessions are sessions of one store, by batch size in cells and number of goroutines.
type batchSessions map[[2]int]*sql.Conn

func batchConns(t *testing.T, db *sql.DB) batchSessions {
	conns := batchSessions{}
	for _, batch := range []int{harness.OneByOne, 0, 1, 7, 1024} {
		for _, workers := range []int{1, 3} {
			conn, err := db.Conn(t.Context())
			require.NoError(t, err)
			t.Cleanup(func() { conn.Close() })
			harness.Must(t, conn, fmt.Sprintf("SET hbasekv_batch_cells = %d, hbasekv_parallelism = %d, max_error_count = 60000, sql_mode = 'ERROR_FOR_DIVISION_BY_ZERO'", batch, workers))
			conns[[2]int{batch, workers}] = conn
		}
	}
	return conns
}

func (s batchSessions) requireSame(t *testing.T, statement string) {
	t.Helper()
	alone := [2]int{harness.OneByOne, 1}
	want := harness.AnswerOf(t, s[alone], statement)
	for at, conn := range s {
		if at == alone {
			continue
		}
		require.Equal(t, want, harness.AnswerOf(t, conn, statement), "%s\nbatches of %d, %d goroutines", statement, at[0], at[1])
	}
}

// TestBatchesOfSetOperations reads some columns of rows that are distinct by all, and rows some
// of which are omitted, sorted or evaluated late.
func TestBatchesOfSetOperations(t *testing.T) {
	conns := batchConns(t, batchTable(t, rand.New(rand.NewPCG(1, 2)), ""))
	for _, statement := range []string{
		"SELECT COUNT(*), MAX(T) FROM (SELECT K, Q, T, V FROM t EXCEPT SELECT K, Q, T, V FROM t WHERE Q = 'd') u WHERE V > '1'",
		"SELECT MIN(V) FROM (SELECT Q, V FROM t INTERSECT SELECT Q, V FROM t WHERE T > 5) u",
		"SELECT COUNT(*) FROM (SELECT DISTINCT Q, LENGTH(V) FROM t) u",
		"SELECT COUNT(*) FROM (SELECT K, LENGTH(V) FROM t UNION SELECT Q, T FROM t) u",
		"SELECT MAX(x) FROM (SELECT K AS x, V AS y FROM t UNION ALL SELECT 1e0, T FROM t) u WHERE x IS NOT NULL",
		"SELECT K FROM t UNION SELECT Q FROM t ORDER BY (SELECT 1), LENGTH(K), K LIMIT 7, 90",
		"SELECT K, T FROM t UNION ALL SELECT Q, T FROM t ORDER BY T % 3, CONCAT(K, T), K",
		"SELECT COUNT(x), SUM(T) FROM (SELECT UPPER(V) AS x, T, K FROM t ORDER BY LENGTH(V), K, Q, T LIMIT 20, 200) u",
		"SELECT SUM(CAST(n AS SIGNED)), MAX(K) FROM (SELECT K, @n := @n + 1 AS n FROM t, (SELECT @n := 0) i ORDER BY K, Q, T) u",
		"WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 300) SELECT COUNT(*), SUM(n) FROM r WHERE n > 2",
		"SELECT x.V, COUNT(*) FROM (SELECT V, K FROM t EXCEPT SELECT V, K FROM t WHERE T < 3) x JOIN t ON t.K = x.K GROUP BY x.V ORDER BY x.V",
	} {
		conns.requireSame(t, statement)
	}
}

// TestBatchesAboveWindows reads above a window the expressions that order it, with and
// without warnings for some row.
func TestBatchesAboveWindows(t *testing.T) {
	db := harness.OpenDB(t, ":memory:")
	harness.Must(t, db, "CREATE TABLE t (K varbinary(64), Q varbinary(64), T bigint, V varbinary(200), PRIMARY KEY (K, Q, T))")
	var rows []string
	for i := range 240 {
		rows = append(rows, fmt.Sprintf("('k%03d', '%c', %d, '%d%s')", i, 'a'+i%3, i, i*7%50, []string{"", "", "x"}[i%3]))
	}
	harness.Must(t, db, "INSERT INTO t VALUES "+strings.Join(rows, ", ")+", ('none', 'a', 1, '')")
	conns := batchConns(t, db)
	for _, key := range []string{"CAST(V AS SIGNED)", "V + 0", "LEFT(V, 1)", "NULLIF(CAST(V AS SIGNED), 7)", "T % 5", "T % 5 DESC", "HEX(V)"} {
		asked := strings.TrimSuffix(key, " DESC")
		for _, where := range []string{"", " WHERE Q = 'b'", " WHERE Q <> 'c' AND K < 'n'"} {
			from := " FROM (SELECT " + asked + " AS d, " + asked + " IS NULL AS e, NTILE(5) OVER (ORDER BY " + key + ") AS n FROM t" + where + ") x"
			conns.requireSame(t, "SELECT MAX(d), MIN(d), COUNT(d), SUM(e)"+from+" WHERE n = 3")
			conns.requireSame(t, "SELECT n, MAX(d), COUNT(*)"+from+" GROUP BY n ORDER BY n")
			conns.requireSame(t, "SELECT d, e, n"+from+" WHERE n < 3 AND d > '1'")
		}
	}
}

// TestBatchesOfManyQualifiers queries tables whose rows have few, many and long qualifiers,
// some with bytes of all kinds, or none.
func TestBatchesOfManyQualifiers(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 0))
	for _, many := range []int{3, 200, 700} {
		db := harness.OpenDB(t, ":memory:")
		harness.Must(t, db, "CREATE TABLE t (K varbinary(64), Q varbinary(64), T bigint, V varbinary(200), PRIMARY KEY (K, Q, T))")
		names := []string{"''", "'\\0'", "'a\\0b'", "'0123456789'", "'012345678\\0'", "'01234567890123456'", "'01234567x90123456'", "'q7'"}
		for i := range many {
			names = append(names, fmt.Sprintf("'q%d'", i))
		}
		for i := range 12 {
			var rows []string
			for at, q := range names {
				if r.IntN(5) > 0 {
					rows = append(rows, fmt.Sprintf("('k%02d', %s, %d, '%d')", i/2*2, q, 86_400_000*(i%5)+at, at+i))
				}
			}
			harness.Must(t, db, "REPLACE INTO t VALUES "+strings.Join(rows, ", "))
		}
		conns := batchConns(t, db)
		for _, q := range []string{
			"SELECT Q, COUNT(*), MAX(LENGTH(V)), AVG(CAST(V AS SIGNED)), MIN(T) FROM t GROUP BY Q ORDER BY Q",
			"SELECT Q, LEFT(K, 2), COUNT(*) FROM t GROUP BY Q, LEFT(K, 2) ORDER BY Q",
			"SELECT DATE(FROM_UNIXTIME(T DIV 1000)) AS d, Q, COUNT(*) FROM t GROUP BY d, Q ORDER BY d, Q",
			"SELECT YEAR(FROM_UNIXTIME(T DIV 1000)) AS y, COUNT(*) FROM t GROUP BY y",
			"SELECT DATE_FORMAT(FROM_UNIXTIME(IF(Q = 'q2', NULL, T DIV 1000)), '%d') AS d, COUNT(*), MAX(T) FROM t GROUP BY d ORDER BY d",
			"SELECT K, MAX(CASE WHEN Q = '0123456789' THEN V END), MIN(CASE Q WHEN '' THEN V END), COUNT(IF(Q = 'q1', 1, NULL)), " +
				"AVG(CASE WHEN Q = 'a\\0b' THEN CAST(V AS SIGNED) END), MAX(CASE WHEN Q = 'q7' THEN T END) FROM t GROUP BY K",
			"SELECT K, MAX(CASE WHEN Q = '01234567x90123456' THEN V END), SUM(CASE WHEN Q = '012345678\\0' THEN T END) FROM t GROUP BY K",
		} {
			conns.requireSame(t, q)
		}
	}
}

// TestBatchesOfEmptyStrings distinguishes what is made of the empty string from NULL.
func TestBatchesOfEmptyStrings(t *testing.T) {
	db := harness.OpenDB(t, ":memory:")
	harness.Must(t, db, "CREATE TABLE t (K varbinary(64), Q varbinary(64), T bigint, V varbinary(200), PRIMARY KEY (K, Q, T))")
	for i := range 200 {
		harness.Must(t, db, fmt.Sprintf("INSERT INTO t VALUES ('k%03d', '', %d, '')", i, i%7))
	}
	conns := batchConns(t, db)
	for _, x := range []string{"CONCAT(Q, V)", "CONCAT('', Q)", "COALESCE(V, Q)", "NULLIF(V, 'x')", "NULLIF(V, '')", "LEFT(V, 2)", "UPPER(V)", "CASE WHEN T > 3 THEN V ELSE '' END",
		"SUBSTR(K, 9)", "CONCAT(IF(T > 3, V, NULL), Q)", "V IN ('', 'x')", "V BETWEEN '' AND 'x'", "V = ''"} {
		conns.requireSame(t, "SELECT K, "+x+" FROM t WHERE T <> 8 ORDER BY T, K")
		conns.requireSame(t, "SELECT "+x+" AS x, COUNT(*), COUNT("+x+") FROM t GROUP BY x")
	}
}

// TestBatchesOfManyPairs is the same for joins in which each row has many partners, when
// what is above them fails in so many batches that no more are used.
func TestBatchesOfManyPairs(t *testing.T) {
	db := harness.OpenDB(t, ":memory:")
	harness.Must(t, db, "CREATE TABLE t (K varbinary(64), Q varbinary(64), T bigint, V varbinary(200), PRIMARY KEY (K, Q, T))")
	var rows []string
	for i := range 168 { // some 9,000 pairs, each of which may warn
		rows = append(rows, fmt.Sprintf("('k%03d', 'q', %d, '%c')", i, i, "xyyyz0"[i%6]))
	}
	harness.Must(t, db, "INSERT INTO t VALUES "+strings.Join(rows, ", "))
	conns := batchConns(t, db)
	for _, join := range []string{
		"t a JOIN t b ON a.V = b.V", "t a LEFT JOIN t b ON a.V = b.V AND a.T > b.T", "t a JOIN t b ON a.V = b.V AND CAST(b.V AS SIGNED) = 0",
		"t a JOIN t b ON LEFT(a.K, 2) = LEFT(b.K, 2) AND a.Q = b.Q", "t a JOIN (SELECT V, T FROM t WHERE Q = 'q') b ON a.V = b.V",
		"t a JOIN t b ON a.K = b.K JOIN t c ON c.V = b.V",
	} {
		for _, asked := range []string{"AVG(CAST(a.V AS SIGNED))", "SUM(b.V)", "SUM(CASE WHEN a.T % 7 = 0 THEN a.V END)"} {
			conns.requireSame(t, "SELECT LEFT(a.K, 3) AS g, COUNT(*), COUNT(b.T), "+asked+" FROM "+join+" GROUP BY g ORDER BY g")
		}
	}
}
