package reports

import (
	"database/sql"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
)

// The pivot: cells that a view turns into rows with named, typed columns.
const (
	pivotCells = `('p1', 'name', 1, 'Ann'), ('p1', 'name', 2, 'Anna'), ('p1', 'age', 1, '31'), ('p2', 'name', 1, 'Bob'),
		('p2', 'age', 5, '-4'), ('p3', 'age', 1, 'old'), ('p3', 'x', 1, NULL), ('p4', 'x', 1, 'x'), ('q', 'name', 7, ''),
		('q', 'age', 7, '9223372036854775807'), (X'00FF', 'name', 1, X'FF00')`
	pivotSelect = `SELECT K AS id, MAX(CASE WHEN Q = 'name' THEN V END) AS name, CAST(MAX(CASE WHEN Q = 'age' THEN V END) AS SIGNED) AS age,
		COUNT(*) AS cells FROM pc GROUP BY K`
)

var pivotViews = []string{
	"CREATE VIEW pivot AS " + pivotSelect,
	"CREATE VIEW adults (who, years) AS SELECT name, age FROM pivot WHERE age >= 18",
	"CREATE VIEW names AS SELECT K AS id, V AS name FROM pc WHERE Q = 'name'",
	"CREATE VIEW either AS SELECT id, 'pivot' AS src FROM pivot UNION SELECT name, 'names' FROM names",
	"CREATE VIEW kinds AS SELECT DISTINCT Q AS kind FROM pc",
	"CREATE VIEW top2 AS SELECT id FROM pivot ORDER BY id LIMIT 2",
}

// pivotQueries are statements with their answers, which are MariaDB's too.
var pivotQueries = []struct {
	query string
	want  []string
}{
	{"SELECT id, name, age, cells FROM pivot WHERE id = 'p1'", []string{"p1 Anna 31 3"}},
	{"SELECT id, name, age, cells FROM pivot WHERE id > 'p' ORDER BY id", []string{"p1 Anna 31 3", "p2 Bob -4 2", "p3 NULL 0 2", "p4 NULL NULL 1", "q  9223372036854775807 2"}},
	{"SELECT HEX(id), HEX(name) FROM pivot WHERE id = X'00FF'", []string{"00FF FF00"}},
	{"SELECT id FROM pivot WHERE id = 'P1'", []string{}},
	{"SELECT id FROM pivot WHERE id IN ('p1', 'p4', 'zz') ORDER BY id DESC", []string{"p4", "p1"}},
	{"SELECT id FROM pivot WHERE id LIKE 'p%' AND cells > 1 ORDER BY id LIMIT 2", []string{"p1", "p2"}},
	{"SELECT id FROM pivot WHERE age IS NULL AND name IS NULL", []string{"p4"}},
	{"SELECT id FROM pivot WHERE age BETWEEN -10 AND 10 ORDER BY age, id", []string{"p2", "p3"}},
	{"SELECT id FROM pivot WHERE id = 'p1' AND 1 = 0", []string{}},
	{"SELECT COUNT(*), COUNT(name), COUNT(age), MIN(id), MAX(id), SUM(cells) FROM pivot WHERE id > 'a'", []string{"5 3 4 p1 q 10"}},
	{"SELECT LEFT(id, 1) AS l, COUNT(*), SUM(cells) FROM pivot WHERE id > 'a' GROUP BY LEFT(id, 1) ORDER BY l", []string{"p 4 8", "q 1 2"}},
	{"SELECT a.id, b.id FROM pivot a JOIN pivot b ON a.id < b.id WHERE a.name = 'Anna' AND b.age < 1 ORDER BY b.id", []string{"p1 p2", "p1 p3"}},
	{"SELECT pc.Q, p.name FROM pc JOIN pivot p ON p.id = pc.K WHERE pc.K = 'p2' ORDER BY pc.Q", []string{"age Bob", "name Bob"}},
	{"SELECT pc.Q, p.name FROM pc LEFT JOIN pivot p ON p.id = pc.V ORDER BY pc.K, pc.Q, pc.T LIMIT 2", []string{"name NULL", "age NULL"}},
	{"SELECT id, (SELECT COUNT(*) FROM pivot i WHERE i.id < o.id AND i.id > 'a') AS n FROM pivot o WHERE id > 'a' ORDER BY id", []string{"p1 0", "p2 1", "p3 2", "p4 3", "q 4"}},
	{"SELECT id FROM pivot o WHERE EXISTS (SELECT 1 FROM names n WHERE n.id = o.id AND n.name LIKE 'B%')", []string{"p2"}},
	{"SELECT id FROM pivot WHERE id NOT IN (SELECT id FROM names) ORDER BY id", []string{"p3", "p4"}},
	{"SELECT who, years FROM adults ORDER BY years", []string{"Anna 31", " 9223372036854775807"}},
	{"SELECT years FROM adults WHERE who = 'Anna'", []string{"31"}},
	{"SELECT src, COUNT(*) FROM either WHERE id > 'a' GROUP BY src ORDER BY src", []string{"names 1", "pivot 5"}},
	{"SELECT id FROM either WHERE id IN ('p1', 'Bob', 'Anna') ORDER BY id", []string{"Anna", "Bob", "p1"}},
	{"SELECT kind FROM kinds WHERE kind > 'age' ORDER BY kind", []string{"name", "x"}},
	{"SELECT id FROM top2 WHERE id = 'p2'", []string{}},
	{"SELECT id FROM top2 WHERE id = 'p1'", []string{"p1"}},
	{"SELECT x.id FROM (SELECT id FROM pivot WHERE id > 'p1') AS x WHERE x.id < 'p3'", []string{"p2"}},
	{"SELECT DISTINCT cells FROM pivot WHERE id > 'a' ORDER BY cells", []string{"1", "2", "3"}},
}

