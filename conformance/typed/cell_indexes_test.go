package typed

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

const profile = "CREATE TABLE users$profile (K varbinary(40), Q varbinary(20), T bigint, V varbinary(100), PRIMARY KEY (K, Q, T), " +
	"KEY at (Q, V(64)) COMMENT 'both', INDEX (V(8)))"

// TestCellIndexDefinitions shows, renames, drops and recreates indexes of column families.
func TestCellIndexDefinitions(t *testing.T) {
	db := openLatest(t, profile)
	lines := func(query string) []string { return harness.Lines(t, db, query) }
	made := lines("SHOW CREATE TABLE users$profile")[0]
	require.Contains(t, made, "PRIMARY KEY (`K`,`Q`,`T`),\n  KEY `at` (`Q`,`V`(64)) COMMENT 'both',\n  KEY `V` (`V`(8))\n)")
	require.Equal(t, []string{"users$profile 1 at 1 Q A 0 NULL NULL  BTREE  both", "users$profile 1 at 2 V A 0 64 NULL YES BTREE  both",
		"users$profile 1 V 1 V A 0 8 NULL YES BTREE  "}, lines("SHOW INDEX FROM users$profile WHERE Key_name <> 'PRIMARY'"))
	require.Equal(t, []string{"K PRI", "Q PRI", "T PRI", "V MUL"},
		lines("SELECT COLUMN_NAME, COLUMN_KEY FROM information_schema.COLUMNS WHERE TABLE_NAME = 'users$profile' ORDER BY ORDINAL_POSITION"))
	harness.Must(t, db, "CREATE TABLE users$other LIKE users$profile", "CREATE TEMPORARY TABLE mine LIKE users$profile")
	require.Equal(t, strings.ReplaceAll(made, "users$profile", "users$other"), lines("SHOW CREATE TABLE users$other")[0])
	require.NotContains(t, lines("SHOW CREATE TABLE mine")[0], "at")
	harness.Must(t, db, "DROP TABLE users$other", "RENAME TABLE users$profile TO users$before", strings.TrimPrefix(made, "users$profile "),
		"DROP TABLE users$before", "ALTER TABLE users$profile RENAME INDEX at TO V, RENAME INDEX V TO at, ADD KEY q (Q), MODIFY V varbinary(64)")
	require.Contains(t, lines("SHOW CREATE TABLE users$profile")[0], "KEY `V` (`Q`,`V`) COMMENT 'both',\n  KEY `at` (`V`(8)),\n  KEY `q` (`Q`)\n)")
	harness.Must(t, db, "INSERT INTO users$profile VALUES ('a', 'q', 1, 'v')", "DROP INDEX V ON users$profile",
		"ALTER TABLE users$profile DROP INDEX at, ADD INDEX at (V(2), Q(3)), MODIFY V blob")
	require.Equal(t, []string{"a q v"}, lines("SELECT K, Q, V FROM users$profile FORCE INDEX (at) WHERE V = 'v'"))
	require.Contains(t, lines("SHOW CREATE TABLE users$profile")[0], "KEY `q` (`Q`),\n  KEY `at` (`V`(2),`Q`(3))\n)")
	harness.Must(t, db, "ALTER TABLE users$profile DROP INDEX at, DROP INDEX q")
	require.NotContains(t, lines("SHOW CREATE TABLE users$profile")[0], "  KEY")
}

