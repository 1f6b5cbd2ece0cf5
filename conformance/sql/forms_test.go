package sql

import (
	"database/sql"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// sameForms are equivalent queries in other words: MySQL 8's TABLE, and what ODBC's
// clients write in braces.
var sameForms = map[string]string{
	"TABLE t":                            "SELECT * FROM t",
	"(TABLE t)":                          "SELECT * FROM t",
	"TABLE t ORDER BY K DESC, T LIMIT 2": "SELECT * FROM t ORDER BY K DESC, T LIMIT 2",
	"TABLE t LIMIT 1 OFFSET 1":           "SELECT * FROM t LIMIT 1 OFFSET 1",
	"TABLE t ORDER BY K FOR UPDATE":      "SELECT * FROM t ORDER BY K FOR UPDATE",
	"TABLE t FOR SYSTEM_TIME ALL":        "SELECT * FROM t FOR SYSTEM_TIME ALL",
	"TABLE t FOR SYSTEM_TIME AS OF 1":    "SELECT * FROM t FOR SYSTEM_TIME AS OF 1",
	"TABLE v":                            "SELECT * FROM v",
	"TABLE `table`":                      "SELECT * FROM `table`",
	"TABLE default.u":                    "SELECT * FROM u",
	"TABLE t UNION TABLE u":              "SELECT * FROM t UNION SELECT * FROM u",
	"TABLE t UNION ALL TABLE t ORDER BY K, T LIMIT 3":                                           "SELECT * FROM t UNION ALL SELECT * FROM t ORDER BY K, T LIMIT 3",
	"(TABLE t LIMIT 1) UNION ALL (TABLE u ORDER BY K LIMIT 1)":                                  "(SELECT * FROM t LIMIT 1) UNION ALL (SELECT * FROM u ORDER BY K LIMIT 1)",
	"SELECT * FROM t EXCEPT TABLE u":                                                            "SELECT * FROM t EXCEPT SELECT * FROM u",
	"TABLE t INTERSECT TABLE u":                                                                 "SELECT * FROM t INTERSECT SELECT * FROM u",
	"TABLE one UNION VALUES ROW('x', 'y')":                                                      "SELECT * FROM one UNION SELECT 'x', 'y'",
	"VALUES ROW('x', 'y') UNION TABLE one":                                                      "SELECT 'x' AS column_0, 'y' AS column_1 UNION SELECT * FROM one",
	"SELECT * FROM (TABLE t) d WHERE d.K = 'a'":                                                 "SELECT * FROM t WHERE K = 'a'",
	"SELECT * FROM (TABLE one) d (x, y)":                                                        "SELECT A AS x, B AS y FROM one",
	"SELECT K FROM u WHERE (K, Q) IN (TABLE one)":                                               "SELECT K FROM u WHERE (K, Q) IN (SELECT * FROM one)",
	"SELECT K FROM u WHERE EXISTS (TABLE one LIMIT 1)":                                          "SELECT K FROM u WHERE EXISTS (SELECT * FROM one LIMIT 1)",
	"SELECT (TABLE single) AS x":                                                                "SELECT (SELECT * FROM single) AS x",
	"WITH c AS (TABLE t) TABLE c ORDER BY K, T":                                                 "WITH c AS (SELECT * FROM t) SELECT * FROM c ORDER BY K, T",
	"WITH c AS (TABLE t) SELECT COUNT(*) FROM c":                                                "WITH c AS (SELECT * FROM t) SELECT COUNT(*) FROM c",
	"WITH RECURSIVE c (n) AS (VALUES ROW(1) UNION ALL SELECT n + 1 FROM c WHERE n < 3) TABLE c": "SELECT 1 AS n UNION ALL SELECT 2 UNION ALL SELECT 3",
	"TABLE vt": "SELECT * FROM t",
	"TABLE vc": "SELECT * FROM t UNION ALL SELECT * FROM t",

	"SELECT * FROM {oj t LEFT OUTER JOIN u ON t.K = u.K}":                                    "SELECT * FROM t LEFT OUTER JOIN u ON t.K = u.K",
	"SELECT t.V FROM {OJ t LEFT JOIN u ON t.K = u.K AND u.K = 'b'} WHERE u.K IS NULL":        "SELECT t.V FROM t LEFT JOIN u ON t.K = u.K AND u.K = 'b' WHERE u.K IS NULL",
	"SELECT COUNT(*) FROM {oj t RIGHT JOIN u USING (K)}, one":                                "SELECT COUNT(*) FROM (t RIGHT JOIN u USING (K)), one",
	"SELECT COUNT(*) FROM one, {oj t LEFT JOIN u ON t.K = u.K LEFT JOIN one ON one.A = t.K}": "",
	"SELECT COUNT(*) FROM {oj t a LEFT JOIN u b ON a.K = b.K LEFT JOIN t c ON c.K = b.K}":    "SELECT COUNT(*) FROM t a LEFT JOIN u b ON a.K = b.K LEFT JOIN t c ON c.K = b.K",
	"SELECT COUNT(*) FROM ({oj t a LEFT JOIN u b ON a.K = b.K}) JOIN one":                    "SELECT COUNT(*) FROM (t a LEFT JOIN u b ON a.K = b.K) JOIN one",
	"SELECT K FROM {oj (SELECT * FROM t) d}":                                                 "SELECT K FROM t",
	"SELECT {fn CONCAT({fn UCASE(K)}, {anything Q})} AS x FROM t":                            "SELECT CONCAT(UPPER(K), Q) AS x FROM t",
	"SELECT {x 1 + 1} * 2 AS x":                                                              "SELECT 4 AS x",
	"SELECT {`a b` K} AS x FROM t WHERE {w K = 'a'}":                                         "SELECT K AS x FROM t WHERE K = 'a'",
	"SELECT {d '2024-01-02'} AS x, {t '10:00:00'} AS y, {ts '2024-01-02 10:00:00'} AS z":     "SELECT DATE '2024-01-02' AS x, TIME '10:00:00' AS y, TIMESTAMP '2024-01-02 10:00:00' AS z",
	"SELECT {d CONCAT('2024', '-01-02')} AS x":                                               "SELECT '2024-01-02' AS x",
	"SELECT FULL.K, u.K FROM t FULL JOIN u ON FULL.K = u.K":                                  "SELECT t.K, u.K FROM t JOIN u ON t.K = u.K",
	"SELECT full.K FROM t AS full LEFT JOIN u USING (K)":                                     "SELECT t.K FROM t LEFT JOIN u USING (K)",
	"SELECT K FROM t FULL": "SELECT K FROM t",
}

// TestSameForms: both forms return the same rows and names.
func TestSameForms(t *testing.T) {
	harness.OnLayouts(t, "", func(t *testing.T, db *sql.DB) {
		harness.Must(t, db, "CREATE TABLE u "+harness.PlainTable, "CREATE TABLE `table` "+harness.PlainTable,
			"INSERT INTO t VALUES ('a', 'q', 1, 'one'), ('a', 'q', 2, 'two'), ('b', 'q', 1, 'b')", "INSERT INTO u VALUES ('b', 'q', 1, 'b'), ('c', 'q', 1, 'c')",
			"INSERT INTO `table` TABLE t", "CREATE VIEW v AS SELECT K AS A, V AS B FROM t", "CREATE VIEW one AS VALUES ROW('b', 'q')",
			"CREATE OR REPLACE VIEW one (A, B) AS VALUES ROW('b', 'q')", "CREATE VIEW single AS SELECT 7 AS n",
			"CREATE VIEW vt AS TABLE t", "CREATE VIEW vc AS WITH c AS (TABLE t) TABLE c UNION ALL TABLE t")
		for form, same := range sameForms {
			got, err := harness.TryLines(db, form)
			if same == "" {
				require.Error(t, err, form)
				continue
			}
			require.NoError(t, err, form)
			require.Equal(t, harness.Lines(t, db, same), got, form)
			require.Equal(t, columnNames(t, db, same), columnNames(t, db, form), form)
		}
	})
}

func columnNames(t *testing.T, db *sql.DB, query string) []string {
	rows, err := db.Query(query)
	require.NoError(t, err)
	defer rows.Close()
	names, err := rows.Columns()
	require.NoError(t, err)
	return names
}

// TestTableStatements uses TABLE as a row source, prepared, explained and in views.
func TestTableStatements(t *testing.T) {
	db := harness.OpenDB(t, ":memory:")
	harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable, "CREATE TABLE u "+harness.PlainTable, "INSERT INTO t VALUES ('a', 'q', 1, 'x'), ('b', 'q', 1, 'y')")
	require.EqualValues(t, 2, harness.Affected(t, db, "INSERT INTO u TABLE t"))
	require.EqualValues(t, 4,
		harness.Affected(t, db, "INSERT INTO u TABLE t ON DUPLICATE KEY UPDATE V = CONCAT(u.V, '!')"))
	require.EqualValues(t, 1, harness.Affected(t, db, "REPLACE INTO u (K, Q, T, V) TABLE t ORDER BY K DESC LIMIT 1"))
	require.Equal(t, []string{"a q 1 x!", "b q 1 y"}, harness.Lines(t, db, "TABLE u"))
	require.EqualValues(t, 2, harness.Affected(t, db, "CREATE TABLE w TABLE t"))
	require.EqualValues(t, 2, harness.Affected(t, db, "CREATE TABLE x AS (TABLE t)"))
	require.EqualValues(t, 1, harness.Affected(t, db, "DELETE FROM w WHERE V IN (SELECT V FROM (TABLE t LIMIT 1) d)"))
	harness.Must(t, db, "CREATE VIEW v AS TABLE t ORDER BY K DESC")
	require.Equal(t, []string{"b q 1 y", "a q 1 x"}, harness.Lines(t, db, "TABLE v"))
	require.Contains(t, showCreate(t, db, "v"), "SELECT `t`.`K`, `t`.`Q`, `t`.`T`, `t`.`V` FROM `default`.`t` ORDER BY K DESC")
	harness.Must(t, db, "PREPARE p FROM 'TABLE t ORDER BY K LIMIT ?'")
	require.NotEmpty(t, harness.Lines(t, db, "EXPLAIN TABLE t"))
	stmt, err := db.Prepare("TABLE t ORDER BY K LIMIT ?")
	require.NoError(t, err)
	defer stmt.Close()
	var k, q, v string
	var at int64
	require.NoError(t, stmt.QueryRow(1).Scan(&k, &q, &at, &v))
	require.Equal(t, "a", k)
	for statement, number := range map[string]uint16{
		"TABLE": 1064, "TABLE t x": 1064, "TABLE t WHERE K = 'a'": 1064, "TABLE t, u": 1064, "TABLE nowhere": 1146, "TABLE (SELECT 1)": 1064,
		"INSERT INTO u (K) TABLE t": 1136, "TABLE t UNION SELECT 1": 1222, "SELECT {x}": 1064, "SELECT {1 2}": 1064, "SELECT {select 1}": 1064,
		"SELECT * FROM {t}": 1064, "SELECT * FROM {oj t LEFT JOIN u ON t.K = u.K": 1064, "SELECT {d 'x'}": 1525, "SELECT {d '2024-01-01', 1}": 1064,
	} {
		_, err := db.Exec(statement)
		require.Equal(t, number, harness.NumberOf(err), "%s: %v", statement, err)
	}
}

