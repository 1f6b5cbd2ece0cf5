package hbase

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// TestMappedTables maps rows onto the families of a table in HBase, whose descriptor has the
// mapping.
func TestMappedTables(t *testing.T) {
	dsn, name := hbaseDatabase(t)
	db := harness.OpenDB(t, dsn)
	lines := func(query string) []string { return harness.Lines(t, db, query) }
	const cells = " (K varbinary(100), Q varbinary(100), T bigint, V varbinary(1000) NOT NULL, PRIMARY KEY (K, Q, T))"
	harness.Must(t, db, "CREATE TABLE users$profile"+cells, "CREATE TABLE users$extra"+cells,
		"CREATE TABLE people (id varchar(64), name varchar(100), age int, note text, PRIMARY KEY (id)) HBASE_TABLE = 'users' "+
			`HBASE_COLUMNS = ':key, profile:name, profile:age#b, extra:\\x00n\\,'`)
	_, err := db.Exec("CREATE TABLE people (id bigint PRIMARY KEY AUTO_INCREMENT, name varchar(9))")
	require.Error(t, err)

	harness.Must(t, db, "INSERT INTO people VALUES ('ann', 'Ann', 41, NULL)", "INSERT INTO people (id, note) VALUES ('bob', 'x')",
		"REPLACE INTO users$profile VALUES ('cy', 'age', 5, X'00000007')", "REPLACE INTO users$profile VALUES ('di', 'other', 5, 'o')")
	require.Equal(t, []string{"ann Ann 41 NULL", "bob NULL NULL x", "cy NULL 7 NULL"}, lines("SELECT * FROM people ORDER BY id"))
	require.Equal(t, []string{"bob 006E2C x"}, lines("SELECT K, HEX(Q), V FROM users$extra"))
	_, err = db.Exec("INSERT INTO people (id, name) VALUES ('ann', 'A')")
	harness.RequireErrorNumber(t, 1062, err)
	_, err = db.Exec("INSERT INTO people (id, name) VALUES ('e', 'A'), ('f', 'B')")
	harness.RequireErrorNumber(t, 1235, err)
	_, err = db.Exec("INSERT INTO people (id) VALUES ('e')")
	harness.RequireErrorNumber(t, 1048, err)
	require.EqualValues(t, 1, harness.Affected(t, db, "UPDATE people SET age = age + 1, note = 'n', name = NULL WHERE id = 'ann'"))
	require.EqualValues(t, 2, harness.Affected(t, db, "INSERT INTO people (id, age) VALUES ('cy', 1) ON DUPLICATE KEY UPDATE age = age + 1"))
	require.Equal(t, []string{"ann NULL 42 n", "bob NULL NULL x", "cy NULL 8 NULL"}, lines("SELECT * FROM people ORDER BY id"))
	require.EqualValues(t, 2, harness.Affected(t, harness.OpenDB(t, dsn+"multiRow=apply"), "DELETE FROM people WHERE id > 'ann'"))
	harness.Must(t, db, "INSERT INTO people (id, name) VALUES ('bob', 'again')", "REPLACE INTO people (id, name) VALUES ('ann', 'Z')")
	require.Equal(t, []string{"ann Z NULL NULL", "bob again NULL NULL"}, lines("SELECT * FROM people ORDER BY id"))
	require.Equal(t, []string{"di"}, lines("SELECT DISTINCT K FROM users$profile WHERE Q = 'other'"))

	other := harness.OpenDB(t, dsn+"user="+name)
	harness.Must(t, other, "ALTER TABLE people ADD email varchar(9), HBASE_COLUMNS = ':key, profile:name, profile:age#b, extra:n, profile:mail'",
		"RENAME TABLE people TO folk", "INSERT INTO folk (id, email) VALUES ('eve', 'e@x')")
	require.Equal(t, []string{"eve e@x"}, harness.Lines(t, other, "SELECT id, email FROM folk WHERE email IS NOT NULL"))
	again := harness.OpenDB(t, dsn+"user=again")
	require.Equal(t, []string{"ann", "bob", "eve"}, harness.Lines(t, again, "SELECT id FROM folk"))
	harness.Must(t, again, "DROP TABLE folk")
	require.Equal(t, []string{"eve mail e@x"}, harness.Lines(t, again, "SELECT K, Q, V FROM users$profile WHERE K = 'eve'"))
}

// TestMappedAtOnce inserts the same row from many sessions: one succeeds.
func TestMappedAtOnce(t *testing.T) {
	dsn, _ := hbaseDatabase(t)
	db := harness.OpenDB(t, dsn)
	harness.Must(t, db, "CREATE TABLE g$f (K varbinary(100), Q varbinary(100), T bigint, V varbinary(1000) NOT NULL, PRIMARY KEY (K, Q, T))",
		"CREATE TABLE a (id varchar(64), n int, s varchar(9), PRIMARY KEY (id)) HBASE_TABLE = 'g' HBASE_COLUMNS = ':key, f:n#b, f:s'")
	var made, few atomic.Int32
	harness.AtOnce(t, func(worker int) error {
		for row := range 5 {
			_, err := db.Exec(fmt.Sprintf("INSERT INTO a VALUES ('r%d', %d, 'x')", row, worker))
			if err == nil {
				made.Add(1)
			} else if harness.NumberOf(err) != 1062 {
				return err
			}
		}
		if _, err := db.Exec("INSERT INTO a (id, s) VALUES ('few', 'x')"); err == nil {
			few.Add(1)
		}
		_, err := db.Exec("INSERT INTO a VALUES ('sum', 1, 'x') ON DUPLICATE KEY UPDATE n = n + 1")
		return err
	})
	require.EqualValues(t, 5, made.Load())
	require.EqualValues(t, 1, few.Load())
	require.NotEqual(t, "1", harness.Single(t, db, "SELECT n FROM a WHERE id = 'sum'"))
}
