// Package suite has cases that the tests of several subjects run, each on stores of its own.
package suite

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// ViewCase is a condition or a whole view on the table t, and its versions as
// K/Q/T.
type ViewCase struct {
	name    string
	Session string // a SET to run before
	query   string // % stands for the select list
	Args    []any
	want    string
	fails   uint16
}

const (
	latestOnes = "a/q/5 a/r/2 b/q/4 c/q/7"
	AllOnes    = "a/q/5 a/q/3 a/q/1 a/r/2 b/q/4 b/q/-5 c/q/7"
	newestTwo  = "a/q/5 a/q/3 a/r/2 b/q/4 b/q/-5 c/q/7"
)

// ViewCases are read from a table with the versions of harness.Viewed.
var ViewCases = []ViewCase{
	{name: "latest is the default", query: "SELECT % FROM t", want: latestOnes},
	{name: "all by hint", query: "SELECT /*+ VERSIONS(ALL) */ % FROM t", want: AllOnes},
	{name: "all by period", query: "SELECT % FROM t FOR SYSTEM_TIME ALL", want: AllOnes},
	{name: "all by session", Session: "SET hbasekv_versions = 'all'", query: "SELECT % FROM t", want: AllOnes},
	{name: "newest two", query: "SELECT /*+ VERSIONS(2) */ % FROM t", want: newestTwo},
	{name: "newest one", query: "SELECT /*+ VERSIONS(1) */ % FROM t", want: latestOnes},
	{name: "newest many", query: "SELECT /*+ VERSIONS(2147483647) */ % FROM t", want: AllOnes},
	{name: "newest none", query: "SELECT /*+ VERSIONS(0) */ % FROM t", fails: 1210},
	{name: "newest by a placeholder", query: "SELECT /*+ VERSIONS(?) */ % FROM t WHERE K = ?", Args: []any{2, "a"}, want: "a/q/5 a/q/3 a/r/2"},
	{name: "newest two by session", Session: "SET hbasekv_versions = 2", query: "SELECT % FROM t", want: newestTwo},
	{name: "as of", query: "SELECT % FROM t FOR SYSTEM_TIME AS OF 4", want: "a/q/3 a/r/2 b/q/4"},
	{name: "as of a negative", query: "SELECT % FROM t FOR SYSTEM_TIME AS OF -5", want: "b/q/-5"},
	{name: "as of before all", query: "SELECT % FROM t FOR SYSTEM_TIME AS OF -6", want: ""},
	{name: "as of the start of time", query: "SELECT % FROM t FOR SYSTEM_TIME AS OF -9223372036854775808", want: ""},
	{name: "as of the end of time", query: "SELECT % FROM t FOR SYSTEM_TIME AS OF 9223372036854775807", want: latestOnes},
	{name: "as of a placeholder", query: "SELECT % FROM t FOR SYSTEM_TIME AS OF ? WHERE K <> ?", Args: []any{-1, "z"}, want: "b/q/-5"},
	{name: "as of a negative placeholder sign", query: "SELECT % FROM t FOR SYSTEM_TIME AS OF -?", Args: []any{5}, want: "b/q/-5"},
	{name: "time range, newest", query: "SELECT /*+ TIMERANGE(1, 5) */ % FROM t", want: "a/q/3 a/r/2 b/q/4"},
	{name: "time range, all", query: "SELECT /*+ TIMERANGE(1, 5) VERSIONS(ALL) */ % FROM t", want: "a/q/3 a/q/1 a/r/2 b/q/4"},
	{name: "time range, two", query: "SELECT /*+ VERSIONS(2) TIMERANGE(-5, 6) */ % FROM t", want: "a/q/5 a/q/3 a/r/2 b/q/4 b/q/-5"},
	{name: "time range of the session's all", Session: "SET hbasekv_versions = 'all'", query: "SELECT /*+ TIMERANGE(1, 5) */ % FROM t", want: "a/q/3 a/q/1 a/r/2 b/q/4"},
	{name: "time range, empty", query: "SELECT /*+ TIMERANGE(4, 4) */ % FROM t", want: ""},
	{name: "time range, reversed", query: "SELECT /*+ TIMERANGE(5, 1) */ % FROM t", want: ""},
	{name: "time range by placeholders", query: "SELECT /*+ TIMERANGE(?, ?) VERSIONS(?) */ % FROM t LIMIT ?", Args: []any{-5, 4, 1, 2}, want: "a/q/3 a/r/2"},
	{name: "from to", query: "SELECT % FROM t FOR SYSTEM_TIME FROM 1 TO 5", want: "a/q/3 a/q/1 a/r/2 b/q/4"},
	{name: "between", query: "SELECT % FROM t FOR SYSTEM_TIME BETWEEN 1 AND 5", want: "a/q/5 a/q/3 a/q/1 a/r/2 b/q/4"},
	{name: "between negatives", query: "SELECT % FROM t FOR SYSTEM_TIME BETWEEN -9 AND -5", want: "b/q/-5"},
	{name: "between the ends", query: "SELECT % FROM t FOR SYSTEM_TIME BETWEEN -9223372036854775808 AND 9223372036854775807", want: AllOnes},
	{name: "from the start to the start", query: "SELECT % FROM t FOR SYSTEM_TIME FROM -9223372036854775808 TO -9223372036854775808", want: ""},
	{name: "between by placeholders", query: "SELECT % FROM t FOR SYSTEM_TIME BETWEEN ? AND ? WHERE Q = ?", Args: []any{int64(-5), uint64(3), []byte("q")}, want: "a/q/3 a/q/1 b/q/-5"},
	{name: "between reversed", query: "SELECT % FROM t FOR SYSTEM_TIME BETWEEN 5 AND 1", want: ""},
	{name: "a period needs a time", query: "SELECT % FROM t FOR SYSTEM_TIME AS OF ?", Args: []any{"noon"}, fails: 1525},
	{name: "a period is no NULL", query: "SELECT % FROM t FOR SYSTEM_TIME AS OF ?", Args: []any{nil}, fails: 1210},

	// Precedence: period, hint, session, DSN.
	{name: "hint beats session", Session: "SET hbasekv_versions = 'all'", query: "SELECT /*+ VERSIONS(1) */ % FROM t", want: latestOnes},
	{name: "period beats hint", query: "SELECT /*+ VERSIONS(ALL) */ % FROM t FOR SYSTEM_TIME AS OF 4", want: "a/q/3 a/r/2 b/q/4"},
	{name: "period beats time range", query: "SELECT /*+ TIMERANGE(1, 2) */ % FROM t FOR SYSTEM_TIME ALL", want: AllOnes},
	{name: "period beats session", Session: "SET hbasekv_versions = 'all'", query: "SELECT % FROM t FOR SYSTEM_TIME AS OF 4", want: "a/q/3 a/r/2 b/q/4"},
	{name: "a period is its table's alone", query: "SELECT % FROM t FOR SYSTEM_TIME ALL WHERE T IN (SELECT T FROM t)", want: latestOnes},
	{name: "a hint is for all tables", query: "SELECT /*+ VERSIONS(ALL) */ % FROM t WHERE EXISTS (SELECT 1 FROM t AS u WHERE u.T = t.T - 2)", want: "a/q/5 a/q/3 b/q/4 c/q/7"},

	// WHERE filters the rows of the view and never changes which versions it holds.
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

// Statement adds HBase's order, unless the query has another one.
func (c *ViewCase) Statement() string {
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

// Check runs the case.
func (c *ViewCase) Check(t *testing.T, db harness.Execer) {
	t.Helper()
	got, err := harness.TryLines(db, c.Statement(), c.Args...)
	if assert.Equal(t, c.fails, harness.NumberOf(err), "%s: %s: %v", c.name, c.Statement(), err) && err == nil {
		assert.Equal(t, c.want, harness.Slashed(got), "%s: %s", c.name, c.Statement())
	}
}

// ViewsOfOneText counts the rows of t in several views, with one prepared statement.
func ViewsOfOneText(t *testing.T, conn *sql.Conn) (counts []string) {
	st, err := conn.PrepareContext(context.Background(), "SELECT COUNT(*) FROM t WHERE T < ?")
	require.NoError(t, err)
	defer st.Close()
	for _, c := range []struct {
		versions string
		below    int64
	}{{"latest", 5}, {"all", 5}, {"2", 5}, {"latest", 100}, {"all", 0}, {"1", 5}} {
		harness.Must(t, conn, "SET hbasekv_versions = '"+c.versions+"'")
		var n int
		require.NoError(t, st.QueryRow(c.below).Scan(&n))
		counts = append(counts, fmt.Sprintf("%s<%d: %d", c.versions, c.below, n))
	}
	harness.Must(t, conn, "SET hbasekv_versions = 'latest'")
	for _, n := range []int{1, 2, 3, 1} {
		counts = append(counts, fmt.Sprintf("%d: %s", n, harness.Single(t, conn, "SELECT /*+ VERSIONS(?) */ COUNT(*) FROM t", n)))
	}
	for _, at := range []int{-6, -5, 1, 4, 7} {
		counts = append(counts, fmt.Sprintf("as of %d: %s", at, harness.Single(t, conn, "SELECT COUNT(*) FROM t FOR SYSTEM_TIME AS OF ?", at)))
	}
	return counts
}

// CheckManyVersions reads t, in which x and y have 900 versions each.
func CheckManyVersions(t *testing.T, db *sql.DB) {
	t.Helper()
	require.Equal(t, []string{"x 899", "y 899"}, harness.Lines(t, db, "SELECT K, V FROM t ORDER BY K"))
	require.Equal(t, []string{"x 1800 0 899"}, harness.Lines(t, db, "SELECT 'x', COUNT(*), MIN(T), MAX(V + 0) FROM t FOR SYSTEM_TIME ALL"))
	for _, at := range []int{0, 1, 450, 899} {
		require.Equal(t, []string{harness.Single(t, db, "SELECT ?", at)}, harness.Lines(t, db, "SELECT DISTINCT V FROM t FOR SYSTEM_TIME AS OF ?", at))
		require.Equal(t, []string{"2"},
			harness.Lines(t, db, "SELECT COUNT(*) FROM t FOR SYSTEM_TIME ALL WHERE T = ?", at))
	}
	require.Equal(t, []string{"x 499", "y 499"}, harness.Lines(t, db, "SELECT /*+ TIMERANGE(100, 500) */ K, V FROM t ORDER BY K"))
	require.Equal(t, []string{"497", "498", "499"}, harness.Lines(t, db, "SELECT /*+ TIMERANGE(100, 500) VERSIONS(3) */ V FROM t WHERE K = 'y' ORDER BY K DESC, Q DESC, T"))
	require.Empty(t, harness.Lines(t, db, "SELECT V FROM t WHERE T < 899"))
}
