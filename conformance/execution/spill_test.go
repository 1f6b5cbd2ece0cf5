package execution

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
)

const spillCells = 3000

// fillSpill fills a table with spillCells cells with keys and values that
// repeat, NULLs and two large values.
func fillSpill(t testing.TB, db *sql.DB) { fillSpillTable(t, db, " PARTITION BY KEY(K) PARTITIONS 5") }

func fillSpillTable(t testing.TB, db *sql.DB, partitioning string) {
	_, err := db.Exec("CREATE TABLE s (K varbinary(64), Q varbinary(64), T bigint, V mediumblob, PRIMARY KEY (K, Q, T))" + partitioning)
	require.NoError(t, err)
	var rows []string
	for i := range spillCells {
		v := fmt.Sprintf("'value %d'", i*7919%997)
		switch {
		case i%50 == 0:
			v = "NULL"
		case i%1400 == 1:
			v = "REPEAT('large', 8000)"
		}
		rows = append(rows, fmt.Sprintf("('row %05d', 'q%d', %d, %s)", i*31%spillCells, i%3, i, v))
	}
	_, err = db.Exec("INSERT INTO s (K, Q, T, V) VALUES " + strings.Join(rows, ", "))
	require.NoError(t, err)
}

// spilling are statements that keep many rows.
var spilling = []string{
	"SELECT * FROM s ORDER BY V, K",
	"SELECT * FROM s ORDER BY V",
	"SELECT K, V FROM s ORDER BY Q DESC, T % 10, V DESC",
	"SELECT K, V FROM s ORDER BY T % 100 LIMIT 1500, 700",
	"SELECT V FROM s ORDER BY LENGTH(V) DESC, T LIMIT 5",
	"SELECT T / 3, CAST(T AS CHAR), FROM_UNIXTIME(T), JSON_ARRAY(T) FROM s ORDER BY T % 7, 1 DESC",
	"SELECT V FROM s UNION ALL SELECT K FROM s ORDER BY V",
	"SELECT DISTINCT V FROM s",
	"SELECT DISTINCT V, Q FROM s ORDER BY V DESC, Q",
	"SELECT DISTINCT T % 900, T % 900 = 1 FROM s LIMIT 850, 30",
	"SELECT V FROM s UNION SELECT V FROM s UNION SELECT K FROM s UNION ALL SELECT V FROM s WHERE T < 30",
	"SELECT T % 500 FROM s UNION DISTINCT SELECT T % 1200 FROM s",
	"SELECT V FROM s EXCEPT SELECT V FROM s WHERE T % 3 = 0",
	"SELECT V, Q FROM s INTERSECT ALL SELECT V, Q FROM s WHERE T % 3 > 0",
	"SELECT V FROM s EXCEPT ALL SELECT V FROM s WHERE T % 5 = 0 UNION ALL SELECT K FROM s INTERSECT SELECT K FROM s WHERE T % 2 = 0",
	"SELECT K FROM s INTERSECT SELECT K FROM s WHERE T % 2 = 0 EXCEPT SELECT K FROM s WHERE T % 7 = 0 UNION SELECT V FROM s ORDER BY 1 LIMIT 100, 900",
	"SELECT K FROM s WHERE V IN (SELECT V FROM s EXCEPT ALL SELECT V FROM s WHERE T % 2 = 0)",
	"SELECT V, COUNT(*), MIN(K), MAX(T), SUM(T), AVG(T), SUM(T / 7), STD(T), BIT_XOR(T) FROM s GROUP BY V",
	"SELECT LEFT(K, 6), COUNT(DISTINCT V), GROUP_CONCAT(Q ORDER BY T DESC), GROUP_CONCAT(DISTINCT V), SUM(DISTINCT T / 3) FROM s GROUP BY LEFT(K, 6)",
	"SELECT T % 4, COUNT(DISTINCT V), GROUP_CONCAT(LENGTH(V) ORDER BY V, K), COUNT(DISTINCT K, V), AVG(DISTINCT T), SUM(T / 11) FROM s GROUP BY T % 4",
	"SELECT T % 700, T % 2, COUNT(*), SUM(T), AVG(T / 7), MIN(V), MAX(V), MAX(K), SUM(V), BIT_AND(T) FROM s GROUP BY T % 700, T % 2",
	"SELECT LEFT(K, 8), COUNT(*), MIN(V), SUM(T * 1e-3), AVG(LENGTH(V)) FROM s GROUP BY LEFT(K, 8) HAVING COUNT(*) > 9 ORDER BY 3, 1",
	"SELECT V, JSON_ARRAYAGG(T), JSON_OBJECTAGG(K, Q), MAX(V) FROM s GROUP BY V",
	"SELECT COUNT(DISTINCT V), COUNT(DISTINCT K, Q), SUM(DISTINCT T / 9), GROUP_CONCAT(DISTINCT Q ORDER BY V), MIN(DISTINCT V) FROM s",
	"SELECT K, COUNT(DISTINCT T), COUNT(DISTINCT V) FROM s GROUP BY Q, K ORDER BY COUNT(DISTINCT V), K DESC",
	"SELECT V, COUNT(*) FROM s GROUP BY V HAVING COUNT(*) > 2 ORDER BY 2 DESC, 1 LIMIT 40",
	"SELECT COUNT(*), MAX(n) FROM (SELECT V, COUNT(DISTINCT K) n FROM s GROUP BY V) x",
	"SELECT V, Q, COUNT(*), MIN(K), MAX(V), SUM(T), AVG(T), SUM(T / 7), BIT_XOR(T), GROUPING(V, Q) FROM s GROUP BY V, Q WITH ROLLUP",
	"SELECT V, Q, COUNT(*), COUNT(DISTINCT K), COUNT(DISTINCT V, T), GROUP_CONCAT(LENGTH(V)), MIN(DISTINCT K) FROM s GROUP BY V, Q WITH ROLLUP",
	"SELECT T % 4, Q, COUNT(DISTINCT V), GROUP_CONCAT(LENGTH(V) ORDER BY V, K), SUM(T / 11), MAX(K) FROM s GROUP BY T % 4, Q WITH ROLLUP",
	"SELECT LEFT(K, 7), T % 7, STD(T), SUM(DISTINCT T / 3), COUNT(*), COUNT(DISTINCT Q), MAX(K) FROM s GROUP BY LEFT(K, 7), T % 7 WITH ROLLUP",
	"SELECT V, COUNT(*) FROM s GROUP BY V WITH ROLLUP HAVING COUNT(*) > 2 ORDER BY 2 DESC, 1 LIMIT 40",
	"SELECT a.K, b.V FROM s a JOIN (SELECT K, Q, V FROM s WHERE T % 3 > 0) b ON a.V = b.V AND a.T < 900 ORDER BY a.K, b.K LIMIT 4000",
	"SELECT a.T, b.T FROM s a LEFT JOIN (SELECT T, V FROM s WHERE T % 5 = 0) b ON a.V = b.V WHERE a.T < 1000",
	"SELECT a.T, COUNT(*), SUM(b.T) FROM s a JOIN (SELECT T, V FROM s) b ON a.T > b.T WHERE a.T IN (10, 700, 2500) GROUP BY a.T",
	"SELECT a.T, b.T FROM (SELECT T FROM s WHERE T % 1000 = 3) a LEFT JOIN (SELECT T FROM s) b ON a.T + b.T = 2000",
	"SELECT K FROM s WHERE V IN (SELECT V FROM s WHERE T % 7 = 0)",
	"SELECT K FROM s WHERE V NOT IN (SELECT V FROM s WHERE T % 2 = 0 AND V IS NOT NULL)",
	"SELECT K FROM s WHERE (Q, V) IN (SELECT Q, V FROM s WHERE T % 11 = 0) AND T < 40",
	"SELECT K FROM s WHERE T < 30 AND V >= ALL (SELECT V FROM s WHERE V < 'value 2')",
	"SELECT x.K FROM (SELECT K, V FROM s ORDER BY V LIMIT 2000) x ORDER BY K DESC",
}