// fillPivot makes the cells and the views over them.
func fillPivot(t *testing.T, db *sql.DB, partitioning string) {
	t.Helper()
	harness.Must(t, db, "CREATE TABLE pc "+oracle.Columns+partitioning, "INSERT INTO pc VALUES "+pivotCells)
	harness.Must(t, db, pivotViews...)
}

// checkPivot runs all queries. The age of p3 is not a number, which only causes
// a warning in a SELECT.
func checkPivot(t *testing.T, db *sql.DB) {
	t.Helper()
	for _, q := range pivotQueries {
		require.Equal(t, q.want, harness.Lines(t, db, q.query), q.query)
	}
}

func TestPivot(t *testing.T) {
	for _, layout := range slices.Sorted(maps.Keys(oracle.Partitionings)) {
		if layout == "prefix" {
			continue // it has another column, which is not about views
		}
		t.Run(layout, func(t *testing.T) {
			db := harness.OpenDB(t, "file::memory:?versions=all")
			fillPivot(t, db, oracle.Partitionings[layout])
			checkPivot(t, db)
		})
	}
	t.Run("mariadb", func(t *testing.T) {
		if *harness.MariaDB == "" {
			t.Skip("no -mariadb")
		}
		peer := oracle.OpenMariaDB(t)
		for _, v := range []string{"pivot", "adults", "names", "either", "kinds", "top2"} {
			harness.Must(t, peer, "DROP VIEW IF EXISTS "+v)
		}
		harness.Must(t, peer, "DROP TABLE IF EXISTS pc")
		fillPivot(t, peer, "")
		checkPivot(t, peer)
	})
}

