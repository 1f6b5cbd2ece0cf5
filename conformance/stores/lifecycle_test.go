package stores

import (
	"bufio"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/suite"
)

// childRole is the environment variable that tells the test binary, started
// again, what to do instead of testing; childDSN is its database, and
// childBackups the directory for its backups.
const (
	childRole    = "HBASEKV_TEST_CHILD"
	childDSN     = "HBASEKV_TEST_DSN"
	childBackups = "HBASEKV_TEST_BACKUPS"
)

var children = map[string]func(dsn string) error{
	"ping":        pingChild,
	"insert":      insertChild,
	"busy":        busyChild,
	"pivot":       pivotChild,
	"collect":     collectChild,
	"index":       indexChild,
	"change":      changeChild,
	"define":      defineChild,
	"large":       largeChild,
	"move-keys":   moveChild("keys"),
	"move-ranges": moveChild("ranges"),
}

// child is the test binary in another process.
func child(role, dsn string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childRole+"="+role, childDSN+"="+dsn)
	return cmd
}

func pingChild(dsn string) error {
	db, err := sql.Open("hbasekv", dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	return db.Ping()
}

// insertChild commits rows until it is killed, from several goroutines, and
// reports on standard output which are committed: single inserts, and
// transactions of two rows whose keys differ in their last byte.
func insertChild(dsn string) error {
	db, err := sql.Open("hbasekv", dsn)
	if err != nil {
		return err
	}
	errs := make(chan error)
	for g := range 4 {
		go func() { errs <- insertUntilKilled(db, fmt.Sprintf("%d-%d", os.Getpid(), g)) }()
	}
	return <-errs
}

func insertUntilKilled(db *sql.DB, name string) error {
	for i := 0; ; i++ {
		key := fmt.Sprintf("%s-%06d", name, i)
		tx, err := db.Begin()
		if err != nil {
			return err
		}
		for _, half := range []string{"x", "y"} {
			if _, err := tx.Exec("INSERT INTO t VALUES (?, 'q', 1, ?)", key+half, strings.Repeat(key, 20)); err != nil {
				return err
			}
		}
		if err := tx.Commit(); err != nil {
			return err
		}
		if _, err := os.Stdout.WriteString(key + "\n"); err != nil {
			return err
		}
	}
}

// killAfter starts a child, kills it once it has printed n lines, and returns
// all that it printed.
func killAfter(t *testing.T, role, dsn string, n int) []string {
	return killLater(t, role, dsn, n, 0)
}

// killLater is killAfter with a delay between the last of the n lines and the kill.
func killLater(t *testing.T, role, dsn string, n int, delay time.Duration) []string {
	cmd := child(role, dsn)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	var said []string
	for in := bufio.NewScanner(out); in.Scan(); {
		said = append(said, in.Text())
		if len(said) == n {
			time.Sleep(delay)
			require.NoError(t, cmd.Process.Kill())
		}
	}
	err = cmd.Wait()
	require.GreaterOrEqual(t, len(said), n, "the child failed: %v %v", err, said)
	require.ErrorContains(t, err, "killed")
	return said
}

// changeChild fills, empties, drops and creates a table until it is killed, and
// reports what it has emptied.
func changeChild(dsn string) error {
	db, err := sql.Open("hbasekv", dsn)
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		fill := fmt.Sprintf("%d-%d", os.Getpid(), i)
		empty := [][]string{{"TRUNCATE TABLE t"}, {"DELETE FROM t"},
			{"DROP TABLE t", "CREATE TABLE t " + harness.PlainTable + " PARTITION BY KEY(K) PARTITIONS 3"}}[i%3]
		for _, s := range append([]string{"INSERT INTO t VALUES ('a', 'q', 1, '" + fill + "'), ('b', 'q', 1, '" + fill + "')"}, empty...) {
			if _, err := db.Exec(s); err != nil {
				return fmt.Errorf("%s: %w", s, err)
			}
		}
		if _, err := os.Stdout.WriteString(fill + "\n"); err != nil {
			return err
		}
	}
}

// TestKillWhileTablesChange: a table that a process has emptied stays empty
// after the process is killed, and a statement in progress has taken effect or
// not.
func TestKillWhileTablesChange(t *testing.T) {
	dsn := "file:" + filepath.Join(t.TempDir(), "store")
	for round := range 3 {
		db, err := sql.Open("hbasekv", dsn)
		require.NoError(t, err)
		harness.Must(t, db, "DROP TABLE IF EXISTS t", "CREATE TABLE t "+harness.PlainTable)
		require.NoError(t, db.Close())
		emptied := killAfter(t, "change", dsn, 5+7*round)
		db, err = sql.Open("hbasekv", dsn)
		require.NoError(t, err)
		rows, err := harness.TryLines(db, "SELECT V FROM t FOR SYSTEM_TIME ALL")
		if harness.NumberOf(err) != 1146 { // killed between DROP and CREATE
			require.NoError(t, err)
			require.Contains(t, []int{0, 2}, len(rows))
			for _, fill := range rows {
				require.NotContains(t, emptied, fill, "round %d", round)
			}
		}
		require.NoError(t, db.Close())
	}
}

func TestSecondProcessIsRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	db := harness.OpenDB(t, dir)
	require.NoError(t, db.Ping())
	for _, dsn := range []string{dir, "file:" + dir + "?readOnly=true"} {
		out, err := child("ping", dsn).CombinedOutput()
		require.Error(t, err, dsn)
		require.Contains(t, string(out), dir, "it names the directory")
		require.Contains(t, string(out), "another process", "it says why")
	}
	require.NoError(t, db.Close())
	out, err := child("ping", dir).CombinedOutput()
	require.NoError(t, err, string(out))
}

func TestSameDirectoryTwice(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	first, second := harness.OpenDB(t, dir), harness.OpenDB(t, "file:"+dir+"/../store?versions=all")
	harness.Must(t, first, "CREATE TABLE t "+harness.PlainTable,
		"INSERT INTO t VALUES ('k', 'q', 1, 'one'), ('k', 'q', 2, 'two')")
	require.Equal(t, []string{"two"}, harness.Lines(t, first, "SELECT V FROM t"))
	require.Equal(t, []string{"two", "one"}, harness.Lines(t, second, "SELECT V FROM t"), "each has its own view")
	tx := harness.Begin(t, first)
	harness.Must(t, tx, "UPDATE t SET V = 'tx'")
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
	defer cancel()
	_, err := second.ExecContext(ctx, "UPDATE t SET V = 'x'")
	require.ErrorIs(t, err, context.DeadlineExceeded, "they share the locks")
	require.NoError(t, tx.Rollback())
	require.NoError(t, first.Close())
	harness.Must(t, second, "DROP TABLE t")
	require.NoError(t, second.Close())
	_, err = harness.OpenDB(t, dir).Exec("SELECT * FROM t")
	harness.RequireErrorNumber(t, 1146, err)
}

// TestCloseWithRowsOpen: closing the pool ends what is open, and whatever the
// application does with it afterwards neither hangs nor panics.
func TestCloseWithRowsOpen(t *testing.T) {
	for _, dsn := range []string{":memory:", "file:" + filepath.Join(t.TempDir(), "store")} {
		db := harness.OpenDB(t, dsn)
		harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable)
		harness.PutVersions(t, db, harness.Viewed)
		st, err := db.Prepare("SELECT K FROM t")
		require.NoError(t, err)
		rows, err := st.Query()
		require.NoError(t, err)
		require.True(t, rows.Next())
		tx, err := db.Begin()
		require.NoError(t, err)
		harness.Must(t, tx, "DELETE FROM t")
		inTx, err := tx.Query("SELECT K FROM t FOR SYSTEM_TIME ALL")
		require.NoError(t, err)
		require.NoError(t, db.Close())
		for rows.Next() || inTx.Next() {
			t.Fatal("a row of a closed database")
		}
		require.Error(t, rows.Err())
		_ = errors.Join(rows.Close(), inTx.Close(), st.Close())
		require.Error(t, tx.Commit())
		_, err = st.Exec()
		require.Error(t, err)
		require.NoError(t, db.Close(), "again")
	}
}

// TestOneConnection: an application with a pool of one connection may run
// statements while rows are open in its transaction.
func TestOneConnection(t *testing.T) {
	harness.OnLayouts(t, "", func(t *testing.T, db *sql.DB) {
		db.SetMaxOpenConns(1)
		harness.PutVersions(t, db, harness.Viewed)
		tx := harness.Begin(t, db)
		outer, err := tx.Query("SELECT K, Q FROM t ORDER BY K, Q")
		require.NoError(t, err)
		defer outer.Close()
		insert, err := tx.Prepare("INSERT INTO t VALUES (CONCAT('copy of ', ?), ?, 1, 'v')")
		require.NoError(t, err)
		n := 0
		for ; outer.Next(); n++ {
			var k, q string
			require.NoError(t, outer.Scan(&k, &q))
			require.Equal(t, "1", harness.Single(t, tx, "SELECT COUNT(*) FROM t WHERE K = ? AND Q = ?", k, q))
			inner, err := tx.Query("SELECT T FROM t FOR SYSTEM_TIME ALL WHERE K = ?", k)
			require.NoError(t, err)
			require.True(t, inner.Next())
			_, err = insert.Exec(k, q)
			require.NoError(t, err)
			_, err = tx.Exec("UPDATE t SET V = CONCAT(V, '!') WHERE K = ? AND Q = ?", k, q)
			require.NoError(t, err)
			require.NoError(t, inner.Close())
		}
		require.NoError(t, outer.Err())
		require.Equal(t, 4, n)
		require.NoError(t, tx.Commit())
		require.Equal(t, []string{"8 4"}, harness.Lines(t, db, "SELECT COUNT(*), SUM(V LIKE '%!') FROM t"))
	})
}