// TestSpill compares statements that have little memory with those that have
// enough, and checks that they leave no files.
func TestSpill(t *testing.T) {
	enough, _ := harness.SpillDB(t, "1GiB&parallelism=1")
	fillSpill(t, enough)
	wanted := map[string]oracle.Answer{}
	for _, query := range spilling {
		wanted[query] = oracle.Ask(enough, oracle.Generated{SQL: query, Ordered: true})
		require.Zero(t, wanted[query].Error, query)
		require.NotEmpty(t, wanted[query].Rows, query)
	}
	memories := []string{"16KiB&parallelism=1", "1KiB&parallelism=3", "200KiB&parallelism=3"}
	if *harness.Long {
		memories = append(memories, "16KiB&parallelism=3", "1KiB&parallelism=1")
	}
	for _, memory := range memories {
		little, dir := harness.SpillDB(t, memory)
		fillSpill(t, little)
		for _, query := range spilling {
			before := harness.Status(t, little, "Created_tmp_files")
			got := oracle.Ask(little, oracle.Generated{SQL: query, Ordered: true})
			require.Equal(t, wanted[query], got, "%s with %s", query, memory)
			require.True(t, memory[:3] == "200" || harness.Status(t, little, "Created_tmp_files") > before, query)
			harness.RequireNoFiles(t, dir)
		}
	}
	require.Zero(t, harness.Status(t, enough, "Created_tmp_files"))
}

