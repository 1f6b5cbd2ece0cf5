package writes

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/driver"
)

// withReader registers the text for LOAD DATA LOCAL INFILE 'Reader::<test>',
// for any number of reads, and returns the name in quotes.
func withReader(t testing.TB, text string) string {
	name := t.Name()
	driver.RegisterReader(name, func() io.Reader { return strings.NewReader(text) })
	t.Cleanup(func() { driver.DeregisterReader(name) })
	return "'Reader::" + name + "'"
}

// warningsOf returns the codes of SHOW WARNINGS.
func warningsOf(t testing.TB, conn *sql.Conn) (codes []string) {
	for _, line := range harness.Lines(t, conn, "SHOW WARNINGS") {
		codes = append(codes, strings.Fields(line)[1])
	}
	return codes
}

// TestLoadData: the contents of a file are stored as the statement says.
func TestLoadData(t *testing.T) {
	for _, c := range []struct {
		text, clauses string
		rows          []string
		warnings      []string
	}{
		{text: "a\tq\t1\tx\nb\tq\t2\t\\N\n", rows: []string{"a q 1 x", "b q 2 NULL"}},
		{text: "a\tq\t1\tx", rows: []string{"a q 1 x"}},
		{text: "", rows: nil},
		{text: `a\tb` + "\tq\t1\t" + `x\ny\\\Z\0\b\r` + "\n", rows: []string{"a\tb q 1 x\ny\\\x1a\x00\b\r"}},
		{text: "a,q,1,\"x,\"\"y\"\"\nz\"\r\n\"b\",q,2,NULL\r\n",
			clauses: `FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '"' LINES TERMINATED BY '\r\n'`,
			rows:    []string{"a q 1 x,\"y\"\nz", "b q 2 NULL"}},
		{text: "K;T\na;1;2\nb;2\nc\n", clauses: "FIELDS TERMINATED BY ';' IGNORE 1 LINES (K, T) SET Q = 'q', V = CONCAT(K, T)",
			rows:     []string{"a q 1 a1", "b q 2 b2"},
			warnings: []string{"1262", "1261"}},
		{text: "a\t1\nb\t2\n", clauses: "(K, @n) SET Q = 'q', T = @n * 10, V = @n",
			rows: []string{"a q 10 1", "b q 20 2"}},
		{text: "xxa|q|1|v;yyb|q|2;xxc|q|3|\\N;", clauses: "FIELDS TERMINATED BY '|' LINES STARTING BY 'xx' TERMINATED BY ';'",
			rows: []string{"a q 1 v", "c q 3 NULL"}},
		{text: "a\tq\t1\tx\na\tq\t1\ty\nb\tq\tno\tz\n\\N\tq\t7\tz\n", rows: []string{" q 7 z", "a q 1 x"},
			warnings: []string{"1062", "1366", "1263"}},
		{text: "a\tq\t1\tx\na\tq\t1\ty\n", clauses: "REPLACE", rows: []string{"a q 1 y"}},
		{text: "a--q--1--x-y--b--q--2--z--", clauses: "FIELDS TERMINATED BY '--' LINES TERMINATED BY '--'",
			rows: []string{"a q 1 x-y", "b q 2 z"}},
	} {
		db := harness.OpenDB(t, ":memory:")
		harness.Must(t, db, "CREATE TABLE t (K varbinary(20), Q varbinary(20), T bigint, V varbinary(50), PRIMARY KEY (K, Q, T))")
		conn, _ := harness.Pin(t, db)
		replace, clauses := "", c.clauses
		if c.clauses == "REPLACE" {
			replace, clauses = "REPLACE", ""
		}
		n := harness.Affected(t, conn,
			"LOAD DATA LOCAL INFILE "+withReader(t, c.text)+" "+replace+" INTO TABLE t "+clauses)
		require.Equal(t, c.warnings, warningsOf(t, conn), c.text)
		got := harness.Lines(t, conn, "SELECT * FROM t WHERE K <> 'c' OR V IS NULL AND T = 3")
		if c.rows == nil {
			c.rows = []string{}
		}
		require.Equal(t, c.rows, got, c.text)
		if c.warnings == nil && replace == "" {
			require.EqualValues(t, len(c.rows), n, c.text)
		}
	}
}

