package cancellation

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// chained is a FROM of that many aliases of tables, in which %[1]s is the alias of each but
// the first and %[2]s the one before: x0, x1 and so on, the last one z.
func chained(aliases int, first, further string) string {
	var b strings.Builder
	b.WriteString(first)
	for i := 1; i < aliases; i++ {
		alias := fmt.Sprintf("x%d", i)
		if i == aliases-1 {
			alias = "z"
		}
		fmt.Fprintf(&b, further, alias, fmt.Sprintf("x%d", i-1))
	}
	return b.String()
}

// endlessJoins are joins of tiny tables with more than 10^12 rows: two has two cells,
// alike 32 with one row key and one value.
var endlessJoins = map[string]string{
	"crossed":   chained(41, "two x0", " JOIN two %[1]s"),
	"outer":     chained(41, "two x0", " LEFT JOIN two %[1]s ON 1 = 1"),
	"unequal":   chained(41, "two x0", " JOIN two %[1]s ON %[1]s.T >= %[2]s.T - 1"),
	"merged":    chained(9, "alike x0", " JOIN alike %[1]s ON %[1]s.K = %[2]s.K"),
	"hashed":    chained(9, "alike x0", " JOIN alike %[1]s ON %[1]s.V = %[2]s.V"),
	"outerhash": chained(9, "alike x0", " LEFT JOIN alike %[1]s ON %[1]s.V = %[2]s.V AND %[1]s.T <> %[2]s.T + 100"),
	"looked up": chained(9, "alike x0", " JOIN alike %[1]s ON %[1]s.K = CONCAT(LEFT(%[2]s.K, 1), 'a')"),
	"derived":   chained(41, "(SELECT 1 AS T, 'k' AS K, 'v' AS V UNION ALL SELECT 2, 'l', 'w') x0", " JOIN (SELECT 1 AS T UNION ALL SELECT 2) %[1]s"),
	"grouped":   chained(41, "two x0", " JOIN (SELECT V, COUNT(*) AS T FROM two GROUP BY V) %[1]s"),
	"catalog":   chained(41, "two x0 JOIN two x1", " JOIN information_schema.COLLATIONS c%[1]s") + " JOIN two z",
}

// endlessReaders are statements that read all rows of a join, whose aliases begin with x0.
var endlessReaders = []string{
	"SELECT COUNT(*) FROM %s",
	"SELECT SUM(x0.T), MIN(CONCAT(x0.K, x1.T)), COUNT(DISTINCT x0.V) FROM %s",
	"SELECT x1.T, COUNT(*) FROM %s GROUP BY x1.T",
	"SELECT x0.K, MAX(x1.T) FROM %s GROUP BY x0.K, x1.T WITH ROLLUP",
	"SELECT DISTINCT x0.V, x1.T FROM %s",
	"SELECT x0.V FROM %s WHERE x0.T + x1.T + z.T < 0",
	"SELECT COUNT(*) FROM %s HAVING COUNT(*) < 0",
	"SELECT x0.K FROM %s ORDER BY CONCAT(x0.V, z.T) LIMIT 3",
	"SELECT x0.K FROM %s LIMIT 1 OFFSET 1000000000000",
	"SELECT SQL_CALC_FOUND_ROWS x0.K FROM %s LIMIT 1",
	"SELECT COUNT(n) FROM (SELECT ROW_NUMBER() OVER () AS n FROM %s) d",
	"SELECT COUNT(n) FROM (SELECT MAX(z.T) OVER (ORDER BY x0.T ROWS 3 PRECEDING) AS n FROM %s) d",
	"SELECT x0.K FROM %s UNION SELECT 'x'",
	"SELECT 'x' INTERSECT SELECT x0.K FROM %s",
	"SELECT 'k' UNION ALL SELECT x0.K FROM %s WHERE z.T < 0",
	"SELECT COUNT(*) FROM (SELECT x0.K FROM %s) d",
	"WITH c AS (SELECT z.T AS n FROM %s) SELECT MAX(n) FROM c",
	"SELECT 1 WHERE 3 > ALL (SELECT z.T * 0 FROM %s)",
	"SELECT 'x' IN (SELECT z.T FROM %s)",
	"SELECT EXISTS (SELECT 1 FROM %s WHERE z.T + x0.T < 0)",
	"SELECT (SELECT COUNT(*) FROM %s WHERE x0.T < y.T + 100) FROM two y",
	"SELECT K FROM two y WHERE NOT EXISTS (SELECT 1 FROM %s WHERE x0.T + z.T + y.T < 0)",
	"SET @a = (SELECT COUNT(*) FROM %s)",
	"DO (SELECT COUNT(*) FROM %s)",
	"SELECT COUNT(*) INTO @a FROM %s",
	"EXPLAIN ANALYZE SELECT COUNT(*) FROM %s",
	"INSERT INTO into_it (K, Q, T, V) SELECT x0.K, 'q', COUNT(*), 'v' FROM %s GROUP BY x0.K",
	"CREATE TABLE made (K varbinary(64), Q varbinary(64), T bigint, V varbinary(64), PRIMARY KEY (K, Q, T)) SELECT x0.K, 'q' AS Q, COUNT(*) AS T, 'v' AS V FROM %s GROUP BY x0.K",
	"UPDATE into_it u JOIN (SELECT COUNT(*) AS T FROM %s) d SET u.V = d.T",
	"DELETE u FROM into_it u JOIN (SELECT COUNT(*) AS T FROM %s) d ON d.T < 0",
}

