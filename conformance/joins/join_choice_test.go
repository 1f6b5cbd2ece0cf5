package joins

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// joinChoices are joins of which one way is much cheaper than others: large has rows
// whose values are keys of small, and medium has some whose values are keys of large.
var joinChoices = []struct{ name, statement, says string }{
	{"read the small side once", "SELECT COUNT(*), MAX(s.V) FROM large l JOIN small s ON s.K = l.V", "then the right side was read once"},
	{"begin with the small side", "SELECT COUNT(*), MAX(l.V) FROM large l JOIN small s ON l.K = s.V", "lookup for each row"},
	{"look up in the large side", "SELECT COUNT(*), MAX(l.V) FROM large l JOIN (SELECT DISTINCT V FROM small) s ON l.K = s.V", "lookup in the left side for each right row"},
	{"few lookups", "SELECT COUNT(*), MAX(l.V) FROM small s JOIN large l ON l.K = s.V", "lookup for each row"},
	{"nothing to join", "SELECT COUNT(*), MAX(l.V) FROM large l JOIN small s ON l.K = s.V AND s.K < ''", "No rows of s"},
	{"an outer join", "SELECT COUNT(*), MAX(s.V) FROM large l LEFT JOIN small s ON s.K = l.V AND s.Q = 'q'", "then the right side was read once"},
}

func joinChoiceDB(t testing.TB, rows int) *sql.DB {
	db := harness.OpenDB(t, ":memory:")
	db.SetMaxOpenConns(1)
	var large, small []string
	for i := range rows {
		large = append(large, fmt.Sprintf("('l%07d', 'q', 1, 's%05d')", i, i*7%300))
	}
	for i := range 200 {
		small = append(small, fmt.Sprintf("('s%05d', 'q', 1, 'l%07d')", i, i*97))
	}
	for name, values := range map[string][]string{"large": large, "small": small} {
		harness.Must(t, db, "CREATE TABLE "+name+" (K varbinary(64), Q varbinary(64), T bigint, V varbinary(64), PRIMARY KEY (K, Q, T)) PARTITION BY KEY(K) PARTITIONS 3")
		harness.Must(t, db, "REPLACE INTO "+name+" (K, Q, T, V) VALUES "+strings.Join(values, ", "))
	}
	return db
}

// TestJoinChoices compares the ways that estimates choose with those as written.
func TestJoinChoices(t *testing.T) {
	db := joinChoiceDB(t, 20000)
	for _, c := range joinChoices {
		harness.SetJoinRows(t, db, harness.OneByOne)
		want := harness.Lines(t, db, c.statement)
		for _, n := range []int{0, 1, 700} {
			harness.SetJoinRows(t, db, n)
			require.Equal(t, want, harness.Lines(t, db, c.statement), "%s with %d", c.name, n)
		}
		harness.SetJoinRows(t, db, 0)
		require.Contains(t, strings.Join(harness.Lines(t, db, "EXPLAIN ANALYZE "+c.statement), "\n"), c.says)
	}
	// If the rows' order matters, or rows are locked, the way is not changed.
	const ordered = "SELECT l.K FROM large l JOIN small s ON l.K = s.V ORDER BY l.K, l.Q"
	harness.SetJoinRows(t, db, harness.OneByOne)
	want := harness.Lines(t, db, ordered)
	harness.SetJoinRows(t, db, 1)
	require.Equal(t, want, harness.Lines(t, db, ordered))
}

