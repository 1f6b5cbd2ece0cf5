package writes

import (
	"bytes"
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/driver"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

// TestFilesRoundTrip: LOAD DATA reads the output of INTO OUTFILE as the same
// table, by every way in which rows are loaded.
func TestFilesRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 1))
	dir := t.TempDir()
	db := harness.OpenDB(t, "file:"+filepath.Join(t.TempDir(), "store")+"?versions=all&sync=false&maxAllowedPacket=64MiB&fileDir="+dir)
	const columns = " (K varbinary(1024), Q varbinary(256), T bigint, V longblob, PRIMARY KEY (K, Q, T))"
	harness.Must(t, db, "CREATE TABLE t"+columns)
	random := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			if b[i] = byte(r.IntN(256)); r.IntN(2) == 0 {
				b[i] = "\t\n\\\"',;N0\x00"[r.IntN(10)]
			}
		}
		return b
	}
	for i := range 800 {
		_, err := db.Exec("REPLACE INTO t VALUES (?, ?, ?, ?)", random(r.IntN(30)), random(r.IntN(4)), r.Int64()-r.Int64(),
			anyOf(r, nil, []byte{}, random(r.IntN(100)), random(10*i)))
		require.NoError(t, err)
	}
	large := 4 << 20
	if *harness.Long {
		large = 16 << 20
	}
	_, err := db.Exec("REPLACE INTO t VALUES ('large', '', 1, ?)", random(large))
	require.NoError(t, err)
	roundTrip(t, db, dir, columns)
}

// TestMillionCellsRoundTrip is TestFilesRoundTrip with many small cells.
func TestMillionCellsRoundTrip(t *testing.T) {
	if !*harness.Long {
		t.Skip("give -long")
	}
	dir := t.TempDir()
	db := harness.OpenDB(t, "file:"+filepath.Join(t.TempDir(), "store")+"?versions=all&sync=false&fileDir="+dir)
	const columns = " (K varbinary(1024), Q varbinary(256), T bigint, V varbinary(100), PRIMARY KEY (K, Q, T))"
	harness.Must(t, db, "CREATE TABLE t"+columns)
	_, err := driver.BulkLoad(context.Background(), db, []string{"t"}, func(yield func(driver.Cell, error) bool) {
		for i := range 1_000_000 {
			if !yield(driver.Cell{K: fmt.Appendf(nil, "k%06d\x00", i/10), Q: []byte{byte(i % 10)}, T: int64(i), V: fmt.Appendf(nil, "value\t%d", i)}, nil) {
				return
			}
		}
	})
	require.NoError(t, err)
	roundTrip(t, db, dir, columns)
}

func roundTrip(t *testing.T, db *sql.DB, dir, columns string) {
	want := strings.TrimPrefix(harness.Lines(t, db, "CHECKSUM TABLE t")[0], "default.t ")
	n := harness.Single(t, db, "SELECT COUNT(*) FROM t")
	for i, format := range []string{"", `FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '"' LINES TERMINATED BY '\r\n'`} {
		file := filepath.Join(dir, fmt.Sprint(i))
		require.Equal(t, n, fmt.Sprint(harness.Affected(t, db, "SELECT * FROM t INTO OUTFILE '"+file+"' "+format)))
		for how, layout := range map[string]string{"": "", "REPLACE": " PARTITION BY KEY(K) PARTITIONS 7", "IGNORE": ""} {
			harness.Must(t, db, "DROP TABLE IF EXISTS u", "CREATE TABLE u"+columns+layout)
			require.Equal(t, n, fmt.Sprint(harness.Affected(t, db,
				"LOAD DATA INFILE '"+file+"' "+how+" INTO TABLE u "+format)))
			require.Equal(t, want, strings.TrimPrefix(harness.Lines(t, db, "CHECKSUM TABLE u")[0], "default.u "), "%s %s", how, format)
		}
		require.NoError(t, os.Remove(file))
	}
}

// manyLines returns lines of several MiB, which a REPLACE loads as files.
func manyLines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "k%06d\tq\t%d\t%s\n", i, i, strings.Repeat("v", 1000))
	}
	return b.String()
}

