package typed

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

// TestExchangeIndexed exchanges a partition and a table, which have indexes, after random changes of both: the
// rows are those of a copy without indexes, by each index, and CHECK TABLE finds the entries.
func TestExchangeIndexed(t *testing.T) {
	const columns = "(id int PRIMARY KEY, a int, b varchar(10)%s) "
	const parts = "PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (100), PARTITION p1 VALUES LESS THAN (200))"
	indexes := ", KEY a (a), KEY ba (b, a)"
	db := open(t, "CREATE TABLE p "+fmt.Sprintf(columns, indexes)+parts, "CREATE TABLE q "+fmt.Sprintf(columns, indexes),
		"CREATE TABLE plain_p "+fmt.Sprintf(columns, "")+parts, "CREATE TABLE plain_q "+fmt.Sprintf(columns, ""))
	r := rand.New(rand.NewPCG(testseed.Of(t), 5))
	for range 30 {
		for range 1 + r.IntN(20) {
			table, id := "p", r.IntN(200)
			if r.IntN(2) == 0 {
				table, id = "q", 100+r.IntN(100)
			}
			statement := fmt.Sprintf("REPLACE INTO %%s%s VALUES (%d, %d, 'b%d')", table, id, r.IntN(9), r.IntN(9))
			switch r.IntN(4) {
			case 0:
				statement = fmt.Sprintf("DELETE FROM %%s%s WHERE a = %d", table, r.IntN(9))
			case 1:
				statement = fmt.Sprintf("UPDATE %%s%s SET a = a + 1 WHERE b < 'b%d'", table, r.IntN(9))
			}
			harness.Must(t, db, fmt.Sprintf(statement, ""), fmt.Sprintf(statement, "plain_"))
		}
		harness.Must(t, db, "ALTER TABLE p EXCHANGE PARTITION p1 WITH TABLE q", "ALTER TABLE plain_p EXCHANGE PARTITION p1 WITH TABLE plain_q")
		for _, table := range []string{"p", "q"} {
			want := harness.Lines(t, db, "SELECT * FROM plain_"+table+" WHERE a >= 2 AND b >= 'b3' ORDER BY id")
			for _, index := range []string{"a", "ba"} {
				require.Equal(t, want, harness.Lines(t, db, "SELECT * FROM "+table+" FORCE INDEX ("+index+") WHERE a >= 2 AND b >= 'b3' ORDER BY id"))
			}
			require.Regexp(t, " status OK$", harness.Lines(t, db, "CHECK TABLE "+table)[0])
		}
	}
}

// localTables are a partitioned table and one to exchange, whose indexes have other columns after those of the
// partitions, and copies without indexes.
func localTables(key, parts string) []string {
	columns := "(d " + key + " NOT NULL, id int NOT NULL, a int, b varchar(20), PRIMARY KEY (d, id)%s) "
	indexes := ", UNIQUE da (d, a), UNIQUE db (d, b(2) DESC), KEY dba (d, b, a DESC), KEY ad (a, d), UNIQUE prefixed (d, id, b)"
	return []string{"CREATE TABLE p " + fmt.Sprintf(columns, indexes) + parts, "CREATE TABLE q " + fmt.Sprintf(columns, indexes),
		"CREATE TABLE plain_p " + fmt.Sprintf(columns, "") + parts, "CREATE TABLE plain_q " + fmt.Sprintf(columns, "")}
}

// TestExplainLayout: EXPLAIN says whether the entries of an index lie by partition.
func TestExplainLayout(t *testing.T) {
	db := open(t, append(localTables("int", rangesOfTen),
		"CREATE TABLE k (d int PRIMARY KEY, a int, KEY da (d, a)) PARTITION BY KEY (d) PARTITIONS 2")...)
	harness.Must(t, db, "INSERT INTO p VALUES (1, 1, 1, 'b1'), (12, 1, NULL, 'b2')", "INSERT INTO q VALUES (1, 1, 1, 'b1')", "INSERT INTO k VALUES (1, 1), (2, 2)")
	extra := func(query string) string { return strings.Join(harness.Lines(t, db, "EXPLAIN "+query), "\n") }
	for query, layout := range map[string]string{
		"SELECT d, a, id FROM %s FORCE INDEX (da) ORDER BY d, a":  "local", // reads the entries alone
		"SELECT * FROM %s FORCE INDEX (da) WHERE d > 3 AND a > 1": "local",
		"SELECT * FROM %s FORCE INDEX (ad) WHERE a = 1":           "global",
	} {
		require.Contains(t, extra(fmt.Sprintf(query, "p")), "Using "+layout+" index", query)
		require.NotContains(t, extra(fmt.Sprintf(query, "q")), "Using "+layout+" index", query)
	}
	require.Contains(t, extra("SELECT d, a FROM k FORCE INDEX (da) ORDER BY d, a"), "Using global index")
	require.Contains(t, strings.Join(harness.Lines(t, db, "EXPLAIN FORMAT=TREE SELECT * FROM p FORCE INDEX (ad) WHERE a = 1"), "\n"), "index layout: global")
}