func TestPivotColumnTypes(t *testing.T) {
	db := harness.OpenDB(t, ":memory:")
	fillPivot(t, db, "")
	rows, err := db.Query("SELECT * FROM pivot WHERE id = ?", "p2")
	require.NoError(t, err)
	defer rows.Close()
	types, err := rows.ColumnTypes()
	require.NoError(t, err)
	var got []string
	for _, c := range types {
		nullable, _ := c.Nullable()
		got = append(got, fmt.Sprint(c.Name(), " ", c.DatabaseTypeName(), " ", c.ScanType(), " ", nullable))
	}
	require.Equal(t, []string{"id VARBINARY []uint8 false", "name VARBINARY []uint8 true", "age BIGINT sql.NullInt64 true", "cells BIGINT int64 false"}, got)
	require.True(t, rows.Next())
	var id, name string
	var age sql.NullInt64
	var cells int
	require.NoError(t, rows.Scan(&id, &name, &age, &cells))
	require.Equal(t, "p2 Bob {-4 true} 2", fmt.Sprint(id, " ", name, " ", age, " ", cells))
}

// TestPivotRowGet: a condition on the pivot's key reads one row.
func TestPivotRowGet(t *testing.T) {
	db := harness.OpenDB(t, ":memory:")
	fillPivot(t, db, " PARTITION BY KEY(K) PARTITIONS 7")
	plan := harness.Lines(t, db, "EXPLAIN SELECT name FROM pivot WHERE id = ?", "p1")
	require.Contains(t, plan[1], "ref PRIMARY PRIMARY")
	tree := harness.Single(t, db, "EXPLAIN ANALYZE SELECT name FROM pivot WHERE id = ?", "p1")
	require.Contains(t, tree, "Point lookup of pc (rows 2, cells 3, seeks 1, partitions 1)")
	require.Contains(t, tree, "spans: [/'p1' - /'p1']")
}

func TestViewsAcrossRestart(t *testing.T) {
	dsn := filepath.Join(t.TempDir(), "store")
	db, err := sql.Open("hbasekv", "file:"+dsn+"?versions=all")
	require.NoError(t, err)
	fillPivot(t, db, "")
	harness.Must(t, db, "DROP VIEW top2", "CREATE OR REPLACE VIEW names AS SELECT K AS id, V AS name FROM pc WHERE Q = 'name' AND T > 1",
		"CREATE VIEW top2 AS SELECT id FROM pivot ORDER BY id DESC LIMIT 1", "RENAME TABLE kinds TO sorts")
	shown := harness.Lines(t, db, "SELECT TABLE_NAME, VIEW_DEFINITION FROM information_schema.VIEWS ORDER BY 1")
	require.Len(t, shown, len(pivotViews))
	created := harness.Single(t, db, "SELECT COLUMN_TYPE FROM information_schema.COLUMNS WHERE TABLE_NAME = 'pivot' AND COLUMN_NAME = 'age'")
	require.NoError(t, db.Close())

	db = harness.OpenDB(t, "file:"+dsn+"?versions=all&db=default")
	require.Equal(t, shown,
		harness.Lines(t, db, "SELECT TABLE_NAME, VIEW_DEFINITION FROM information_schema.VIEWS ORDER BY 1"))
	require.Equal(t, created, harness.Single(t, db, "SELECT COLUMN_TYPE FROM information_schema.COLUMNS WHERE TABLE_NAME = 'pivot' AND COLUMN_NAME = 'age'"))
	require.Equal(t, []string{"p1 Anna", "q "}, harness.Lines(t, db, "SELECT * FROM names ORDER BY id"))
	require.Equal(t, []string{"q"}, harness.Lines(t, db, "SELECT * FROM top2"))
	require.Equal(t, []string{"age", "name", "x"}, harness.Lines(t, db, "SELECT * FROM sorts ORDER BY kind"))
	harness.Must(t, db, "DROP VIEW pivot, adults, names, either, sorts, top2")
	require.Equal(t, []string{"pc"}, harness.Lines(t, db, "SHOW TABLES"))
}

