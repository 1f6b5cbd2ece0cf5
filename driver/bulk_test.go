package driver

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func cellsOf(cells ...Cell) iter.Seq2[Cell, error] {
	return func(yield func(Cell, error) bool) {
		for _, c := range cells {
			if !yield(c, nil) {
				return
			}
		}
	}
}

func cellAt(k string, t int64, v string) Cell {
	return Cell{K: []byte(k), Q: []byte("q"), T: t, V: []byte(v)}
}

// everyVersion is all versions of the table, in one line.
func everyVersion(t *testing.T, db *sql.DB, table string) string {
	t.Helper()
	return one(t, db, "SELECT COALESCE(GROUP_CONCAT(CONCAT(K, '/', T, '=', COALESCE(V, 'NULL')) ORDER BY K, T DESC SEPARATOR ' '), '') FROM "+table+" FOR SYSTEM_TIME ALL")
}

func TestBulkLoad(t *testing.T) {
	db := openTable(t)
	ctx := t.Context()
	run(t, db, "INSERT INTO g$f VALUES ('a', 'q', 1, 'old'), ('b', 'q', 1, 'old')")
	stats, err := BulkLoad(ctx, db, []string{"g$f"}, cellsOf(cellAt("c", 5, "c"), cellAt("a", 2, "new"), cellAt("a", 1, "x"), cellAt("a", 1, "y")))
	require.NoError(t, err)
	require.Equal(t, int64(4), stats.Cells)
	require.Equal(t, int64(3), stats.Written)
	require.Equal(t, 1, stats.Files)
	require.Positive(t, stats.Bytes)
	require.True(t, stats.Sorted)
	require.Equal(t, "a/2=new a/1=y b/1=old c/5=c", everyVersion(t, db, "g$f"))

	c, err := db.Conn(ctx)
	require.NoError(t, err)
	defer c.Close()
	_, err = c.ExecContext(ctx, "CREATE DATABASE other")
	require.NoError(t, err)
	_, err = c.ExecContext(ctx, "CREATE TABLE other.n (K varbinary(10), Q varbinary(10), T bigint, V varbinary(10), PRIMARY KEY (K, Q, T)) PARTITION BY KEY(K) PARTITIONS 7")
	require.NoError(t, err)
	_, err = c.ExecContext(ctx, "USE other")
	require.NoError(t, err)
	two := cellAt("r", 1, "two")
	two.Table = 1
	_, err = BulkLoad(ctx, c, []string{"n", "default.g$f"}, cellsOf(Cell{K: []byte("r"), T: math.MinInt64}, two))
	require.NoError(t, err)
	require.Equal(t, fmt.Sprintf("r/%d=NULL", math.MinInt64), everyVersion(t, db, "other.n"))
	require.Equal(t, "two", one(t, db, "SELECT V FROM g$f WHERE K = 'r'"))
	require.Equal(t, "OK", one(t, db, "SELECT 'OK' FROM g$f LIMIT 1"))
	_, err = BulkLoad(ctx, db, []string{"g$f"}, cellsOf())
	require.NoError(t, err)
}

// TestBulkLoadRefuses: a load that is refused changes nothing.
func TestBulkLoadRefuses(t *testing.T) {
	db := openTable(t)
	ctx := t.Context()
	run(t, db, "CREATE TABLE narrow (K varbinary(3), Q varbinary(3), T bigint, V varbinary(3) NOT NULL, PRIMARY KEY (K, Q, T)) PARTITION BY RANGE COLUMNS(K) (PARTITION p VALUES LESS THAN ('m'))",
		"CREATE TABLE other$f (K varbinary(3), Q varbinary(3), T bigint, V varbinary(3), PRIMARY KEY (K, Q, T))",
		"CREATE VIEW v AS SELECT K, Q, T, V FROM narrow")
	good := cellAt("a", 1, "v")
	for name, c := range map[string]struct {
		number uint16
		says   string
		table  string
		cell   Cell
	}{
		"long K":       {1406, "column 'K' at row 2", "narrow", cellAt("aaaa", 1, "v")},
		"long Q":       {1406, "column 'Q' at row 2", "narrow", Cell{K: []byte("a"), Q: []byte("long"), V: []byte("v")}},
		"long V":       {1406, "column 'V' at row 2", "narrow", cellAt("a", 1, "long")},
		"NULL":         {1048, "Column 'V' cannot be null", "narrow", Cell{K: []byte("a")}},
		"no partition": {1526, "Table has no partition for value 'x'", "narrow", cellAt("x", 1, "v")},
		"no table":     {1146, "Table 'default.missing' doesn't exist", "missing", good},
		"no database":  {1049, "Unknown database 'missing'", "missing.t", good},
		"a view":       {1288, "The target table v of the BULK LOAD is not updatable", "v", good},
		"a group":      {1288, "not updatable", "other", good},
		"another table": {1210, "cell 2 is for table 1 of 1", "narrow", func() Cell {
			c := good
			c.Table = 1
			return c
		}()},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := BulkLoad(ctx, db, []string{c.table}, cellsOf(good, c.cell))
			requireNumber(t, c.number, err)
			require.ErrorContains(t, err, c.says)
			require.Empty(t, everyVersion(t, db, "narrow"))
		})
	}
	_, err := BulkLoad(ctx, db, nil, cellsOf())
	requireNumber(t, 1210, err)
	broken := errors.New("the source is broken")
	_, err = BulkLoad(ctx, db, []string{"narrow"}, func(yield func(Cell, error) bool) { _ = yield(good, nil) && yield(Cell{}, broken) })
	require.Equal(t, broken, err)
	require.Empty(t, everyVersion(t, db, "narrow"))
}