// TestCellIndexesRefused tests invalid definitions, which change nothing.
func TestCellIndexesRefused(t *testing.T) {
	db := open(t, "CREATE TABLE t (K varbinary(40), Q varbinary(20), T bigint, V blob, P varbinary(3) AS (left(K, 3)), PRIMARY KEY (K, Q, T), KEY q (Q))")
	made := harness.Lines(t, db, "SHOW CREATE TABLE t")
	for statement, number := range map[string]uint16{
		"CREATE UNIQUE INDEX x ON t (Q)":         1235,
		"CREATE FULLTEXT INDEX x ON t (V)":       1235,
		"CREATE INDEX x ON t (K)":                1235,
		"CREATE INDEX x ON t (Q, T)":             1235,
		"CREATE INDEX x ON t (P)":                1235,
		"CREATE INDEX x ON t (V)":                1170,
		"CREATE INDEX x ON t (V(4000))":          1071,
		"CREATE INDEX x ON t (Q(21))":            1089,
		"CREATE INDEX x ON t (nothing)":          1072,
		"CREATE INDEX x ON t (Q, Q)":             1060,
		"CREATE INDEX Q ON t (Q)":                1061,
		"DROP INDEX x ON t":                      1091,
		"ALTER TABLE t RENAME INDEX x TO y":      1176,
		"ALTER TABLE t ADD CHECK (Q <> '')":      1235,
		"ALTER TABLE t DROP CHECK q":             1235,
		"ALTER TABLE t ADD KEY x (Q), ADD c int": 1235,
		"ALTER TABLE t TTL = 100":                1235,
		"SELECT * FROM t USE INDEX (nothing)":    1176,
	} {
		_, err := db.Exec(statement)
		require.Equal(t, number, harness.ErrorNumber(err), "%s: %v", statement, err)
		require.Equal(t, made, harness.Lines(t, db, "SHOW CREATE TABLE t"), statement)
	}
}

// TestCellIndexReads reads cells of the latest view by the indexes of a family, and others without them.
func TestCellIndexReads(t *testing.T) {
	db := openLatest(t, profile, "INSERT INTO users$profile VALUES ('ann', 'city', 1, 'Oslo'), ('ann', 'city', 2, 'Bergen'), ('ann', 'name', 1, 'Ann'), "+
		"('bob', 'city', 1, 'Oslo'), (X'0001', X'00', 1, X'000100'), ('', '', 1, ''), ('cy', 'mail', 1, NULL)")
	for query, want := range map[string][]string{
		"WHERE Q = 'city' AND V = 'Oslo'":            {"bob city Oslo"},
		"WHERE Q = 'city' AND V LIKE 'B%'":           {"ann city Bergen"},
		"WHERE Q = 'city' AND V BETWEEN 'A' AND 'Z'": {"ann city Bergen", "bob city Oslo"},
		"WHERE V = 'Ann'":                            {"ann name Ann"},
		"WHERE V IN ('Ann', 'Oslo')":                 {"ann name Ann", "bob city Oslo"},
		"WHERE V IS NULL":                            {"cy mail NULL"},
		"WHERE V = ''":                               {"  "},
		"WHERE HEX(K) = '0001' AND V = X'000100'":    {"\x00\x01 \x00 \x00\x01\x00"},
		"WHERE V = 'Ann' AND K > 'b'":                {},
		"WHERE Q = 'city' AND V = 'Oslo' AND T = 1":  {"bob city Oslo"},
		"WHERE V = (SELECT 'Ann')":                   {"ann name Ann"},
	} {
		query = "SELECT K, Q, V FROM users$profile " + query + " ORDER BY K, Q"
		require.Equal(t, want, harness.Lines(t, db, query), query)
	}
	requirePlan(t, db, "SELECT K FROM users$profile WHERE Q = 'city' AND V LIKE 'O%'", "index: at")
	requirePlan(t, db, "SELECT K FROM users$profile WHERE V = 'Oslo'", "index: V")
	requirePlan(t, db, "SELECT K FROM users$profile IGNORE INDEX (V) WHERE V = 'Oslo'", "Full scan")
	requirePlan(t, db, "SELECT K FROM users$profile FOR SYSTEM_TIME ALL WHERE V = 'Oslo'", "Full scan")
	requirePlan(t, db, "SELECT /*+ VERSIONS(2) */ K FROM users$profile WHERE V = 'Oslo'", "Full scan")
	requirePlan(t, db, "SELECT /*+ TIMERANGE(0, 2) */ K FROM users$profile WHERE V = 'Oslo'", "Full scan")
	require.Equal(t, []string{"ann", "bob"}, harness.Lines(t, db, "SELECT K FROM users$profile FOR SYSTEM_TIME AS OF 1 WHERE V = 'Oslo' ORDER BY K"))
	require.Equal(t, []string{"ann", "bob"}, harness.Lines(t, db, "SELECT K FROM users$profile FOR SYSTEM_TIME ALL WHERE V = 'Oslo' ORDER BY K"))
	harness.Must(t, db, "DELETE FROM users$profile FOR SYSTEM_TIME ALL WHERE K = 'ann' AND T = 2")
	require.Equal(t, []string{"ann", "bob"}, harness.Lines(t, db, "SELECT K FROM users$profile FORCE INDEX (at) WHERE Q = 'city' AND V = 'Oslo' ORDER BY K"))
	require.EqualValues(t, 2, harness.Affected(t, db, "UPDATE users$profile SET V = 'Rome' WHERE Q = 'city' AND V = 'Oslo'"))
	require.EqualValues(t, 2, harness.Affected(t, db, "DELETE FROM users$profile WHERE V = 'Rome'"))
	requireSoundTable(t, db, "users$profile")
}

