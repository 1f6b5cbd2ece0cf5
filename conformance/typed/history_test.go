package typed

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

// past opens a database for typed tables with a history, whose moments are milliseconds since 1970.
func past(t *testing.T, statements ...string) (*sql.DB, *harness.Clock) {
	db, clock := harness.OpenAt(t, harness.MemoryDSN(), 100)
	for _, statement := range statements {
		harness.Must(t, db, statement)
		clock.Advance(100 * time.Millisecond)
	}
	return db, clock
}

const pastPeople = "CREATE TABLE p (id int PRIMARY KEY, name varchar(20) NOT NULL, age int, " +
	"old boolean AS (age > 5) VIRTUAL, UNIQUE (name))"

// TestMoments reads rows as they were at each moment at which they changed.
func TestMoments(t *testing.T) {
	db, _ := past(t, pastPeople, "INSERT INTO p (id, name, age) VALUES (1, 'Al', 1), (2, 'Bo', 2)",
		"UPDATE p SET age = 7 WHERE id = 1", "UPDATE p SET age = NULL",
		"UPDATE p SET name = 'Cy', age = 9 WHERE id = 2", "INSERT INTO p (id, name) VALUES (3, 'Di')",
		"DELETE FROM p WHERE id = 3")
	for query, want := range map[string][]string{
		"SELECT id, name, age, _T FROM p FOR SYSTEM_TIME ALL": {
			"1 Al 1 200", "1 Al 7 300", "1 Al NULL 400", "2 Bo 2 200", "2 Bo NULL 400", "2 Cy 9 500"},
		"SELECT * FROM p FOR SYSTEM_TIME ALL WHERE id = 2": {
			"2 Bo 2 0", "2 Bo NULL NULL", "2 Cy 9 1"},
		"SELECT id, age, _T FROM p FOR SYSTEM_TIME FROM 300 TO 500": {
			"1 7 300", "1 NULL 400", "2 NULL 400"},
		"SELECT id, age, _T FROM p FOR SYSTEM_TIME BETWEEN 300 AND 500 WHERE id > 1": {
			"2 NULL 400", "2 9 500"},
		"SELECT id FROM p FOR SYSTEM_TIME FROM 300 TO 300": {},
		"SELECT id, age, p._T FROM p FOR SYSTEM_TIME ALL WHERE _T > 300 AND _T <= 400": {
			"1 NULL 400", "2 NULL 400"},
		"SELECT name FROM p FOR SYSTEM_TIME ALL WHERE _T IN (300, 500)":                {"Al", "Cy"},
		"SELECT name FROM p FOR SYSTEM_TIME ALL WHERE _T <> 200 AND name LIKE 'A%'":    {"Al", "Al"},
		"SELECT name FROM p FOR SYSTEM_TIME ALL WHERE _T = 300 OR id = 2 AND _T > 450": {"Al", "Cy"},
		"SELECT _T, id FROM p FOR SYSTEM_TIME ALL ORDER BY _T DESC, id": {
			"500 2", "400 1", "400 2", "300 1", "200 1", "200 2"},
		"SELECT id, _T FROM p FOR SYSTEM_TIME ALL ORDER BY id DESC, _T LIMIT 4": {
			"2 200", "2 400", "2 500", "1 200"},
		"SELECT id, _T FROM p FOR SYSTEM_TIME ALL ORDER BY id, _T DESC LIMIT 2":    {"1 400", "1 300"},
		"SELECT COUNT(*), COUNT(age), MIN(_T), MAX(_T) FROM p FOR SYSTEM_TIME ALL": {"6 4 200 500"},
		"SELECT _T, COUNT(*) FROM p FOR SYSTEM_TIME ALL GROUP BY _T ORDER BY _T": {
			"200 2", "300 1", "400 2", "500 1"},
		"SELECT id, COUNT(*), MAX(age) FROM p FOR SYSTEM_TIME ALL GROUP BY id ORDER BY id": {"1 3 7", "2 3 9"},
		"SELECT DISTINCT id, name FROM p FOR SYSTEM_TIME ALL ORDER BY id, name": {
			"1 Al", "2 Bo", "2 Cy"},
		"SELECT MAX(id) FROM p FOR SYSTEM_TIME ALL": {"2"},
		"SELECT a.id, a.age, b.age FROM p a JOIN p FOR SYSTEM_TIME ALL b USING (id) WHERE _T = 200": {
			"1 NULL 1", "2 9 2"},
		"SELECT a._T, b._T FROM p FOR SYSTEM_TIME ALL a JOIN p FOR SYSTEM_TIME ALL b ON b.id = a.id AND b._T > a._T " +
			"WHERE a.id = 1": {"200 300", "200 400", "300 400"},
		"SELECT p.id, (SELECT MAX(h._T) FROM p FOR SYSTEM_TIME ALL h WHERE h.id = p.id) FROM p": {"1 400", "2 500"},
		"SELECT id, age, LAG(age) OVER (PARTITION BY id ORDER BY _T) FROM p FOR SYSTEM_TIME ALL ORDER BY id, _T": {
			"1 1 NULL", "1 7 1", "1 NULL 7", "2 2 NULL", "2 NULL 2", "2 9 NULL"},
		"SELECT id FROM p FOR SYSTEM_TIME ALL WHERE name = 'Bo'":           {"2", "2"},
		"SELECT name FROM (SELECT * FROM p FOR SYSTEM_TIME ALL) x LIMIT 1": {"Al"},
		"SELECT id, _T FROM p FOR SYSTEM_TIME ALL NATURAL JOIN p FOR SYSTEM_TIME AS OF 200 q WHERE p._T < 250": {
			"1 200", "2 200"},
	} {
		require.Equal(t, want, append([]string{}, harness.Lines(t, db, query)...), query)
	}
	harness.Must(t, db, "CREATE VIEW h AS SELECT id, age, _T AS since FROM p FOR SYSTEM_TIME ALL",
		"CREATE VIEW v AS SELECT id, age FROM p",
		"CREATE TABLE copied SELECT id, _T FROM p FOR SYSTEM_TIME ALL")
	require.Equal(t, []string{"1 NULL 400"}, harness.Lines(t, db, "SELECT * FROM h WHERE id = 1 AND since > 300"))
	require.Equal(t, []string{"1 1", "1 7", "1 NULL"}, harness.Lines(t, db,
		"SELECT * FROM v FOR SYSTEM_TIME ALL WHERE id = 1"))
	require.Equal(t, []string{"6"}, harness.Lines(t, db, "SELECT COUNT(*) FROM copied"))
	harness.RequireErrorNumbers(t, db, map[string]uint16{
		"SELECT _T FROM p":                                                1054,
		"SELECT _T FROM p FOR SYSTEM_TIME AS OF 5":                        1054,
		"SELECT DEFAULT(_T) FROM p FOR SYSTEM_TIME ALL":                   1364,
		"SELECT id, age FROM p FOR SYSTEM_TIME ALL GROUP BY id":           1055,
		"SELECT id, age FROM p FOR SYSTEM_TIME ALL GROUP BY name":         1055,
		"SELECT _T FROM p FOR SYSTEM_TIME ALL a, p FOR SYSTEM_TIME ALL b": 1052,
		"SELECT id FROM p FOR SYSTEM_TIME FROM 'x' TO 5":                  1525,
	})
}

