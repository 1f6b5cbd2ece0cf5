package sql

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
)

// ownStep is a statement of a script about temporary tables, run by one of two sessions, and its
// outcome: rows with their values separated by spaces, or an error. MariaDB runs the same.
type ownStep struct {
	other bool // the second session runs it
	run   string
	want  string // rows, separated by commas; for a statement without rows, the number of affected rows
	fails uint16
}

const ownColumns = "(K varbinary(20) NOT NULL, Q varbinary(20) NOT NULL, T bigint NOT NULL, V varbinary(20), PRIMARY KEY (K, Q, T))"

var ownScripts = map[string][]ownStep{
	"hides a table": {
		{run: "INSERT INTO b VALUES ('stored', 'q', 1, 's')", want: "1"},
		{run: "CREATE TEMPORARY TABLE b " + ownColumns},
		{run: "SELECT COUNT(*) FROM b", want: "0"},
		{run: "INSERT INTO b VALUES ('own', 'q', 1, NULL), ('own', 'r', -1, ''), (X'00FF', 'q', 9223372036854775807, X'00')", want: "3"},
		{run: "SELECT HEX(K), Q, T, HEX(V) FROM b ORDER BY K, Q", want: "00FF q 9223372036854775807 00,6F776E q 1 NULL,6F776E r -1 "},
		{other: true, run: "SELECT K FROM b", want: "stored"},
		{other: true, run: "DROP TEMPORARY TABLE b", fails: 1051},
		{run: "SHOW TABLES", want: "b"},
		{run: "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE()", want: "b"},
		{run: "CREATE TEMPORARY TABLE b " + ownColumns, fails: 1050},
		{run: "CREATE TEMPORARY TABLE IF NOT EXISTS b " + ownColumns},
		{run: "CREATE TABLE b " + ownColumns, fails: 1050},
		{run: "DROP TABLE b"},
		{run: "SELECT K FROM b", want: "stored"},
		{run: "CREATE TEMPORARY TABLE IF NOT EXISTS b " + ownColumns},
		{run: "SELECT K FROM b", want: ""},
		{other: true, run: "DROP TABLE b"},
		{run: "SELECT K FROM b", want: ""},
		{run: "CREATE TABLE b " + ownColumns},
		{run: "DROP TEMPORARY TABLE b"},
		{run: "DROP TEMPORARY TABLE b", fails: 1051},
		{run: "DROP TEMPORARY TABLE IF EXISTS b"},
	},
	"writes": {
		{run: "CREATE TEMPORARY TABLE o LIKE b"},
		{run: "INSERT INTO o VALUES ('a', 'q', 1, '1'), ('b', 'q', 1, '2'), ('c', 'q', 1, NULL)", want: "3"},
		{run: "INSERT INTO o VALUES ('d', 'q', 1, '1'), ('a', 'q', 1, '2')", fails: 1062},
		{run: "INSERT IGNORE INTO o VALUES ('d', 'q', 1, '4'), ('a', 'q', 1, '2')", want: "1"},
		{run: "INSERT INTO o VALUES ('a', 'q', 1, '7') ON DUPLICATE KEY UPDATE V = CONCAT(V, VALUES(V))", want: "2"},
		{run: "INSERT INTO b SELECT * FROM o WHERE K < 'c'", want: "2"},
		{run: "INSERT INTO o SELECT CONCAT(K, K), Q, T, V FROM b", want: "2"},
		{run: "SELECT K, V FROM o ORDER BY K", want: "a 17,aa 17,b 2,bb 2,c NULL,d 4"},
		{run: "DELETE FROM o WHERE K IN (SELECT K FROM b)", want: "2"},
		{run: "DELETE o FROM o JOIN b ON o.K = CONCAT(b.K, b.K) WHERE b.V = '2'", want: "1"},
		{run: "SELECT K, V FROM o ORDER BY K DESC LIMIT 2", want: "d 4,c NULL"},
		{run: "SELECT b.K, o.K FROM b LEFT JOIN o ON o.K = CONCAT(b.K, 'a') ORDER BY 1", want: "a aa,b NULL"},
		{run: "SELECT x.K, y.K FROM o x, o y WHERE x.K < y.K ORDER BY 1, 2", want: "aa c,aa d,c d"},
		{run: "INSERT INTO o VALUES ('too long for the column K', 'q', 1, '1')", fails: 1406},
		{run: "INSERT INTO o VALUES (NULL, 'q', 1, '1')", fails: 1048},
		{run: "TRUNCATE TABLE o"},
		{run: "SELECT COUNT(*) FROM o", want: "0"},
	},
	"transactions": {
		{run: "BEGIN"},
		{run: "INSERT INTO b VALUES ('1', 'q', 1, 'x')", want: "1"},
		{run: "CREATE TEMPORARY TABLE o LIKE b"},
		{other: true, run: "SELECT COUNT(*) FROM b", want: "0"},
		{run: "INSERT INTO o SELECT * FROM b", want: "1"},
		{run: "SAVEPOINT s"},
		{run: "INSERT INTO o VALUES ('2', 'q', 1, 'x')", want: "1"},
		{run: "INSERT INTO b VALUES ('2', 'q', 1, 'x')", want: "1"},
		{run: "UPDATE o, b SET o.V = 'both', b.V = 'both' WHERE o.K = b.K AND o.K = '2'", want: "2"},
		{run: "ROLLBACK TO s"},
		{run: "SELECT o.K, b.K FROM o, b", want: "1 1"},
		{run: "DROP TEMPORARY TABLE o"},
		{run: "CREATE TEMPORARY TABLE o LIKE b"},
		{run: "INSERT INTO o VALUES ('3', 'q', 1, 'x')", want: "1"},
		{run: "ROLLBACK"},
		{run: "SELECT COUNT(*) FROM o", want: "0"},
		{run: "SELECT COUNT(*) FROM b", want: "0"},
		{run: "BEGIN"},
		{run: "INSERT INTO o VALUES ('4', 'q', 1, 'x')", want: "1"},
		{run: "INSERT INTO b VALUES ('4', 'q', 1, 'x')", want: "1"},
		{run: "COMMIT"},
		{run: "BEGIN"},
		{run: "INSERT INTO b VALUES ('5', 'q', 1, 'x')", want: "1"},
		{run: "TRUNCATE TABLE o"},
		{run: "ROLLBACK"},
		{run: "BEGIN"},
		{run: "INSERT INTO b VALUES ('6', 'q', 1, 'x')", want: "1"},
		{run: "ALTER TABLE o RENAME TO p"},
		{run: "ROLLBACK"},
		{run: "BEGIN"},
		{run: "INSERT INTO b VALUES ('7', 'q', 1, 'x')", want: "1"},
		{run: "DROP TABLE p"},
		{run: "ROLLBACK"},
		{run: "SELECT K FROM b ORDER BY K", want: "4,5,6,7"},
		{run: "START TRANSACTION READ ONLY"},
		{run: "CREATE TEMPORARY TABLE o LIKE b", fails: 1792},
		{run: "COMMIT"},
		{run: "CREATE TEMPORARY TABLE o LIKE b"},
		{run: "START TRANSACTION READ ONLY"},
		{run: "INSERT INTO o VALUES ('8', 'q', 1, 'x')", want: "1"},
		{run: "INSERT INTO b VALUES ('8', 'q', 1, 'x')", fails: 1792},
		{run: "DROP TEMPORARY TABLE o", fails: 1792},
		{run: "ROLLBACK"},
		{run: "SELECT COUNT(*) FROM o", want: "0"},
	},
	"create select": {
		{run: "INSERT INTO b VALUES ('1', 'q', 1, 'x')", want: "1"},
		{run: "BEGIN"},
		{run: "INSERT INTO b VALUES ('2', 'q', 1, 'x')", want: "1"},
		{run: "CREATE TEMPORARY TABLE o (PRIMARY KEY (K, Q, T)) SELECT * FROM b", want: "2"},
		{run: "INSERT INTO o VALUES ('3', 'q', 1, 'x')", want: "1"},
		{run: "ROLLBACK"},
		{run: "SELECT K FROM o ORDER BY K", want: "1,2"},
		{run: "SELECT K FROM b ORDER BY K", want: "1"},
		{run: "CREATE TEMPORARY TABLE p " + ownColumns + " SELECT 'a' K, 'q' Q, 1 T, 'v' V UNION ALL SELECT 'a', 'q', 1, 'w'", fails: 1062},
		{run: "SELECT * FROM p", fails: 1146},
		{run: "CREATE TEMPORARY TABLE o SELECT * FROM b", fails: 1050},
		{run: "CREATE TABLE p (PRIMARY KEY (K, Q, T)) SELECT * FROM o", want: "2"},
		{other: true, run: "SELECT K FROM p ORDER BY K", want: "1,2"},
		{other: true, run: "DROP TABLE p"},
	},
	"views": {
		{run: "INSERT INTO b VALUES ('stored', 'q', 1, 'x')", want: "1"},
		{run: "CREATE VIEW v AS SELECT K FROM b"},
		{run: "CREATE TEMPORARY TABLE b " + ownColumns},
		{run: "INSERT INTO b VALUES ('own', 'q', 1, 'x')", want: "1"},
		{run: "SELECT v.K, b.K FROM v, b", want: "stored own"},
		{run: "CREATE VIEW w AS SELECT K FROM b", fails: 1352},
		{run: "CREATE VIEW w AS SELECT 1 FROM v WHERE EXISTS (SELECT * FROM b)", fails: 1352},
		{run: "CREATE TEMPORARY TABLE v " + ownColumns},
		{run: "SELECT COUNT(*) FROM v", want: "0"},
		{run: "DROP TEMPORARY TABLE v"},
		{run: "SELECT K FROM v", want: "stored"},
		{run: "DROP VIEW v"},
	},
	"databases": {
		{run: "CREATE DATABASE gone"},
		{run: "CREATE TEMPORARY TABLE gone.o " + ownColumns},
		{run: "INSERT INTO gone.o VALUES ('1', 'q', 1, 'x')", want: "1"},
		{other: true, run: "DROP DATABASE gone"},
		{run: "SELECT K FROM gone.o", want: "1"},
		{run: "DROP TABLE gone.o"},
	},
	"locks": {
		{run: "CREATE TEMPORARY TABLE o LIKE b"},
		{run: "FLUSH TABLES WITH READ LOCK"},
		{run: "INSERT INTO o VALUES ('1', 'q', 1, 'x')", want: "1"},
		{run: "INSERT INTO b VALUES ('1', 'q', 1, 'x')", fails: 1223},
		{run: "UNLOCK TABLES"},
		{run: "SELECT K FROM o FOR UPDATE", want: "1"},
	},
	"autocommit": {
		{run: "SET autocommit = 0"},
		{run: "CREATE TEMPORARY TABLE o LIKE b"},
		{run: "INSERT INTO o VALUES ('1', 'q', 1, 'x')", want: "1"},
		{run: "ROLLBACK"},
		{run: "SELECT COUNT(*) FROM o", want: "0"},
		{run: "INSERT INTO o VALUES ('1', 'q', 1, 'x')", want: "1"},
		{run: "COMMIT"},
		{run: "SELECT COUNT(*) FROM o", want: "1"},
		{run: "COMMIT"},
	},
}