// TestShownViewsMakeThemselvesAgain runs the output of SHOW CREATE VIEW in
// another database, whose own tables must not be used instead.
func TestShownViewsMakeThemselvesAgain(t *testing.T) {
	db := harness.OpenDB(t, "file::memory:?versions=all")
	fillPivot(t, db, "")
	conn, err := db.Conn(t.Context())
	require.NoError(t, err)
	defer conn.Close()
	texts := map[string]string{}
	for _, name := range []string{"pivot", "adults", "names", "either", "kinds", "top2"} {
		var view, text, charset, collation string
		require.NoError(t, db.QueryRow("SHOW CREATE VIEW "+name).Scan(&view, &text, &charset, &collation))
		texts[name] = text
	}
	harness.Must(t, conn, "CREATE DATABASE copy", "USE copy", "CREATE TABLE pc "+oracle.Columns,
		"CREATE VIEW names AS SELECT 1 AS nothing")
	harness.Must(t, conn, "DROP VIEW names")
	for name, text := range texts {
		harness.Must(t, conn, text)
		var view, again, charset, collation string
		require.NoError(t, conn.QueryRowContext(t.Context(), "SHOW CREATE VIEW "+name).Scan(&view, &again, &charset, &collation))
		require.Equal(t, text, again)
	}
	for _, q := range pivotQueries {
		if !strings.Contains(q.query, "FROM pc ") {
			require.Equal(t, q.want, harness.Lines(t, conn, q.query), q.query)
		}
	}
}

// TestViewsWhileTheyChange reads a view while it is replaced: each statement
// sees one definition or the other.
func TestViewsWhileTheyChange(t *testing.T) {
	db := harness.OpenDB(t, ":memory:")
	harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable,
		"INSERT INTO t VALUES ('a', 'x', 1, 'one'), ('a', 'y', 1, 'two')",
		"CREATE VIEW v AS SELECT K AS id, V AS a FROM t WHERE Q = 'x'")
	read, err := db.Prepare("SELECT * FROM v WHERE id = ?")
	require.NoError(t, err)
	defer read.Close()
	done := make(chan struct{})
	var ddl sync.WaitGroup
	ddl.Go(func() {
		defer close(done)
		for i := range 40 {
			definition := []string{"SELECT K AS id, V AS a FROM t WHERE Q = 'x'", "SELECT K AS id, Q AS b, V AS a FROM t WHERE Q = 'y'"}[i%2]
			if _, err := db.Exec("CREATE OR REPLACE VIEW v AS " + definition); err != nil {
				t.Error(err)
			}
			if i%10 == 9 {
				_, drop := db.Exec("DROP VIEW v")
				_, create := db.Exec("CREATE VIEW v AS " + definition)
				if drop != nil || create != nil {
					t.Error(drop, create)
				}
			}
		}
	})
	harness.AtOnce(t, func(worker int) error {
		for {
			select {
			case <-done:
				return nil
			default:
			}
			var got []string
			var err error
			if worker%2 == 0 {
				got, err = harness.TryLines(db, "SELECT * FROM v WHERE id = 'a'")
			} else {
				got, err = tryPrepared(read, "a")
			}
			if harness.NumberOf(err) == 1146 {
				continue // between DROP and CREATE
			}
			if err != nil {
				return err
			}
			if s := strings.Join(got, ","); s != "a one" && s != "a y two" {
				return fmt.Errorf("got %q", s)
			}
		}
	})
	ddl.Wait()
}

func tryPrepared(read *sql.Stmt, args ...any) ([]string, error) {
	rows, err := read.Query(args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	cells, into := make([]string, len(columns)), make([]any, len(columns))
	for i := range cells {
		into[i] = &cells[i]
	}
	var out []string
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		out = append(out, strings.Join(cells, " "))
	}
	return out, rows.Err()
}

