package sql

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// TestInformationConditions: a condition on names excludes exactly the rows for which it does not hold,
// whatever else is read.
func TestInformationConditions(t *testing.T) {
	db := harness.OpenEmbedded(t, harness.MemoryDSN())
	harness.Must(t, db,
		"CREATE TABLE people (id int PRIMARY KEY, name varchar(10), KEY by_name (name))",
		"CREATE TABLE People2 (id int PRIMARY KEY)", "CREATE TABLE `p_x` (id int PRIMARY KEY)", "CREATE TABLE pax (id int PRIMARY KEY)",
		"CREATE TABLE g$f "+harness.PlainTable, "CREATE VIEW seen AS SELECT id FROM people",
		"CREATE DATABASE other", "CREATE TABLE other.people (id int PRIMARY KEY)", "INSERT INTO people VALUES (1, 'a'), (2, 'b')")
	for _, table := range []string{"TABLES", "COLUMNS", "STATISTICS", "PARTITIONS", "KEY_COLUMN_USAGE", "HBASEKV_FAMILIES"} {
		for _, condition := range []string{
			"TABLE_NAME = 'people'", "TABLE_NAME = 'PEOPLE'", "'people ' = TABLE_NAME", "TABLE_NAME LIKE 'p%'", "TABLE_NAME LIKE 'p\\_x'",
			"TABLE_NAME NOT LIKE 'p%'", "TABLE_NAME IN ('people', 'g$f', 'g')", "TABLE_NAME BETWEEN 'g' AND 'people'", "TABLE_NAME IS NULL",
			"TABLE_SCHEMA = DATABASE() AND TABLE_NAME > 'p'", "TABLE_SCHEMA <> 'information_schema' AND TABLE_NAME = 'people'",
			"TABLE_NAME = 'people' OR TABLE_SCHEMA = 'other'", "NOT (TABLE_NAME = 'people')", "TABLE_NAME = 0 AND TABLE_SCHEMA = 'other'",
			"TABLE_NAME = TABLE_SCHEMA", "LENGTH(TABLE_NAME) = 3", "TABLE_NAME = NULL", "TABLE_SCHEMA LIKE 'sys' OR TABLE_NAME = 'g'",
			"TABLE_NAME = (SELECT MAX(TABLE_NAME) FROM information_schema.VIEWS)",
		} {
			from := "(TABLE_SCHEMA, TABLE_NAME) FROM information_schema." + table
			all := harness.Lines(t, db, "SELECT CONCAT"+from+" WHERE ("+condition+") IS TRUE OR 1 = 0 AND RAND() < 2")
			require.Equal(t, all, harness.Lines(t, db, "SELECT CONCAT"+from+" WHERE "+condition), "%s: %s", table, condition)
		}
	}
	for _, exists := range []string{"t.TABLE_NAME = v.TABLE_NAME AND t.TABLE_SCHEMA = v.TABLE_SCHEMA", "t.TABLE_TYPE = 'VIEW' AND v.TABLE_NAME = 'seen'"} {
		require.Equal(t, []string{"g", "seen"}, harness.Lines(t, db, "SELECT TABLE_NAME FROM information_schema.TABLES t"+
			" WHERE EXISTS (SELECT 1 FROM information_schema.VIEWS v WHERE "+exists+")"), exists)
	}
	named := "SELECT TABLE_ROWS, DATA_LENGTH > 0, ENGINE FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'default' AND TABLE_NAME = 'people'"
	require.Equal(t, []string{"2 1 InnoDB"}, harness.Lines(t, db, named))
	require.Len(t, harness.Lines(t, db, "SHOW COLUMNS FROM people$d"), 4, "the cells of a typed table have K, Q, T and V")
}