// TestLookupsOfWideRows: the cost is that of the rows' cells, not only of the
// lookups.
func TestLookupsOfWideRows(t *testing.T) {
	db := joinChoiceDB(t, 1)
	harness.Must(t, db, "CREATE TABLE wide (K varbinary(64), Q varbinary(64), T bigint, V varbinary(64), PRIMARY KEY (K, Q, T))",
		"CREATE TABLE leads (K varbinary(64), Q varbinary(64), T bigint, V varbinary(64), PRIMARY KEY (K, Q, T))")
	const rows, columns, leading = 100, 300, 900
	var cells, leads []string
	for i := range rows * columns {
		cells = append(cells, fmt.Sprintf("('w%03d', 'q%03d', 1, '%d')", i/columns, i%columns, i%7))
	}
	for i := range leading {
		leads = append(leads, fmt.Sprintf("('l%04d', 'q', 1, 'w%03d')", i, i*7%rows))
	}
	harness.Must(t, db, "REPLACE INTO wide VALUES "+strings.Join(cells, ", "), "REPLACE INTO leads VALUES "+strings.Join(leads, ", "))
	const statement = "SELECT COUNT(*), SUM(w.V) FROM leads l JOIN wide w ON w.K = l.V"
	require.LessOrEqual(t, harness.CellsOf(t, db, statement), int64(3*rows*columns+leading))
	harness.SetJoinRows(t, db, harness.OneByOne)
	require.Equal(t, int64((columns+1)*leading), harness.CellsOf(t, db, statement))
	want := harness.Lines(t, db, statement)
	for _, n := range []int{0, 1, 700} {
		harness.SetJoinRows(t, db, n)
		require.Equal(t, want, harness.Lines(t, db, statement))
	}
}

// TestLookupsOfPivots: a pivot looks up as many rows as it has, not as many as it has
// cells.
func TestLookupsOfPivots(t *testing.T) {
	db := joinChoiceDB(t, 1)
	harness.Must(t, db, "CREATE TABLE cells (K varbinary(64), Q varbinary(64), T bigint, V varbinary(64), PRIMARY KEY (K, Q, T))", "SET hbasekv_parallelism = 2")
	fill := func(rows int) {
		var values []string
		for i := range rows {
			for q := range 5 {
				values = append(values, fmt.Sprintf("('c%05d', 'q%d', 1, 's%05d')", i, q, i%200))
			}
		}
		harness.Must(t, db, "REPLACE INTO cells VALUES "+strings.Join(values, ", "))
	}
	const statement = "SELECT COUNT(*), MAX(s.V) FROM (SELECT K, MAX(V) AS v FROM cells GROUP BY K) p JOIN small s ON s.K = p.v"
	explained := func() string { return strings.Join(harness.Lines(t, db, "EXPLAIN ANALYZE "+statement), "\n") }
	fill(300)
	require.NotContains(t, explained(), "workers: 2", "300 lookups")
	fill(3000)
	require.Contains(t, explained(), "workers: 2", "3,000 lookups")
	require.Equal(t, []string{"3000 l0019303"}, harness.Lines(t, db, statement))
}

// TestKeptInFilesAfterParts joins rows in parts until the right side does not fit into memory, and then on one
// goroutine, whose reader first asks for a single row: the left rows that were read with it must not be lost.
func TestKeptInFilesAfterParts(t *testing.T) {
	db := harness.OpenDB(t, ":memory:?parallelism=3")
	db.SetMaxOpenConns(1)
	const rows = 500
	for _, table := range []string{"t", "u"} {
		values := make([]string, rows)
		for i := range values {
			values[i] = fmt.Sprintf("('k%03d', 'q', 1, REPEAT('v', 100))", i)
		}
		harness.Must(t, db, "CREATE TABLE "+table+" (K varbinary(64), Q varbinary(64), T bigint, V varbinary(1024), "+
			"PRIMARY KEY (K, Q, T)) PARTITION BY KEY(K) PARTITIONS 7", "INSERT INTO "+table+" VALUES "+strings.Join(values, ", "))
	}
	harness.Must(t, db, "SET hbasekv_join_rows = 1, tmp_table_size = 16384")
	const query = "SELECT d.K, u.V FROM (SELECT DISTINCT K FROM t) d JOIN u ON u.K = d.K"
	explained := strings.Join(harness.Lines(t, db, "EXPLAIN ANALYZE "+query), "\n")
	require.Contains(t, explained, "kept: in temporary files")
	require.Len(t, harness.Lines(t, db, query), rows)
}
