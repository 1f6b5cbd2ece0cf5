package typed

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

const numbered = "CREATE TABLE n (id int AUTO_INCREMENT PRIMARY KEY, v int)"

// insertID returns a statement's LastInsertId.
func insertID(t *testing.T, db harness.Execer, statement string) int64 {
	t.Helper()
	r, err := db.ExecContext(t.Context(), statement)
	require.NoError(t, err, statement)
	id, err := r.LastInsertId()
	require.NoError(t, err)
	return id
}

// one returns a database with one connection, so that session variables can be used.
func one(t *testing.T, statements ...string) *sql.DB {
	db := harness.OpenEmbedded(t, harness.MemoryDSN())
	db.SetMaxOpenConns(1)
	harness.Must(t, db, statements...)
	return db
}

// TestAutoIncrement tests each way in which an INSERT requests a number or supplies one.
func TestAutoIncrement(t *testing.T) {
	db := one(t, numbered)
	last := func() string { return harness.Single(t, db, "SELECT LAST_INSERT_ID()") }
	require.EqualValues(t, 1, insertID(t, db, "INSERT INTO n (v) VALUES (1)"))
	require.EqualValues(t, 2, insertID(t, db, "INSERT INTO n VALUES (NULL, 2)"))
	require.EqualValues(t, 3, insertID(t, db, "INSERT INTO n VALUES (0, 3)"))
	require.EqualValues(t, 4, insertID(t, db, "INSERT INTO n VALUES (DEFAULT, 4), (NULL, 5)"), "the first of a statement")
	require.Equal(t, "4", last())
	require.EqualValues(t, 20, insertID(t, db, "INSERT INTO n VALUES (20, 6)"))
	require.Equal(t, "4", last(), "a value that was given is none that was made")
	require.EqualValues(t, 21, insertID(t, db, "INSERT INTO n VALUES (NULL, 7), (30, 8), (NULL, 9)"))
	require.EqualValues(t, -5, insertID(t, db, "INSERT INTO n VALUES (-5, 10)"))
	require.Equal(t, []string{"-5", "1", "2", "3", "4", "5", "20", "21", "30", "31"}, harness.Lines(t, db, "SELECT id FROM n ORDER BY id"))
	require.EqualValues(t, 32, insertID(t, db, "INSERT INTO n VALUES ('0', 11)"))

	require.EqualValues(t, 33, insertID(t, db, "INSERT INTO n (v) SELECT v FROM n WHERE id IN (1, 2, 3)"))
	require.Equal(t, []string{"33 1", "34 2", "35 3"}, harness.Lines(t, db, "SELECT id, v FROM n WHERE id > 32 ORDER BY id"))
	require.Equal(t, "33", last())
	harness.Must(t, db, "TRUNCATE n")
	require.EqualValues(t, 1, insertID(t, db, "INSERT INTO n (v) VALUES (1)"))
	harness.Must(t, db, "UPDATE n SET id = 3")
	require.EqualValues(t, 2, insertID(t, db, "INSERT INTO n (v) VALUES (1)"))
	_, err := db.Exec("INSERT INTO n (v) VALUES (2)")
	harness.RequireErrorNumber(t, 1062, err) // InnoDB's counter ignores UPDATE
	require.EqualValues(t, 4, insertID(t, db, "INSERT INTO n (v) VALUES (2)"))
	_, err = db.Exec("UPDATE n SET id = NULL WHERE id = 4")
	harness.RequireErrorNumber(t, 1048, err)

	harness.Must(t, db, "SET sql_mode = CONCAT(@@sql_mode, ',NO_AUTO_VALUE_ON_ZERO')", "INSERT INTO n VALUES (0, 0), (NULL, 0)")
	require.Equal(t, []string{"0", "5"}, harness.Lines(t, db, "SELECT id FROM n WHERE v = 0 ORDER BY id"))
}

