package typed

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

const ranged = `CREATE TABLE p (a int, b varchar(20), c int, v varchar(10), PRIMARY KEY (a, b, c))
	PARTITION BY RANGE COLUMNS (a, b) (PARTITION p0 VALUES LESS THAN (0, 'm'),
	PARTITION p1 VALUES LESS THAN (255, MAXVALUE), PARTITION p2 VALUES LESS THAN (1000,'x'))`

// TestPartitions tests ranges of several columns with each kind of statement.
func TestPartitions(t *testing.T) {
	db := open(t, ranged, `INSERT INTO p VALUES (-5, 'x', 1, 'one'), (0, 'a', 1, 'two'), (0, 'z', 2, 'three'),
		(255, 'zz', 3, 'four'), (256, '', 4, 'five')`)
	lines := func(query string) []string { return harness.Lines(t, db, query) }
	require.Equal(t, []string{"0 z 2 three", "255 zz 3 four", "256  4 five"}, lines("SELECT * FROM p PARTITION (p1, p2)"))
	require.Equal(t, []string{"p0 0,'m'", "p1 255,MAXVALUE", "p2 1000,'x'"},
		lines("SELECT PARTITION_NAME, PARTITION_DESCRIPTION FROM information_schema.PARTITIONS WHERE TABLE_NAME = 'p'"))
	for where, want := range map[string]string{
		"a = 0 AND b = 'z'": "p1", "a > 255": "p2", "a = 0": "p0,p1", "a < -5": "p0", "a = 0 AND b > 'm' AND b < 'n'": "p1",
	} {
		rows := strings.Fields(lines("EXPLAIN SELECT * FROM p WHERE " + where)[0])
		require.Equal(t, want, rows[3], where)
	}
	for statement, want := range map[string]string{
		"INSERT INTO p VALUES (5000, 'x', 1, 'v')":                                                 "1526: Table has no partition for value '5000-x-1'",
		"UPDATE p SET a = 1000, b = 'x' WHERE c = 4":                                               "1526: Table has no partition for value '1000-x-4'",
		"INSERT INTO p PARTITION (p0) VALUES (5, 'x', 1, 'v')":                                     "1748: ",
		"ALTER TABLE p ADD PARTITION (PARTITION x VALUES LESS THAN (7000))":                        "1653: ",
		"ALTER TABLE p ADD PARTITION (PARTITION x VALUES LESS THAN ('7000', 'x'))":                 "1654: ",
		"SPLIT TABLE p BY (1, 2)":                                                                  "1654: ",
		"SPLIT TABLE p BY (1, MAXVALUE), (MAXVALUE, 'a')":                                          "1654: ",
		"SPLIT TABLE p BETWEEN (1, 'a') AND (5, 'b') REGIONS 4":                                    "1235: ",
		"ALTER TABLE p PARTITION BY KEY (a, b) PARTITIONS 5":                                       "1235: ",
		"ALTER TABLE p PARTITION BY KEY (b) PARTITIONS 5":                                          "1503: ",
		"ALTER TABLE p PARTITION BY RANGE COLUMNS (a, c) (PARTITION x VALUES LESS THAN (7000, 1))": "1503: ",
		"ALTER TABLE p PARTITION BY KEY (v) PARTITIONS 5":                                          "1503: ",
		"ALTER TABLE p PARTITION BY KEY (x) PARTITIONS 5":                                          "1488: ",
		"ALTER TABLE p DROP PARTITION none":                                                        "1507: ",
		"ALTER TABLE p PARTITION BY RANGE COLUMNS (a) (PARTITION x VALUES LESS THAN (7))":          "1526: ",
		"ALTER TABLE p PARTITION BY HASH (a + 1) PARTITIONS 5":                                     "1235: ",
		"ALTER TABLE p PARTITION BY HASH (b) PARTITIONS 5":                                         "1503: ",
		"ALTER TABLE p PARTITION BY HASH (x) PARTITIONS 5":                                         "1488: ",
		"CREATE TABLE q (d date PRIMARY KEY) PARTITION BY HASH (d) PARTITIONS 5":                   "1659: ",
		"ALTER TABLE p PARTITION BY LIST (a) (PARTITION x VALUES IN (1))":                          "1235: ",
	} {
		_, err := db.Exec(statement)
		number, message, _ := strings.Cut(want, ": ")
		require.ErrorContains(t, err, "Error "+number, statement)
		require.ErrorContains(t, err, message, statement)
	}
	require.EqualValues(t, 2, harness.Affected(t, db, "UPDATE p PARTITION (p0) SET v = 'up'"))
	harness.Must(t, db, "ALTER TABLE p ADD PARTITION (PARTITION p3 VALUES LESS THAN (MAXVALUE, MAXVALUE))",
		"INSERT INTO p VALUES (5000, 'x', 1, 'v')", "ALTER TABLE p TRUNCATE PARTITION p0",
		"ALTER TABLE p REORGANIZE PARTITION p1, p2 INTO (PARTITION q VALUES LESS THAN (1000, 'x'))", "SPLIT TABLE p BY (10, 'x'), (20, 'y')",
		"ALTER TABLE p DROP PARTITION q_1")
	require.Equal(t, []string{"255 zz 3 four", "256  4 five", "5000 x 1 v"}, lines("SELECT * FROM p"))
	requireSameAgain(t, db, "p")
	harness.Must(t, db, "ALTER TABLE p PARTITION BY KEY (a) PARTITIONS 5", "ALTER TABLE p ADD PARTITION PARTITIONS 2",
		"ALTER TABLE p COALESCE PARTITION 4")
	require.Equal(t, []string{"255 zz 3 four", "256  4 five", "5000 x 1 v"}, lines("SELECT * FROM p ORDER BY a, b, c"))
	require.NotContains(t, strings.Fields(lines("EXPLAIN SELECT * FROM p WHERE a = 10")[0])[3], ",")
	requireSameAgain(t, db, "p")
	conn, err := db.Conn(t.Context())
	require.NoError(t, err)
	defer conn.Close()
	for _, hash := range []string{"HASH (a)", "LINEAR HASH (a)", "LINEAR KEY (a)"} {
		harness.Must(t, db, "ALTER TABLE p REMOVE PARTITIONING")
		harness.Must(t, conn, "ALTER TABLE p PARTITION BY "+hash+" PARTITIONS 5")
		require.Equal(t, []string{"1105"}, harness.WarningCodes(t, conn))
		require.Contains(t, lines("SHOW CREATE TABLE p")[0], "PARTITION BY KEY (`a`)\nPARTITIONS 5")
		require.Equal(t, []string{"255 zz 3 four", "256  4 five", "5000 x 1 v"}, lines("SELECT * FROM p ORDER BY a, b, c"))
	}
	harness.Must(t, db, "ALTER TABLE p REMOVE PARTITIONING", "SPLIT TABLE p BY (100), (1000)")
	require.Equal(t, []string{"5000 x 1 v"}, lines("SELECT * FROM p PARTITION (p2)"))
	requireSameAgain(t, db, "p")
}

