package hbase

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/suite"
)

// shownOnHBase compares what statements show of tables, except counts, estimates and
// the names of regions.
func shownOnHBase(w *twins) {
	w.both("CREATE TABLE t "+notNull(harness.PlainTable), "CREATE TABLE g$a "+notNull(harness.PlainTable)+" COMMENT = 'of a'", "CREATE TABLE g$b "+notNull(harness.PlainTable)+" MAX_VERSIONS = 3",
		"CREATE TABLE pre "+notNull(suite.BadPrefixed), "INSERT INTO t VALUES ('a', 'q', 1, 'x'), ('b', 'q', 1, 'y'), ('c', 'q', 2, 'z')", "INSERT INTO g$a VALUES ('a', 'q', 1, 'x')")
	for _, query := range shown {
		w.same(w.embedded, w.hbase, query)
	}
	for _, query := range plannedAlike {
		w.Run(query, func(t *testing.T) {
			require.Equal(t, plan(t, w.embedded, query), plan(t, w.hbase, query))
			tree := strings.Join(harness.Lines(t, w.hbase, "EXPLAIN FORMAT=TREE "+query), "\n")
			require.Contains(t, tree, "calls: ", "what HBase will be asked")
			require.Contains(t, strings.Join(harness.Lines(t, w.hbase, "EXPLAIN ANALYZE "+query), "\n"), "cells ")
		})
	}
}

// shown are statements whose rows are the same for both stores.
var shown = []string{
	"SHOW TABLES", "SHOW FULL TABLES", "SHOW COLUMNS FROM t", "SHOW FULL COLUMNS FROM pre", "DESCRIBE g$a", "SHOW CREATE TABLE t", "SHOW CREATE TABLE g$a",
	"SHOW CREATE TABLE g$b", "SHOW CREATE TABLE pre", "SHOW INDEX FROM t WHERE Cardinality IS NULL", "SHOW DATABASES LIKE 'information%'",
	"SHOW TABLES LIKE 'g%'", "SHOW TABLES FROM nowhere", "SHOW COLUMNS FROM nothing", "SHOW VARIABLES LIKE 'version_comment'", "SHOW COLLATION LIKE 'utf8mb4_bin'",
	"SHOW ENGINES", "SHOW WARNINGS", "SHOW CREATE DATABASE nowhere",
	"SELECT TABLE_NAME, TABLE_TYPE, ENGINE, TABLE_COLLATION, TABLE_COMMENT, CREATE_OPTIONS FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() ORDER BY 1",
	"SELECT * FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() ORDER BY TABLE_NAME, ORDINAL_POSITION",
	"SELECT * FROM information_schema.KEY_COLUMN_USAGE WHERE TABLE_SCHEMA = DATABASE() ORDER BY TABLE_NAME, ORDINAL_POSITION",
	"SELECT * FROM information_schema.TABLE_CONSTRAINTS WHERE TABLE_SCHEMA = DATABASE() ORDER BY TABLE_NAME",
	"SELECT TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX, COLUMN_NAME FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = DATABASE() ORDER BY 1, 2, 3",
	"SELECT SCHEMA_NAME, DEFAULT_CHARACTER_SET_NAME FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = DATABASE()",
	"SELECT TABLE_NAME, PARTITION_NAME, PARTITION_METHOD FROM information_schema.PARTITIONS WHERE TABLE_SCHEMA = DATABASE() ORDER BY 1",
	"SELECT * FROM information_schema.VIEWS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME <> 'g'",
	"SELECT c.TABLE_NAME, COUNT(*) FROM information_schema.COLUMNS c JOIN information_schema.TABLES t USING (TABLE_SCHEMA, TABLE_NAME) " +
		"WHERE TABLE_SCHEMA = DATABASE() GROUP BY c.TABLE_NAME ORDER BY 1",
	"SELECT DATABASE(), USER() IS NULL, VERSION() IS NULL, @@autocommit, @@sql_mode",
}

// plannedAlike are queries that both stores plan in the same way.
var plannedAlike = []string{
	"SELECT * FROM t WHERE K = 'a' AND Q = 'q'", "SELECT * FROM t WHERE K = 'a'", "SELECT * FROM t WHERE K > 'a' ORDER BY K DESC LIMIT 1", "SELECT COUNT(*) FROM t",
	"SELECT * FROM t WHERE V = 'x'", "SELECT DISTINCT K FROM t", "SELECT K, COUNT(*) FROM t GROUP BY K", "SELECT MAX(K) FROM t",
	"SELECT * FROM t FOR SYSTEM_TIME AS OF 1", "SELECT /*+ VERSIONS(2) */ * FROM t WHERE T > 1", "SELECT * FROM t AS a JOIN t AS b ON a.K = b.K",
	"SELECT * FROM t WHERE K IN (SELECT V FROM t)", "SELECT * FROM t ORDER BY V",
}

// plan is EXPLAIN without its estimates: rows and filtered.
func plan(t *testing.T, db *sql.DB, query string) (out []string) {
	rows, err := db.Query("EXPLAIN " + query)
	require.NoError(t, err)
	columns, err := rows.Columns()
	require.NoError(t, err)
	got, err := harness.PrintRows(rows)
	require.NoError(t, err)
	for _, row := range got {
		for i, name := range columns {
			if name != "rows" && name != "filtered" && name != "partitions" {
				out = append(out, fmt.Sprintf("%s=%s", name, row[i]))
			}
		}
	}
	return out
}
