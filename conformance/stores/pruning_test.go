package stores

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// readPartitions runs a statement and returns the names of the table's
// partitions that it read. The value that it selects is stored in to, unless to
// is nil.
func readPartitions(t *testing.T, db *sql.DB, table, statement string, to *string) string {
	t.Helper()
	before := shownPartitions(t, db, table)
	rows, err := db.Query(statement)
	require.NoError(t, err, statement)
	for rows.Next() {
		if to != nil {
			require.NoError(t, rows.Scan(to))
		}
	}
	require.NoError(t, rows.Err())
	require.NoError(t, rows.Close())
	var names []string
	for i, p := range shownPartitions(t, db, table) {
		if p.Reads > before[i].Reads {
			names = append(names, p.Name.String)
		}
	}
	return strings.Join(names, ",")
}

// TestPruning: statements read only the partitions that can hold what they
// need, by what is known before the statement begins as well as by what a join
// or a subquery finds out.
func TestPruning(t *testing.T) {
	db := harness.OpenDB(t, t.TempDir())
	harness.Must(t, db, "CREATE TABLE h "+harness.PlainTable+" PARTITION BY KEY(K) PARTITIONS 7",
		"CREATE TABLE r "+harness.PlainTable+" PARTITION BY RANGE COLUMNS(K) SPLITS ('d', 'h', 'm', 't')", "CREATE TABLE s "+harness.PlainTable)
	for c := 'a'; c <= 'z'; c++ {
		harness.Must(t, db, fmt.Sprintf("INSERT INTO h VALUES ('%c', 'q', 1, 'v')", c), fmt.Sprintf("INSERT INTO r VALUES ('%c', 'q', 1, 'v')", c))
	}
	harness.Must(t, db, "INSERT INTO s VALUES ('1', 'q', 1, 'e'), ('2', 'q', 1, 'k')")
	for _, c := range []struct{ statement, hash, ranges string }{
		{"SELECT * FROM %s WHERE K = 'a'", "p6", "p0"},
		{"SELECT * FROM %s WHERE K IN ('a', 'e')", "p3,p6", "p0,p1"},
		{"SELECT * FROM %s WHERE K = 'missing'", "p1", "p3"},
		{"SELECT V FROM %s WHERE K IN (SELECT V FROM s)", "p2,p3", "p1,p2"},
		{"SELECT V FROM %s WHERE K = (SELECT MAX(V) FROM s)", "p2", "p2"},
		{"SELECT s.K, x.V FROM s JOIN %s x ON x.K = s.V", "p2,p3", "p1,p2"},
		{"SELECT s.K, x.V FROM s JOIN %s x ON x.K = s.V AND x.K = 'e'", "p3", "p1"},
		{"SELECT COUNT(*) FROM %s x WHERE EXISTS (SELECT 1 FROM s WHERE s.V = x.K) AND K IN ('a', 'e')", "p3,p6", "p0,p1"},
		{"UPDATE %s SET V = 'w' WHERE K = 'e'", "p3", "p1"},
		{"UPDATE %s SET V = 'x' WHERE K IN (SELECT V FROM s)", "p2,p3", "p1,p2"},
		{"DELETE FROM %s WHERE K = 'e'", "p3", "p1"},
		{"DELETE FROM %s WHERE K IN (SELECT V FROM s)", "p2,p3", "p1,p2"},
		{"SELECT MAX(K) FROM %s WHERE K < 'd'", "p0,p1,p2,p3,p4,p5,p6", "p0"},
		{"DELETE FROM %s WHERE K >= 'd' AND K < 'h'", "p0,p1,p2,p3,p4,p5,p6", "p1"},
		{"DELETE FROM %s PARTITION (p2)", "p2", "p2"},
	} {
		for table, want := range map[string]string{"h": c.hash, "r": c.ranges} {
			statement := fmt.Sprintf(c.statement, table)
			if strings.HasPrefix(statement, "SELECT") && !strings.Contains(statement, "EXISTS") {
				plan := ""
				require.Equal(t, want, readPartitions(t, db, table, "EXPLAIN ANALYZE "+statement, &plan), statement)
				require.Contains(t, plan, "partitions: "+want+"\n", statement)
			}
			require.Equal(t, want, readPartitions(t, db, table, statement, nil), statement)
		}
	}
}