// TestLoadDataByFiles: many rows that replace existing ones are added to the
// table without the log, with the same result.
func TestLoadDataByFiles(t *testing.T) {
	db := harness.OpenDB(t, "file:"+filepath.Join(t.TempDir(), "store")+"?versions=all&sync=false")
	harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable+" PARTITION BY RANGE COLUMNS (K) (PARTITION a VALUES LESS THAN ('k004'), PARTITION b VALUES LESS THAN ('z'))",
		"INSERT INTO t VALUES ('k000001', 'q', 1, 'old'), ('k000001', 'q', 7, 'other')")
	const n = 10_000
	many := manyLines(n)
	load := func(text, clauses string) error {
		_, err := db.Exec("LOAD DATA LOCAL INFILE " + withReader(t, text) + " REPLACE INTO TABLE t " + clauses)
		return err
	}
	for clauses, number := range map[string]uint16{
		"":              1526, // k below
		"PARTITION (a)": 1748,
		"(K, Q, T, @v) SET V = @v, T = IF(K = 'zz', NULL, T)": 1235,
	} {
		harness.RequireErrorNumber(t, number, load(many+"zz\tq\t1\tv\n", clauses))
		require.Equal(t, "2", harness.Single(t, db, "SELECT COUNT(*) FROM t"), "%q", clauses)
	}
	harness.RequireErrorNumber(t, 1262, load(many+"a\tq\t1\tv\tw\nb\tq\t2\tv\n", ""))
	tx := harness.Begin(t, db)
	harness.Must(t, tx, "SELECT * FROM t")
	require.NoError(t, load(many+"k000001\tq\t8\tlast\nk000001\tq\t8\tlater\n", ""))
	require.Equal(t, []string{"k000001 q 8 later", "k000001 q 7 other", "k000001 q 1 " + strings.Repeat("v", 1000)},
		harness.Lines(t, db, "SELECT * FROM t WHERE K = 'k000001'"))
	require.Equal(t, fmt.Sprint(n+2), harness.Single(t, db, "SELECT COUNT(*) FROM t"))
	require.Equal(t, "2", harness.Single(t, tx, "SELECT COUNT(*) FROM t"), "an older snapshot")
	_, err := tx.Exec("UPDATE t SET V = 'mine' WHERE K = 'k000001'")
	harness.RequireErrorNumber(t, 1213, err)

	harness.Must(t, db, "TRUNCATE TABLE t")
	require.NoError(t, load("c\tq\t\\N\tv\n"+many, ""), "a row without T among the first: none goes as a file")
	require.Equal(t, fmt.Sprint(n+1), harness.Single(t, db, "SELECT COUNT(*) FROM t"))
	inTx := harness.Begin(t, db)
	_, err = inTx.Exec("LOAD DATA LOCAL INFILE " + withReader(t, many) + " REPLACE INTO TABLE t SET V = 'in'")
	require.NoError(t, err)
	require.Equal(t, "0", harness.Single(t, db, "SELECT COUNT(*) FROM t WHERE V = 'in'"))
	require.Equal(t, fmt.Sprint(n), harness.Single(t, inTx, "SELECT COUNT(*) FROM t WHERE V = 'in'"))
}

// TestLoadDataBesideWriters: rows that others change while a load reads cause
// it no conflict, since its input can be read only once.
func TestLoadDataBesideWriters(t *testing.T) {
	db := harness.OpenDB(t, ":memory:?versions=all")
	harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable, "INSERT INTO t VALUES ('b', 'q', 1, 'before')")
	for _, how := range []string{"IGNORE", "REPLACE"} {
		step := 0
		driver.RegisterReader(t.Name(), func() io.Reader {
			return harness.ReaderFunc(func(p []byte) (int, error) {
				step++
				switch step {
				case 1:
					return copy(p, strings.Repeat("a\tq\t1\tv\n", 3)), nil
				case 2:
					harness.Must(t, db, "UPDATE t SET V = 'meanwhile' WHERE K = 'b'", "REPLACE INTO t VALUES ('c', 'q', 1, 'meanwhile')")
					return copy(p, "b\tq\t1\tloaded\nc\tq\t1\tloaded\nd\tq\t1\tloaded\n"), nil
				}
				return 0, io.EOF
			})
		})
		defer driver.DeregisterReader(t.Name())
		harness.Must(t, db, "LOAD DATA LOCAL INFILE 'Reader::"+t.Name()+"' "+how+" INTO TABLE t")
		want := map[string]string{"IGNORE": "meanwhile", "REPLACE": "loaded"}[how]
		require.Equal(t, []string{"a v", "b " + want, "c " + want, "d loaded"}, harness.Lines(t, db, "SELECT K, V FROM t WHERE T = 1 ORDER BY K"))
		_, err := db.Exec("SET @x = 1")
		require.NoError(t, err)
		harness.Must(t, db, "DELETE FROM t WHERE K > 'b'")
	}
}

