package typed

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// TestCreateSelect creates tables from the columns and rows of a SELECT.
func TestCreateSelect(t *testing.T) {
	db := open(t, "CREATE TABLE t (id int unsigned, k varchar(5), a tinyint NOT NULL, n decimal(8,2), d datetime(3), y year, "+
		"f float, x text, b varbinary(7), c char(3) COLLATE utf8mb4_bin, e enum('p','q'), j json, s bit(5), PRIMARY KEY (id, k))",
		"INSERT INTO t VALUES (1, 'x', 2, 3.5, '2024-01-02 03:04:05.678', 2024, 1.5, 'text', X'00FF', 'abc', 'q', '[1]', 5), "+
			"(2, 'y', 3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)")
	lines := func(query string) []string { return harness.Lines(t, db, query) }
	require.EqualValues(t, 2, harness.Affected(t, db, "CREATE TABLE u SELECT * FROM t"))
	require.Equal(t, lines("SELECT * FROM t ORDER BY id"), lines("SELECT * FROM u ORDER BY id"))
	require.Equal(t, []string{"id int(10) unsigned NO  NULL ", "k varchar(5) NO  NULL ", "a tinyint(4) NO  NULL ",
		"n decimal(8,2) YES  NULL ", "d datetime(3) YES  NULL ", "y year(4) YES  NULL ", "f float YES  NULL ", "x text YES  NULL ",
		"b varbinary(7) YES  NULL ", "c char(3) YES  NULL ", "e varchar(1) YES  NULL ", "j json YES  NULL ", "s bit(5) YES  NULL "},
		lines("DESCRIBE u"))
	harness.Must(t, db, "CREATE TABLE v (n int AUTO_INCREMENT PRIMARY KEY, total bigint DEFAULT 3, twice bigint AS (total * 2)) "+
		"AS SELECT a AS total, CONCAT(k, '!') AS w, COUNT(*) AS c, NULL AS nothing, CURRENT_DATE AS day, 1.25 AS r FROM t GROUP BY 1, 2 ORDER BY 1")
	require.Equal(t, []string{"1 4 2 x! 1 NULL 1.25", "2 6 3 y! 1 NULL 1.25"}, lines("SELECT n, twice, total, w, c, nothing, r FROM v"))
	require.Equal(t, []string{"n int(11)", "twice bigint(20)", "total bigint(20)", "w longtext", "c bigint(20)",
		"nothing binary(0)", "day date", "r decimal(3,2)"},
		lines("SELECT COLUMN_NAME, COLUMN_TYPE FROM information_schema.COLUMNS WHERE TABLE_NAME = 'v' ORDER BY ORDINAL_POSITION"))
	harness.Must(t, db, "CREATE TABLE IF NOT EXISTS v SELECT 1 AS x", "CREATE TABLE w (id int PRIMARY KEY) IGNORE SELECT 1 AS id UNION ALL SELECT 1")

	harness.RequireErrorNumbers(t, db, map[string]uint16{
		"CREATE TABLE z SELECT 1 AS a, 2 AS A":                                  1060,
		"CREATE TABLE z (id int PRIMARY KEY) SELECT 1 AS id UNION ALL SELECT 1": 1062,
		"CREATE TABLE z (b int NOT NULL) SELECT 1 AS id":                        1364,
		"CREATE TABLE z (id int CHECK (id > 1)) SELECT 1 AS id":                 3819,
		"CREATE TABLE z SELECT 1 AS a FROM nothing":                             1146,
		"CREATE TABLE v SELECT 1 AS a":                                          1050,
	})
	require.Equal(t, []string{"t", "u", "v", "w"}, lines("SHOW TABLES"))
}
