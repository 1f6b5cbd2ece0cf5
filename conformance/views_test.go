package conformance

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// viewed are the versions that the views are shown on: the value is the
// version's number.
const viewed = "a/q/5/5 a/q/3/3 a/q/1/1 a/r/2/2 b/q/4/4 b/q/-5/-5 c/q/7/7"

// viewCase is a condition or a whole view on table t, and its versions as
// K/Q/T.
type viewCase struct {
	name    string
	session string // SET before
	query   string // % stands for SELECT's list
	args    []any
	want    string
	fails   uint16
}

const (
	latestOnes = "a/q/5 a/r/2 b/q/4 c/q/7"
	allOnes    = "a/q/5 a/q/3 a/q/1 a/r/2 b/q/4 b/q/-5 c/q/7"
	newestTwo  = "a/q/5 a/q/3 a/r/2 b/q/4 b/q/-5 c/q/7"
)

var viewCases = []viewCase{
	{name: "latest is the default", query: "SELECT % FROM t", want: latestOnes},
	{name: "all by hint", query: "SELECT /*+ VERSIONS(ALL) */ % FROM t", want: allOnes},
	{name: "all by period", query: "SELECT % FROM t FOR SYSTEM_TIME ALL", want: allOnes},
	{name: "all by session", session: "SET hbasekv_versions = 'all'", query: "SELECT % FROM t", want: allOnes},
	{name: "newest two", query: "SELECT /*+ VERSIONS(2) */ % FROM t", want: newestTwo},
	{name: "newest one", query: "SELECT /*+ VERSIONS(1) */ % FROM t", want: latestOnes},
	{name: "newest many", query: "SELECT /*+ VERSIONS(2147483647) */ % FROM t", want: allOnes},
	{name: "newest none", query: "SELECT /*+ VERSIONS(0) */ % FROM t", fails: 1210},
	{name: "newest by a placeholder", query: "SELECT /*+ VERSIONS(?) */ % FROM t WHERE K = ?", args: []any{2, "a"}, want: "a/q/5 a/q/3 a/r/2"},
	{name: "newest two by session", session: "SET hbasekv_versions = 2", query: "SELECT % FROM t", want: newestTwo},
	{name: "as of", query: "SELECT % FROM t FOR SYSTEM_TIME AS OF 4", want: "a/q/3 a/r/2 b/q/4"},
	{name: "as of a negative", query: "SELECT % FROM t FOR SYSTEM_TIME AS OF -5", want: "b/q/-5"},
	{name: "as of before all", query: "SELECT % FROM t FOR SYSTEM_TIME AS OF -6", want: ""},
	{name: "as of the start of time", query: "SELECT % FROM t FOR SYSTEM_TIME AS OF -9223372036854775808", want: ""},
	{name: "as of the end of time", query: "SELECT % FROM t FOR SYSTEM_TIME AS OF 9223372036854775807", want: latestOnes},
	{name: "as of a placeholder", query: "SELECT % FROM t FOR SYSTEM_TIME AS OF ? WHERE K <> ?", args: []any{-1, "z"}, want: "b/q/-5"},
	{name: "as of a negative placeholder sign", query: "SELECT % FROM t FOR SYSTEM_TIME AS OF -?", args: []any{5}, want: "b/q/-5"},
	{name: "time range, newest", query: "SELECT /*+ TIMERANGE(1, 5) */ % FROM t", want: "a/q/3 a/r/2 b/q/4"},
	{name: "time range, all", query: "SELECT /*+ TIMERANGE(1, 5) VERSIONS(ALL) */ % FROM t", want: "a/q/3 a/q/1 a/r/2 b/q/4"},
	{name: "time range, two", query: "SELECT /*+ VERSIONS(2) TIMERANGE(-5, 6) */ % FROM t", want: "a/q/5 a/q/3 a/r/2 b/q/4 b/q/-5"},
	{name: "time range of the session's all", session: "SET hbasekv_versions = 'all'", query: "SELECT /*+ TIMERANGE(1, 5) */ % FROM t", want: "a/q/3 a/q/1 a/r/2 b/q/4"},
	{name: "time range, empty", query: "SELECT /*+ TIMERANGE(4, 4) */ % FROM t", want: ""},
	{name: "time range, reversed", query: "SELECT /*+ TIMERANGE(5, 1) */ % FROM t", want: ""},
	{name: "time range by placeholders", query: "SELECT /*+ TIMERANGE(?, ?) VERSIONS(?) */ % FROM t LIMIT ?", args: []any{-5, 4, 1, 2}, want: "a/q/3 a/r/2"},
	{name: "from to", query: "SELECT % FROM t FOR SYSTEM_TIME FROM 1 TO 5", want: "a/q/3 a/q/1 a/r/2 b/q/4"},
	{name: "between", query: "SELECT % FROM t FOR SYSTEM_TIME BETWEEN 1 AND 5", want: "a/q/5 a/q/3 a/q/1 a/r/2 b/q/4"},
	{name: "between negatives", query: "SELECT % FROM t FOR SYSTEM_TIME BETWEEN -9 AND -5", want: "b/q/-5"},
	{name: "between the ends", query: "SELECT % FROM t FOR SYSTEM_TIME BETWEEN -9223372036854775808 AND 9223372036854775807", want: allOnes},
	{name: "from the start to the start", query: "SELECT % FROM t FOR SYSTEM_TIME FROM -9223372036854775808 TO -9223372036854775808", want: ""},
	{name: "between by placeholders", query: "SELECT % FROM t FOR SYSTEM_TIME BETWEEN ? AND ? WHERE Q = ?", args: []any{int64(-5), uint64(3), []byte("q")}, want: "a/q/3 a/q/1 b/q/-5"},
	{name: "between reversed", query: "SELECT % FROM t FOR SYSTEM_TIME BETWEEN 5 AND 1", want: ""},
	{name: "a period needs a time", query: "SELECT % FROM t FOR SYSTEM_TIME AS OF ?", args: []any{"noon"}, fails: 1525},
	{name: "a period is no NULL", query: "SELECT % FROM t FOR SYSTEM_TIME AS OF ?", args: []any{nil}, fails: 1210},

	// Precedence: period, hint, session, DSN.
	{name: "hint beats session", session: "SET hbasekv_versions = 'all'", query: "SELECT /*+ VERSIONS(1) */ % FROM t", want: latestOnes},
	{name: "period beats hint", query: "SELECT /*+ VERSIONS(ALL) */ % FROM t FOR SYSTEM_TIME AS OF 4", want: "a/q/3 a/r/2 b/q/4"},
	{name: "period beats time range", query: "SELECT /*+ TIMERANGE(1, 2) */ % FROM t FOR SYSTEM_TIME ALL", want: allOnes},
	{name: "period beats session", session: "SET hbasekv_versions = 'all'", query: "SELECT % FROM t FOR SYSTEM_TIME AS OF 4", want: "a/q/3 a/r/2 b/q/4"},
	{name: "a period is its table's alone", query: "SELECT % FROM t FOR SYSTEM_TIME ALL WHERE T IN (SELECT T FROM t)", want: latestOnes},
	{name: "a hint is for all tables", query: "SELECT /*+ VERSIONS(ALL) */ % FROM t WHERE EXISTS (SELECT 1 FROM t AS u WHERE u.T = t.T - 2)", want: "a/q/5 a/q/3 b/q/4 c/q/7"},

	// WHERE filters the rows of the view and never changes which they are.
	{name: "where T below, latest", query: "SELECT % FROM t WHERE T < 5", want: "a/r/2 b/q/4"},
	{name: "where T equal, latest", query: "SELECT % FROM t WHERE T = 3", want: ""},
	{name: "where T in, latest", query: "SELECT % FROM t WHERE T IN (1, 2, 3, 4)", want: "a/r/2 b/q/4"},
	{name: "where T between, latest", query: "SELECT % FROM t WHERE T BETWEEN 1 AND 4", want: "a/r/2 b/q/4"},
	{name: "where the cell and T, latest", query: "SELECT % FROM t WHERE K = 'a' AND Q = 'q' AND T = 3", want: ""},
	{name: "where (K,Q,T) is a tuple, latest", query: "SELECT % FROM t WHERE (K, Q, T) IN (('a', 'q', 3), ('c', 'q', 7))", want: "c/q/7"},
	{name: "where T above, latest", query: "SELECT % FROM t WHERE T >= 4", want: "a/q/5 b/q/4 c/q/7"},
	{name: "where V, latest", query: "SELECT % FROM t WHERE V = '3'", want: ""},
	{name: "where V is below, latest", query: "SELECT % FROM t WHERE V + 0 < 5", want: "a/r/2 b/q/4"},
	{name: "where T below, two", query: "SELECT /*+ VERSIONS(2) */ % FROM t WHERE T < 5", want: "a/q/3 a/r/2 b/q/4 b/q/-5"},
	{name: "where T below all of two", query: "SELECT /*+ VERSIONS(2) */ % FROM t WHERE T < 3", want: "a/r/2 b/q/-5"},
	{name: "where T equal, all", query: "SELECT /*+ VERSIONS(ALL) */ % FROM t WHERE T = 3 OR T < 0", want: "a/q/3 b/q/-5"},
	{name: "where T below, as of", query: "SELECT % FROM t FOR SYSTEM_TIME AS OF 5 WHERE T < 4", want: "a/r/2"},
	{name: "where T in a time range", query: "SELECT /*+ TIMERANGE(1, 5) */ % FROM t WHERE T < 3", want: "a/r/2"},
	{name: "where T twice", query: "SELECT % FROM t WHERE T > 1 AND T < 5 AND NOT (T = 2)", want: "b/q/4"},
	{name: "where T, joined", query: "SELECT % FROM t JOIN (SELECT K AS key2 FROM t FOR SYSTEM_TIME ALL WHERE T = 1) AS old ON old.key2 = t.K WHERE T < 5", want: "a/r/2"},
	{name: "limit of the view", query: "SELECT % FROM t WHERE T < 5 LIMIT 1", want: "a/r/2"},
	{name: "having is a filter too", query: "SELECT % FROM t HAVING T < 5", want: "a/r/2 b/q/4"},
	{name: "backwards", query: "SELECT % FROM t WHERE T < 5 ORDER BY K DESC, Q DESC", want: "b/q/4 a/r/2"},
	{name: "backwards, two", query: "SELECT /*+ VERSIONS(2) */ % FROM t ORDER BY K DESC, Q DESC, T", want: "c/q/7 b/q/-5 b/q/4 a/r/2 a/q/3 a/q/5"},
	{name: "backwards, as of", query: "SELECT % FROM t FOR SYSTEM_TIME AS OF 3 ORDER BY K DESC, Q DESC, T", want: "b/q/-5 a/r/2 a/q/3"},
}