// requireSameAgain checks that the output of SHOW CREATE TABLE creates the same table, as CREATE TABLE ...
// LIKE does.
func requireSameAgain(t *testing.T, db harness.Execer, table string) {
	text := func(name string) string { return harness.Lines(t, db, "SHOW CREATE TABLE "+name)[0][len(name):] }
	want := strings.Replace(text(table), "`"+table+"`", "`again`", 1)
	harness.Must(t, db, strings.TrimSpace(want))
	require.Equal(t, want, text("again"))
	harness.Must(t, db, "DROP TABLE again", "CREATE TABLE again LIKE "+table)
	require.Equal(t, want, text("again"))
	harness.Must(t, db, "DROP TABLE again")
}

// TestPartitionTypes tests ranges of each type that allows them, and the errors for the others.
func TestPartitionTypes(t *testing.T) {
	db := open(t)
	for _, each := range [][3]string{
		{"bigint unsigned", "0", "18446744073709551615"}, {"tinyint", "-128", "127"}, {"date", "'2024-01-01'", "'2024-02-29'"},
		{"datetime(3)", "'2024-01-01 00:00:00.000'", "'2024-02-29 12:00:00.500'"}, {"time", "'-10:00:00'", "'12:00:00'"},
		{"varchar(10)", "'a''b'", "'é'"}, {"char(3)", "'a'", "'b'"}, {"varbinary(10)", "'a'", "0xFF00FF"}, {"binary(2)", "'ab'", "0xFFFF"},
		{"year", "2000", "2024"},
	} {
		harness.Must(t, db, "CREATE TABLE t (k "+each[0]+", n int, PRIMARY KEY (k, n)) PARTITION BY RANGE COLUMNS (k)"+
			"(PARTITION a VALUES LESS THAN ("+each[1]+"), PARTITION b VALUES LESS THAN ("+each[2]+"), PARTITION c VALUES LESS THAN MAXVALUE)",
			"INSERT INTO t VALUES ("+each[1]+", 1), ("+each[2]+", 2)")
		require.Equal(t, []string{"1"}, harness.Lines(t, db, "SELECT n FROM t PARTITION (b)"), each)
		require.Equal(t, []string{"2"}, harness.Lines(t, db, "SELECT n FROM t PARTITION (c)"), each)
		requireSameAgain(t, db, "t")
		harness.Must(t, db, "DROP TABLE t")
	}
	for _, each := range [][2]string{
		{"timestamp", "1659"}, {"decimal(5,2)", "1659"}, {"double", "1659"}, {"enum('a')", "1659"}, {"bit(4)", "1659"},
		{"varchar(20) COLLATE utf8mb4_general_ci", "1235"}, {"date", "1654"}, {"int", "1654"},
	} {
		_, err := db.Exec("CREATE TABLE t (k " + each[0] + " PRIMARY KEY) PARTITION BY RANGE COLUMNS (k) (PARTITION a VALUES LESS THAN ('x'))")
		require.ErrorContains(t, err, "Error "+each[1], each[0])
	}
	for _, each := range [][2]string{
		{"k int PRIMARY KEY) PARTITION BY RANGE (k) (PARTITION a VALUES LESS THAN (1.5))", "1654"},
		{"k int PRIMARY KEY) PARTITION BY RANGE (k) (PARTITION a VALUES LESS THAN (NULL))", "1566"},
		{"k int PRIMARY KEY) PARTITION BY RANGE (k + 1) (PARTITION a VALUES LESS THAN (1))", "1235"},
		{"k int PRIMARY KEY) PARTITION BY RANGE (k) (PARTITION a VALUES LESS THAN (2), PARTITION b VALUES LESS THAN (1))", "1493"},
		{"k int PRIMARY KEY) PARTITION BY LIST (k) (PARTITION a VALUES IN (2))", "1235"},
		{"k int) PARTITION BY RANGE (k) (PARTITION a VALUES LESS THAN (2))", "1235"},
		{"k int PRIMARY KEY) PARTITION BY RANGE (k) SUBPARTITION BY KEY (k) SUBPARTITIONS 2 (PARTITION a VALUES LESS THAN (2))", "1235"},
		{"k int PRIMARY KEY) PARTITION BY KEY (k, k) PARTITIONS 3", "1652"},
	} {
		_, err := db.Exec("CREATE TABLE t (" + each[0])
		require.ErrorContains(t, err, "Error "+each[1], each[0])
	}
}