// TestSpillEnds closes, cancels and fails statements before their end.
func TestSpillEnds(t *testing.T) {
	db, dir := harness.SpillDB(t, "16KiB")
	fillSpill(t, db)
	seen, cancelled := 0, 0
	for _, query := range spilling {
		ctx, cancel := context.WithCancel(t.Context())
		rows, err := db.QueryContext(ctx, query)
		require.NoError(t, err, query)
		require.True(t, rows.Next(), query)
		open := len(harness.OpenFilesIn(dir))
		require.LessOrEqual(t, open, 12, query)
		seen += open
		if seen%2 == 0 {
			cancel()
			for rows.Next() {
			}
			if rows.Err() != nil { // few rows may arrive before the cancellation
				require.ErrorIs(t, rows.Err(), context.Canceled, query)
				cancelled++
			}
		}
		require.NoError(t, rows.Close())
		harness.RequireNoFiles(t, dir)
		cancel()
	}
	require.NotZero(t, cancelled)
	if _, err := os.Stat("/proc/self/fd"); err == nil {
		require.NotZero(t, seen, "no file was seen while statements ran")
	}
	for _, query := range []string{
		"SELECT 9223372036854775807 + x.T FROM (SELECT T FROM s ORDER BY V) x",
		"SELECT (SELECT K FROM s ORDER BY V LIMIT 2) FROM DUAL",
	} {
		_, err := db.Exec(query)
		require.Error(t, err)
		harness.RequireNoFiles(t, dir)
	}
}