// statement asks for HBase's order where the query does not say another.
func (c *viewCase) statement() string {
	query := strings.Replace(c.query, "%", "t.K, t.Q, t.T", 1)
	if strings.Contains(query, "ORDER BY") {
		return query
	}
	head, limit, limited := strings.Cut(query, " LIMIT ")
	query = head + " ORDER BY K, Q, T DESC"
	if limited {
		query += " LIMIT " + limit
	}
	return query
}

func TestViews(t *testing.T) {
	for layout, partitioning := range everyLayout() {
		t.Run(layout, func(t *testing.T) {
			db := openDB(t, ":memory:")
			must(t, db, modelTable("t", layout, partitioning))
			putVersions(t, db, viewed)
			checkViews(t, db)
			must(t, db, "FLUSH TABLES")
			checkViews(t, db)
		})
	}
}

func checkViews(t *testing.T, db *sql.DB) {
	for _, c := range viewCases {
		conn, err := db.Conn(context.Background())
		require.NoError(t, err)
		if c.session != "" {
			must(t, conn, c.session)
		}
		c.check(t, conn)
		if c.session != "" {
			must(t, conn, "SET hbasekv_versions = DEFAULT")
		}
		require.NoError(t, conn.Close())
		if c.session != "" {
			continue
		}
		tx := begin(t, db)
		must(t, tx, "REPLACE INTO t (K, Q, T, V) VALUES ('a', 'q', 6, 'mine')", "DELETE /*+ VERSIONS(ALL) */ FROM t WHERE T = 6")
		c.check(t, tx)
		require.NoError(t, tx.Rollback())
	}
}