func TestPreparedBeforeItsTable(t *testing.T) {
	db := harness.OpenDB(t, ":memory:")
	statements := map[string]*sql.Stmt{}
	for _, s := range []string{"INSERT INTO t VALUES (?, 'q', 1, 'v')", "SELECT * FROM t WHERE K = ?", "DELETE FROM t WHERE K = ?"} {
		st, err := db.Prepare(s)
		require.NoError(t, err, "a statement is planned when it runs")
		defer st.Close()
		statements[s[:6]] = st
		_, err = st.Exec("k")
		harness.RequireErrorNumber(t, 1146, err)
	}
	for _, definition := range []string{harness.PlainTable, harness.PlainTable + " PARTITION BY KEY(K) PARTITIONS 4"} {
		harness.Must(t, db, "CREATE TABLE t "+definition)
		_, err := statements["INSERT"].Exec("k")
		require.NoError(t, err)
		var k, q, v string
		var ts int64
		require.NoError(t, statements["SELECT"].QueryRow("k").Scan(&k, &q, &ts, &v))
		result, err := statements["DELETE"].Exec("k")
		require.NoError(t, err)
		n, _ := result.RowsAffected()
		require.EqualValues(t, 1, n)
		harness.Must(t, db, "DROP TABLE t")
		_, err = statements["SELECT"].Query("k")
		harness.RequireErrorNumber(t, 1146, err)
	}
	harness.Must(t, db, "CREATE TABLE t (K varbinary(10), Q varbinary(10), T bigint, V varbinary(1), P varbinary(1) GENERATED ALWAYS AS (substring(K, 1, 1)), PRIMARY KEY (K, Q, T))")
	_, err := statements["INSERT"].Exec("k")
	harness.RequireErrorNumber(t, 1136, err)
	rows, err := statements["SELECT"].Query("k")
	require.NoError(t, err)
	columns, err := rows.Columns()
	require.NoError(t, err)
	require.Equal(t, []string{"K", "Q", "T", "V", "P"}, columns, "the table's columns of now")
	require.NoError(t, rows.Close())
}

// TestPreparedWhileItsTableChanges uses statements in many goroutines while
// their table is dropped and created again with other columns.
func TestPreparedWhileItsTableChanges(t *testing.T) {
	db := harness.OpenDB(t, ":memory:")
	harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable)
	insert, err := db.Prepare("INSERT INTO t (K, Q, V) VALUES (?, 'q', ?)")
	require.NoError(t, err)
	defer insert.Close()
	read, err := db.Prepare("SELECT K, V, T FROM t WHERE K = ?")
	require.NoError(t, err)
	defer read.Close()
	done := make(chan struct{})
	var ddl sync.WaitGroup
	ddl.Go(func() {
		defer close(done)
		for i := range 25 {
			if _, err := db.Exec("DROP TABLE t"); err != nil {
				t.Error(err)
			}
			if _, err := db.Exec("CREATE TABLE t " + harness.PlainTable + []string{"", " PARTITION BY KEY(K) PARTITIONS 5"}[i%2]); err != nil {
				t.Error(err)
			}
		}
	})
	harness.AtOnce(t, func(worker int) error {
		key := fmt.Sprintf("key %d", worker)
		for i := 0; ; i++ {
			select {
			case <-done:
				return nil
			default:
			}
			if _, err := insert.Exec(key, key); err != nil && harness.NumberOf(err) != 1146 {
				return err
			}
			var k, v string
			var ts int64
			if err := read.QueryRow(key).Scan(&k, &v, &ts); err != nil {
				if err != sql.ErrNoRows && harness.NumberOf(err) != 1146 {
					return err
				}
			} else if k != key || v != key {
				return fmt.Errorf("%s got %s, %s", key, k, v)
			}
		}
	})
	ddl.Wait()
}

// TestMemoryOutlivesItsConnections: a store in memory lives as long as its
// pool, not as long as a connection.
func TestMemoryOutlivesItsConnections(t *testing.T) {
	db := harness.OpenDB(t, ":memory:")
	db.SetConnMaxLifetime(time.Microsecond)
	db.SetMaxIdleConns(0)
	harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable, "INSERT INTO t VALUES ('k', 'n', 1, '0')")
	harness.AtOnce(t, func(int) error {
		for range 20 {
			if _, err := db.Exec("UPDATE t SET V = V + 1"); err != nil {
				return err
			}
		}
		return nil
	})
	require.Equal(t, strconv.Itoa(20*harness.Workers), harness.Single(t, db, "SELECT V FROM t"))
	require.Zero(t, db.Stats().OpenConnections)
	_, err := harness.OpenDB(t, ":memory:").Exec("SELECT * FROM t")
	harness.RequireErrorNumber(t, 1146, err)
}

