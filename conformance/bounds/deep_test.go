package bounds

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// deepStack is how much stack a goroutine may use while the shapes run, a
// quarter of Go's own limit, in bytes.
const deepStack = 256 << 20

// TestDeepShapes runs statements that are as deep, high or long as possible, in
// a separate process, because a stack overflow would end it.
func TestDeepShapes(t *testing.T) {
	const inside = "HBASEKV_DEEP"
	if os.Getenv(inside) != "" {
		debug.SetMaxStack(deepStack)
		runDeepShapes(t)
		return
	}
	if !*harness.Long || harness.RaceDetector {
		t.Skip("give -long")
	}
	var out bytes.Buffer
	cmd := exec.Command(os.Args[0], "-test.run=^TestDeepShapes$", "-test.timeout=5m")
	cmd.Env = append(os.Environ(), inside+"=1")
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		before, after, _ := strings.Cut(out.String(), "goroutine stack exceeds")
		t.Fatalf("%v\n%s%.3000s", err, before[max(0, len(before)-500):], after)
	}
}

func runDeepShapes(t *testing.T) {
	db := harness.OpenDB(t, ":memory:")
	harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable,
		"INSERT INTO t VALUES ('a', 'q', 1, 'v'), ('b', 'q', 1, '7')")
	for _, s := range deepShapes() {
		for _, statement := range s.statements {
			fmt.Fprintf(os.Stderr, "running %s: %.60s\n", s.name, statement)
			if _, err := harness.TryLines(db, statement); err != nil {
				var known *mysql.MySQLError
				require.ErrorAs(t, err, &known, s.name)
			}
		}
	}
}

// deepShape is statements that are run one after another.
type deepShape struct {
	name       string
	statements []string
}

func wrapped(n int, before, core, after string) string {
	return strings.Repeat(before, n) + core + strings.Repeat(after, n)
}

// high is a little less than the maximum height of a tree.
const high = 1<<16 - 10

// deepExprs are expressions over K, Q, T and V.
func deepExprs() map[string]string {
	out := map[string]string{
		"rows":         "(K, Q) IN (('a', 'q')" + strings.Repeat(", ('a', 'q')", 100_000) + ")",
		"list":         "K IN ('a'" + strings.Repeat(", 'a'", 100_000) + ")",
		"case of many": "CASE" + strings.Repeat(" WHEN T = 5 THEN 1", 50_000) + " END",
		"arguments":    "CONCAT(K" + strings.Repeat(", Q", 100_000) + ")",
	}
	for name, op := range map[string]string{
		"and": " AND K <> 'z'", "or": " OR K = 'z'", "xor": " XOR T = 1", "plus": " + T", "is": " IS NULL",
		"collate":  " COLLATE utf8mb4_bin",
		"interval": " + INTERVAL 1 DAY", "bits": " | T", "div": " DIV 1", "mixed": " OR K = 'a' AND Q = 'q'",
	} {
		out[name] = "T" + strings.Repeat(op, high)
	}
	for name, n := range map[string][3]string{
		"not": {"NOT ", "K = 'a'", ""}, "parentheses": {"(", "K = 'a'", ")"}, "calls": {"CONCAT(", "K", ")"},
		"between": {"1 BETWEEN 1 AND ", "1", ""},
		"case":    {"CASE WHEN T = 1 THEN ", "1", " END"}, "ifs": {"IF(T = 1, ", "1", ", 0)"}, "json": {"JSON_ARRAY(",
			"1", ")"}, "minuses": {"- ", "T", ""},
		"tuples": {"(1, ", "1", ")"}, "subqueries": {"(SELECT ", "K", ")"}, "exists": {
			"EXISTS (SELECT 1 FROM t AS x WHERE ", "t.K <> 'x'", ")"},
		"in": {"1 IN (", "1", ")"}, "cast": {"CAST(", "K", " AS CHAR)"}, "less": {"((", "K", ", 1) < (1, 1))"},
	} {
		for _, depth := range []int{64, 198, 50_000} {
			out[fmt.Sprintf("%s %d", name, depth)] = wrapped(depth, n[0], n[1], n[2])
		}
	}
	return out
}