// TestCellIndexInTransaction: statements find by an index what earlier statements of the transaction have
// written.
func TestCellIndexInTransaction(t *testing.T) {
	db := openLatest(t, profile)
	tx := harness.Begin(t, db)
	harness.Must(t, tx, "INSERT INTO users$profile VALUES ('a', 'q', 1, 'x')", "INSERT INTO users$profile SELECT CONCAT(K, 'b'), Q, T, V "+
		"FROM users$profile FORCE INDEX (V) WHERE V = 'x'", "SAVEPOINT s", "UPDATE users$profile SET V = 'y' WHERE V = 'x'")
	require.Equal(t, []string{"a", "ab"}, harness.Lines(t, tx, "SELECT K FROM users$profile FORCE INDEX (V) WHERE V = 'y' ORDER BY K"))
	harness.Must(t, tx, "ROLLBACK TO s")
	require.Equal(t, []string{"a", "ab"}, harness.Lines(t, tx, "SELECT K FROM users$profile FORCE INDEX (V) WHERE V = 'x' ORDER BY K"))
	require.NoError(t, tx.Commit())
	requireSoundTable(t, db, "users$profile")
}

// TestCellIndexPartitions: partitions and slices of time are removed, and exchanged, together with the index
// entries of their cells.
func TestCellIndexPartitions(t *testing.T) {
	db := openLatest(t, "CREATE TABLE f$a (K varbinary(9), Q varbinary(9), T bigint, V varbinary(30), G bigint AS (ABS(T)), PRIMARY KEY (K, Q, T), KEY v (V)) "+
		"PARTITION BY RANGE COLUMNS (K) SUBPARTITION BY RANGE (G) SUBPARTITION TEMPLATE (SUBPARTITION s0 VALUES LESS THAN (10), "+
		"SUBPARTITION s1 VALUES LESS THAN (MAXVALUE)) (PARTITION p0 VALUES LESS THAN ('b'), PARTITION p1 VALUES LESS THAN (MAXVALUE))",
		"INSERT INTO f$a (K, Q, T, V) VALUES ('a', 'q', 1, 'x'), ('b', 'q', 1, 'old'), ('b', 'q', 11, 'x'), ('c', 'q', 11, 'x')")
	keys := func(v string, want ...string) {
		t.Helper()
		require.Equal(t, want, append([]string(nil), harness.Lines(t, db, "SELECT K FROM f$a FORCE INDEX (v) WHERE V = ? ORDER BY K", v)...))
		requireSoundTable(t, db, "f$a")
	}
	keys("x", "a", "b", "c")
	harness.Must(t, db, "ALTER TABLE f$a TRUNCATE PARTITION p0")
	keys("x", "b", "c")
	harness.Must(t, db, "ALTER TABLE f$a TRUNCATE PARTITION p1ss1")
	keys("x")
	keys("old", "b")
	harness.Must(t, db, "INSERT INTO f$a (K, Q, T, V) VALUES ('a', 'q', 1, 'x')", "ALTER TABLE f$a DROP PARTITION p0")
	keys("x")
	keys("old", "b")
	harness.Must(t, db, "CREATE TABLE other LIKE f$a", "ALTER TABLE other REMOVE PARTITIONING",
		"INSERT INTO other (K, Q, T, V) VALUES ('d', 'q', 12, 'x')", "INSERT INTO f$a (K, Q, T, V) VALUES ('e', 'q', 13, 'x')",
		"ALTER TABLE f$a EXCHANGE SUBPARTITION p1ss1 WITH TABLE other")
	keys("x", "d")
	require.Equal(t, []string{"e"}, harness.Lines(t, db, "SELECT K FROM other FORCE INDEX (v) WHERE V = 'x'"))
	requireSoundTable(t, db, "other")
}