// TestExchangeLocal exchanges partitions of tables with UNIQUE indexes that begin with the columns of the
// partitions, after random changes of both and of the partitions.
func TestExchangeLocal(t *testing.T) {
	for _, each := range []struct {
		key, parts string
		keys       []string // of p0, p1 and p2, three each
	}{
		{"int", "PARTITION BY RANGE (d) (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN (20), PARTITION p2 VALUES LESS THAN MAXVALUE)",
			[]string{"-3", "0", "9", "10", "11", "19", "20", "255", "2147483647"}},
		{"varchar(20) COLLATE utf8mb4_bin", "PARTITION BY RANGE COLUMNS (d) (PARTITION p0 VALUES LESS THAN ('g'), PARTITION p1 VALUES LESS THAN ('m'), PARTITION p2 VALUES LESS THAN (MAXVALUE))",
			[]string{"''", "'b'", "'f~'", "'g'", "'gé'", "'h '", "'m'", "'mm'", "'ü'"}},
		{"date", "PARTITION BY RANGE COLUMNS (d) (PARTITION p0 VALUES LESS THAN ('2026-01-01'), PARTITION p1 VALUES LESS THAN ('2026-02-01'), PARTITION p2 VALUES LESS THAN (MAXVALUE))",
			[]string{"'0001-01-01'", "'2025-01-01'", "'2025-12-31'", "'2026-01-01'", "'2026-01-02'", "'2026-01-31'", "'2026-02-01'", "'2027-01-01'", "'9999-12-31'"}},
		{"int", "PARTITION BY RANGE COLUMNS (d, id) (PARTITION p0 VALUES LESS THAN (10, MAXVALUE), PARTITION p1 VALUES LESS THAN (20, MAXVALUE), PARTITION p2 VALUES LESS THAN (MAXVALUE, MAXVALUE))",
			[]string{"-3", "0", "10", "11", "12", "20", "21", "255", "2147483647"}},
	} {
		t.Run(each.key, func(t *testing.T) { runExchangeLocal(t, localTables(each.key, each.parts), each.keys) })
	}
}

func runExchangeLocal(t *testing.T, tables, keys []string) {
	db := open(t, tables...)
	r := rand.New(rand.NewPCG(testseed.Of(t), 6))
	for range 25 {
		part := r.IntN(3)
		harness.Must(t, db, "DELETE FROM q", "DELETE FROM plain_q")
		for range 1 + r.IntN(30) {
			table, key := "p", keys[r.IntN(9)]
			if r.IntN(2) == 0 {
				table, key = "q", keys[3*part+r.IntN(3)]
			}
			changeBoth(t, db, r, table, key)
		}
		for _, prefix := range []string{"", "plain_"} {
			harness.Must(t, db, fmt.Sprintf("ALTER TABLE %sp EXCHANGE PARTITION p%d WITH TABLE %[1]sq", prefix, part))
		}
		requireAlike(t, db)
		if r.IntN(3) == 0 {
			harness.Must(t, db, fmt.Sprintf("ALTER TABLE p TRUNCATE PARTITION p%d", part), fmt.Sprintf("ALTER TABLE plain_p TRUNCATE PARTITION p%d", part))
			requireAlike(t, db)
		}
	}
}

// changeBoth changes a row of a table as its UNIQUE indexes allow, and in the copy what it changed.
func changeBoth(t *testing.T, db *sql.DB, r *rand.Rand, table, key string) {
	row := fmt.Sprintf("(%s, %d, %s, 'b%d')", key, r.IntN(5), harness.Pick(r, []string{"NULL", "1", "2", "3", "4", "5"}), r.IntN(9))
	statement := "INSERT IGNORE INTO %s" + table + " VALUES " + row
	switch r.IntN(4) {
	case 0:
		statement = fmt.Sprintf("DELETE FROM %%s%s WHERE d = %s AND id = %d", table, key, r.IntN(5))
	case 1:
		statement = "REPLACE INTO %s" + table + " VALUES " + row
	}
	harness.Must(t, db, fmt.Sprintf(statement, ""), "DELETE FROM plain_"+table, "INSERT INTO plain_"+table+" SELECT * FROM "+table+" IGNORE INDEX (da, db, dba, ad, prefixed)")
}