// TestMomentsAreRead changes rows based on their history, which itself is read-only.
func TestMomentsAreRead(t *testing.T) {
	db, _ := past(t, pastPeople, "INSERT INTO p (id, name, age) VALUES (1, 'Al', 1), (2, 'Bo', 2)",
		"UPDATE p SET age = 7 WHERE id = 1")
	harness.RequireErrorNumbers(t, db, map[string]uint16{
		"UPDATE p FOR SYSTEM_TIME ALL SET age = 1":                       1235,
		"UPDATE p FOR SYSTEM_TIME AS OF 250 SET age = 1":                 1235,
		"DELETE FROM p FOR SYSTEM_TIME ALL":                              1235,
		"DELETE FROM x USING p FOR SYSTEM_TIME ALL x JOIN p USING (id)":  1235,
		"UPDATE p FOR SYSTEM_TIME ALL x JOIN p USING (id) SET x.age = 1": 1235,
		"UPDATE p FOR SYSTEM_TIME ALL x JOIN p USING (id) SET x._T = 1":  1235,
		"INSERT INTO p (id, _T) VALUES (1, 2)":                           1054,
	})
	require.EqualValues(t, 1, harness.Affected(t, db,
		"UPDATE p FOR SYSTEM_TIME ALL x JOIN p USING (id) SET p.age = x.age WHERE x._T = 200"))
	require.Equal(t, []string{"1 Al 1 0", "2 Bo 2 0"}, harness.Lines(t, db, "SELECT * FROM p"))
	require.EqualValues(t, 1, harness.Affected(t, db,
		"DELETE p FROM p JOIN p FOR SYSTEM_TIME BETWEEN ? AND ? x USING (id)", 300, 350))
	require.Equal(t, []string{"2 200", "2 200"}, harness.Lines(t, db,
		"SELECT id, _T FROM p FOR SYSTEM_TIME ALL UNION ALL "+
			"(SELECT id, _T FROM p FOR SYSTEM_TIME ALL ORDER BY _T LIMIT 1 FOR UPDATE)"))
	plan := strings.Join(harness.Lines(t, db, "EXPLAIN FORMAT=TREE "+
		"SELECT age FROM p FOR SYSTEM_TIME FROM 100 TO 600 WHERE id > 1 AND _T <= 300 ORDER BY id, _T"), "")
	require.Contains(t, plan, "time: [100 - 300]")
	require.NotContains(t, plan, "Sort")
}