// TestAbandonedTransactions: a transaction whose context ends, and a connection
// that is abandoned inside one, leave no locks and no writes.
func TestAbandonedTransactions(t *testing.T) {
	harness.OnLayouts(t, "?lockTimeout=5s", func(t *testing.T, db *sql.DB) {
		harness.Must(t, db, "INSERT INTO t VALUES ('k', 'q', 1, 'v')")
		ctx, cancel := context.WithCancel(context.Background())
		tx, err := db.BeginTx(ctx, nil)
		require.NoError(t, err)
		harness.Must(t, tx, "UPDATE t SET V = 'abandoned'")
		cancel()
		harness.Must(t, db, "UPDATE t SET V = CONCAT(V, '1')")
		require.Error(t, tx.Commit())

		for _, opening := range []string{"BEGIN", "START TRANSACTION WITH CONSISTENT SNAPSHOT", "SET autocommit = 0"} {
			conn, err := db.Conn(context.Background())
			require.NoError(t, err)
			harness.Must(t, conn, opening, "UPDATE t SET V = 'abandoned'")
			require.Equal(t, driver.ErrBadConn, conn.Raw(func(any) error { return driver.ErrBadConn }))
			harness.Must(t, db, "UPDATE t SET V = CONCAT(V, '2')")
		}
		require.Equal(t, "v1222", harness.Single(t, db, "SELECT V FROM t"))
	})
}

// TestReadOnlyTransactions: they refuse writes and read a snapshot.
func TestReadOnlyTransactions(t *testing.T) {
	harness.OnLayouts(t, "", func(t *testing.T, db *sql.DB) {
		harness.PutVersions(t, db, harness.Viewed)
		tx, err := db.BeginTx(context.Background(), &sql.TxOptions{ReadOnly: true})
		require.NoError(t, err)
		defer func() { require.NoError(t, tx.Rollback()) }()
		require.Equal(t, "4", harness.Single(t, tx, "SELECT COUNT(*) FROM t"))
		harness.Must(t, db, "DELETE FROM t")
		require.Equal(t, "4", harness.Single(t, tx, "SELECT COUNT(*) FROM t"))
		for _, s := range []string{"DELETE FROM t", "INSERT INTO t (K, Q) VALUES ('k', 'q')", "UPDATE t SET V = 'x'"} {
			_, err := tx.Exec(s)
			harness.RequireErrorNumber(t, 1792, err)
		}
	})
}

// TestFilesAreClosed opens and closes a store often, as tests of applications
// do, and checks that open files do not pile up.
func TestFilesAreClosed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	openFiles := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		if errors.Is(err, os.ErrNotExist) {
			t.Skip("no /proc")
		}
		require.NoError(t, err)
		return len(entries)
	}
	before := 0
	for i := range 8 {
		db, err := sql.Open("hbasekv", dir)
		require.NoError(t, err)
		harness.Must(t, db, "CREATE TABLE IF NOT EXISTS t "+harness.PlainTable, fmt.Sprintf("INSERT INTO t VALUES ('%d', 'q', 1, 'v')", i))
		rows, err := db.Query("SELECT * FROM t")
		require.NoError(t, err)
		require.True(t, rows.Next())
		require.NoError(t, db.Close())
		_ = rows.Close()
		if i == 2 {
			before = openFiles()
		}
	}
	require.LessOrEqual(t, openFiles(), before)
	require.Equal(t, "8", harness.Single(t, harness.OpenDB(t, dir), "SELECT COUNT(*) FROM t"))
}

// TestMovedStore: a store is its directory: a copy of a closed one is the same
// database.
func TestMovedStore(t *testing.T) {
	from, to := filepath.Join(t.TempDir(), "from"), filepath.Join(t.TempDir(), "to")
	db, err := sql.Open("hbasekv", from)
	require.NoError(t, err)
	harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable+" PARTITION BY KEY(K) PARTITIONS 3")
	harness.PutVersions(t, db, harness.Viewed)
	require.NoError(t, db.Close())
	require.NoError(t, os.CopyFS(to, os.DirFS(from)))
	require.Equal(t, suite.AllOnes, harness.Slashed(harness.Lines(t, harness.OpenDB(t, to), "SELECT K, Q, T FROM t FOR SYSTEM_TIME ALL ORDER BY K, Q, T DESC")))
	require.Equal(t, suite.AllOnes, harness.Slashed(harness.Lines(t, harness.OpenDB(t, from), "SELECT K, Q, T FROM t FOR SYSTEM_TIME ALL ORDER BY K, Q, T DESC")))
}