func (c *viewCase) check(t *testing.T, db execer) {
	t.Helper()
	got, err := tryLines(db, c.statement(), c.args...)
	if assert.Equal(t, c.fails, numberOf(err), "%s: %s: %v", c.name, c.statement(), err) && err == nil {
		assert.Equal(t, c.want, slashed(got), "%s: %s", c.name, c.statement())
	}
}

func slashed(lines []string) string {
	return strings.ReplaceAll(strings.ReplaceAll(strings.Join(lines, "|"), " ", "/"), "|", " ")
}

// TestViewOfTheDSN holds that the DSN's view is the weakest, and what a session
// goes back to by DEFAULT: in the pool it keeps what it was set to.
func TestViewOfTheDSN(t *testing.T) {
	for versions, want := range map[string]int{"latest": 4, "all": 7, "2": 6} {
		db := openDB(t, ":memory:?versions="+versions)
		db.SetMaxOpenConns(1)
		must(t, db, "CREATE TABLE t "+plainTable)
		putVersions(t, db, viewed)
		for range 2 {
			require.Len(t, lines(t, db, "SELECT K FROM t"), want)
			require.Len(t, lines(t, db, "SELECT /*+ VERSIONS(1) */ K FROM t"), 4)
			require.Len(t, lines(t, db, "SELECT K FROM t FOR SYSTEM_TIME AS OF 4"), 3)
			require.Equal(t, versions, single(t, db, "SELECT @@hbasekv_versions"))
			conn, err := db.Conn(context.Background())
			require.NoError(t, err)
			must(t, conn, "SET hbasekv_versions = 'all'")
			require.Len(t, lines(t, conn, "SELECT K FROM t"), 7)
			must(t, conn, "SET hbasekv_versions = DEFAULT")
			require.Len(t, lines(t, conn, "SELECT K FROM t"), want)
			must(t, conn, "SET hbasekv_versions = 2")
			require.NoError(t, conn.Close())
			require.Len(t, lines(t, db, "SELECT K FROM t"), 6)
			must(t, db, "SET hbasekv_versions = DEFAULT")
		}
		require.EqualValues(t, want, affected(t, db, "UPDATE t SET V = CONCAT(V, 'x')"))
		require.EqualValues(t, map[string]int64{"latest": 4, "all": 7, "2": 6}[versions], affected(t, db, "DELETE FROM t"))
	}
}