// requireAlike compares both tables with their copies, by each index, and checks them.
func requireAlike(t *testing.T, db *sql.DB) {
	t.Helper()
	for _, table := range []string{"p", "q"} {
		want := harness.Lines(t, db, "SELECT * FROM plain_"+table+" ORDER BY d, id")
		for _, index := range []string{"PRIMARY", "da", "db", "dba", "ad", "prefixed"} {
			require.Equal(t, want, harness.Lines(t, db, "SELECT * FROM "+table+" FORCE INDEX ("+index+") ORDER BY d, id"), index)
		}
		for _, index := range []string{"da", "dba", "prefixed"} {
			require.Equal(t, harness.Lines(t, db, "SELECT d, id FROM plain_"+table+" ORDER BY d DESC, a DESC, id"),
				harness.Lines(t, db, "SELECT d, id FROM "+table+" FORCE INDEX ("+index+") ORDER BY d DESC, a DESC, id"), index)
		}
		require.Equal(t, harness.Lines(t, db, "SELECT COUNT(*), MIN(d), MAX(d) FROM plain_"+table), harness.Lines(t, db, "SELECT COUNT(*), MIN(d), MAX(d) FROM "+table+" FORCE INDEX (da)"))
		require.Regexp(t, " status OK$", harness.Lines(t, db, "CHECK TABLE "+table)[0])
	}
}

// TestExchangeUnique: an exchange could bring an entry of a UNIQUE index that another row of the table has, unless
// the index begins with the columns of the partitions.
func TestExchangeUnique(t *testing.T) {
	db := open(t, "CREATE TABLE p (id int PRIMARY KEY, a int, UNIQUE u (a)) PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (100), PARTITION p1 VALUES LESS THAN (200))",
		"CREATE TABLE q (id int PRIMARY KEY, a int, UNIQUE u (a))", "INSERT INTO p VALUES (1, 1), (101, 2)", "INSERT INTO q VALUES (2, 2)")
	_, err := db.Exec("ALTER TABLE p EXCHANGE PARTITION p0 WITH TABLE q")
	require.ErrorContains(t, err, "Error 1235")
	require.ErrorContains(t, err, "DROP INDEX u")
	for _, table := range []string{"p", "q"} {
		harness.Must(t, db, "ALTER TABLE "+table+" DROP INDEX u, ADD UNIQUE u (id, a)")
	}
	harness.Must(t, db, "ALTER TABLE p EXCHANGE PARTITION p0 WITH TABLE q WITHOUT VALIDATION")
	harness.RequireErrorNumbers(t, db, map[string]uint16{"INSERT INTO p VALUES (2, 2)": 1062})
	harness.Must(t, db, "INSERT INTO p VALUES (1, 1)", "DELETE FROM p WHERE id = 1", "INSERT INTO q VALUES (150, 1)")
	for _, validation := range []string{"", " WITH VALIDATION", " WITHOUT VALIDATION"} {
		harness.RequireErrorNumbers(t, db, map[string]uint16{"ALTER TABLE p EXCHANGE PARTITION p0 WITH TABLE q" + validation: 1737})
	}
	require.Equal(t, []string{"2 2", "101 2"}, harness.Lines(t, db, "SELECT * FROM p FORCE INDEX (u) ORDER BY id"))
	require.Equal(t, []string{"1 1", "150 1"}, harness.Lines(t, db, "SELECT * FROM q FORCE INDEX (u) ORDER BY id"))
}

// TestExchangeDefinitions: as in MySQL, both tables have the same indexes.
func TestExchangeDefinitions(t *testing.T) {
	const columns = "(id int PRIMARY KEY, a int, b varchar(10), "
	db := open(t, "CREATE TABLE p "+columns+"UNIQUE u (id, a), KEY k (b)) PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (100))")
	for indexes, number := range map[string]uint16{
		"UNIQUE u (id, a), KEY k (b)": 0, "KEY k (b) COMMENT 'c', UNIQUE u (id, a)": 0, "KEY k (b)": 1736, "UNIQUE u (id, a)": 1736,
		"UNIQUE v (id, a), KEY k (b)": 1736, "KEY u (id, a), KEY k (b)": 1736, "UNIQUE u (id), KEY k (b)": 1736,
		"UNIQUE u (id, a), KEY k (b(3))": 1736, "UNIQUE u (id, a), KEY k (b), KEY l (a)": 1736, "UNIQUE u (id, a), KEY K (b)": 1736,
	} {
		harness.Must(t, db, "CREATE TABLE q "+columns+indexes+")")
		if number == 0 {
			harness.Must(t, db, "ALTER TABLE p EXCHANGE PARTITION p0 WITH TABLE q")
		} else {
			harness.RequireErrorNumbers(t, db, map[string]uint16{"ALTER TABLE p EXCHANGE PARTITION p0 WITH TABLE q": number})
		}
		harness.Must(t, db, "DROP TABLE q")
	}
	harness.Must(t, db, "CREATE TABLE q "+columns+"UNIQUE u (id, a), KEY k (b)) TTL = 3600")
	harness.RequireErrorNumbers(t, db, map[string]uint16{"ALTER TABLE p EXCHANGE PARTITION p0 WITH TABLE q": 1731})
}