// TestExchangeTyped exchanges a partition with a table, including the numbers that they have assigned.
func TestExchangeTyped(t *testing.T) {
	db := open(t, `CREATE TABLE p (id bigint AUTO_INCREMENT PRIMARY KEY, v int) PARTITION BY RANGE (id)
		(PARTITION a VALUES LESS THAN (100), PARTITION b VALUES LESS THAN MAXVALUE)`, "CREATE TABLE q LIKE p",
		"ALTER TABLE q REMOVE PARTITIONING", "INSERT INTO p (v) VALUES (1), (2)", "INSERT INTO q VALUES (50, 3), (60, 4)",
		"ALTER TABLE p EXCHANGE PARTITION a WITH TABLE q", "INSERT INTO p (v) VALUES (5)", "INSERT INTO q (v) VALUES (6)")
	require.Equal(t, []string{"50 3", "60 4", "61 5"}, harness.Lines(t, db, "SELECT * FROM p"))
	require.Equal(t, []string{"1 1", "2 2", "61 6"}, harness.Lines(t, db, "SELECT * FROM q"))
	for _, each := range [][2]string{
		{"INSERT INTO q VALUES (100, 1)", "1737"}, {"DELETE FROM q WHERE id = 100", ""}, {"ALTER TABLE q ADD x int", "1736"},
		{"ALTER TABLE q DROP x", "1736"}, // its cells may exist
		{"DROP TABLE q", "1146"}, {"CREATE TABLE q (id bigint AUTO_INCREMENT PRIMARY KEY, v bigint)", "1736"},
		{"DROP TABLE q", "1146"}, {"CREATE TABLE q (K varbinary(20), Q varbinary(20), T bigint, V longblob, PRIMARY KEY (K, Q, T))", "1736"},
	} {
		harness.Must(t, db, each[0])
		_, err := db.Exec("ALTER TABLE p EXCHANGE PARTITION a WITH TABLE q")
		if each[1] == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, "Error "+each[1], each[0])
	}
}

// TestRandomPartitions compares drawn tables whose partitions change with the same tables without
// partitions.
func TestRandomPartitions(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 3))
	for range 12 {
		table := drawTable(r, "t")
		made := table.create(r)
		if len(table.parts) == 0 && table.hashed == 0 {
			continue
		}
		plain, _, _ := strings.Cut(made, " PARTITION BY ")
		ours, theirs := open(t, made), open(t, plain)
		table.holdAll(t, ours)
		for i := range 60 {
			if i%10 == 9 && (len(table.parts) > 0 || table.hashed > 0) {
				action, done := table.repartition(r)
				if strings.HasPrefix(action, "DROP") || strings.HasPrefix(action, "TRUNC") {
					continue // it removes rows
				}
				if _, err := ours.Exec("ALTER TABLE t " + action); harness.ErrorNumber(err) != 1526 {
					require.NoError(t, err, action)
					done()
				}
				table.holdAll(t, ours)
				requireSameAgain(t, ours, "t")
			}
			change := table.change(r)
			_, _ = ours.Exec(change)
			_, _ = theirs.Exec(change)
			require.True(t, compareRows(t, ours, theirs, table.query(r)), change)
			require.True(t, compareRows(t, ours, theirs, "SELECT * FROM t ORDER BY "+table.key()), change)
		}
		ours.Close()
		theirs.Close()
	}
}

// holdAll gives the table a partition for everything above the others.
func (d *drawnTable) holdAll(t *testing.T, db harness.Execer) {
	if n := len(d.parts); n > 0 && d.parts[n-1].below != "" {
		rest := drawnPart{"rest", ""}
		harness.Must(t, db, "ALTER TABLE t ADD PARTITION ("+rest.String()+")")
		d.parts = append(d.parts, rest)
	}
}