// TestSpillMembers looks up NULLs, and rows of values, in a subquery whose rows are in a
// file: they must not be compared with each of these rows, which would allocate each of
// them.
func TestSpillMembers(t *testing.T) {
	db, _ := harness.SpillDB(t, "16KiB&parallelism=1")
	fillSpill(t, db)
	for query, want := range map[string]int{
		"SELECT COUNT(*) FROM s WHERE IF(T % 30 = 1, V, NULL) IN (SELECT V FROM s WHERE T % 30 = 1)":                                    spillCells / 30,
		"SELECT COUNT(*) FROM s WHERE IF(T % 30 = 1, V, NULL) NOT IN (SELECT V FROM s WHERE T % 30 = 2)":                                spillCells / 30,
		"SELECT COUNT(*) FROM s WHERE (IF(T % 30 = 1, V, NULL) IN (SELECT V FROM s WHERE V IS NOT NULL)) IS NULL":                       spillCells - spillCells/30,
		"SELECT COUNT(*) FROM s WHERE IF(T % 30 = 1, V, NULL) NOT IN (SELECT V FROM s WHERE T < 0)":                                     spillCells,
		"SELECT COUNT(*) FROM s WHERE (IF(T % 30 = 1, V, NULL) IN (SELECT NULLIF(V, V) FROM s)) IS NULL":                                spillCells,
		"SELECT COUNT(*) FROM s WHERE (IF(T % 30 = 1, V, NULL) IN (SELECT NULLIF(V, V) FROM s WHERE T < 0)) IS NULL":                    0,
		"SELECT COUNT(*) FROM s WHERE (IF(T % 30 = 1, CAST('v' AS BINARY), NULL) NOT IN (SELECT V FROM s WHERE V IS NOT NULL)) IS TRUE": spillCells / 30,
		"SELECT COUNT(*) FROM s WHERE (Q, V) IN (SELECT Q, V FROM s WHERE V IS NOT NULL)":                                               spillCells * 49 / 50,
		"SELECT COUNT(*) FROM s WHERE V IS NOT NULL AND (T, V) NOT IN (SELECT T + 1, K FROM s)":                                         spillCells * 49 / 50,
		"SELECT COUNT(*) FROM s WHERE V IS NOT NULL AND (Q, V) NOT IN (SELECT K, V FROM s WHERE T % 10 = 0)":                            spillCells * 49 / 50,
		"SELECT COUNT(*) FROM s WHERE T % 50 = 1 AND (Q, T, V) IN (SELECT Q, T, V FROM s)":                                              spillCells / 50,
		"SELECT COUNT(*) FROM s WHERE ((K, T) IN (SELECT V, T FROM s)) IS NULL":                                                         spillCells / 50,
		"SELECT COUNT(*) FROM s WHERE ((Q, K, T) IN (SELECT Q, V, IF(T < 1000, NULL, T) FROM s WHERE T % 3 = 0)) IS NULL":               spillCells / 3,
	} {
		var got int
		before := mallocs()
		require.NoError(t, db.QueryRow(query).Scan(&got))
		require.Equal(t, want, got, query)
		require.Less(t, mallocs()-before, uint64(40*spillCells), query)
	}
}

func mallocs() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Mallocs
}

func TestSpillFails(t *testing.T) {
	dir := t.TempDir()
	db, err := sql.Open("hbasekv", "file::memory:?queryMemory=16KiB&tmpDir="+url.QueryEscape(dir+"/missing"))
	require.NoError(t, err)
	defer db.Close()
	fillSpill(t, db)
	for _, query := range spilling {
		_, err := db.Exec(query)
		var e *mysql.MySQLError
		require.ErrorAs(t, err, &e, query)
		require.Equal(t, uint16(1004), e.Number, query)
		require.Contains(t, e.Message, dir+"/missing")
	}
	require.NoError(t, os.Mkdir(dir+"/missing", 0o755))
	_, err = db.Exec(spilling[0])
	require.NoError(t, err)
}

