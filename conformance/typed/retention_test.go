package typed

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// TestRowsExpire: rows expire as a whole, with their entries in unique indexes, and new ones can take their
// place.
func TestRowsExpire(t *testing.T) {
	db, clock := harness.OpenAt(t, harness.MemoryDSN(), 1_000_000)
	lines := func(query string) []string { return harness.Lines(t, db, query) }
	harness.Must(t, db, "CREATE TABLE t (id int AUTO_INCREMENT PRIMARY KEY, a int, b int, u int UNIQUE) TTL = 10, MAX_VERSIONS = 3",
		"INSERT INTO t (a, b, u) VALUES (1, 2, 3), (4, 5, 6)")
	clock.Advance(8 * time.Second)
	harness.Must(t, db, "UPDATE t SET a = 9 WHERE id = 1", "INSERT INTO t (a, u) VALUES (7, 3) ON DUPLICATE KEY UPDATE b = 8")
	clock.Advance(8 * time.Second)
	require.Equal(t, []string{"1 9 8 3"}, lines("SELECT * FROM t"))
	require.Equal(t, []string{"1"}, lines("SELECT COUNT(*) FROM t"))
	_, err := db.Exec("INSERT INTO t (u) VALUES (3)")
	harness.RequireErrorNumber(t, 1062, err)
	require.EqualValues(t, 1, harness.Affected(t, db, "INSERT INTO t (id, u) VALUES (2, 6)"))
	require.Equal(t, []string{"1 9 8 3", "2 NULL NULL 6"}, lines("SELECT * FROM t"))
	require.Equal(t, []string{"1 9 8 3"}, lines("SELECT * FROM t FORCE INDEX (u) WHERE u = 3"))
	clock.Advance(8 * time.Second)
	require.Equal(t, []string{"2 NULL NULL 6"}, lines("SELECT * FROM t"))
	require.Empty(t, lines("SELECT * FROM t FORCE INDEX (u) WHERE u = 3"))
	require.EqualValues(t, 1, harness.Affected(t, db, "INSERT INTO t (u) VALUES (3)"))
	requireSoundTable(t, db, "t")
}

// TestShortenedRows sets a TTL on a table whose rows have cells of several times: a row disappears as a
// whole, and a new one with its key has none of its values.
func TestShortenedRows(t *testing.T) {
	db, clock := harness.OpenAt(t, harness.MemoryDSN(), 1_000_000)
	lines := func(query string) []string { return harness.Lines(t, db, query) }
	harness.Must(t, db, "CREATE TABLE t (id int PRIMARY KEY, a int, b int)", "INSERT INTO t VALUES (1, 1, 1), (2, 2, 2)")
	clock.Advance(8 * time.Second)
	harness.Must(t, db, "UPDATE t SET b = 7 WHERE id = 1", "ALTER TABLE t TTL 10 VERSIONS 2")
	clock.Advance(8 * time.Second)
	require.Empty(t, lines("SELECT * FROM t"))
	harness.Must(t, db, "INSERT INTO t (id, a) VALUES (1, 5)")
	require.Equal(t, []string{"1 5 NULL"}, lines("SELECT * FROM t"))
	harness.Must(t, db, "ALTER TABLE t TTL = FOREVER, MIN_VERSIONS = 0")
	clock.Advance(time.Hour)
	require.Equal(t, []string{"1 5 NULL"}, lines("SELECT * FROM t WHERE id = 1"))
}

// TestRetentionOptions tests the options of typed tables in CREATE and ALTER TABLE, LIKE and SHOW CREATE
// TABLE.
func TestRetentionOptions(t *testing.T) {
	db := open(t, "CREATE TABLE t (id int PRIMARY KEY, a int) TTL = 100 MAX_VERSIONS = 3 MIN_VERSIONS = 1")
	requireSameAgain(t, db, "t")
	require.Contains(t, harness.Lines(t, db, "SHOW CREATE TABLE t")[0], `{"TimeToLive": 100, "MaxVersions": 3, "MinVersions": 1}`)
	harness.Must(t, db, "ALTER TABLE t VERSIONS 2, TTL 5", `INSERT INTO t VALUES (1, 1)`, "UPDATE t SET a = 2", "UPDATE t SET a = 3")
	require.Equal(t, []string{"t$d 5 2 1"}, harness.Lines(t, db, "SELECT TABLE_NAME, TTL, MAX_VERSIONS, MIN_VERSIONS FROM information_schema.HBASEKV_FAMILIES"))
	require.Equal(t, []string{"2"}, harness.Lines(t, db, "SELECT COUNT(*) FROM t$d FOR SYSTEM_TIME ALL WHERE Q = 'a'"))
	require.Equal(t, []string{"3"}, harness.Lines(t, db, "SELECT a FROM t"))
	requireSameAgain(t, db, "t")
	harness.RequireErrorNumbers(t, db, map[string]uint16{
		"ALTER TABLE t MIN_VERSIONS = 7": 1210, "ALTER TABLE t TTL = -1": 1210,
		"CREATE TABLE u (id int PRIMARY KEY) TTL = 'x'":                                        1210,
		"CREATE TABLE u (id int PRIMARY KEY, a int) KV_ATTRIBUTES = '{\"Hbase\": {\"x\": 1}}'": 1210,
	})
	requireSameAgain(t, db, "t")
}