// TestTemporaryTables runs the scripts, each starting with an empty table b.
func TestTemporaryTables(t *testing.T) {
	for name, script := range ownScripts {
		for _, layout := range []string{"", " PARTITION BY KEY(K) PARTITIONS 3"} {
			t.Run(name+layout, func(t *testing.T) {
				checkOwn(t, harness.OpenDB(t, ":memory:?versions=all"), layout, script)
			})
		}
	}
	if *harness.MariaDB == "" {
		return
	}
	db := oracle.OpenMariaDB(t)
	db.SetMaxOpenConns(0)
	for name, script := range ownScripts {
		t.Run("MariaDB "+name, func(t *testing.T) { checkOwn(t, db, "", script) })
	}
}

func checkOwn(t *testing.T, db *sql.DB, layout string, script []ownStep) {
	name := fmt.Sprintf("own%d", time.Now().UnixNano())
	harness.Must(t, db, "CREATE DATABASE "+name)
	sessions := []*sql.Conn{harness.Conn(t, db), harness.Conn(t, db)}
	for _, s := range sessions {
		harness.Must(t, s, "USE "+name)
	}
	harness.Must(t, sessions[1], "CREATE TABLE b "+ownColumns+layout)
	for i, step := range script {
		s := sessions[0]
		if step.other {
			s = sessions[1]
		}
		got, err := step.answer(s)
		require.Equal(t, step.fails, harness.NumberOf(err), "%d: %s: %v", i, step.run, err)
		require.Equal(t, step.want, got, "%d: %s", i, step.run)
	}
	for _, s := range sessions {
		require.ErrorIs(t, s.Raw(func(any) error { return driver.ErrBadConn }), driver.ErrBadConn) // which ends the session
	}
	harness.Must(t, db, "DROP DATABASE "+name)
}