// TestLoadDataIsStrict: without LOCAL and IGNORE an invalid row is an error, and
// nothing is loaded.
func TestLoadDataIsStrict(t *testing.T) {
	dir := t.TempDir()
	db := harness.OpenDB(t, "file::memory:?fileDir="+dir)
	harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable, "INSERT INTO t VALUES ('old', 'q', 1, 'v')")
	for text, number := range map[string]uint16{
		"a\tq\t1\tv\nb\tq\t1\n":                   1261,
		"a\tq\t1\tv\nb\tq\t1\tv\tw\n":             1262,
		"a\tq\t1\tv\n\\N\tq\t1\tv\n":              1263,
		"a\tq\t1\tv\nb\tq\tx\tv\n":                1366,
		"a\tq\t1\tv\nb\tq\t1x\tv\n":               1265,
		"a\tq\t1\tv\nold\tq\t1\tw\n":              1062,
		"a\tq\t1\tv\nb\tq\t9e20\tv\n":             1264,
		"a\tq\t1\tv\na\tq\t1\tv\n":                1062,
		strings.Repeat("k", 2000) + "\tq\t1\tv\n": 1406,
	} {
		file := filepath.Join(dir, "f")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
		_, err := db.Exec("LOAD DATA INFILE '" + file + "' INTO TABLE t")
		harness.RequireErrorNumber(t, number, err)
		require.Equal(t, []string{"old q 1 v"}, harness.Lines(t, db, "SELECT * FROM t"), text)
		_, err = db.Exec("LOAD DATA INFILE '" + file + "' IGNORE INTO TABLE t")
		require.NoError(t, err)
		harness.Must(t, db, "DELETE FROM t WHERE K <> 'old'")
	}
	for statement, number := range map[string]uint16{
		"LOAD DATA INFILE 'f' INTO TABLE nowhere":                                    1146,
		"LOAD DATA INFILE 'f' INTO TABLE t (K, Q, X)":                                1054,
		"LOAD DATA INFILE 'f' INTO TABLE t (K, K, Q, T, V)":                          1110,
		"LOAD DATA INFILE 'f' INTO TABLE t (K, T, V)":                                1364,
		"LOAD DATA INFILE 'f' INTO TABLE t FIELDS ENCLOSED BY 'ab'":                  1083,
		"LOAD DATA INFILE 'f' INTO TABLE t FIELDS":                                   1064,
		"LOAD DATA INFILE 'f' INTO TABLE t CHARACTER SET nothing":                    1115,
		"LOAD DATA INFILE 'f' INTO TABLE t CHARACTER SET latin1 (K, Q, T, @v)":       1235,
		"LOAD DATA INFILE 'f' INTO TABLE t CHARACTER SET gbk":                        1235,
		"SELECT 1 INTO OUTFILE 'g' CHARACTER SET latin1":                             1235,
		"LOAD DATA INFILE 'f' INTO TABLE t FIELDS TERMINATED BY '' (K, Q, T, V, @x)": 1409,
		"LOAD XML INFILE 'f' INTO TABLE t":                                           1235,
		"PREPARE p FROM 'LOAD DATA INFILE ''f'' INTO TABLE t'":                       1295,
	} {
		_, err := db.Exec(statement)
		harness.RequireErrorNumber(t, number, err)
	}
	harness.Must(t, db, "LOAD DATA INFILE 'f' IGNORE INTO TABLE t CHARACTER SET latin1")
	_, err := db.Prepare("LOAD DATA INFILE 'f' INTO TABLE t")
	harness.RequireErrorNumber(t, 1295, err)
}

// badSubquery converts a text that is not a number to one.
const badSubquery = "(SELECT MAX(CAST(V AS SIGNED)) FROM t)"

// TestSubqueriesOfWritesAreStrict: a bad value in a subquery of a statement that writes is
// an error, and with IGNORE a warning.
func TestSubqueriesOfWritesAreStrict(t *testing.T) {
	db := harness.OpenDB(t, "file::memory:")
	harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable, "INSERT INTO t VALUES ('a', 'q', 1, 'x')")
	for _, statement := range []string{
		"INSERT INTO t VALUES ('b', 'q', 1, " + badSubquery + ")",
		"REPLACE INTO t VALUES ('b', 'q', 1, " + badSubquery + ")",
		"INSERT INTO t SELECT 'b', 'q', 1, " + badSubquery,
		"UPDATE t SET V = " + badSubquery,
		"UPDATE t SET V = 'y' WHERE T > " + badSubquery,
		"DELETE FROM t WHERE T > " + badSubquery,
	} {
		requireRefused(t, db, statement)
	}
	for _, statement := range []string{
		"INSERT IGNORE INTO t VALUES ('c', 'q', 1, " + badSubquery + ")",
		"UPDATE IGNORE t SET V = " + badSubquery + " WHERE K = 'none' OR T > 5 + " + badSubquery,
		"DELETE IGNORE FROM t WHERE T > 5 + " + badSubquery,
	} {
		requireWarned(t, db, statement)
	}
	require.Equal(t, []string{"a q 1 x", "c q 1 0"}, harness.Lines(t, db, "SELECT * FROM t"))
}

