package typed

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// TestStoredColumnOfRows adds and changes stored columns of tables with rows, which get their values.
func TestStoredColumnOfRows(t *testing.T) {
	for _, table := range []string{
		"CREATE TABLE c (id int PRIMARY KEY, a int, b varchar(10))",
		"CREATE TABLE c (id int, a int, b varchar(10), PRIMARY KEY (id)) PARTITION BY KEY (id) PARTITIONS 3",
		"CREATE TEMPORARY TABLE c (id int PRIMARY KEY, a int, b varchar(10))", "CREATE TABLE c (id int, a int, b varchar(10))",
	} {
		db := one(t, table, "INSERT INTO c VALUES (1, 10, 'x'), (2, NULL, 'y'), (3, -1, NULL)", "DELETE FROM c WHERE id = 3",
			"ALTER TABLE c ADD s bigint AS (a * 2) STORED AFTER id, ADD v int AS (s + 1), ADD w varchar(20) AS (concat(b, v)) STORED, "+
				"ADD KEY (s), ADD d int NOT NULL DEFAULT (coalesce(a, 7) + 1)")
		require.Equal(t, []string{"1 20 10 x 21 x21 11", "2 NULL NULL y NULL NULL 8"}, harness.Lines(t, db, "SELECT * FROM c ORDER BY id"), table)
		require.Equal(t, []string{"1"}, harness.Lines(t, db, "SELECT id FROM c FORCE INDEX (s) WHERE s = 20"))
		harness.Must(t, db, "ALTER TABLE c MODIFY s int AS (a + 5) STORED, DROP w, DROP v", "INSERT INTO c (id, a) VALUES (4, 1)",
			"UPDATE c SET a = 100 WHERE id = 2")
		require.Equal(t, []string{"1 15 10 x 11", "2 105 100 y 8", "4 6 1 NULL 2"}, harness.Lines(t, db, "SELECT * FROM c ORDER BY id"), table)
		require.Equal(t, []string{"1", "2"}, harness.Lines(t, db, "SELECT id FROM c FORCE INDEX (s) WHERE s > 6 ORDER BY id"))
		harness.Must(t, db, "ALTER TABLE c CHANGE b s2 varchar(20) AS (id) STORED, ADD b int AS (length(s2)) STORED")
		require.Equal(t, []string{"1 1", "2 1", "4 1"}, harness.Lines(t, db, "SELECT s2, b FROM c ORDER BY id"), table)
		requireSoundTable(t, db, "c")
	}
}

// TestStoredColumnOfChanged computes columns and checks constraints of columns whose own values are rewritten.
func TestStoredColumnOfChanged(t *testing.T) {
	db := open(t, "CREATE TABLE c (id int PRIMARY KEY, v tinyint)", "INSERT INTO c VALUES (1, NULL), (2, 49), (3, 120)",
		"ALTER TABLE c MODIFY v varchar(9), ADD s int AS (v + 1) STORED, ADD CHECK (v > 5)")
	require.Equal(t, []string{"1 NULL NULL", "2 49 50", "3 120 121"}, harness.Lines(t, db, "SELECT * FROM c"))
	harness.RequireErrorNumbers(t, db, map[string]uint16{"ALTER TABLE c MODIFY v int, ADD CHECK (v > 50)": 3819})
}

// TestStoredColumnOrNothing: a row whose value does not fit leaves the table as it is.
func TestStoredColumnOrNothing(t *testing.T) {
	db := open(t, "CREATE TABLE c (id int PRIMARY KEY, a int)", "INSERT INTO c VALUES (1, 1), (2, 100), (3, NULL)")
	before := harness.Lines(t, db, "SHOW CREATE TABLE c")
	harness.RequireErrorNumbers(t, db, map[string]uint16{
		"ALTER TABLE c ADD s tinyint AS (a * 2) STORED":                                    1264,
		"ALTER TABLE c ADD s int AS (a) STORED NOT NULL":                                   1048,
		"ALTER TABLE c ADD s int AS (a) STORED, ADD CHECK (s < 100)":                       3819,
		"ALTER TABLE c ADD s int AS (a) STORED, ADD UNIQUE (s)":                            1235,
		"ALTER TABLE c ADD s int AS (a) STORED, DROP PRIMARY KEY, ADD PRIMARY KEY (id, s)": 1235,
		"ALTER TABLE c ADD s varchar(36) DEFAULT (uuid())":                                 1235,
	})
	require.Equal(t, before, harness.Lines(t, db, "SHOW CREATE TABLE c"))
	require.Equal(t, []string{"1 1", "2 100", "3 NULL"}, harness.Lines(t, db, "SELECT * FROM c"))
	harness.Must(t, db, "ALTER TABLE c ADD s int AS (a * 2) STORED", "ALTER TABLE c ADD UNIQUE (s)")
	require.Equal(t, []string{"1 1 2", "2 100 200", "3 NULL NULL"}, harness.Lines(t, db, "SELECT * FROM c"))
}

// TestStoredColumnHistory: a new stored column does not change when rows changed, and rows have it since then.
func TestStoredColumnHistory(t *testing.T) {
	db, clock := past(t, "CREATE TABLE c (id int PRIMARY KEY, a int)", "INSERT INTO c VALUES (1, 1), (2, 5)", "UPDATE c SET a = 2 WHERE id = 1",
		"ALTER TABLE c ADD s int AS (a * 10) STORED")
	require.Equal(t, []string{"1 1 NULL 200", "1 2 20 300", "2 5 50 200"},
		harness.Lines(t, db, "SELECT id, a, s, _T FROM c FOR SYSTEM_TIME ALL ORDER BY id, _T"))
	clock.Advance(time.Second)
	harness.Must(t, db, "UPDATE c SET a = 3 WHERE id = 1")
	require.Equal(t, []string{"1 3 30", "2 5 50"}, harness.Lines(t, db, "SELECT * FROM c"))
}

// TestStoredColumnBesideWriters adds stored columns while others write.
func TestStoredColumnBesideWriters(t *testing.T) {
	db := open(t, "CREATE TABLE c (id int PRIMARY KEY, a int)", "INSERT INTO c VALUES (1, 1), (2, 2), (3, 3)")
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		n := 0
		for ; ctx.Err() == nil; n++ {
			for _, s := range []string{"UPDATE c SET a = %d WHERE id = 1", "REPLACE INTO c (id, a) VALUES (%[1]d, %[1]d)", "DELETE FROM c WHERE id = %d - 3"} {
				if _, err := db.Exec(fmt.Sprintf(s, n+10)); err != nil {
					done <- fmt.Errorf("%d: %w", n, err)
					return
				}
			}
		}
		done <- nil
	}()
	for i := range 5 {
		harness.Must(t, db, fmt.Sprintf("ALTER TABLE c ADD s%d int AS (a * %[1]d) STORED", i))
		require.Equal(t, "0", harness.Single(t, db, fmt.Sprintf("SELECT COUNT(*) FROM c WHERE NOT s%d <=> a * %[1]d", i)))
	}
	stop()
	require.NoError(t, <-done)
	requireSoundTable(t, db, "c")
}
