package typed

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// TestStoredAnew changes columns to types in which their bytes would mean other values, together with their
// history, an index and a check.
func TestStoredAnew(t *testing.T) {
	for _, c := range []struct{ from, to, values, want string }{
		{"tinyint", "varchar(20)", "(1), (-5), (NULL), (49)", "1,-5,NULL,49"},
		{"tinyint(1)", "varchar(5)", "(1), (0)", "1,0"},
		{"decimal(10,2)", "int", "(1.5), (2.5), (-7)", "2,3,-7"}, {"int", "varbinary(4)", "(12), (-3)", "12,-3"},
		{"time", "datetime", "(NULL)", "NULL"}, {"int", "varchar(11)", "(1), (825307441), (-1)", "1,825307441,-1"},
		{"varchar(9)", "int", "('1111'), ('-2')", "1111,-2"},
		{"smallint", "char(6)", "(12336), (NULL)", "12336,NULL"},
		{"bigint", "decimal(20,1)", "(3544385890265608241)", "3544385890265608241.0"},
	} {
		db, clock := past(t, "CREATE TABLE c (id int AUTO_INCREMENT PRIMARY KEY, v "+c.from+
			", w int DEFAULT 7, KEY (v))", "INSERT INTO c (v) VALUES "+c.values)
		harness.Must(t, db, "ALTER TABLE c MODIFY v "+c.to+", ADD CHECK (w = 7)")
		clock.Advance(time.Second)
		require.Equal(t, strings.Split(c.want, ","), harness.Lines(t, db, "SELECT v FROM c ORDER BY id"), "%v", c)
		require.Equal(t, strings.Split(c.want, ","), harness.Lines(t, db,
			"SELECT v FROM c FOR SYSTEM_TIME AS OF 200 ORDER BY id"), "%v", c)
		first, _, _ := strings.Cut(c.want, ",")
		require.Equal(t, "1", harness.Single(t, db, "SELECT MIN(id) FROM c FORCE INDEX (v) WHERE v <=> ?",
			nullable(first)), "%v", c)
		requireSoundTable(t, db, "c")
		harness.Must(t, db, "UPDATE c SET v = NULL", "ALTER TABLE c MODIFY v "+c.from,
			"ALTER TABLE c CHANGE v x bigint")
		require.Equal(t, "0", harness.Single(t, db, "SELECT COUNT(x) FROM c"))
	}
}

func nullable(text string) any {
	if text == "NULL" {
		return nil
	}
	return text
}

// TestStoredAnewKeepsHistory reads older versions in the new type, and with an added column's default.
func TestStoredAnewKeepsHistory(t *testing.T) {
	db, _ := past(t, "CREATE TABLE c (id int PRIMARY KEY, v tinyint)", "INSERT INTO c VALUES (1, 49)",
		"UPDATE c SET v = NULL", "UPDATE c SET v = 50",
		"ALTER TABLE c ADD d tinyint NOT NULL DEFAULT 48", "INSERT INTO c VALUES (2, 1, 2)",
		"ALTER TABLE c MODIFY v varchar(9), MODIFY d varchar(9) NOT NULL")
	require.Equal(t, []string{"1 50 48", "2 1 2"}, harness.Lines(t, db, "SELECT * FROM c"))
	require.Equal(t, []string{"1 49 200", "1 NULL 300", "1 50 400", "2 1 600"},
		harness.Lines(t, db, "SELECT id, v, _T FROM c FOR SYSTEM_TIME ALL ORDER BY id, _T"))
	harness.Must(t, db, "ALTER TABLE c ADD v_2 int, ADD v2 int")
	require.Equal(t, []string{"1 50 48 NULL NULL", "2 1 2 NULL NULL"}, harness.Lines(t, db, "SELECT * FROM c"))
}

// TestStoredAnewElsewhere does so for partitions, temporary tables and rows without a key.
func TestStoredAnewElsewhere(t *testing.T) {
	for _, table := range []string{
		"CREATE TABLE c (id int, v tinyint, PRIMARY KEY (id)) PARTITION BY KEY (id) PARTITIONS 3",
		"CREATE TEMPORARY TABLE c (id int PRIMARY KEY, v tinyint)",
		"CREATE TABLE c (id int, v tinyint)",
		"CREATE TABLE c (id int PRIMARY KEY, v tinyint) TTL = 1000 MAX_VERSIONS = 2",
	} {
		db := one(t, table, "INSERT INTO c VALUES (1, 49), (2, 50), (3, NULL)",
			"ALTER TABLE c CHANGE v text varchar(9) NULL FIRST")
		require.Equal(t, []string{"49 1", "50 2", "NULL 3"}, harness.Lines(t, db, "SELECT * FROM c ORDER BY id"), table)
		harness.Must(t, db, "INSERT INTO c VALUES ('x', 4)", "DELETE FROM c WHERE id = 1",
			"INSERT INTO c (id) VALUES (1)")
		require.Equal(t, []string{"NULL 1", "50 2", "NULL 3", "x 4"},
			harness.Lines(t, db, "SELECT * FROM c ORDER BY id"), table)
	}
}

// TestStoredAnewOrNothing: a table with a value that the new type cannot hold stays as it is, and concurrent
// writes are kept.
func TestStoredAnewOrNothing(t *testing.T) {
	db := open(t, "CREATE TABLE c (id int PRIMARY KEY, v int, w int)", "INSERT INTO c VALUES (1, 1, 1), (2, 1234, 2)")
	before := harness.Lines(t, db, "SHOW CREATE TABLE c")
	_, err := db.Exec("ALTER TABLE c MODIFY v varchar(3)")
	harness.RequireErrorNumber(t, 1406, err)
	require.Equal(t, before, harness.Lines(t, db, "SHOW CREATE TABLE c"))
	require.Equal(t, []string{"1 1 1", "2 1234 2"}, harness.Lines(t, db, "SELECT * FROM c"))

	harness.Must(t, db, "ALTER TABLE c ADD UNIQUE u (v)")
	_, err = db.Exec("ALTER TABLE c MODIFY v varchar(9)")
	harness.RequireErrorNumber(t, 1235, err)
	require.ErrorContains(t, err, "DROP INDEX before")
	harness.Must(t, db, "DROP INDEX u ON c")
	done := make(chan error, 1)
	go func() {
		for n := range 200 {
			if _, err := db.Exec("UPDATE c SET w = ? WHERE id = 1", n); err != nil {
				done <- fmt.Errorf("%d: %w", n, err)
				return
			}
		}
		done <- nil
	}()
	for _, to := range []string{"varchar(9)", "int", "varchar(8)", "int"} {
		_, err := db.Exec("ALTER TABLE c MODIFY v " + to)
		require.NoError(t, err)
	}
	require.NoError(t, <-done)
	require.Equal(t, []string{"1 1 199", "2 1234 2"}, harness.Lines(t, db, "SELECT * FROM c"))
}