// TestSubqueriesOfLoadDataAreStrict does the same for LOAD DATA.
func TestSubqueriesOfLoadDataAreStrict(t *testing.T) {
	db := harness.OpenDB(t, "file::memory:?allowAllFiles=true")
	harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable, "INSERT INTO t VALUES ('a', 'q', 1, 'x')")
	file := withReader(t, "b\tq\t1\n")
	requireRefused(t, db, "LOAD DATA LOCAL INFILE "+file+" REPLACE INTO TABLE t (K, Q, T) SET V = "+badSubquery)
	requireWarned(t, db, "LOAD DATA LOCAL INFILE "+file+" IGNORE INTO TABLE t (K, Q, T) SET V = "+badSubquery)
	require.Equal(t, []string{"a q 1 x", "b q 1 0"}, harness.Lines(t, db, "SELECT * FROM t"))
}

func requireRefused(t *testing.T, db *sql.DB, statement string) {
	t.Helper()
	_, err := db.Exec(statement)
	harness.RequireErrorNumber(t, 1292, err)
	require.Equal(t, []string{"a q 1 x"}, harness.Lines(t, db, "SELECT * FROM t"), statement)
}

func requireWarned(t *testing.T, db *sql.DB, statement string) {
	t.Helper()
	conn, _ := harness.Pin(t, db)
	harness.Must(t, conn, statement)
	require.Contains(t, warningsOf(t, conn), "1292", statement)
}

// TestLoadDataInTransaction: a load is rolled back with its transaction, and a
// failed one leaves the transaction as it was.
func TestLoadDataInTransaction(t *testing.T) {
	db := harness.OpenDB(t, ":memory:")
	harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable)
	tx := harness.Begin(t, db)
	harness.Must(t, tx, "INSERT INTO t VALUES ('own', 'q', 1, 'v')")
	file := withReader(t, "a\tq\t1\tv\n")
	harness.Must(t, tx, "LOAD DATA LOCAL INFILE "+file+" INTO TABLE t",
		"LOAD DATA LOCAL INFILE "+file+" REPLACE INTO TABLE t")
	broken := errors.New("broken")
	driver.RegisterReader("broken", func() io.Reader {
		return io.MultiReader(strings.NewReader("b\tq\t1\tv\n"), iotest.ErrReader(broken))
	})
	defer driver.DeregisterReader("broken")
	_, err := tx.Exec("LOAD DATA LOCAL INFILE 'Reader::broken' INTO TABLE t")
	require.ErrorIs(t, err, broken)
	require.Equal(t, []string{"a q 1 v", "own q 1 v"}, harness.Lines(t, tx, "SELECT * FROM t"))
	require.Equal(t, "0", harness.Single(t, db, "SELECT COUNT(*) FROM t"))
	require.NoError(t, tx.Rollback())
	require.Equal(t, "0", harness.Single(t, db, "SELECT COUNT(*) FROM t"))
	_, err = db.Exec("LOAD DATA LOCAL INFILE 'Reader::broken' INTO TABLE t")
	require.ErrorIs(t, err, broken)
	require.Equal(t, "0", harness.Single(t, db, "SELECT COUNT(*) FROM t"))
}