// TestFullOuterJoin: the error says what to write.
func TestFullOuterJoin(t *testing.T) {
	db := harness.OpenDB(t, ":memory:")
	harness.Must(t, db, "CREATE TABLE a "+harness.PlainTable, "CREATE TABLE b "+harness.PlainTable, "INSERT INTO a VALUES ('x', 'q', 1, '1'), ('y', 'q', 1, '2')",
		"INSERT INTO b VALUES ('y', 'q', 1, '3'), ('z', 'q', 1, '4')")
	for _, from := range []string{"a FULL OUTER JOIN b ON a.K = b.K", "a AS x FULL OUTER JOIN b ON x.K = b.K", "a x FULL JOIN b ON x.K = b.K", "a NATURAL FULL JOIN b",
		"a NATURAL FULL OUTER JOIN b", "(SELECT * FROM a) d FULL JOIN b USING (K)", "(SELECT * FROM a) d FULL OUTER JOIN b USING (K)", "a JOIN b c FULL JOIN b ON TRUE",
		"a LEFT JOIN b ON a.K = b.K FULL JOIN a c ON TRUE", "{oj a FULL OUTER JOIN b ON a.K = b.K}", "a PARTITION (p0) FULL OUTER JOIN b USING (K)", "(a FULL OUTER JOIN b USING (K))"} {
		_, err := db.Exec("SELECT * FROM " + from)
		harness.RequireErrorNumber(t, 1235, err)
		require.ErrorContains(t, err, "UNION ALL", from)
	}
	require.Equal(t, []string{"x NULL", "y y", "NULL z"}, harness.Lines(t, db, "SELECT a.K, b.K FROM a LEFT JOIN b ON a.K = b.K UNION ALL "+
		"SELECT a.K, b.K FROM b LEFT JOIN a ON a.K = b.K WHERE a.K IS NULL"))
}