// answer returns the outcome of the statement: its rows, or the number of rows that it affects.
func (s ownStep) answer(db *sql.Conn) (string, error) {
	if verb, _, _ := strings.Cut(s.run, " "); verb == "SELECT" || verb == "SHOW" {
		rows, err := harness.TryLines(db, s.run)
		return strings.Join(rows, ","), err
	}
	r, err := db.ExecContext(context.Background(), s.run)
	if err != nil {
		return "", err
	}
	if n, err := r.RowsAffected(); (err != nil || n > 0) && !strings.Contains(s.run, "DATABASE ") {
		return fmt.Sprint(n), err
	}
	return "", nil
}

// TestTemporaryTablesEnd: temporary tables disappear when their session ends, for whatever reason,
// and so does the memory that they used; none of their files remain.
func TestTemporaryTablesEnd(t *testing.T) {
	dir := t.TempDir()
	db := harness.OpenDB(t, dir)
	harness.Must(t, db, "CREATE TABLE b "+ownColumns)
	before := filesIn(t, dir)
	ends := map[string]func(*sql.Conn){
		"closed": func(c *sql.Conn) { _ = c.Raw(func(any) error { return driver.ErrBadConn }) },
		"killed": func(c *sql.Conn) { harness.Must(t, db, "KILL "+harness.Single(t, c, "SELECT CONNECTION_ID()")) },
		"killed in a transaction": func(c *sql.Conn) {
			harness.Must(t, c, "BEGIN", "INSERT INTO o VALUES ('x', 'q', 1, 'x')")
			harness.Must(t, db, "KILL "+harness.Single(t, c, "SELECT CONNECTION_ID()"))
		},
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			c := harness.Conn(t, db)
			harness.Must(t, c, "CREATE TEMPORARY TABLE o LIKE b", "INSERT INTO o VALUES ('1', 'q', 1, 'x')", "CREATE TEMPORARY TABLE p LIKE b")
			require.Equal(t, "1", harness.Single(t, c, "SELECT COUNT(*) FROM o"))
			end(c)
			next := harness.Conn(t, db)
			_, err := next.ExecContext(context.Background(), "INSERT INTO o VALUES ('1', 'q', 1, 'x')")
			harness.RequireErrorNumber(t, 1146, err)
			require.Equal(t, before, filesIn(t, dir))
		})
	}
}