// TestFileDir: files on the server's side are those in fileDir, whatever names
// a statement uses.
func TestFileDir(t *testing.T) {
	top := t.TempDir()
	dir, outside := filepath.Join(top, "in"), filepath.Join(top, "out")
	for _, d := range []string{dir, outside, filepath.Join(dir, "sub")} {
		require.NoError(t, os.Mkdir(d, 0o755))
	}
	require.NoError(t, os.WriteFile(filepath.Join(outside, "f"), []byte("a\tq\t1\tv\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "f"), []byte("a\tq\t1\tv\n"), 0o644))
	require.NoError(t, os.Symlink(filepath.Join(outside, "f"), filepath.Join(dir, "leak")))
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "leaks")))
	require.NoError(t, os.Symlink(filepath.Join(outside, "new"), filepath.Join(dir, "dangling")))
	require.NoError(t, os.Symlink("f", filepath.Join(dir, "alias")))
	require.NoError(t, os.Symlink(dir, filepath.Join(top, "other")))
	db := harness.OpenDB(t, "file::memory:?fileDir="+dir)
	harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable)
	load := func(name string) uint16 {
		_, err := db.Exec("LOAD DATA INFILE '" + name + "' IGNORE INTO TABLE t")
		return harness.NumberOf(err)
	}
	save := func(name string) uint16 {
		_, err := db.Exec("SELECT * FROM t INTO OUTFILE '" + name + "'")
		return harness.NumberOf(err)
	}
	for _, name := range []string{"f", "alias", dir + "/f", dir + "/sub/../f", "sub/../f", "./f"} {
		require.Zero(t, load(name), name)
	}
	for _, name := range []string{outside + "/f", "../out/f", dir + "/../out/f", "leak", "leaks/f", dir + "/leak", "/etc/passwd",
		"sub/../../out/f", top + "/in2"} {
		require.EqualValues(t, 1290, load(name), name)
	}
	require.EqualValues(t, 13, load("missing"))
	require.EqualValues(t, 1085, load("sub"))
	require.EqualValues(t, 1085, load(""))
	for _, name := range []string{"../out/new", outside + "/new", "leaks/new", "/tmp/x"} {
		require.EqualValues(t, 1290, save(name), name)
	}
	for _, name := range []string{"f", "alias", "sub", "leak", "dangling"} {
		require.EqualValues(t, 1086, save(name), name)
	}
	require.EqualValues(t, 1, save("missing/x"))
	require.Zero(t, save("sub/new"))
	require.NoFileExists(t, filepath.Join(outside, "new"))
	saved, err := os.ReadFile(filepath.Join(dir, "sub", "new"))
	require.NoError(t, err)
	require.Equal(t, "a\tq\t1\tv\n", string(saved))
	require.Equal(t, dir+"/", harness.Single(t, db, "SELECT @@secure_file_priv"))
	require.Equal(t, "a\tq\t1\tv\n", harness.Single(t, db, "SELECT LOAD_FILE('f')"))
	for _, name := range []string{"leak", "missing", "../out/f", "sub"} {
		require.Equal(t, "NULL", harness.Single(t, db, "SELECT LOAD_FILE(?)", name), name)
	}
	require.Equal(t, []string{"secure_file_priv " + dir + "/"},
		harness.Lines(t, db, "SHOW VARIABLES LIKE 'secure_file_priv'"))
	tx := harness.Begin(t, db)
	harness.Must(t, tx, "INSERT INTO t VALUES ('own', 'q', 1, 'v')")
	prepared, err := tx.Prepare("SELECT K, ? FROM t WHERE K > ? INTO OUTFILE 'prepared' FIELDS TERMINATED BY ','")
	require.NoError(t, err)
	_, err = prepared.Exec("x", "b")
	require.NoError(t, err)
	_, err = prepared.Exec("x", "b")
	harness.RequireErrorNumber(t, 1086, err)
	require.NoError(t, tx.Rollback())
	require.Equal(t, "own,x\n", harness.Single(t, db, "SELECT LOAD_FILE('prepared')"))
	_, err = db.Exec("SELECT V FROM t, nowhere INTO OUTFILE 'none'")
	harness.RequireErrorNumber(t, 1146, err)
	_, err = db.Exec("SELECT (SELECT K FROM t UNION ALL SELECT K FROM t) INTO OUTFILE 'none'")
	harness.RequireErrorNumber(t, 1242, err)
	require.NoFileExists(t, filepath.Join(dir, "none"), "a statement that fails leaves no file")

	linked := harness.OpenDB(t, "file::memory:?fileDir="+filepath.Join(top, "other"))
	harness.Must(t, linked, "CREATE TABLE t "+harness.PlainTable)
	for _, name := range []string{"f", dir + "/f", top + "/other/f"} {
		harness.Must(t, linked, "LOAD DATA INFILE '"+name+"' IGNORE INTO TABLE t")
	}
	none := harness.OpenDB(t, ":memory:")
	harness.Must(t, none, "CREATE TABLE t "+harness.PlainTable)
	require.Equal(t, "NULL", harness.Single(t, none, "SELECT @@secure_file_priv"))
	for _, statement := range []string{"LOAD DATA INFILE '" + dir + "/f' INTO TABLE t", "SELECT 1 INTO OUTFILE '" + dir + "/x'",
		"SELECT 1 INTO DUMPFILE '" + dir + "/x'"} {
		_, err := none.Exec(statement)
		harness.RequireErrorNumber(t, 1290, err)
	}
}