// TestInsertIDOfDuplicates tests rows that exist already.
func TestInsertIDOfDuplicates(t *testing.T) {
	db := one(t, numbered, "INSERT INTO n VALUES (7, 1)")
	const again = "INSERT INTO n VALUES (7, 2) ON DUPLICATE KEY UPDATE v = v + 1"
	require.EqualValues(t, 7, insertID(t, db, again))
	require.Equal(t, "0", harness.Single(t, db, "SELECT LAST_INSERT_ID()"))
	require.EqualValues(t, 7, insertID(t, db, again+", id = LAST_INSERT_ID(id)"))
	require.Equal(t, "7", harness.Single(t, db, "SELECT LAST_INSERT_ID()"))
	require.EqualValues(t, 42, insertID(t, db, "UPDATE n SET v = LAST_INSERT_ID(42)"))
	require.Zero(t, insertID(t, db, "UPDATE n SET v = 1"))
	require.EqualValues(t, 8, insertID(t, db, "REPLACE INTO n (v) VALUES (3)"))
	require.EqualValues(t, 7, insertID(t, db, "REPLACE INTO n VALUES (7, 4)"))
	require.EqualValues(t, 9, insertID(t, db, "INSERT IGNORE INTO n VALUES (7, 5), (NULL, 6)"))
	require.Equal(t, []string{"7 4", "8 3", "9 6"}, harness.Lines(t, db, "SELECT * FROM n ORDER BY id"))
}

// TestAutoIncrementEnd tests the last numbers of each type.
func TestAutoIncrementEnd(t *testing.T) {
	db := one(t)
	for typ, last := range map[string]string{"tinyint": "127", "tinyint unsigned": "255", "smallint": "32767",
		"int unsigned": "4294967295", "bigint": "9223372036854775807", "bigint unsigned": "18446744073709551614"} {
		harness.Must(t, db, "DROP TABLE IF EXISTS e", "CREATE TABLE e (id "+typ+" AUTO_INCREMENT PRIMARY KEY)")
		harness.Must(t, db, "INSERT INTO e VALUES ("+last+" - 1)", "INSERT INTO e VALUES ()")
		require.Equal(t, last, harness.Single(t, db, "SELECT MAX(id) FROM e"), typ)
		_, err := db.Exec("INSERT INTO e VALUES (NULL)")
		harness.RequireErrorNumber(t, 1467, err)
	}
	harness.Must(t, db, "CREATE TABLE f (id double AUTO_INCREMENT PRIMARY KEY)", "INSERT INTO f VALUES (1.5), (NULL), (NULL)")
	require.Equal(t, []string{"1.5", "2", "3"}, harness.Lines(t, db, "SELECT id FROM f ORDER BY id"))
}

// TestAutoIncrementSteps lets two servers number one table in turns.
func TestAutoIncrementSteps(t *testing.T) {
	db := one(t, numbered, "SET auto_increment_increment = 10, auto_increment_offset = 3",
		"INSERT INTO n (v) VALUES (1), (2), (3)", "INSERT INTO n VALUES (25, 4), (NULL, 5)")
	require.Equal(t, []string{"3", "13", "23", "25", "33"}, harness.Lines(t, db, "SELECT id FROM n ORDER BY id"))
}