var deepPlaces = []string{
	"SELECT # FROM t", "SELECT * FROM t WHERE #", "SELECT K FROM t GROUP BY #", "SELECT K FROM t ORDER BY #",
	"SELECT # FROM t GROUP BY #", "SELECT # AS c FROM t GROUP BY c HAVING c = # ORDER BY c, #",
	"SELECT DISTINCT # FROM t ORDER BY #", "SELECT MAX(#), COUNT(DISTINCT #) FROM t HAVING MAX(#) = 1",
	"SELECT # FROM t UNION SELECT # FROM t ORDER BY 1",
	"SELECT K FROM t HAVING #",
	"SELECT MAX(#) FROM t", "SELECT * FROM t AS x JOIN t USING (K, Q, T, V) WHERE #",
	"SELECT 1 FROM t LEFT JOIN (SELECT 1 AS y) AS z ON #",
	"SELECT * FROM (SELECT # AS c FROM t) AS d WHERE c = 1", "EXPLAIN SELECT * FROM t WHERE #",
	"EXPLAIN FORMAT=TREE SELECT * FROM t WHERE #",
	"EXPLAIN FORMAT=JSON SELECT * FROM t WHERE #", "EXPLAIN ANALYZE SELECT * FROM t WHERE #",
	"UPDATE t SET V = 'x' WHERE #", "UPDATE t SET V = (#) WHERE K = 'none'", "DELETE FROM t WHERE K = 'none' AND (#)",
	"INSERT INTO t SELECT K, Q, T, # FROM t WHERE K = 'none'",
	"INSERT INTO t VALUES ('c', 'q', 1, 1) ON DUPLICATE KEY UPDATE V = (#)",
	"SELECT 1 UNION SELECT # FROM t", "WITH c AS (SELECT # AS x FROM t) SELECT * FROM c WHERE x = 1",
	"SELECT * FROM t WHERE K IN (SELECT K FROM t WHERE #)", "DO (SELECT # FROM t LIMIT 1)",
	"SET @a = (SELECT # FROM t LIMIT 1)",
	"CREATE OR REPLACE VIEW hv AS SELECT # AS c FROM t; SELECT * FROM hv WHERE c = 1; " +
		"SHOW CREATE VIEW hv; SELECT * FROM information_schema.views; SHOW COLUMNS FROM hv",
}

func deepShapes() []deepShape {
	return slices.Concat(deepInPlaces(), deepViews(), deepQueries(), deepLists(), deepDocuments())
}

// deepInPlaces are all the expressions in two places, and some in all places.
func deepInPlaces() (out []deepShape) {
	exprs := deepExprs()
	put := func(name, place string) {
		out = append(out, deepShape{name, strings.Split(strings.ReplaceAll(place, "#", exprs[name]), "; ")})
	}
	for _, name := range slices.Sorted(maps.Keys(exprs)) {
		put(name, "SELECT * FROM t WHERE #")
		put(name, "SELECT # FROM t")
	}
	for _, place := range deepPlaces {
		put("or", place)
		put("exists 64", place)
	}
	return out
}

// deepViews are views that refer to each other.
func deepViews() (out []deepShape) {
	for name, next := range map[string]string{
		"in views":    "SELECT K, V FROM v%i",
		"of tables":   "SELECT * FROM " + wrapped(60, "(SELECT * FROM ", "v%i", ") AS d"),
		"that grow":   "SELECT K, V" + strings.Repeat(" + 1", 3000) + " AS V FROM v%i",
		"that ask":    "SELECT K, V FROM t WHERE (SELECT COUNT(*) FROM v%i)" + strings.Repeat(" + T", 60_000),
		"that double": "SELECT K, V + V AS V FROM v%i",
		"that test":   "SELECT K, V AND V AS V FROM v%i",
		"that join":   "SELECT a.K, b.V FROM v%i a JOIN v%i b ON a.K = b.K",
		"that unite":  "SELECT K, V FROM v%i UNION SELECT K, V FROM v%i",
	} {
		s := deepShape{name: "views " + name, statements: []string{
			"CREATE OR REPLACE VIEW v0 AS SELECT K, V FROM t"}}
		for i := range 25 {
			body := strings.ReplaceAll(next, "%i", fmt.Sprint(i))
			s.statements = append(s.statements, fmt.Sprintf("CREATE OR REPLACE VIEW v%d AS %s", i+1, body))
		}
		for _, use := range []string{"SELECT * FROM # WHERE V = '1'", "SELECT K FROM # ORDER BY V",
			"SELECT V, COUNT(*) FROM # GROUP BY V", "SELECT MAX(V) FROM #",
			"EXPLAIN FORMAT=TREE SELECT * FROM # WHERE V = '1'", "EXPLAIN SELECT * FROM #", "SHOW COLUMNS FROM #",
			"SHOW CREATE VIEW #", "SELECT COUNT(*) FROM information_schema.columns"} {
			s.statements = append(s.statements, strings.ReplaceAll(use, "#", "v10"), strings.ReplaceAll(use, "#",
				"v25"))
		}
		out = append(out, s)
	}
	long := deepShape{name: "a chain of views", statements: []string{"CREATE VIEW w0 AS SELECT * FROM t"}}
	for i := range 300 {
		long.statements = append(long.statements, fmt.Sprintf("CREATE VIEW w%d AS SELECT * FROM w%d", i+1, i))
	}
	return append(out, long)
}

