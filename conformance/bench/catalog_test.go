package bench

import (
	"database/sql"
	"flag"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

var mostTables = flag.Int("tables", 10_000, "among how many tables BenchmarkManyTables measures at most")

// ofManyTables are statements about one table among many.
var ofManyTables = []string{
	"SELECT ENGINE FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'default' AND TABLE_NAME = 't5'",
	"SELECT TABLE_ROWS FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 't5'",
	"SELECT COLUMN_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = 'default' AND TABLE_NAME LIKE 't5'",
	"SHOW TABLES LIKE 't5'", "SHOW CREATE TABLE t5", "DESCRIBE t5", "SHOW TABLE STATUS LIKE 't5'", "SELECT id FROM t5 WHERE id = 1",
	"REPLACE INTO t5 (id, a) VALUES (1, 'a')", "TRUNCATE TABLE t8",
}

// aboutAllTables are statements about all of them.
var aboutAllTables = []string{"SHOW TABLES", "SELECT COUNT(*) FROM information_schema.TABLES",
	"SELECT COUNT(*) FROM information_schema.COLUMNS"}

// BenchmarkManyTables creates and drops a table among many typed ones, opens the store and queries some of
// them. The memory is that of the catalog, after the store is opened and after each table was used.
func BenchmarkManyTables(b *testing.B) {
	for _, n := range []int{10, 1_000, 10_000, 50_000} {
		if n <= *mostTables {
			b.Run(fmt.Sprint(n), func(b *testing.B) { amongTables(b, n) })
		}
	}
}

func amongTables(b *testing.B, n int) {
	dsn := "file:" + filepath.Join(b.TempDir(), "store") + "?sync=false"
	db := harness.OpenEmbedded(b, dsn)
	for i := range n {
		harness.Must(b, db, fmt.Sprintf("CREATE TABLE t%d (id bigint PRIMARY KEY, a varchar(20) NOT NULL, b int, c datetime, d double)", i))
	}
	run := func(name string, statements ...string) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for _, statement := range statements {
					require.NoError(b, harness.DrainRows(db, statement))
				}
			}
		})
	}
	run("create and drop", "CREATE TABLE made (id bigint PRIMARY KEY, a varchar(20))", "DROP TABLE made")
	run("create and drop a family", "CREATE TABLE made$d "+harness.PlainTable, "DROP TABLE made$d")
	run("create and drop a partitioned family", "CREATE TABLE made$d "+harness.PlainTable+" PARTITION BY KEY (K) PARTITIONS 7", "DROP TABLE made$d")
	run("create and drop a temporary table", "CREATE TEMPORARY TABLE made (id int PRIMARY KEY)", "DROP TABLE made")
	run("create and drop a database", "CREATE DATABASE made", "CREATE TABLE made.t (id int PRIMARY KEY)", "DROP DATABASE made")
	run("create and drop a view", "CREATE VIEW made AS SELECT id FROM t5", "DROP VIEW made")
	run("rename", "RENAME TABLE t6 TO made, t7 TO t6", "RENAME TABLE t6 TO t7, made TO t6")
	run("alter", "ALTER TABLE t6 ADD x int", "ALTER TABLE t6 DROP x")
	run("index", "CREATE INDEX made ON t6 (a)", "DROP INDEX made ON t6")
	run("grant", "CREATE USER made", "GRANT SELECT ON t5 TO made", "DROP USER made")
	b.Run("a table that is missing", func(b *testing.B) {
		for b.Loop() {
			require.Error(b, harness.DrainRows(db, "SELECT 1 FROM made"))
		}
	})
	for _, statement := range append(ofManyTables, aboutAllTables...) {
		run(statement, statement)
	}
	require.NoError(b, db.Close())
	b.Run("open", func(b *testing.B) {
		before := harness.LiveHeap()
		var opened, looked int64
		for b.Loop() {
			db, err := sql.Open("hbasekv", dsn)
			require.NoError(b, err)
			require.NoError(b, db.Ping())
			b.StopTimer()
			opened = harness.LiveHeap()
			require.NoError(b, harness.DrainRows(db, aboutAllTables[2]))
			looked = harness.LiveHeap()
			require.NoError(b, db.Close())
			b.StartTimer()
		}
		b.ReportMetric((float64(opened-before))/float64(n), "B/table")
		b.ReportMetric((float64(looked-before))/float64(n), "B/table-looked")
	})
}
