package transactions

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// TestFlushTablesWithReadLock: writes of others wait, at the statement or at the commit, so
// that all snapshots that begin under the lock show the same state.
func TestFlushTablesWithReadLock(t *testing.T) {
	for _, lock := range []string{"FLUSH TABLES WITH READ LOCK", "FLUSH LOCAL TABLES t WITH READ LOCK", "FLUSH TABLES t, u FOR EXPORT"} {
		t.Run(lock, func(t *testing.T) {
			db := harness.OpenDB(t, ":memory:")
			ctx := context.Background()
			harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable, "CREATE TABLE u "+harness.PlainTable, "INSERT INTO t VALUES ('a', 'q', 1, 'before')")
			holder, open, reader := conn(t, db), conn(t, db), conn(t, db)
			harness.Must(t, open, "BEGIN", "INSERT INTO t VALUES ('b', 'q', 1, 'open')")
			harness.Must(t, holder, lock)
			harness.Must(t, holder, lock) // again

			waiting := waitingWrites(t, db, "INSERT INTO t VALUES ('c', 'q', 1, 'waits')", "UPDATE t SET V = 'waits' WHERE K = 'a'",
				"CREATE TABLE w "+harness.PlainTable, "REPLACE INTO u VALUES ('a', 'q', 1, 'waits')", "TRUNCATE TABLE u")
			committed := make(chan error, 1)
			go func() { _, err := open.ExecContext(ctx, "COMMIT"); committed <- err }()

			harness.Must(t, reader, "START TRANSACTION WITH CONSISTENT SNAPSHOT")
			for _, each := range []harness.Execer{holder, reader} {
				require.Equal(t, []string{"a q 1 before"}, harness.Lines(t, each, "SELECT * FROM t"))
			}
			for _, write := range []string{"INSERT INTO t VALUES ('d', 'q', 1, 'own')", "DELETE FROM t", "DROP TABLE t", "CREATE DATABASE d"} {
				_, err := holder.ExecContext(ctx, write)
				require.Equal(t, uint16(1223), number(err), write)
			}
			require.Empty(t, committed)
			harness.Must(t, reader, "COMMIT") // a reader's COMMIT does not wait
			harness.Must(t, holder, "BEGIN", "SELECT 1", "UNLOCK TABLES")
			require.NoError(t, <-committed)
			waiting()
			require.Equal(t, []string{"a q 1 before"}, harness.Lines(t, db, "SELECT * FROM t FOR SYSTEM_TIME ALL WHERE K = 'a' AND T = 1"))
			require.Equal(t, "3", harness.Single(t, db, "SELECT COUNT(*) FROM t"))
			harness.Must(t, holder, "COMMIT")
		})
	}
}

// waitingWrites starts writes, each on its own connection, and waits until they are running;
// the function that it returns waits until they end.
func waitingWrites(t *testing.T, db *sql.DB, statements ...string) (end func()) {
	errs := make(chan error, len(statements))
	for _, s := range statements {
		go func() {
			_, err := db.ExecContext(context.Background(), s)
			errs <- err
		}()
	}
	const underWay = "SELECT INFO FROM information_schema.PROCESSLIST WHERE COMMAND = 'Query'"
	require.Eventually(t, func() bool {
		list := strings.Join(harness.Lines(t, db, underWay), "\n")
		return !slices.ContainsFunc(statements, func(s string) bool { return !strings.Contains(list, s) })
	}, time.Minute, time.Millisecond)
	require.Empty(t, errs)
	return func() {
		for range statements {
			require.NoError(t, <-errs)
		}
	}
}

func conn(t *testing.T, db *sql.DB) *sql.Conn {
	c, err := db.Conn(context.Background())
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	return c
}

func number(err error) uint16 {
	var e *mysql.MySQLError
	if errors.As(err, &e) {
		return e.Number
	}
	return 0
}

// TestReadLockEnds: the lock ends with its session, and so does the wait for it with the
// writer's timeout or context: a commit that fails leaves nothing open.
func TestReadLockEnds(t *testing.T) {
	t.Parallel() // it waits most of the time
	db := harness.OpenDB(t, ":memory:")
	ctx := context.Background()
	harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable)
	holder, writer, next := conn(t, db), conn(t, db), conn(t, db)
	_, err := holder.ExecContext(ctx, "FLUSH TABLES nosuch WITH READ LOCK")
	require.Equal(t, uint16(1146), number(err))
	harness.Must(t, writer, "SET lock_wait_timeout = 1", "BEGIN", "INSERT INTO t VALUES ('a', 'q', 1, 'x')")
	harness.Must(t, holder, "FLUSH TABLES WITH READ LOCK")
	harness.Must(t, next, "FLUSH TABLES WITH READ LOCK") // two may hold it
	_, err = writer.ExecContext(ctx, "COMMIT")
	require.Equal(t, uint16(1205), number(err))
	_, err = writer.ExecContext(ctx, "INSERT INTO t VALUES ('b', 'q', 1, 'x')")
	require.Equal(t, uint16(1205), number(err))
	short, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	defer cancel()
	_, err = db.ExecContext(short, "INSERT INTO t VALUES ('c', 'q', 1, 'x')")
	require.Error(t, err)
	require.Equal(t, []string{"0"}, harness.Lines(t, holder, "SELECT COUNT(*) FROM t"))
	killed := harness.Single(t, holder, "SELECT CONNECTION_ID()")
	harness.Must(t, next, "KILL "+killed, "UNLOCK TABLES")
	harness.Must(t, writer, "COMMIT")
	require.Equal(t, []string{"0"}, harness.Lines(t, db, "SELECT COUNT(*) FROM t"))
	harness.Must(t, writer, "INSERT INTO t VALUES ('a', 'q', 1, 'x')")
	require.Equal(t, []string{"1"}, harness.Lines(t, db, "SELECT COUNT(*) FROM t"))
}

// TestReadLockAmongWriters takes the lock again and again while transfers run: under it, every
// session's snapshot has the same cells.
func TestReadLockAmongWriters(t *testing.T) {
	db := harness.OpenDB(t, ":memory:")
	ctx := context.Background()
	harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable)
	stop, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := 0; stop.Err() == nil; i++ {
				harness.Must(t, db, fmt.Sprintf("INSERT INTO t VALUES ('w%d', 'q', %d, 'x')", w, i))
			}
		})
	}
	readers := []*sql.Conn{conn(t, db), conn(t, db), conn(t, db)}
	for range 30 {
		harness.Must(t, readers[0], "FLUSH TABLES WITH READ LOCK")
		const count = "SELECT COUNT(*), SUM(T) FROM t FOR SYSTEM_TIME ALL"
		want := harness.Lines(t, readers[0], count)
		for _, r := range readers[1:] {
			harness.Must(t, r, "START TRANSACTION WITH CONSISTENT SNAPSHOT")
		}
		require.Equal(t, want, harness.Lines(t, readers[0], count))
		harness.Must(t, readers[0], "UNLOCK TABLES")
		for _, r := range readers[1:] {
			require.Equal(t, want, harness.Lines(t, r, count))
			harness.Must(t, r, "COMMIT")
		}
	}
	cancel()
	wg.Wait()
}