// TestOwnMomentColumn: a column of the table replaces the hidden one.
func TestOwnMomentColumn(t *testing.T) {
	db, _ := past(t, "CREATE TABLE p (id int PRIMARY KEY, _t varchar(9))", "INSERT INTO p VALUES (1, 'a')",
		"UPDATE p SET _t = 'b'")
	require.Equal(t, []string{"1 a", "1 b"}, harness.Lines(t, db, "SELECT id, _T FROM p FOR SYSTEM_TIME ALL"))
	require.Equal(t, []string{"1 b"}, harness.Lines(t, db, "SELECT * FROM p FOR SYSTEM_TIME ALL WHERE _T = 'b'"))
}

// TestMomentsWritten tests moments as expressions, literals, variables and arguments.
func TestMomentsWritten(t *testing.T) {
	db, clock := harness.OpenAt(t, harness.MemoryDSN(), 1_704_067_200_000) // 2024-01-01
	harness.Must(t, db, "CREATE TABLE g$f"+cells, "CREATE TABLE p (id int PRIMARY KEY, n int)",
		"CREATE TABLE m (id int PRIMARY KEY, n int) HBASE_TABLE = 'g' HBASE_COLUMNS = ':key, f:n'")
	for n := range 4 {
		for _, table := range []string{"p", "m"} {
			harness.Affected(t, db, "INSERT INTO "+table+" VALUES (1, ?) ON DUPLICATE KEY UPDATE n = ?", n, n)
		}
		clock.Advance(time.Hour)
	}
	conn := harness.Conn(t, db)
	harness.Must(t, conn, "SET time_zone = '+00:00', @ms = 1704067200000, @at = TIMESTAMP '2024-01-01 01:30:00', "+
		"@s = '2024-01-01 01:00:00'")
	for _, table := range []string{"p", "m"} {
		at := func(want, moment string, args ...any) {
			t.Helper()
			for range 3 { // as a new statement, and with a cached plan
				require.Equal(t, want, harness.Single(t, conn,
					"SELECT n FROM "+table+" FOR SYSTEM_TIME AS OF "+moment, args...), moment)
				require.Equal(t, want, harness.Single(t, conn, "SELECT n FROM "+table+
					" FOR SYSTEM_TIME BETWEEN 0 AND "+moment+" ORDER BY _T DESC LIMIT 1", args...), moment)
			}
		}
		at("2", "NOW() - INTERVAL 2 HOUR")
		at("1", "NOW() - INTERVAL ? HOUR", 3)
		at("1", "TIMESTAMP '2024-01-01 01:00:00'")
		at("0", "TIMESTAMP '2024-01-01 00:59:59.999'")
		at("1", "@at")
		at("1", "@s")
		at("0", "@ms")
		at("2", "@ms + 2 * 3600000")
		at("3", "?", time.Date(2024, 1, 1, 3, 0, 0, 0, time.UTC))
		at("2", "?", "2024-01-01 02:00:00")
		at("2", "? + 1", 1_704_067_200_000+2*3_600_000)
		of, err := conn.PrepareContext(t.Context(), "SELECT n FROM "+table+
			" FOR SYSTEM_TIME FROM ? TO ? WHERE id = ? AND _T > ?")
		require.NoError(t, err)
		for range 2 {
			var n int
			require.NoError(t, of.QueryRow("2024-01-01", "2024-01-01 02:00:00", 1, 1_704_067_200_000).Scan(&n))
			require.Equal(t, 1, n)
		}
		require.NoError(t, of.Close())
	}
	for moment, number := range map[string]uint16{"'soon'": 1525, "TIMESTAMP '2024-02-30'": 1525, "DATE '2024'": 1525,
		"NULL": 1210, "TRUE OR": 1064, "n": 1054, "(SELECT 1)": 1235, "RAND()": 1235, "NOW() - INTERVAL 1 AGE": 1064,
		"'0000-00-00'": 1525, "": 1064, "TRANSACTION 1": 1235} {
		_, err := db.Exec("SELECT n FROM p FOR SYSTEM_TIME AS OF " + moment)
		require.Equal(t, number, harness.ErrorNumber(err), "%s: %v", moment, err)
	}
}