// TestLocalFiles: LOAD DATA LOCAL reads what the program allows.
func TestLocalFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f")
	require.NoError(t, os.WriteFile(file, []byte("a\tq\t1\tv\n"), 0o644))
	statement := "LOAD DATA LOCAL INFILE '" + file + "' INTO TABLE t"
	db := harness.OpenDB(t, ":memory:")
	harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable)
	_, err := db.Exec(statement)
	require.EqualError(t, err, "local file '"+file+"' is not registered")
	driver.RegisterLocalFile(file)
	harness.Must(t, db, statement)
	driver.DeregisterLocalFile(file)
	_, err = db.Exec(statement)
	require.Error(t, err)
	all := harness.OpenDB(t, ":memory:?allowAllFiles=true")
	harness.Must(t, all, "CREATE TABLE t "+harness.PlainTable, statement)
	_, err = all.Exec("LOAD DATA LOCAL INFILE '" + file + "x' INTO TABLE t")
	require.ErrorIs(t, err, os.ErrNotExist)
	harness.Must(t, all, "SET GLOBAL local_infile = 0")
	_, err = all.Exec(statement)
	harness.RequireErrorNumber(t, 1148, err)
	require.Equal(t, "0", harness.Single(t, all, "SELECT @@local_infile"))
	_, err = all.Exec("SET local_infile = 1")
	harness.RequireErrorNumber(t, 1229, err)
	harness.Must(t, all, "SET GLOBAL local_infile = DEFAULT", statement)
}

// TestLoadDataWaits: a load waits for locked rows, and leaves nothing if it waits
// too long, even with IGNORE.
func TestLoadDataWaits(t *testing.T) {
	db := harness.OpenDB(t, ":memory:?lockTimeout=100ms")
	harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable)
	many := manyLines(6000)
	for _, how := range []string{"", "IGNORE", "REPLACE"} {
		holder := harness.Begin(t, db)
		harness.Must(t, holder, "INSERT INTO t VALUES ('k000777', 'other', 1, 'held')")
		query := "LOAD DATA LOCAL INFILE " + withReader(t, many) + " " + how + " INTO TABLE t"
		_, err := db.Exec(query)
		harness.RequireErrorNumber(t, 1205, err)
		require.Equal(t, "0", harness.Single(t, db, "SELECT COUNT(*) FROM t"), how)
		patient, _ := harness.Pin(t, db)
		harness.Must(t, patient, "SET innodb_lock_wait_timeout = 60")
		done := harness.InBackground(patient, strings.Replace(query, "LOAD", "LOAD /* again */", 1))
		require.NoError(t, holder.Rollback())
		require.NoError(t, <-done)
		require.Equal(t, "6000", harness.Single(t, db, "SELECT COUNT(*) FROM t"), how)
		harness.Must(t, db, "TRUNCATE TABLE t")
	}
}

// TestLoadDataEnds: KILL QUERY and a cancelled context stop a load, which
// leaves nothing.
func TestLoadDataEnds(t *testing.T) {
	for _, how := range []string{"", "REPLACE"} {
		t.Run(how, func(t *testing.T) {
			db := harness.OpenDB(t, ":memory:")
			harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable)
			victim, id := harness.Pin(t, db)
			read, written := io.Pipe()
			driver.RegisterReader(t.Name(), func() io.Reader { return read })
			defer driver.DeregisterReader(t.Name())
			query := "LOAD DATA LOCAL INFILE 'Reader::" + t.Name() + "' " + how + " INTO TABLE t"
			line := func(i int) string { return fmt.Sprintf("k%07d\tq\t1\t%s\n", i, strings.Repeat("v", 900)) }
			feed := make(chan error)
			go func() {
				for i := 0; ; i++ {
					if i == 10_000 {
						feed <- nil
						<-feed
					}
					if _, err := io.WriteString(written, line(i)); err != nil {
						feed <- err
						return
					}
				}
			}()
			done := harness.InBackground(victim, query)
			<-feed
			harness.Must(t, db, "KILL QUERY "+id)
			feed <- nil
			harness.RequireErrorNumber(t, 1317, <-done)
			require.ErrorIs(t, <-feed, io.ErrClosedPipe)
			require.Equal(t, "0", harness.Single(t, db, "SELECT COUNT(*) FROM t"))

			ctx, cancel := context.WithCancel(context.Background())
			driver.RegisterReader(t.Name(), func() io.Reader {
				return io.MultiReader(strings.NewReader(line(0)), harness.ReaderFunc(func(p []byte) (int, error) {
					cancel()
					return copy(p, line(1)), nil
				}))
			})
			_, err := db.ExecContext(ctx, query)
			require.ErrorIs(t, err, context.Canceled)
			require.Equal(t, "0", harness.Single(t, db, "SELECT COUNT(*) FROM t"))
		})
	}
}