// TestRefusedTemporaryTables: a refused statement on temporary tables does not affect the
// transaction: MySQL commits nothing for it.
func TestRefusedTemporaryTables(t *testing.T) {
	db := harness.OpenDB(t, ":memory:")
	harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable)
	tx := harness.Begin(t, db)
	harness.Must(t, tx, "INSERT INTO t VALUES ('a', 'q', 1, 'v')")
	for statement, number := range map[string]uint16{
		"CREATE TEMPORARY TABLE u (id int UNIQUE, KEY (no))": 1072, "CREATE TEMPORARY TABLE IF NOT EXISTS u LIKE nowhere": 1146, "CREATE TEMPORARY TABLE u AS TABLE v": 1146,
		"DROP TEMPORARY TABLE t": 1051, "DROP TEMPORARY TABLE u, nowhere.v": 1051, "CREATE TEMPORARY u": 1064,
	} {
		_, err := tx.Exec(statement)
		require.Equal(t, number, harness.NumberOf(err), "%s: %v", statement, err)
	}
	harness.Must(t, tx, "DROP TEMPORARY TABLE IF EXISTS t, u")
	require.Equal(t, []string{"Note 1051 Unknown table 'default.t'", "Note 1051 Unknown table 'default.u'"}, harness.Lines(t, tx, "SHOW WARNINGS"))
	require.Equal(t, "1", harness.Single(t, tx, "SELECT COUNT(*) FROM t"))
	require.NoError(t, tx.Rollback())
	require.Equal(t, "0", harness.Single(t, db, "SELECT COUNT(*) FROM t"), "nothing was committed")
}

func showCreate(t *testing.T, db *sql.DB, table string) string {
	rows, err := harness.TryLines(db, "SHOW CREATE TABLE "+table)
	require.NoError(t, err)
	return strings.Join(rows, "\n")
}