func filesIn(t *testing.T, dir string) (names []string) {
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestTemporaryCursors: a cursor returns a temporary table as it was when its statement
// began, whatever its session does meanwhile.
func TestTemporaryCursors(t *testing.T) {
	db := harness.OpenEmbedded(t, ":memory:?versions=all")
	harness.Must(t, db, "CREATE TABLE b "+ownColumns)
	for name, meanwhile := range map[string][]string{
		"nothing":     nil,
		"delete":      {"DELETE FROM o"},
		"truncate":    {"TRUNCATE TABLE o"},
		"drop":        {"DROP TEMPORARY TABLE o"},
		"drop, again": {"DROP TEMPORARY TABLE o", "CREATE TEMPORARY TABLE o LIKE b", "INSERT INTO o VALUES ('x', 'q', 1, 'x')"},
		"insert":      {"INSERT INTO o SELECT K, 'r', T, V FROM o"},
		"roll back":   {"BEGIN", "DELETE FROM o", "ROLLBACK"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, query := range []string{
				"SELECT T FROM o ORDER BY K", "SELECT T FROM o ORDER BY K DESC",
				"SELECT a.T FROM o a JOIN o b ON a.K = b.K AND a.Q = b.Q",
				"SELECT T FROM o WHERE EXISTS (SELECT * FROM o i WHERE i.T <= o.T AND i.K = o.K)",
			} {
				c := harness.Conn(t, db)
				harness.Must(t, c, "DROP TEMPORARY TABLE IF EXISTS o", "CREATE TEMPORARY TABLE o LIKE b", "SET cte_max_recursion_depth = 10000",
					"INSERT INTO o WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 3000) "+
						"SELECT LPAD(i, 6, '0'), 'q', i, 'v' FROM n")
				checkCursor(t, c, query, meanwhile)
			}
		})
	}
}