// endlessStatements are all readers of one join, and some readers of each join.
func endlessStatements() (out []string) {
	for _, reader := range endlessReaders {
		out = append(out, fmt.Sprintf(reader, endlessJoins["crossed"]))
	}
	for name, join := range endlessJoins {
		for i, reader := range endlessReaders {
			if name != "crossed" && (i < 6 || i%len(endlessJoins) == len(name)%len(endlessJoins)) {
				out = append(out, fmt.Sprintf(reader, join))
			}
		}
	}
	return append(out,
		"UPDATE "+endlessJoins["crossed"]+" SET x0.V = 'w' WHERE x1.T + z.T < 0",
		"DELETE x0 FROM "+endlessJoins["outer"]+" WHERE x1.T + z.T < 0",
		"WITH RECURSIVE s AS (SELECT 1 AS n UNION ALL SELECT s.n + 1 FROM s, alike WHERE s.n < 12) SELECT COUNT(*) FROM s",
		"WITH RECURSIVE s AS (SELECT 1 AS n UNION SELECT s.n FROM s, "+endlessJoins["crossed"]+") SELECT COUNT(*) FROM s",
	)
}

func endlessDB(t *testing.T) *sql.DB {
	db := harness.OpenDB(t, ":memory:")
	harness.Must(t, db, "CREATE TABLE two "+harness.PlainTable, "CREATE TABLE alike "+harness.PlainTable,
		"CREATE TABLE into_it "+harness.PlainTable,
		"INSERT INTO two VALUES ('aa', 'q', 1, 'v'), ('ab', 'q', 1, 'w')", "INSERT INTO into_it VALUES ('a', 'q', 1, 'v')")
	for i := range 32 {
		harness.Must(t, db, fmt.Sprintf("INSERT INTO alike VALUES ('aa', 'q%02d', %d, 'v')", i, i+1))
	}
	return db
}

// soon is the error of a statement that must end soon: within a generous time, in
// which no statement of this file could complete.
func soon(t *testing.T, db harness.Execer, ctx context.Context, statement string) error {
	t.Helper()
	ended := make(chan error, 1)
	go func() {
		rows, err := db.QueryContext(ctx, statement)
		if err == nil {
			for rows.Next() {
			}
			err = rows.Err()
			rows.Close()
		}
		ended <- err
	}()
	select {
	case err := <-ended:
		return err
	case <-time.After(time.Minute):
		t.Fatalf("goes on and on: %s", statement)
		return nil
	}
}

// TestEveryLoopLooksAtItsContext: whatever produces many rows from few, and whatever reads
// them, the statement ends when its context does, in batches and row by row, with lookups
// and with buffered rows, on one goroutine and on two.
func TestEveryLoopLooksAtItsContext(t *testing.T) {
	db := endlessDB(t)
	conn, _ := harness.Pin(t, db)
	for _, s := range []string{
		"SET hbasekv_batch_cells = 0, hbasekv_join_rows = 0, hbasekv_parallelism = 1",
		fmt.Sprintf("SET hbasekv_batch_cells = %d, hbasekv_join_rows = %[1]d, hbasekv_parallelism = 1",
			harness.OneByOne),
		"SET hbasekv_batch_cells = 7, hbasekv_join_rows = 1, hbasekv_parallelism = 1",
	} {
		harness.Must(t, conn, s)
		for _, statement := range endlessStatements() {
			err := soon(t, conn, newLookingContext(60), statement)
			require.ErrorIs(t, err, context.Canceled, "%s\n%.400s", s, statement)
		}
	}
	harness.Must(t, conn, "SET hbasekv_batch_cells = 7, hbasekv_join_rows = 1, hbasekv_parallelism = 2")
	for _, statement := range endlessStatements() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
		require.ErrorIs(t, soon(t, conn, ctx, statement), context.DeadlineExceeded, "%.400s", statement)
		cancel()
	}
}

// TestEndlessStatementsEnd: by the caller's deadline, by KILL QUERY and by max_execution_time.
func TestEndlessStatementsEnd(t *testing.T) {
	db := endlessDB(t)
	for _, statement := range endlessStatements()[:len(endlessReaders)] {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		require.ErrorIs(t, soon(t, db, ctx, statement), context.DeadlineExceeded, "%.400s", statement)
		cancel()
		requireKilled(t, db, statement)
		if strings.HasPrefix(statement, "SELECT") {
			hinted := strings.Replace(statement, "SELECT", "SELECT /*+ MAX_EXECUTION_TIME(20) */", 1)
			harness.RequireErrorNumber(t, 3024, soon(t, db, context.Background(), hinted))
		}
	}
}