// TestViewsInTransactions: a transaction keeps the views of its snapshot, and
// creating a view commits the transaction, as MySQL's DDL does.
func TestViewsInTransactions(t *testing.T) {
	db := harness.OpenDB(t, "file::memory:?lockTimeout=20ms")
	harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable, "CREATE VIEW v AS SELECT K AS id FROM t")
	reader := harness.Begin(t, db)
	require.Empty(t, harness.Lines(t, reader, "SELECT * FROM v"))
	harness.Must(t, db, "INSERT INTO t VALUES ('a', 'x', 1, 'one')", "CREATE OR REPLACE VIEW v AS SELECT V AS value FROM t", "CREATE VIEW w AS SELECT 1 AS one")
	require.Empty(t, harness.Lines(t, reader, "SELECT id FROM v"), "of the snapshot")
	_, err := harness.TryLines(reader, "SELECT * FROM w")
	harness.RequireErrorNumber(t, 1146, err)
	require.NoError(t, reader.Commit())
	require.Equal(t, []string{"one"}, harness.Lines(t, db, "SELECT value FROM v"))

	locker := harness.Begin(t, db)
	require.Equal(t, []string{"one"}, harness.Lines(t, locker, "SELECT * FROM v WHERE value > '' FOR UPDATE"))
	_, err = db.Exec("UPDATE t SET V = 'other' WHERE K = 'a'")
	harness.RequireErrorNumber(t, 1205, err)
	harness.Must(t, locker, "UPDATE t SET V = 'two' WHERE K = 'a'")
	require.NoError(t, locker.Commit())
	require.Equal(t, []string{"two"}, harness.Lines(t, db, "SELECT value FROM v"))
}

func TestViewErrors(t *testing.T) {
	db := harness.OpenDB(t, ":memory:")
	harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable, "CREATE VIEW v AS SELECT K AS id, V AS a FROM t", "CREATE VIEW w AS SELECT id FROM v")
	for statement, number := range map[string]uint16{
		"CREATE VIEW v AS SELECT 1":                             1050,
		"CREATE VIEW t AS SELECT 1":                             1050,
		"CREATE OR REPLACE VIEW t AS SELECT 1":                  1347,
		"CREATE OR REPLACE VIEW v AS SELECT id, id AS a FROM w": 1462,
		"CREATE VIEW x AS SELECT none FROM t":                   1054,
		"CREATE VIEW x AS SELECT * FROM none":                   1146,
		"CREATE VIEW x (a, a) AS SELECT K, V FROM t":            1060,
		"CREATE VIEW x (a) AS SELECT K, V FROM t":               1353,
		"CREATE VIEW x AS SELECT @x":                            1351,
		"DROP VIEW none":                                        1051,
		"DROP VIEW t":                                           1347,
		"DROP VIEW none, none2":                                 1051,
		"DROP TABLE v":                                          1051,
		"TRUNCATE TABLE v":                                      1347,
		"ALTER TABLE v COMMENT = 'x'":                           1347,
		"ALTER VIEW none AS SELECT 1":                           1146,
		"INSERT INTO v (id) VALUES ('a')":                       1288,
		"UPDATE v SET a = 'x'":                                  1288,
		"DELETE FROM v WHERE id = 'a'":                          1288,
		"REPLACE INTO v (id, a) VALUES ('a', 'b')":              1288,
		"SELECT none FROM v":                                    1054,
		"SELECT K FROM v":                                       1054,
		"SELECT id FROM v, w":                                   1052,
		"SELECT * FROM v PARTITION (p0)":                        1747,
	} {
		_, err := db.Exec(statement)
		harness.RequireErrorNumber(t, number, err)
	}
	require.Equal(t, []string{"t", "v", "w"}, harness.Lines(t, db, "SHOW TABLES"))
	_, err := db.Query("CREATE VIEW x AS SELECT ?", 1)
	harness.RequireErrorNumber(t, 1351, err)
	harness.Must(t, db, "DROP TABLE t")
	for _, statement := range []string{"SELECT * FROM v", "SELECT COUNT(*) FROM w", "DESCRIBE w", "EXPLAIN SELECT * FROM v"} {
		_, err := db.Exec(statement)
		harness.RequireErrorNumber(t, 1356, err)
	}
	harness.Must(t, db, "DROP VIEW v")
	require.Equal(t, []string{"w"}, harness.Lines(t, db, "SHOW TABLES"))
}