// TestBulkLoadInTransactions: a load is its own transaction, and conflicts with
// open ones like any other.
func TestBulkLoadInTransactions(t *testing.T) {
	db := openTable(t)
	ctx := t.Context()
	c, err := db.Conn(ctx)
	require.NoError(t, err)
	tx, err := c.BeginTx(ctx, nil)
	require.NoError(t, err)
	_, err = BulkLoad(ctx, c, []string{"g$f"}, cellsOf(cellAt("a", 1, "v")))
	requireNumber(t, 1179, err)
	require.NoError(t, tx.Rollback())
	require.NoError(t, c.Close())

	tx, err = db.Begin()
	require.NoError(t, err)
	_, err = tx.Exec("INSERT INTO g$f VALUES ('mine', 'q', 1, 'mine')")
	require.NoError(t, err)
	_, err = BulkLoad(ctx, db, []string{"g$f"}, cellsOf(cellAt("b", 1, "load")))
	require.NoError(t, err, "another row")
	_, err = tx.Exec("UPDATE g$f SET V = 'x' WHERE K = 'b'")
	require.NoError(t, err, "it is not in the snapshot")
	_, err = tx.Exec("REPLACE INTO g$f VALUES ('b', 'q', 1, 'x')")
	requireNumber(t, 1213, err)
	require.NoError(t, tx.Rollback())

	tx, err = db.Begin()
	require.NoError(t, err)
	_, err = tx.Exec("INSERT INTO g$f VALUES ('mine', 'q', 1, 'mine')")
	require.NoError(t, err)
	c, err = db.Conn(ctx)
	require.NoError(t, err)
	_, err = c.ExecContext(ctx, "SET innodb_lock_wait_timeout = 1")
	require.NoError(t, err)
	_, err = BulkLoad(ctx, c, []string{"g$f"}, cellsOf(cellAt("mine", 1, "load")))
	requireNumber(t, 1205, err)
	require.NoError(t, tx.Commit())
	require.NoError(t, c.Close())
	require.Equal(t, "b/1=load mine/1=mine", everyVersion(t, db, "g$f"))
}