// TestCellIndexedReads draws writes to families with indexes and queries, and compares the queries' results
// by the indexes and without them.
func TestCellIndexedReads(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 3))
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	for _, options := range []string{"", "MAX_VERSIONS = 2", "TTL = 1000000 PARTITION BY KEY (K) PARTITIONS 3"} {
		db := openLatest(t, "CREATE TABLE f$a (K varbinary(9), Q varbinary(9), T bigint, V varbinary(30), PRIMARY KEY (K, Q, T), KEY qv (Q, V(2)), KEY v (V)) "+options)
		k := func() string { return fmt.Sprintf("'k%d'", r.IntN(5)) }
		q := func() string { return pick("''", "'a'", "'b'", "'aa'") }
		v := func() string { return pick("''", "'x'", "'xy'", "'xyz'", "NULL", "X'00'", "X'0000'", "'7'", "' 7'") }
		change := func() string {
			switch r.IntN(6) {
			case 0:
				return "DELETE FROM f$a " + pick("", "FOR SYSTEM_TIME ALL ") + "WHERE K = " + k() + pick("", " AND Q = "+q(), " AND T % 2 = 0")
			case 1:
				return "UPDATE f$a SET V = " + v() + " WHERE V = " + v()
			case 2:
				return "REPLACE INTO f$a SELECT CONCAT('k', CHAR_LENGTH(K) + 1), Q, T, V FROM f$a WHERE V = " + v()
			}
			return fmt.Sprintf("INSERT IGNORE INTO f$a VALUES (%s, %s, UNIX_TIMESTAMP() * 1000 + %d, %s)", k(), q(), r.IntN(9), v())
		}
		query := func() string {
			where := pick("V = "+v(), "V > "+v(), "V IN ("+v()+", "+v()+")", "V LIKE 'x%'", "V IS NULL", "V <=> "+v(), "V <= 7",
				"Q = "+q()+" AND V = "+v(), "Q = "+q()+" AND V < "+v(), "Q IN ("+q()+", "+q()+")", "Q > "+q(), "(Q, V) = ("+q()+", "+v()+")",
				"V = "+v()+" AND K > "+k(), "V = "+v()+" OR Q = "+q())
			return "SELECT K, Q, HEX(V), T FROM f$a HINT WHERE " + where + " ORDER BY K, Q" + pick("", " DESC", " LIMIT 3")
		}
		for range 150 {
			_, _ = db.Exec(change())
			_, _ = db.Exec(change())
			text := query()
			want := harness.Lines(t, db, strings.Replace(text, "HINT", "IGNORE INDEX (qv, v)", 1))
			require.Equal(t, want, harness.Lines(t, db, strings.Replace(text, "HINT", "FORCE INDEX (qv, v)", 1)), text)
		}
		requireSoundTable(t, db, "f$a")
		db.Close()
	}
}

// openLatest is open with the view that sessions have by default.
func openLatest(t *testing.T, statements ...string) *sql.DB {
	db := harness.OpenEmbedded(t, strings.Replace(harness.MemoryDSN(), "versions=all", "versions=latest", 1))
	harness.Must(t, db, statements...)
	return db
}

// requireSoundTable checks that CHECK TABLE finds no errors in the cells and the entries.
func requireSoundTable(t *testing.T, db *sql.DB, table string) {
	t.Helper()
	checked := harness.Lines(t, db, "CHECK TABLE "+table)
	require.True(t, strings.HasSuffix(checked[len(checked)-1], " OK"), "%v", checked)
}