// TestLoadDataClauses tests the further clauses of the statement.
func TestLoadDataClauses(t *testing.T) {
	db := harness.OpenDB(t, ":memory:?versions=all&multiStatements=true")
	harness.Must(t, db, `CREATE TABLE g$f (K varbinary(20), Q varbinary(20), T bigint, V varbinary(50),
		P varbinary(2) GENERATED ALWAYS AS (substring(K, 1, 2)), PRIMARY KEY (K, Q, T)) PARTITION BY KEY(P) PARTITIONS 3`,
		"CREATE TABLE names (K varbinary(20), Q varbinary(20), T bigint, V varbinary(50), PRIMARY KEY (K, Q, T))",
		"INSERT INTO names VALUES ('1', '', 1, 'one'), ('2', '', 1, 'two')")
	conn, _ := harness.Pin(t, db)
	file := withReader(t, "abc,1\ndef,2\nghi,3\n")
	harness.Must(t, conn, "LOAD DATA LOCAL INFILE "+file+` INTO TABLE g$f FIELDS TERMINATED BY ',' (K, @n)
		SET Q = P, T = @n, V = (SELECT V FROM names WHERE K = @n); SET @done = 1`)
	require.Equal(t, []string{"abc ab 1 one ab", "def de 2 two de", "ghi gh 3 NULL gh"}, harness.Lines(t, conn, "SELECT * FROM g$f ORDER BY K"))
	require.Equal(t, "3 1", harness.Lines(t, conn, "SELECT @n, @done")[0])

	harness.Must(t, conn, "SET @n = 17, @t = CAST('2020-01-01' AS DATE)")
	harness.Must(t, conn, "LOAD DATA LOCAL INFILE "+file+" REPLACE INTO TABLE g$f FIELDS TERMINATED BY ',' (K, @t) SET Q = '', T = @t + 1, V = CONCAT(@t, '/', @n)")
	require.Equal(t, []string{"2 1/17", "3 2/17", "4 3/17"}, harness.Lines(t, conn, "SELECT T, V FROM g$f WHERE Q = '' ORDER BY K"),
		"a variable that the statement sets is a text whatever it was, and others are what they are")
	n, err := conn.ExecContext(context.Background(), "LOAD DATA LOCAL INFILE "+file+" REPLACE INTO TABLE g$f FIELDS TERMINATED BY ',' (K, T) SET Q = ?, V = ?",
		"argument", []byte{0, 255})
	require.NoError(t, err)
	rows, _ := n.RowsAffected()
	require.EqualValues(t, 3, rows)
	require.Equal(t, "3", harness.Single(t, conn, "SELECT COUNT(*) FROM g$f WHERE Q = 'argument' AND V = X'00FF'"))

	harness.Must(t, conn, "DELETE FROM g$f")
	all := withReader(t, "abc\tq\t1\tv\tab\ndef\tq\t2\tw\n")
	harness.Must(t, conn, "LOAD DATA LOCAL INFILE "+all+" INTO TABLE g$f")
	require.Empty(t, warningsOf(t, conn), "the fields of generated columns are dropped, and may be missing")
	require.Equal(t, []string{"abc q 1 v ab", "def q 2 w de"}, harness.Lines(t, conn, "SELECT * FROM g$f ORDER BY K"))
	for clauses, number := range map[string]uint16{"(K, Q, T, V, P)": 3105, "SET P = 'x'": 3105, "(K, Q, T, V) SET K = DEFAULT": 1364,
		"PARTITION (nowhere)": 1735, "(K, Q, T, V) SET V = W": 1054} {
		_, err := conn.ExecContext(context.Background(), "LOAD DATA LOCAL INFILE "+all+" INTO TABLE g$f "+clauses)
		harness.RequireErrorNumber(t, number, err)
	}
	_, err = conn.ExecContext(context.Background(), "LOAD DATA LOCAL INFILE "+all+" INTO TABLE g")
	harness.RequireErrorNumber(t, 1288, err)
	_, err = conn.ExecContext(context.Background(), "LOAD DATA LOCAL INFILE "+all+" INTO TABLE information_schema.TABLES")
	harness.RequireErrorNumber(t, 1044, err)
	harness.Must(t, conn, "START TRANSACTION READ ONLY")
	_, err = conn.ExecContext(context.Background(), "LOAD DATA LOCAL INFILE "+all+" INTO TABLE g$f")
	harness.RequireErrorNumber(t, 1792, err)
	harness.Must(t, conn, "ROLLBACK", "DELETE FROM g$f")

	r, err := conn.QueryContext(context.Background(), "LOAD DATA LOCAL INFILE "+withReader(t, "a\tq\t\\N\tv\nb\tq\n")+" INTO TABLE g$f")
	require.NoError(t, err)
	require.False(t, r.Next())
	require.NoError(t, r.Close())
	require.Equal(t, []string{"1261", "1261"}, warningsOf(t, conn))
	now := time.Now().UnixMilli()
	for _, line := range harness.Lines(t, conn, "SELECT T FROM g$f") {
		var at int64
		_, err := fmt.Sscan(line, &at)
		require.NoError(t, err)
		require.InDelta(t, now, at, 60_000, "T is the server's clock where it is NULL or has no field")
	}
}