// TestAutoIncrementShown compares what the catalog shows, and recreates the table from it.
func TestAutoIncrementShown(t *testing.T) {
	db := one(t, "CREATE TABLE n (id int AUTO_INCREMENT, v int, PRIMARY KEY (id, v)) AUTO_INCREMENT = 100")
	next := func() string {
		return harness.Single(t, db, "SELECT AUTO_INCREMENT FROM information_schema.TABLES WHERE TABLE_NAME = 'n'")
	}
	require.Equal(t, "100", next())
	require.EqualValues(t, 100, insertID(t, db, "INSERT INTO n (v) VALUES (1)"))
	require.Equal(t, []string{"id int(11) NO PRI NULL auto_increment", "v int(11) NO PRI NULL "}, harness.Lines(t, db, "DESCRIBE n"))
	made := harness.Lines(t, db, "SHOW CREATE TABLE n")[0][len("n "):]
	require.Contains(t, made, "`id` int(11) NOT NULL AUTO_INCREMENT,")
	require.Contains(t, made, ") ENGINE=InnoDB AUTO_INCREMENT=101 DEFAULT CHARSET=")
	harness.Must(t, db, "CREATE TABLE l LIKE n", "ALTER TABLE n AUTO_INCREMENT = 500")
	require.Equal(t, "500", next())
	require.EqualValues(t, 500, insertID(t, db, "INSERT INTO n (v) VALUES (1)"))
	harness.Must(t, db, "ALTER TABLE n AUTO_INCREMENT = 1")
	require.Equal(t, "501", next(), "behind the largest")
	harness.Must(t, db, "DELETE FROM n WHERE id = 500", "ALTER TABLE n AUTO_INCREMENT = 1", "RENAME TABLE n TO m")
	require.EqualValues(t, 101, insertID(t, db, "INSERT INTO m (v) VALUES (1)"))
	require.EqualValues(t, 1, insertID(t, db, "INSERT INTO l (v) VALUES (1)"))
	harness.Must(t, db, "DROP TABLE m", made)
	require.Equal(t, "n "+made, harness.Lines(t, db, "SHOW CREATE TABLE n")[0])
	harness.Must(t, db, "CREATE TABLE s (id SERIAL)", "INSERT INTO s VALUES (), ()")
	require.Equal(t, []string{"id bigint(20) unsigned NO PRI NULL auto_increment"}, harness.Lines(t, db, "DESCRIBE s"))
}

// TestAutoIncrementRefused tests invalid declarations.
func TestAutoIncrementRefused(t *testing.T) {
	db := one(t)
	for declared, number := range map[string]uint16{
		"id int AUTO_INCREMENT":                                   1075,
		"id int AUTO_INCREMENT, v int PRIMARY KEY":                1075,
		"id int AUTO_INCREMENT PRIMARY KEY, v int AUTO_INCREMENT": 1075,
		"id int AUTO_INCREMENT, v int, PRIMARY KEY (v, id)":       1075,
		"id varchar(9) AUTO_INCREMENT PRIMARY KEY":                1063,
		"id decimal(9,2) AUTO_INCREMENT PRIMARY KEY":              1063,
		"id datetime AUTO_INCREMENT PRIMARY KEY":                  1063,
		"id int AUTO_INCREMENT DEFAULT 3 PRIMARY KEY":             1067,
	} {
		_, err := db.Exec("CREATE TABLE r (" + declared + ")")
		require.Equal(t, number, harness.ErrorNumber(err), "%s: %v", declared, err)
	}
}

// TestNumbersTogether inserts from many sessions: each statement's numbers are consecutive, and none
// occurs twice.
func TestNumbersTogether(t *testing.T) {
	db := open(t, numbered, "CREATE TABLE h (v int)")
	var seen sync.Map
	errs := make(chan error, 16)
	for range 16 {
		go func() { errs <- insertMany(db, &seen) }()
	}
	for range 16 {
		require.NoError(t, <-errs)
	}
	require.Equal(t, []string{"960 960"}, harness.Lines(t, db, "SELECT COUNT(*), COUNT(DISTINCT id) FROM n"))
	require.Equal(t, "320", harness.Single(t, db, "SELECT COUNT(*) FROM h"))
}

func insertMany(db *sql.DB, seen *sync.Map) error {
	for i := range 20 {
		r, err := db.Exec("INSERT INTO n (v) VALUES (?), (?), (?)", i, i, i)
		if err != nil {
			return err
		}
		first, err := r.LastInsertId()
		if err != nil {
			return err
		}
		for id := first; id < first+3; id++ {
			if _, twice := seen.LoadOrStore(id, true); twice {
				return fmt.Errorf("%d came twice", id)
			}
		}
		if _, err := db.Exec("INSERT INTO h VALUES (?)", i); err != nil {
			return err
		}
	}
	return nil
}