// TestSpillSession gives one session more memory.
func TestSpillSession(t *testing.T) {
	db, dir := harness.SpillDB(t, "16KiB")
	db.SetMaxOpenConns(1)
	fillSpill(t, db)
	var size, tmp string
	require.NoError(t, db.QueryRow("SELECT @@tmp_table_size, @@tmpdir").Scan(&size, &tmp))
	require.Equal(t, []string{"16384", dir}, []string{size, tmp})
	conn, err := db.Conn(t.Context())
	require.NoError(t, err)
	defer conn.Close()
	var plans []string
	for _, set := range []string{"SET tmp_table_size = 1000000000", "SET SESSION tmp_table_size = DEFAULT"} {
		_, err = conn.ExecContext(t.Context(), set)
		require.NoError(t, err)
		var plan string
		require.NoError(t, conn.QueryRowContext(t.Context(), "EXPLAIN ANALYZE SELECT K FROM s ORDER BY V").Scan(&plan))
		plans = append(plans, plan)
	}
	require.NotContains(t, plans[0], "temporary files")
	require.Contains(t, plans[1], "temporary files")
}

// TestSpillAfterParts: when several goroutines have too little memory, one continues, and
// takes no more than if it had begun alone.
func TestSpillAfterParts(t *testing.T) {
	for _, memory := range []string{"16KiB", "128KiB", "256KiB"} {
		db, _ := harness.SpillDB(t, memory)
		fillSpill(t, db)
		conn, err := db.Conn(t.Context())
		require.NoError(t, err)
		defer conn.Close()
		var kept []string
		for _, workers := range []int{1, 3, 3, 3} {
			harness.Must(t, conn, fmt.Sprintf("SET hbasekv_parallelism = %d", workers))
			plan := harness.Lines(t, conn, "EXPLAIN ANALYZE SELECT LEFT(K, 8), COUNT(DISTINCT V, T) FROM s GROUP BY LEFT(K, 8), Q = '1'")
			_, most, _ := strings.Cut(plan[0], ", at most ")
			most, _, _ = strings.Cut(most, "\n")
			kept = append(kept, most)
		}
		require.NotEmpty(t, kept[0])
		require.Len(t, slices.Compact(kept), 1, memory)
	}
}

// TestSpillRecorded runs the recorded statements with very little memory.
func TestSpillRecorded(t *testing.T) {
	db, dir := harness.SpillDB(t, "1KiB")
	oracle.FillTables(t, db, "key")
	differ := 0
	for i, want := range oracle.ReadRecorded[oracle.Answer](t, oracle.SelectsFile) {
		if i%3 != 0 {
			continue
		}
		if !oracle.Compare(t, "1KiB", want,
			oracle.Ask(db, oracle.Generated{SQL: oracle.Starless(want.SQL), Ordered: want.Ordered})) {
			differ++
		}
	}
	require.LessOrEqual(t, differ, 20, "statements that fail on one side")
	require.Greater(t, harness.Status(t, db, "Created_tmp_files"), int64(100))
	harness.RequireNoFiles(t, dir)
}

// TestSpillWrites sorts the rows of statements that write.
func TestSpillWrites(t *testing.T) {
	var tables [2][]string
	for i, memory := range []string{"16KiB", "1GiB"} {
		db, _ := harness.SpillDB(t, memory)
		fillSpill(t, db)
		_, err := db.Exec("CREATE TABLE c (K varbinary(64), Q varbinary(64), T bigint, V mediumblob, PRIMARY KEY (K, Q, T))")
		require.NoError(t, err)
		for _, stmt := range []string{
			"INSERT INTO c SELECT K, Q, T, V FROM s WHERE LENGTH(V) < 100 ORDER BY V LIMIT 2000",
			"UPDATE c SET V = 'changed' ORDER BY V DESC LIMIT 1000",
			"DELETE FROM c ORDER BY T DESC LIMIT 500",
		} {
			_, err := db.Exec(stmt)
			require.NoError(t, err, stmt)
		}
		rows, err := db.Query("SELECT K, Q, T, V FROM c")
		require.NoError(t, err)
		printed, err := harness.PrintRows(rows)
		require.NoError(t, err)
		for _, row := range printed {
			tables[i] = append(tables[i], strings.Join(row, " "))
		}
		slices.Sort(tables[i])
	}
	require.NotEmpty(t, tables[0])
	require.Equal(t, tables[1], tables[0])
}