// TestViewsOfOneStatementText holds that a cached plan does not keep the view
// of the session or the placeholders that it was made for.
func TestViewsOfOneStatementText(t *testing.T) {
	onLayouts(t, "", func(t *testing.T, db *sql.DB) {
		putVersions(t, db, viewed)
		conn, err := db.Conn(context.Background())
		require.NoError(t, err)
		defer conn.Close()
		require.Equal(t, []string{"latest<5: 2", "all<5: 5", "2<5: 4", "latest<100: 4", "all<0: 1", "1<5: 2",
			"1: 4", "2: 6", "3: 7", "1: 4", "as of -6: 0", "as of -5: 1", "as of 1: 2", "as of 4: 3", "as of 7: 4"}, viewsOfOneText(t, conn))
	})
}

// viewsOfOneText counts the rows of t in views of one statement's text.
func viewsOfOneText(t *testing.T, conn *sql.Conn) (counts []string) {
	st, err := conn.PrepareContext(context.Background(), "SELECT COUNT(*) FROM t WHERE T < ?")
	require.NoError(t, err)
	defer st.Close()
	for _, c := range []struct {
		versions string
		below    int64
	}{{"latest", 5}, {"all", 5}, {"2", 5}, {"latest", 100}, {"all", 0}, {"1", 5}} {
		must(t, conn, "SET hbasekv_versions = '"+c.versions+"'")
		var n int
		require.NoError(t, st.QueryRow(c.below).Scan(&n))
		counts = append(counts, fmt.Sprintf("%s<%d: %d", c.versions, c.below, n))
	}
	must(t, conn, "SET hbasekv_versions = 'latest'")
	for _, n := range []int{1, 2, 3, 1} {
		counts = append(counts, fmt.Sprintf("%d: %s", n, single(t, conn, "SELECT /*+ VERSIONS(?) */ COUNT(*) FROM t", n)))
	}
	for _, at := range []int{-6, -5, 1, 4, 7} {
		counts = append(counts, fmt.Sprintf("as of %d: %s", at, single(t, conn, "SELECT COUNT(*) FROM t FOR SYSTEM_TIME AS OF ?", at)))
	}
	return counts
}