// TestNumbersOfRetries has an INSERT wait for a lock while another table is made, for which it is run again: it
// takes no second number.
func TestNumbersOfRetries(t *testing.T) {
	db := harness.OpenEmbedded(t, harness.MemoryDSN())
	harness.Must(t, db, "CREATE TABLE n (id int AUTO_INCREMENT PRIMARY KEY, u int, UNIQUE (u))")
	holder := harness.Begin(t, db)
	require.EqualValues(t, 1, insertID(t, holder, "INSERT INTO n (u) VALUES (7)"))
	done := make(chan error)
	go func() {
		_, err := db.Exec("INSERT INTO n (u) VALUES (7), (8)")
		done <- err
	}()
	require.Eventually(t, func() bool {
		return harness.Single(t, db, "SELECT COUNT(*) FROM information_schema.INNODB_LOCK_WAITS") == "1"
	}, time.Minute, time.Millisecond)
	harness.Must(t, db, "CREATE TABLE other (a int)")
	require.NoError(t, holder.Rollback())
	require.NoError(t, <-done)
	require.Equal(t, []string{"2 7", "3 8"}, harness.Lines(t, db, "SELECT * FROM n ORDER BY id"))
	require.EqualValues(t, 4, insertID(t, db, "INSERT INTO n (u) VALUES (9)"))
}

// TestNumbersStay rolls back, and closes the store: no number is used again.
func TestNumbersStay(t *testing.T) {
	dsn := "file:" + filepath.Join(t.TempDir(), "store")
	db, err := sql.Open("hbasekv", dsn)
	require.NoError(t, err)
	harness.Must(t, db, numbered, "CREATE TABLE h (v int)", "INSERT INTO h VALUES (1), (2)")
	tx := harness.Begin(t, db)
	require.EqualValues(t, 1, insertID(t, tx, "INSERT INTO n (v) VALUES (1), (2)"))
	require.NoError(t, tx.Rollback())
	require.EqualValues(t, 3, insertID(t, db, "INSERT INTO n (v) VALUES (3)"))
	require.NoError(t, db.Close())
	db = harness.OpenEmbedded(t, dsn)
	require.EqualValues(t, 4, insertID(t, db, "INSERT INTO n (v) VALUES (4)"))
	harness.Must(t, db, "INSERT INTO h VALUES (3)")
	require.Equal(t, []string{"1", "2", "3"}, harness.Lines(t, db, "SELECT v FROM h"))
}