// deepQueries are nested and sequential queries.
func deepQueries() (out []deepShape) {
	add := func(name string, statements ...string) { out = append(out, deepShape{name, statements}) }
	for _, item := range []string{"V", "V + V AS V", "V AND V AS V", "MAX(V) AS V"} {
		derived := wrapped(60, "(SELECT "+item+" FROM ", "t", ") AS d")
		add("derived tables", "SELECT * FROM "+derived+" WHERE V = '1'", "SELECT * FROM "+derived+" ORDER BY V",
			"EXPLAIN FORMAT=TREE SELECT V, COUNT(*) FROM "+derived+" GROUP BY V")
		with := "WITH c0 AS (SELECT V FROM t)"
		for i := range 10_000 {
			with += fmt.Sprintf(", c%d AS (SELECT %s FROM c%d)", i+1, item, i)
		}
		for _, use := range []string{" SELECT * FROM c60 WHERE V = '1'", " SELECT * FROM c500 WHERE V = '1'",
			" SELECT * FROM c10000 WHERE V = '1'"} {
			add("common table expressions", with+use)
		}
	}
	asking := "WITH c0 AS (SELECT V FROM t)"
	for i := range 40 {
		asking += fmt.Sprintf(", c%d AS (SELECT V FROM t WHERE (SELECT COUNT(*) FROM c%d)%s)", i+1, i,
			strings.Repeat(" + T", 60_000))
	}
	add("common table expressions that ask", asking+" SELECT * FROM c40")
	for _, union := range []string{" UNION ", " UNION ALL "} {
		for _, n := range []int{3_000, 100_000} {
			all := "SELECT K FROM t" + strings.Repeat(union+"SELECT 'x'", n)
			add(fmt.Sprint(n, union), all, "SELECT * FROM ("+all+") AS u WHERE K = 'x'", "EXPLAIN FORMAT=TREE "+all,
				"CREATE OR REPLACE VIEW uv AS "+all, "SELECT * FROM uv")
		}
	}
	for _, join := range []string{" JOIN t", ", t", " LEFT JOIN t ON 1", " NATURAL JOIN t"} {
		add("joins", "SELECT 1 FROM t AS a"+strings.Repeat(join, 100_000))
	}
	return out
}

func deepLists() []deepShape {
	return []deepShape{
		{"rows", []string{"INSERT INTO t VALUES ('z', 'q', 1, 1)" + strings.Repeat(", ('z', 'q', 1, 1)", 100_000),
			"VALUES ROW(1)" + strings.Repeat(", ROW(1)", 100_000),
			"SELECT * FROM (VALUES ROW(1)" + strings.Repeat(", ROW(1)", 9_000) + ") AS v"}},
		{"comments", []string{"SELECT " + wrapped(500_000, "/*! ", "1", "*/"), "SELECT /*+ " + wrapped(500_000, "(",
			"", ")") + " */ 1", "SELECT 1 " + strings.Repeat("/* */ ", 300_000)}},
		{"patterns", []string{"SELECT 'a' REGEXP CONCAT(REPEAT('(', 100000), REPEAT(')', 100000))",
			"SELECT 'a' LIKE REPEAT('_', 10000000)",
			"SELECT STR_TO_DATE('1', REPEAT('%T', 1000000))",
			"SELECT DATE_FORMAT('2020-01-01', REPEAT('%r', 100000))"}},
	}
}

func deepDocuments() []deepShape {
	s := deepShape{name: "JSON", statements: []string{
		"SELECT JSON_EXTRACT('1', CONCAT('$', REPEAT('[0]', 6000000)))",
		"SELECT JSON_SET('1', CONCAT('$', REPEAT('[0]', 6000000)), 1)"}}
	for _, doc := range []string{wrapped(100, "[", "", "]"), wrapped(100, `{"a":`, "1", "}"), wrapped(3_000_000, "[",
		"", "]"), wrapped(1_000_000, `{"a":`, "1", "}")} {
		for _, call := range []string{"JSON_VALID(#)", "JSON_PRETTY(#)", "JSON_DEPTH(#)", "JSON_MERGE_PRESERVE(#, #)",
			"JSON_MERGE_PATCH(#, #)", "JSON_CONTAINS(#, #)", "JSON_OVERLAPS(#, #)", "# MEMBER OF (#)",
			"JSON_ARRAY_INSERT(#, '$[0]', #)", "JSON_STORAGE_SIZE(#)", "JSON_VALUE(#, '$' RETURNING JSON)",
			"JSON_SEARCH(#, 'all', 'x')", "JSON_EXTRACT(#, '$**.a')", "JSON_ARRAY(CAST(# AS JSON))",
			"CAST(# AS JSON) = CAST(# AS JSON)", "JSON_ARRAYAGG(CAST(# AS JSON))"} {
			s.statements = append(s.statements, "SELECT "+strings.ReplaceAll(call, "#", "'"+doc+"'"))
		}
	}
	return []deepShape{s}
}