// groupCells are the cells of a table group.
var groupCells = map[string][]string{
	"g$a": {"('k1', 'q', 1, 'a1')", "('k1', 'q', 2, 'a2')", "('k3', 'q', 1, 'a3')", "('b', 'q', 1, 'a4')"},
	"g$b": {"('k1', 'p', 3, 'b1')", "('k2', 'q', 1, 'b2')", "('k2', 'q', -2, NULL)"},
}

// groupOrder is HBase's order of a group's cells.
const groupOrder = " ORDER BY K, F, Q, T DESC"

// groupCases are what the virtual table says of groupCells.
var groupCases = []struct {
	query string
	want  []string
}{
	{"SELECT * FROM g" + groupOrder, []string{"b a q 1 a4", "k1 a q 2 a2", "k1 b p 3 b1", "k2 b q 1 b2", "k3 a q 1 a3"}},
	{"SELECT * FROM g FOR SYSTEM_TIME ALL" + groupOrder, allOfGroup},
	{"SELECT /*+ VERSIONS(2) */ K, F, Q, T, V FROM g" + groupOrder, allOfGroup},
	{"SELECT * FROM g FOR SYSTEM_TIME AS OF 0", []string{"k2 b q -2 NULL"}},
	{"SELECT * FROM g FOR SYSTEM_TIME ALL" + groupOrder + " LIMIT 4", allOfGroup[:4]},
	{"SELECT K, F FROM g WHERE F = 'b' ORDER BY K", []string{"k1 b", "k2 b"}},
	{"SELECT K, F FROM g WHERE K = 'k1' AND F > 'a'", []string{"k1 b"}},
	{"SELECT K, F FROM g WHERE F = 'c' OR F = 'g$a'", []string{}},
	{"SELECT K, F FROM g ORDER BY K DESC, F DESC", []string{"k3 a", "k2 b", "k1 b", "k1 a", "b a"}},
	{"SELECT F, COUNT(*) FROM g GROUP BY F ORDER BY F", []string{"a 3", "b 2"}},
	{"SELECT COUNT(*), COUNT(DISTINCT K) FROM g", []string{"5 4"}},
}

var allOfGroup = []string{"b a q 1 a4", "k1 a q 2 a2", "k1 a q 1 a1", "k1 b p 3 b1", "k2 b q 1 b2", "k2 b q -2 NULL", "k3 a q 1 a3"}

// groupWrites are refused: the virtual table is read-only.
var groupWrites = []string{"DELETE FROM g", "INSERT INTO g VALUES ('k', 'a', 'q', 1, 'v')", "REPLACE INTO g VALUES ('k', 'a', 'q', 1, 'v')", "UPDATE g SET V = 'x'"}