// TestNoPrimaryKey tests a table whose rows differ only by the order in which they were inserted.
func TestNoPrimaryKey(t *testing.T) {
	db := one(t, "CREATE TABLE h (a int, b varchar(9))", "INSERT INTO h VALUES (2, 'x'), (1, 'y'), (2, 'x')", "INSERT INTO h (b) VALUES ('z')")
	lines := func(query string) []string { return harness.Lines(t, db, query) }
	require.Equal(t, []string{"2 x", "1 y", "2 x", "NULL z"}, lines("SELECT * FROM h"))
	require.Equal(t, lines("SELECT * FROM h"), lines("SELECT h.* FROM h"))
	require.Equal(t, []string{"4 3"}, lines("SELECT COUNT(*), COUNT(a) FROM h"))
	require.Equal(t, []string{"a int(11) YES  NULL ", "b varchar(9) YES  NULL "}, lines("DESCRIBE h"))
	made := lines("SHOW CREATE TABLE h")[0][len("h "):]
	require.NotContains(t, made, "KEY")
	require.NotContains(t, made, "AUTO_INCREMENT")
	require.Empty(t, lines("SHOW KEYS FROM h"))
	require.Empty(t, lines("SELECT * FROM information_schema.TABLE_CONSTRAINTS WHERE TABLE_NAME = 'h'"))
	require.Equal(t, "NULL", harness.Single(t, db, "SELECT AUTO_INCREMENT FROM information_schema.TABLES WHERE TABLE_NAME = 'h'"))

	require.EqualValues(t, 1, harness.Affected(t, db, "UPDATE h SET b = 'one' WHERE a = 2 LIMIT 1"))
	require.Equal(t, []string{"2 one", "1 y", "2 x", "NULL z"}, lines("SELECT * FROM h"))
	require.EqualValues(t, 3, harness.Affected(t, db, "UPDATE h AS o SET o.a = o.a + 1"))
	require.EqualValues(t, 1, harness.Affected(t, db, "DELETE FROM h ORDER BY a DESC, b LIMIT 1"))
	require.Equal(t, []string{"2 y", "3 x", "NULL z"}, lines("SELECT * FROM h"))
	require.Zero(t, insertID(t, db, "INSERT INTO h SELECT * FROM h"))
	require.Zero(t, insertID(t, db, "REPLACE INTO h VALUES (3, 'x')"))
	require.Equal(t, []string{"2 2", "3 3", "NULL 2"}, lines("SELECT a, COUNT(*) FROM h GROUP BY a ORDER BY a IS NULL, a"))
	require.Equal(t, []string{"2 y y", "2 y y"}, lines("SELECT a, l.b, b FROM h l JOIN (SELECT DISTINCT a, b FROM h) r USING (a, b) WHERE a = 2"))
	require.Len(t, lines("SELECT * FROM h a NATURAL JOIN h b"), 4+9)
	harness.RequireErrorNumbers(t, db, map[string]uint16{
		"INSERT INTO h VALUES (1, 'x', 2)": 1136, "SELECT id FROM h": 1054, "INSERT INTO h (id) VALUES (1)": 1054,
	})
	_, err := db.Exec("SELECT h.`` FROM h")
	require.Error(t, err, "nobody can name the key")
	harness.Must(t, db, "CREATE VIEW w AS SELECT * FROM h", "UPDATE h SET b = 'v' WHERE a = 2")
	require.Equal(t, "2", harness.Single(t, db, "SELECT COUNT(*) FROM w WHERE b = 'v'"))
	tx := harness.Begin(t, db)
	harness.Must(t, tx, "SAVEPOINT s", "DELETE FROM h", "ROLLBACK TO s", "DELETE FROM h WHERE a = 3")
	require.NoError(t, tx.Commit())
	require.Equal(t, "4", harness.Single(t, db, "SELECT COUNT(*) FROM h"))
	harness.Must(t, db, "DROP VIEW w", "TRUNCATE h", "DROP TABLE h", made, "INSERT INTO h VALUES (1, 'x')")
	require.Equal(t, []string{"0000000000000001"}, lines("SELECT DISTINCT HEX(K) FROM h$d"))
	require.True(t, strings.HasPrefix(made, "CREATE TABLE `h`"))
}

// TestRecursionFromSmallTypes: a recursive column has the type of the column that it begins with.
func TestRecursionFromSmallTypes(t *testing.T) {
	db := one(t, "CREATE TABLE small (a tinyint, b smallint unsigned, c bit(3), d year)", "INSERT INTO small VALUES (126, 65534, 6, 2154)")
	for _, column := range []string{"a", "b", "c", "d"} {
		query := "WITH RECURSIVE w AS (SELECT " + column + " x, 1 n FROM small UNION ALL SELECT x + 1, n + 1 FROM w WHERE n < %d) " +
			"SELECT COUNT(*) FROM w"
		require.Equal(t, "2", harness.Single(t, db, fmt.Sprintf(query, 2)))
		_, err := db.Exec(fmt.Sprintf(query, 3))
		harness.RequireErrorNumber(t, 1264, err)
	}
}