// sliced are cells in partitions by time.
const sliced = ` (K varbinary(100), Q varbinary(100), T bigint, V varbinary(1000),
	G bigint GENERATED ALWAYS AS (ABS(T)), PRIMARY KEY (K, Q, T)) PARTITION BY RANGE COLUMNS (G) (
	PARTITION a VALUES LESS THAN (640), PARTITION b VALUES LESS THAN (MAXVALUE))`

// TestMomentsAsOf compares the history of random rows with each table as it was at each moment: plain, mapped
// onto two families, with and without keys of several columns, and partitioned.
func TestMomentsAsOf(t *testing.T) {
	seed := testseed.Of(t)
	for round := range uint64(harness.InShort(2, 8)) {
		r := rand.New(rand.NewPCG(seed+round, 2))
		db, clock := past(t, "CREATE TABLE g$f"+sliced, "CREATE TABLE g$h"+sliced,
			"CREATE TABLE plain (a int, b varchar(3), x int, y varchar(9), z int DEFAULT 5, PRIMARY KEY (a, b)) "+
				"VERSIONS 3",
			"CREATE TABLE parted (a int, b varchar(3), x int, y varchar(9), z int, PRIMARY KEY (a, b)) "+
				"PARTITION BY KEY (a) PARTITIONS 3",
			"CREATE TABLE mapped (a int unsigned, b varchar(3), x int, y varchar(9), z int, PRIMARY KEY (a, b)) "+
				"HBASE_TABLE = 'g' HBASE_COLUMNS = ':key#b, :key, f:x#b, h:y, f:z'")
		for range 60 {
			clock.Advance(time.Duration(1+r.IntN(3)) * time.Millisecond)
			for _, table := range []string{"plain", "parted", "mapped"} {
				_, err := db.Exec(fmt.Sprintf(pastStep(r), table))
				require.NoError(t, err)
			}
		}
		for _, table := range []string{"plain", "parted", "mapped"} {
			requireMoments(t, db, r, table)
		}
	}
}