// TestExchangeExpired: rows that have expired, and are outside of the partition, leave no entries in it.
func TestExchangeExpired(t *testing.T) {
	db, clock := harness.OpenAt(t, harness.MemoryDSN(), 1_000_000)
	const columns = " (id int PRIMARY KEY, a int, UNIQUE u (id, a), KEY k (a, id)) TTL = 100"
	harness.Must(t, db, "CREATE TABLE p"+columns+" PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN (20))",
		"CREATE TABLE q"+columns, "INSERT INTO p VALUES (1, 1), (11, 1)", "INSERT INTO q VALUES (12, 2), (30, 3)", "FLUSH TABLES")
	clock.Advance(90 * time.Second)
	harness.Must(t, db, "INSERT INTO p VALUES (2, 2)", "INSERT INTO q VALUES (13, 3)")
	harness.RequireErrorNumbers(t, db, map[string]uint16{"ALTER TABLE p EXCHANGE PARTITION p1 WITH TABLE q": 1737})
	clock.Advance(20 * time.Second)
	harness.Must(t, db, "ALTER TABLE p EXCHANGE PARTITION p1 WITH TABLE q")
	for _, index := range []string{"PRIMARY", "u", "k"} {
		require.Equal(t, []string{"2 2", "13 3"}, harness.Lines(t, db, "SELECT * FROM p FORCE INDEX ("+index+") WHERE id > 0 AND a > 0 ORDER BY id"))
	}
	require.Empty(t, harness.Lines(t, db, "SELECT * FROM q FORCE INDEX (u)"))
	for _, line := range harness.Lines(t, db, "CHECK TABLE p, q EXTENDED") {
		require.Regexp(t, " status OK$", line)
	}
	clock.Advance(90 * time.Second)
	require.Empty(t, harness.Lines(t, db, "SELECT * FROM p FORCE INDEX (u)"))
}

// TestRemoveLocal removes partitions whose entries lie together: no entry of them is read, and indexes are complete at
// once. Rows that come back have entries again.
func TestRemoveLocal(t *testing.T) {
	db := open(t, localTables("int", rangesOfTen)...)
	for _, change := range []string{"TRUNCATE PARTITION p1", "TRUNCATE PARTITION p0, p2", "TRUNCATE PARTITION ALL", "DROP PARTITION p1", "DROP PARTITION p0", "TRUNCATE PARTITION p2"} {
		fill := "INSERT IGNORE INTO %sp VALUES (-5, 1, 1, 'b'), (9, 1, 1, 'b'), (10, 1, NULL, NULL), (19, 1, 2, 'cc'), (20, 1, 1, 'b'), (2147483647, 1, 1, 'b')"
		for _, prefix := range []string{"", "plain_"} {
			harness.Must(t, db, fmt.Sprintf(fill, prefix), fmt.Sprintf("ALTER TABLE %sp %s", prefix, change))
		}
		requireAlike(t, db)
	}
}

// TestExchangeTemporary: a temporary table is not exchanged, nor the table that it hides.
func TestExchangeTemporary(t *testing.T) {
	db := open(t, "CREATE TABLE p (id int PRIMARY KEY) PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (10))", "CREATE TABLE q (id int PRIMARY KEY)")
	conn := harness.Conn(t, db)
	harness.Must(t, conn, "CREATE TEMPORARY TABLE own (id int PRIMARY KEY)", "CREATE TEMPORARY TABLE q (id int PRIMARY KEY)")
	for _, table := range []string{"own", "q"} {
		harness.RequireErrorNumbers(t, conn, map[string]uint16{"ALTER TABLE p EXCHANGE PARTITION p0 WITH TABLE " + table: 1733})
	}
	harness.Must(t, conn, "DROP TEMPORARY TABLE q", "ALTER TABLE p EXCHANGE PARTITION p0 WITH TABLE q")
}
