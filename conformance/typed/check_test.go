package typed

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// TestCheck tests constraints with each kind of statement.
func TestCheck(t *testing.T) {
	db := open(t, "CREATE TABLE t (id int PRIMARY KEY CHECK (id > 0), a int, b int CONSTRAINT small CHECK (b < "+
		"100) NOT ENFORCED, "+
		"CONSTRAINT ordered CHECK (a <= b), CHECK (a <> 13 -- bad luck\n))",
		"INSERT INTO t VALUES (1, 1, 2), (2, NULL, 200)")
	const violated = 3819
	for _, statement := range []string{"INSERT INTO t VALUES (0, 1, 2)", "INSERT INTO t VALUES (3, 2, 1)",
		"REPLACE INTO t VALUES (1, 3, 2)",
		"INSERT INTO t VALUES (1, 1, 1) ON DUPLICATE KEY UPDATE a = 3", "UPDATE t SET a = 13, b = 13",
		"UPDATE t SET id = -id",
		"INSERT INTO t SELECT id + 10, 5, 4 FROM t"} {
		_, err := db.Exec(statement)
		harness.RequireErrorNumber(t, violated, err)
	}
	_, err := db.Exec("UPDATE t SET a = 3 WHERE id = 1")
	require.ErrorContains(t, err, "Check constraint 'ordered' is violated.")
	require.EqualValues(t, 1, harness.Affected(t, db, "INSERT IGNORE INTO t VALUES (3, 2, 1), (4, 1, 2)"))
	require.EqualValues(t, 1, harness.Affected(t, db, "UPDATE IGNORE t SET a = 150 WHERE id > 0"))
	require.Equal(t, []string{"1 1 2", "2 150 200", "4 1 2"}, harness.Lines(t, db, "SELECT * FROM t ORDER BY id"))

	require.Equal(t, []string{"ordered (a <= b)", "small (b < 100)", "t_chk_1 (id > 0)"},
		harness.Lines(t, db, "SELECT CONSTRAINT_NAME, CHECK_CLAUSE FROM information_schema.CHECK_CONSTRAINTS "+
			"WHERE CONSTRAINT_NAME <> 't_chk_2' ORDER BY CONSTRAINT_NAME"))
	require.Equal(t, []string{"PRIMARY PRIMARY KEY YES", "ordered CHECK YES", "small CHECK NO", "t_chk_1 CHECK YES",
		"t_chk_2 CHECK YES"},
		harness.Lines(t, db, "SELECT CONSTRAINT_NAME, CONSTRAINT_TYPE, ENFORCED FROM "+
			"information_schema.TABLE_CONSTRAINTS "+
			"WHERE TABLE_NAME = 't' ORDER BY BINARY CONSTRAINT_NAME"))
	made := harness.Lines(t, db, "SHOW CREATE TABLE t")[0]
	harness.Must(t, db, "DROP TABLE t", made[len("t "):])
	require.Equal(t, made, harness.Lines(t, db, "SHOW CREATE TABLE t")[0])
	_, err = db.Exec("INSERT INTO t VALUES (1, 13, 14)")
	harness.RequireErrorNumber(t, violated, err)
}

// TestAlterCheck adds constraints to a table with rows, and drops them.
func TestAlterCheck(t *testing.T) {
	db := open(t, small, "INSERT INTO t VALUES (1, 10, 'x')",
		"ALTER TABLE t ADD CONSTRAINT ten CHECK (a >= 10), ADD c int DEFAULT 5 CHECK (c < 9)",
		"ALTER TABLE t ADD CONSTRAINT two CHECK (a > c AND a < 20)")
	harness.RequireErrorNumbers(t, db, map[string]uint16{
		"ALTER TABLE t ADD CHECK (a > 10)":                                   3819,
		"ALTER TABLE t ADD d int DEFAULT 3, ADD CHECK (d > 3)":               3819,
		"ALTER TABLE t ADD CONSTRAINT TEN CHECK (a > 1)":                     3822,
		"ALTER TABLE t ADD CHECK (nothing > 1)":                              3820,
		"ALTER TABLE t ADD d int CHECK (a > 1)":                              3813,
		"ALTER TABLE t ADD CHECK (a > @x)":                                   3816,
		"ALTER TABLE t ADD CHECK (a > RAND())":                               3814,
		"ALTER TABLE t ADD CHECK (NOW() > '2024-01-01')":                     3814,
		"ALTER TABLE t ADD CHECK (a IN (SELECT 1))":                          3815,
		"ALTER TABLE t ADD CHECK (SUM(a) > 1)":                               1111,
		"ALTER TABLE t DROP CHECK nothing":                                   3821,
		"ALTER TABLE t DROP CONSTRAINT nothing":                              3940,
		"ALTER TABLE t RENAME COLUMN a TO z":                                 3959,
		"ALTER TABLE t DROP a":                                               3959,
		"ALTER TABLE t CHANGE c z int":                                       3959,
		"INSERT INTO t VALUES (2, 9, 'y', 1)":                                3819,
		"INSERT INTO t (id, a, b, c) VALUES (2, 19, 'y', 9)":                 3819,
		"CREATE TABLE u (id int PRIMARY KEY, CHECK (id > LAST_INSERT_ID()))": 3814,
	})
	harness.Must(t, db, "ALTER TABLE t ALTER CHECK two NOT ENFORCED", "UPDATE t SET a = 30",
		"ALTER TABLE t ALTER CONSTRAINT ten ENFORCED")
	harness.RequireErrorNumbers(t, db, map[string]uint16{"ALTER TABLE t ALTER CHECK two ENFORCED": 3819,
		"ALTER TABLE t ALTER CHECK nothing ENFORCED": 3821})
	harness.Must(t, db, "UPDATE t SET a = 15", "ALTER TABLE t ALTER CHECK TWO ENFORCED")
	_, err := db.Exec("UPDATE t SET a = 30")
	harness.RequireErrorNumber(t, 3819, err)
	harness.Must(t, db, "ALTER TABLE t DROP CHECK two, DROP c",
		"ALTER TABLE t DROP CONSTRAINT ten, RENAME COLUMN a TO z",
		"INSERT INTO t (id, z) VALUES (2, 0)", "CREATE TABLE u LIKE t")
	require.Empty(t, harness.Lines(t, db, "SELECT CONSTRAINT_NAME FROM information_schema.CHECK_CONSTRAINTS"))
}