// pastStep returns a random change of rows.
func pastStep(r *rand.Rand) string {
	a, b, n := r.IntN(3), harness.Pick(r, []string{"u", "v"}), r.IntN(9)
	return harness.Pick(r, []string{
		fmt.Sprintf("INSERT INTO %%s VALUES (%d, '%s', %d, 'y%d', NULL) ON DUPLICATE KEY UPDATE x = %d", a, b, n, n, n),
		fmt.Sprintf("REPLACE INTO %%s (a, b, z) VALUES (%d, '%s', %d)", a, b, n),
		fmt.Sprintf("UPDATE %%s SET y = 'y%d' WHERE a = %d", n, a),
		fmt.Sprintf("UPDATE %%s SET z = 1, x = NULLIF(%d, 3) WHERE b = '%s'", n, b),
		fmt.Sprintf("DELETE FROM %%s WHERE a = %d AND b = '%s' AND %d = 1", a, b, n%3),
	})
}

// requireMoments compares the results of FOR SYSTEM_TIME ALL, FROM and BETWEEN with AS OF at each moment.
func requireMoments(t *testing.T, db *sql.DB, r *rand.Rand, table string) {
	var moments []int
	for _, at := range harness.Lines(t, db, "SELECT DISTINCT _T FROM "+table+" FOR SYSTEM_TIME ALL ORDER BY 1") {
		n, err := strconv.Atoi(at)
		require.NoError(t, err)
		moments = append(moments, n)
	}
	low, high := harness.Pick(r, moments), harness.Pick(r, moments)
	for _, columns := range []string{"a, b, x, y, z", "a, b, y", "z"} {
		var all, some []string
		for _, at := range moments {
			// A moment has those of the rows existing then that have a cell of that moment.
			changed := harness.Lines(t, db,
				fmt.Sprintf("SELECT a, b FROM %s FOR SYSTEM_TIME ALL WHERE _T = %d", table, at))
			moment := fmt.Sprintf(harness.Pick(r, []string{"%d", "2 * %d - %[1]d", "FROM_UNIXTIME(%d / 1000)"}), at)
			then := fmt.Sprintf("SELECT a, b, '|', %s FROM %s FOR SYSTEM_TIME AS OF %s", columns, table, moment)
			for _, row := range harness.Lines(t, db, then) {
				key, values, _ := strings.Cut(row, " | ")
				if !slices.Contains(changed, key) {
					continue
				}
				line := fmt.Sprintf("%d %s", at, values)
				if all = append(all, line); low <= at && at <= high && strings.HasPrefix(key, "1 ") {
					some = append(some, line)
				}
			}
		}
		require.ElementsMatch(t, all, harness.Lines(t, db,
			fmt.Sprintf("SELECT _T, %s FROM %s FOR SYSTEM_TIME ALL", columns, table)), table)
		const between = "SELECT _T, %s FROM %s FOR SYSTEM_TIME %s WHERE a = 1 AND (z IS NULL OR z < 100)%s"
		for _, query := range []string{
			fmt.Sprintf(between, columns, table, fmt.Sprintf("BETWEEN %d AND %d", low, high), ""),
			fmt.Sprintf(between, columns, table, fmt.Sprintf("FROM %d TO %d", low, high+1), " ORDER BY _T"),
			fmt.Sprintf(between, columns, table, "ALL", fmt.Sprintf(" AND _T BETWEEN %d AND %d ORDER BY b", low, high)),
		} {
			require.ElementsMatch(t, some, harness.Lines(t, db, query), query)
		}
	}
	requireMomentsOfCells(t, db, table)
}

// requireMomentsOfCells compares the moments of rows with the times of their cells.
func requireMomentsOfCells(t *testing.T, db *sql.DB, table string) {
	cells := map[string]string{"plain": "plain$d", "parted": "parted$d", "mapped": "g"}[table]
	want := harness.Lines(t, db, "SELECT COUNT(DISTINCT K, T) FROM "+cells+" FOR SYSTEM_TIME ALL")
	require.Equal(t, want, harness.Lines(t, db, "SELECT COUNT(*) FROM "+table+" FOR SYSTEM_TIME ALL"), table)
}