// TestLoadDataInfo: the driver's result has the text that MySQL's clients show.
func TestLoadDataInfo(t *testing.T) {
	db := harness.OpenDB(t, ":memory:")
	harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable)
	conn, _ := harness.Pin(t, db)
	query := "LOAD DATA LOCAL INFILE " + withReader(t, "a\tq\t1\tv\na\tq\t1\tv\nb\tq\t1\n") + " INTO TABLE t"
	require.NoError(t, conn.Raw(func(c any) error {
		prepared, err := c.(interface {
			ExecContext(context.Context, string, []sqldriver.NamedValue) (sqldriver.Result, error)
		}).ExecContext(context.Background(), query, nil)
		if err == nil {
			require.Equal(t, "Records: 3  Deleted: 0  Skipped: 1  Warnings: 2", prepared.(interface{ Info() string }).Info())
		}
		return err
	}))
}

// TestLongFields: a value that is too long is refused, not truncated, and needs
// no more memory than one that is not.
func TestLongFields(t *testing.T) {
	db := harness.OpenDB(t, ":memory:?maxAllowedPacket=1KiB")
	harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable)
	long := func() io.Reader {
		return io.MultiReader(strings.NewReader("a\tq\t1\t"),
			io.LimitReader(harness.ReaderFunc(func(p []byte) (int, error) {
				return copy(p, bytes.Repeat([]byte("v"), len(p))), nil
			}), 64<<20), strings.NewReader("\nb\tq\t2\tw\n"))
	}
	driver.RegisterReader("long", long)
	defer driver.DeregisterReader("long")
	conn, _ := harness.Pin(t, db)
	harness.Must(t, conn, "LOAD DATA LOCAL INFILE 'Reader::long' INTO TABLE t")
	require.Equal(t, []string{"1406"}, warningsOf(t, conn))
	harness.Must(t, conn, "LOAD DATA LOCAL INFILE 'Reader::long' IGNORE INTO TABLE t (K, Q, T, @v) SET V = 'x'")
	require.Equal(t, []string{"1406", "1062"}, warningsOf(t, conn))
	require.Equal(t, []string{"b q 2 w"}, harness.Lines(t, conn, "SELECT * FROM t"))
}

// TestLoadDataExpired: rows that have expired already are loaded and not
// visible, which notes say, by the log and by files.
func TestLoadDataExpired(t *testing.T) {
	db := harness.OpenDB(t, ":memory:?versions=all")
	harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable+" TTL = 3600")
	conn, _ := harness.Pin(t, db)
	for _, n := range []int{2, 6000} {
		require.EqualValues(t, n, harness.Affected(t, conn, "LOAD DATA LOCAL INFILE "+withReader(t, manyLines(n))+" REPLACE INTO TABLE t"))
		notes := harness.Lines(t, conn, "SHOW WARNINGS")
		require.Len(t, notes, min(n, 64))
		require.Contains(t, notes[1], "Note 1105 The version with T = 1 at row 2 is not kept")
		require.Empty(t, harness.Lines(t, db, "SELECT * FROM t"))
	}
}