// TestGroupIsOneTable holds the virtual table's columns, order, views and
// refusals over families with and without partitions.
func TestGroupIsOneTable(t *testing.T) {
	for layout, partitioning := range everyLayout() {
		t.Run(layout, func(t *testing.T) {
			db := openDB(t, ":memory:")
			for _, family := range []string{"g$b", "g$a", "g$c"} {
				must(t, db, modelTable(family, layout, partitioning))
			}
			for family, cells := range groupCells {
				must(t, db, "INSERT INTO "+family+" (K, Q, T, V) VALUES "+strings.Join(cells, ", "))
			}
			for _, c := range groupCases {
				require.Equal(t, c.want, lines(t, db, c.query), c.query)
			}
			for _, statement := range groupWrites {
				_, err := db.Exec(statement)
				requireErrorNumber(t, 1288, err)
			}
			must(t, db, "DROP TABLE g$b")
			require.Equal(t, []string{"b a q 1 a4", "k1 a q 2 a2", "k3 a q 1 a3"}, lines(t, db, "SELECT * FROM g"+groupOrder))
			must(t, db, "DROP TABLE g$a, g$c")
			_, err := tryLines(db, "SELECT * FROM g")
			requireErrorNumber(t, 1146, err)
		})
	}
}

// TestViewsAcrossManyVersions compares the views of a cell with many versions,
// flushed in parts, with what arithmetic says.
func TestViewsAcrossManyVersions(t *testing.T) {
	db := openDB(t, "file:"+url.PathEscape(t.TempDir())+"?sync=false")
	must(t, db, "CREATE TABLE t "+plainTable+" PARTITION BY KEY(K) PARTITIONS 3")
	const n = 900
	st, err := db.Prepare("INSERT INTO t VALUES (?, 'q', ?, ?)")
	require.NoError(t, err)
	defer st.Close()
	for version := range n {
		at := (version * 7) % n // not in order
		for _, k := range []string{"x", "y"} {
			_, err := st.Exec(k, at, at)
			require.NoError(t, err)
		}
		if version%300 == 299 {
			must(t, db, "FLUSH TABLES")
		}
	}
	checkManyVersions(t, db)
	require.EqualValues(t, 1, affected(t, db, "DELETE FROM t WHERE K = 'x'"))
	require.Equal(t, []string{"y 900"}, lines(t, db, "SELECT K, COUNT(*) FROM t FOR SYSTEM_TIME ALL GROUP BY K"))
	require.EqualValues(t, 890, affected(t, db, "DELETE /*+ VERSIONS(ALL) */ FROM t WHERE T < 890"))
	require.EqualValues(t, 1, affected(t, db, "INSERT INTO t VALUES ('x', 'q', -1, 'visible')"), "nothing masks a later write")
	require.Equal(t, []string{"x visible", "y 899"}, lines(t, db, "SELECT K, V FROM t ORDER BY K"))
}

// checkManyVersions reads t, in which x and y have 900 versions each.
func checkManyVersions(t *testing.T, db *sql.DB) {
	t.Helper()
	require.Equal(t, []string{"x 899", "y 899"}, lines(t, db, "SELECT K, V FROM t ORDER BY K"))
	require.Equal(t, []string{"x 1800 0 899"}, lines(t, db, "SELECT 'x', COUNT(*), MIN(T), MAX(V + 0) FROM t FOR SYSTEM_TIME ALL"))
	for _, at := range []int{0, 1, 450, 899} {
		require.Equal(t, []string{single(t, db, "SELECT ?", at)}, lines(t, db, "SELECT DISTINCT V FROM t FOR SYSTEM_TIME AS OF ?", at))
		require.Equal(t, []string{"2"}, lines(t, db, "SELECT COUNT(*) FROM t FOR SYSTEM_TIME ALL WHERE T = ?", at))
	}
	require.Equal(t, []string{"x 499", "y 499"}, lines(t, db, "SELECT /*+ TIMERANGE(100, 500) */ K, V FROM t ORDER BY K"))
	require.Equal(t, []string{"497", "498", "499"}, lines(t, db, "SELECT /*+ TIMERANGE(100, 500) VERSIONS(3) */ V FROM t WHERE K = 'y' ORDER BY K DESC, Q DESC, T"))
	require.Empty(t, lines(t, db, "SELECT V FROM t WHERE T < 899"))
}
