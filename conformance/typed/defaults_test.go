package typed

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// TestDefaultFunction tests DEFAULT(column) for each kind of default, in statements that read and
// that write.
func TestDefaultFunction(t *testing.T) {
	db := open(t, `CREATE TABLE t (id int PRIMARY KEY, d int DEFAULT 7, n decimal(5,2) DEFAULT 1.5, s varchar(5) DEFAULT 'x',
		e enum('a','b') DEFAULT 'b', at datetime(3) DEFAULT CURRENT_TIMESTAMP(3), day timestamp NULL DEFAULT '2020-01-02 03:04:05',
		nothing int, b varbinary(3) DEFAULT 'q', x int DEFAULT (1 + 2), needed int NOT NULL)`,
		"INSERT INTO t (id, needed) VALUES (1, 1)")
	lines := func(query string) []string { return harness.Lines(t, db, query) }
	require.Equal(t, []string{"7 1.50 x b 2020-01-02 03:04:05 NULL q"},
		lines("SELECT DEFAULT(d), DEFAULT(n), DEFAULT(s), DEFAULT(e), DEFAULT(day), DEFAULT(nothing), DEFAULT(b) FROM t"))
	require.Equal(t, []string{"1 23"}, lines("SELECT DEFAULT(at) = CURRENT_TIMESTAMP(3), LENGTH(DEFAULT(at)) FROM t"))
	require.Equal(t, []string{"1"}, lines("SELECT id FROM t WHERE d = DEFAULT(d) AND 1 = (SELECT COUNT(*) FROM t u WHERE u.d < DEFAULT(n) * 10)"))
	harness.Must(t, db, "UPDATE t SET d = DEFAULT(d) + 1", "INSERT INTO t (id, d, needed) VALUES (2, DEFAULT(d) + 3, 0)",
		"INSERT INTO t (id, needed) VALUES (1, 0) ON DUPLICATE KEY UPDATE s = CONCAT(DEFAULT(s), 'y')")
	require.Equal(t, []string{"1 8 xy", "2 10 x"}, lines("SELECT id, d, s FROM t ORDER BY id"))
	for query, number := range map[string]uint16{"SELECT DEFAULT(needed) FROM t": 1364, "SELECT DEFAULT(x) FROM t": 3773, "SELECT DEFAULT(none) FROM t": 1054} {
		_, err := harness.TryLines(db, query)
		harness.RequireErrorNumber(t, number, err)
	}
}

// TestConvertTo gives all texts of a table except its key a collation, including those in an index.
func TestConvertTo(t *testing.T) {
	db := open(t, "CREATE TABLE t (id varchar(5) PRIMARY KEY, a varchar(5), b text, e enum('x','y'), n int, UNIQUE (a)) COLLATE utf8mb4_bin",
		"INSERT INTO t VALUES ('a', 'a', 'a', 'x', 1), ('A', 'B', 'A', 'y', 2)",
		"ALTER TABLE t CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci, COMMENT = 'all', ENGINE = InnoDB, ROW_FORMAT = DYNAMIC")
	lines := func(query string) []string { return harness.Lines(t, db, query) }
	require.Equal(t, []string{"A", "a"}, lines("SELECT id FROM t WHERE b = 'a' ORDER BY id"))
	require.Equal(t, []string{"a"}, lines("SELECT id FROM t WHERE id = 'a'"))
	require.Equal(t, []string{"A"}, lines("SELECT id FROM t FORCE INDEX (a) WHERE a = 'b'"))
	_, err := db.Exec("INSERT INTO t (id, a) VALUES ('c', 'A')")
	harness.RequireErrorNumber(t, 1062, err)
	requireSameAgain(t, db, "t")
	harness.Must(t, db, "ALTER TABLE t ADD c varchar(5)")
	require.Equal(t, []string{"utf8mb4_general_ci"}, lines("SELECT COLLATION_NAME FROM information_schema.COLUMNS WHERE TABLE_NAME = 't' AND COLUMN_NAME = 'c'"))
	harness.RequireErrorNumbers(t, db, map[string]uint16{
		"ALTER TABLE t CONVERT TO CHARACTER SET binary": 1235, "ALTER TABLE t CONVERT TO CHARACTER SET nothing": 1115,
		"ALTER TABLE t CONVERT TO CHARACTER SET latin1 COLLATE utf8mb4_bin": 1253,
	})
}