// TestBulkLoadIsEnded: by its context, by KILL, or by closing the database.
func TestBulkLoadIsEnded(t *testing.T) {
	db := openTable(t)
	endless := func(then func()) iter.Seq2[Cell, error] {
		return func(yield func(Cell, error) bool) {
			for n := 0; yield(cellAt(fmt.Sprintf("%09d", n), 1, "v"), nil); n++ {
				if n == 1000 {
					then()
				}
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err := BulkLoad(ctx, db, []string{"g$f"}, endless(cancel))
	require.Equal(t, context.Canceled, err)
	_, err = BulkLoad(t.Context(), db, []string{"g$f"}, endless(func() {
		id := one(t, db, "SELECT ID FROM information_schema.PROCESSLIST WHERE INFO LIKE 'BULK LOAD%'")
		run(t, db, "KILL QUERY "+id)
	}))
	requireNumber(t, 1317, err)
	require.Equal(t, "0", one(t, db, "SELECT COUNT(*) FROM g$f"))
	_, err = BulkLoad(t.Context(), db, []string{"g$f"}, endless(func() { go db.Close() }))
	requireNumber(t, 1053, err)
}

func TestBulkLoadReadOnly(t *testing.T) {
	dir := t.TempDir()
	db, err := sql.Open(Name, dir)
	require.NoError(t, err)
	run(t, db, "CREATE TABLE s (K varbinary(10), Q varbinary(10), T bigint, V varbinary(10), PRIMARY KEY (K, Q, T))")
	_, err = BulkLoad(t.Context(), db, []string{"s"}, cellsOf(cellAt("a", 1, "v")))
	require.NoError(t, err)
	require.NoError(t, db.Close())
	db, err = sql.Open(Name, "file:"+dir+"?readOnly=true")
	require.NoError(t, err)
	defer db.Close()
	require.Equal(t, "a/1=v", everyVersion(t, db, "s"))
	_, err = BulkLoad(t.Context(), db, []string{"s"}, cellsOf(cellAt("b", 1, "v")))
	requireNumber(t, 1290, err)
}

// TestBulkLoadRegions: RANGE partitions are split automatically after a load.
func TestBulkLoadRegions(t *testing.T) {
	db, err := sql.Open(Name, "file:"+t.TempDir()+"?maxRegionSize=20KiB")
	require.NoError(t, err)
	defer db.Close()
	run(t, db, "CREATE TABLE s (K varbinary(10), Q varbinary(10), T bigint, V varbinary(1000), PRIMARY KEY (K, Q, T)) PARTITION BY RANGE COLUMNS(K) (PARTITION p VALUES LESS THAN (MAXVALUE))")
	var cells []Cell
	for i := range 3000 {
		cells = append(cells, cellAt(fmt.Sprintf("%08d", i*7919), 1, fmt.Sprint(math.Sqrt(float64(i)), math.Cbrt(float64(i)))))
	}
	_, err = BulkLoad(t.Context(), db, []string{"s"}, cellsOf(cells...))
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		return one(t, db, "SELECT COUNT(*) > 1 FROM information_schema.PARTITIONS WHERE TABLE_NAME = 's'") == "1"
	}, time.Minute, 10*time.Millisecond)
	require.Equal(t, "3000", one(t, db, "SELECT COUNT(*) FROM s"))
}

// TestBulkLoadSliced loads into tables that are partitioned by time.
func TestBulkLoadSliced(t *testing.T) {
	db := openTable(t)
	for i, partitioning := range []string{
		"PARTITION BY RANGE COLUMNS(G) (PARTITION p0 VALUES LESS THAN (100), PARTITION p1 VALUES LESS THAN (200))",
		"PARTITION BY RANGE COLUMNS(G) SUBPARTITION BY KEY(K) SUBPARTITIONS 3 (PARTITION p0 VALUES LESS THAN (100), PARTITION p1 VALUES LESS THAN (200))",
		"PARTITION BY KEY(K) PARTITIONS 3 SUBPARTITION BY RANGE COLUMNS(G) SUBPARTITION TEMPLATE (SUBPARTITION s0 VALUES LESS THAN (100), SUBPARTITION s1 VALUES LESS THAN (200))",
	} {
		name := fmt.Sprint("sliced", i)
		run(t, db, "CREATE TABLE "+name+" (K varbinary(10), Q varbinary(10), T bigint, V varbinary(10), G bigint GENERATED ALWAYS AS (ABS(T)), PRIMARY KEY (K, Q, T)) "+partitioning)
		_, err := BulkLoad(t.Context(), db, []string{name}, cellsOf(
			cellAt("a", 150, "1"), cellAt("a", 99, "2"), cellAt("a", -150, "3"), cellAt("b", 0, "4"), cellAt("c", 199, "5"), cellAt("c", -1, "6")))
		require.NoError(t, err)
		const want = "a/150=1 a/99=2 a/-150=3 b/0=4 c/199=5 c/-1=6"
		require.Equal(t, want, everyVersion(t, db, name))
		_, err = BulkLoad(t.Context(), db, []string{name}, cellsOf(cellAt("a", 1, "v"), cellAt("a", 200, "v")))
		requireNumber(t, 1526, err)
		_, err = BulkLoad(t.Context(), db, []string{name}, cellsOf(cellAt("a", math.MinInt64, "v")))
		requireNumber(t, 1690, err)
		require.Equal(t, want, everyVersion(t, db, name))
		run(t, db, "CHECK TABLE "+name)
	}
}

// TestBulkLoadIndexed loads cells into families with indexes, including a typed table's with a
// unique one.
func TestBulkLoadIndexed(t *testing.T) {
	db := openTable(t)
	run(t, db, "CREATE INDEX v ON g$f (V(8))")
	_, err := BulkLoad(t.Context(), db, []string{"g$f"}, cellsOf(cellAt("b", 2, "x"), cellAt("a", 1, "x"), cellAt("a", 2, "y")))
	require.NoError(t, err)
	require.Equal(t, "b", one(t, db, "SELECT GROUP_CONCAT(K) FROM g$f FORCE INDEX (v) WHERE V = 'x'"))
	run(t, db, "CREATE TABLE u (id varchar(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PRIMARY KEY, s varchar(10), UNIQUE (s))")
	run(t, db, "INSERT INTO u VALUES ('a', 'x'), ('b', 'y')")
	marker := func(k string, q, v string) Cell { return Cell{K: []byte(k), Q: []byte(q), T: 1 << 42, V: []byte(v)} }
	_, err = BulkLoad(t.Context(), db, []string{"u$d"}, cellsOf(marker("a", "s", "y"), marker("b", "s", "x"), marker("c", "", ""), marker("c", "s", "z")))
	require.NoError(t, err)
	require.Equal(t, "b", one(t, db, "SELECT GROUP_CONCAT(id) FROM u FORCE INDEX (s) WHERE s = 'x'"))
	_, err = BulkLoad(t.Context(), db, []string{"u$d"}, cellsOf(marker("d", "", ""), marker("d", "s", "z")))
	requireNumber(t, 1062, err)
	require.Equal(t, "3", one(t, db, "SELECT COUNT(*) FROM u IGNORE INDEX (s)"))
	for _, table := range []string{"u", "g$f"} {
		rows, err := db.Query("CHECK TABLE " + table)
		require.NoError(t, err)
		for rows.Next() {
			var name, op, kind, text string
			require.NoError(t, rows.Scan(&name, &op, &kind, &text))
			require.Equal(t, "OK", text)
		}
		require.NoError(t, rows.Close())
	}
}