// checkCursor reads a query of the 3000 rows to its end, and runs statements after the tenth row.
func checkCursor(t *testing.T, c *sql.Conn, query string, meanwhile []string) {
	cursor, err := c.QueryContext(context.Background(), query)
	require.NoError(t, err)
	defer cursor.Close()
	n := 0
	for cursor.Next() {
		if n++; n == 10 {
			harness.Must(t, c, meanwhile...)
		}
	}
	require.NoError(t, cursor.Err())
	require.Equal(t, 3000, n, query)
}

// TestTemporaryMemory: the memory of a session's temporary tables counts against its limit, and
// is returned.
func TestTemporaryMemory(t *testing.T) {
	db := harness.OpenEmbedded(t, ":memory:?sessionMemory=4MiB&versions=all")
	c := harness.Conn(t, db)
	harness.Must(t, c, "CREATE TABLE b (K varbinary(20), Q varbinary(20), T bigint, V mediumblob, PRIMARY KEY (K, Q, T))",
		"CREATE TEMPORARY TABLE o LIKE b")
	for range 5 {
		var err error
		n := 0
		for ; err == nil && n < 100; n++ {
			_, err = c.ExecContext(context.Background(), "INSERT INTO o VALUES ('a', 'q', ?, REPEAT('v', 200000))", n)
		}
		harness.RequireErrorNumber(t, 1041, err)
		require.Contains(t, err.Error(), "DROP TEMPORARY TABLE")
		require.Greater(t, n, 10)
		require.Equal(t, fmt.Sprint(n-1), harness.Single(t, c, "SELECT COUNT(*) FROM o"))
		harness.Must(t, c, "BEGIN", "DELETE FROM o WHERE T > 5", "ROLLBACK")
		require.Equal(t, fmt.Sprint(n-1), harness.Single(t, c, "SELECT COUNT(*) FROM o"))
		harness.Must(t, c, "DELETE FROM o WHERE T % 2 = 0", "TRUNCATE TABLE o")
	}
	harness.Must(t, c, "INSERT INTO o VALUES ('a', 'q', 1, REPEAT('v', 2000000))", "DROP TABLE o", "CREATE TEMPORARY TABLE o LIKE b",
		"INSERT INTO o VALUES ('a', 'q', 1, REPEAT('v', 2000000))")
}

// TestTemporaryTableOfManyVersions: INSERT without T uses the first free T, also with many
// versions of one column, and one version among many is found at once.
func TestTemporaryTableOfManyVersions(t *testing.T) {
	db := harness.OpenEmbedded(t, ":memory:?versions=all")
	c := harness.Conn(t, db)
	harness.Must(t, c, "CREATE TABLE b "+ownColumns, "CREATE TEMPORARY TABLE o LIKE b", "SET cte_max_recursion_depth = 10000",
		"INSERT INTO o (K, Q, V) WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 5000) SELECT 'k', 'q', i FROM n")
	require.Equal(t, "5000 5000", harness.Lines(t, c, "SELECT COUNT(*), COUNT(DISTINCT T) FROM o")[0])
	require.Equal(t, []string{"5000", "4999"}, harness.Lines(t, c, "SELECT V FROM o ORDER BY T DESC LIMIT 2"))
	require.Equal(t, []string{"5000"}, harness.Lines(t, c, "SELECT /*+ VERSIONS(1) */ V FROM o"))
	require.Equal(t, []string{"1", "2"}, harness.Lines(t, c, "SELECT V FROM o ORDER BY K DESC, Q DESC, T LIMIT 2"))
	require.Equal(t, "17", harness.Single(t, c, "SELECT V FROM o WHERE K = 'k' AND Q = 'q' AND T = (SELECT T FROM o WHERE V = '17')"))
}

// TestTemporaryLoadData: LOAD DATA can write temporary tables where nothing else may be written, and
// never adds their rows to the store as files, however many there are.
func TestTemporaryLoadData(t *testing.T) {
	dir, files := t.TempDir(), t.TempDir()
	db := harness.OpenDB(t, "file:"+dir+"?fileDir="+files)
	file := filepath.Join(files, "f")
	row := "\tq\t1\t" + strings.Repeat("v", 100) + "\n"
	text := strings.Builder{}
	for i := range 50000 { // more than LOAD DATA buffers before it writes files
		fmt.Fprintf(&text, "%06d%s", i, row)
	}
	require.NoError(t, os.WriteFile(file, []byte(text.String()), 0o644))
	c := harness.Conn(t, db)
	harness.Must(t, c, "CREATE TABLE b (K varbinary(20), Q varbinary(20), T bigint, V varbinary(200), PRIMARY KEY (K, Q, T))",
		"CREATE TEMPORARY TABLE o LIKE b")
	before := filesIn(t, dir)
	load := func(table string) error {
		_, err := c.ExecContext(context.Background(), "LOAD DATA INFILE '"+file+"' REPLACE INTO TABLE "+table)
		return err
	}
	require.NoError(t, load("o"))
	require.Equal(t, before, filesIn(t, dir))
	harness.Must(t, c, "TRUNCATE TABLE o", "START TRANSACTION READ ONLY")
	require.NoError(t, load("o"))
	harness.RequireErrorNumber(t, 1792, load("b"))
	require.Equal(t, "50000", harness.Single(t, c, "SELECT COUNT(*) FROM o"))
	harness.Must(t, c, "ROLLBACK", "FLUSH TABLES WITH READ LOCK")
	require.Equal(t, "0", harness.Single(t, c, "SELECT COUNT(*) FROM o"))
	require.NoError(t, load("o"))
	harness.RequireErrorNumber(t, 1223, load("b"))
}

// TestTemporaryTableHidesDamage: CHECK STORE checks the stored table that a temporary one hides,
// CHECK TABLE the one that the name refers to.
func TestTemporaryTableHidesDamage(t *testing.T) {
	dir := t.TempDir()
	db, err := sql.Open("hbasekv", dir)
	require.NoError(t, err)
	db.SetMaxOpenConns(1)
	harness.Must(t, db, "CREATE TABLE b "+ownColumns, "SET cte_max_recursion_depth = 10000",
		"INSERT INTO b WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 5000) "+
			"SELECT i, 'q', i, LEFT(SHA1(i), 20) FROM n", "FLUSH TABLES")
	require.NoError(t, db.Close())
	damageLargest(t, dir, "*.sst")
	c := harness.Conn(t, harness.OpenDB(t, dir))
	require.Contains(t, strings.Join(harness.Lines(t, c, "CHECK TABLE b"), "\n"), "Corrupt")
	harness.Must(t, c, "CREATE TEMPORARY TABLE b "+ownColumns)
	require.Equal(t, []string{"default.b check status OK"}, harness.Lines(t, c, "CHECK TABLE b"))
	require.Contains(t, harness.Lines(t, c, "CHECK STORE"), "default.b check error Corrupt")
}

// damageLargest changes a byte of the largest file that matches.
func damageLargest(t *testing.T, dir, pattern string) {
	var largest []byte
	var name string
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if ok, _ := filepath.Match(pattern, d.Name()); err != nil || !ok {
			return err
		}
		data, err := os.ReadFile(path)
		if len(data) > len(largest) {
			name, largest = path, data
		}
		return err
	}))
	require.NotEmpty(t, largest)
	largest[len(largest)/4] ^= 0x55
	require.NoError(t, os.WriteFile(name, largest, 0o644))
}
