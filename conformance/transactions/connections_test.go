package transactions

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// untilRunning waits until the process list shows that the connection runs the
// statement.
func untilRunning(t *testing.T, db *sql.DB, id, query string) {
	t.Helper()
	require.Eventually(t, func() bool {
		var n int
		err := db.QueryRow("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = ? AND INFO = ? AND COMMAND = 'Query'", id, query).Scan(&n)
		return err == nil && n == 1
	}, time.Minute, time.Millisecond)
}

// TestKillQuery stops statements while they wait or work; the session and its
// transaction continue.
func TestKillQuery(t *testing.T) {
	db := harness.OpenDB(t, ":memory:?lockTimeout=1m")
	harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable)
	for i := range 100 {
		harness.Must(t, db, fmt.Sprintf("INSERT INTO t VALUES ('%d', 'q', 1, 'v')", i))
	}
	holder := harness.Begin(t, db)
	harness.Must(t, holder, "UPDATE t SET V = 'held' WHERE K = '1'")
	harness.Must(t, holder, "DO GET_LOCK('mine', 0)")
	victim, id := harness.Pin(t, db)
	harness.Must(t, victim, "BEGIN", "INSERT INTO t VALUES ('own', 'q', 1, 'v')")
	for _, query := range []string{
		"UPDATE t SET V = 'x' WHERE K = '1'",
		"SELECT * FROM t WHERE K = '1' FOR UPDATE",
		"SELECT GET_LOCK('mine', 60)",
		"SELECT SLEEP(60)",
		"SELECT COUNT(*) FROM t a, t b, t c, t d, t e WHERE a.T + b.T + c.T + d.T + e.T = 0",
		"SELECT a.V FROM t a, t b, t c, t d, t e ORDER BY CONCAT(a.K, b.K, c.K, d.K, e.K) LIMIT 1",
	} {
		done := harness.InBackground(victim, query)
		untilRunning(t, db, id, query)
		harness.Must(t, db, "KILL QUERY "+id)
		err := <-done
		if query != "SELECT SLEEP(60)" || err != nil { // MySQL's SLEEP returns 1 if it is interrupted
			harness.RequireErrorNumber(t, 1317, err)
		}
	}
	require.Equal(t, "1", harness.Single(t, victim, "SELECT COUNT(*) FROM t WHERE K = 'own'"))
	harness.Must(t, victim, "COMMIT")
	_, err := db.Exec("KILL QUERY 999999")
	harness.RequireErrorNumber(t, 1094, err)
	_, err = db.Exec("KILL QUERY CONNECTION_ID()")
	harness.RequireErrorNumber(t, 1317, err)
}

// TestKillConnection ends a session: its locks are released, its uncommitted
// writes are undone, and the pool opens a new one.
func TestKillConnection(t *testing.T) {
	for _, waits := range []bool{false, true} {
		t.Run(fmt.Sprintf("waits=%v", waits), func(t *testing.T) {
			db := harness.OpenDB(t, ":memory:?lockTimeout=1m")
			harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable,
				"INSERT INTO t VALUES ('1', 'q', 1, 'v'), ('2', 'q', 1, 'v')")
			holder := harness.Begin(t, db)
			harness.Must(t, holder, "UPDATE t SET V = 'held' WHERE K = '2'")
			victim, id := harness.Pin(t, db)
			harness.Must(t, victim, "BEGIN", "UPDATE t SET V = 'undone' WHERE K = '1'", "DO GET_LOCK('l', 0)")
			const query = "UPDATE t SET V = 'x' WHERE K = '2'"
			var done <-chan error
			if waits {
				done = harness.InBackground(victim, query)
				untilRunning(t, db, id, query)
			}
			harness.Must(t, db, "KILL "+id)
			if waits {
				harness.RequireErrorNumber(t, 1317, <-done)
			}
			harness.Must(t, db, "UPDATE t SET V = CONCAT(V, '!') WHERE K = '1'")
			require.Equal(t, []string{"1 v!", "2 v"}, harness.Lines(t, db, "SELECT K, V FROM t ORDER BY K"))
			require.Equal(t, "1", harness.Single(t, db, "SELECT IS_FREE_LOCK('l')"))
			_, err := victim.ExecContext(context.Background(), "SELECT 1")
			require.ErrorIs(t, err, driver.ErrBadConn)
			_ = victim.Close()
			require.NoError(t, holder.Rollback())
			require.Equal(t, "0",
				harness.Single(t, db, "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = ?", id))
			_, err = db.Exec("KILL " + id)
			harness.RequireErrorNumber(t, 1094, err)
		})
	}
}

// TestReleasedConnection: COMMIT RELEASE ends the connection, and users of the
// pool do not notice.
func TestReleasedConnection(t *testing.T) {
	db := harness.OpenDB(t, ":memory:")
	db.SetMaxOpenConns(1)
	before := harness.Single(t, db, "SELECT CONNECTION_ID()")
	harness.Must(t, db, "COMMIT RELEASE")
	require.NotEqual(t, before, harness.Single(t, db, "SELECT CONNECTION_ID()"))
}

// TestManyConnections keeps hundreds of connections busy, with transactions
// and rows left open.
func TestManyConnections(t *testing.T) {
	const connections = 300
	db := harness.OpenDB(t, ":memory:")
	db.SetMaxIdleConns(connections)
	harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable+" PARTITION BY KEY(K) PARTITIONS 7")
	for i := range 50 {
		harness.Must(t, db, fmt.Sprintf("INSERT INTO t VALUES ('%d', 'q', 1, '0')", i))
	}
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	errs := make([]error, connections)
	ready := make(chan struct{}, connections)
	for i := range connections {
		all.Go(func() { errs[i] = useConnection(ctx, db, i, ready) })
	}
	for range connections {
		<-ready
	}
	require.GreaterOrEqual(t, db.Stats().InUse, connections)
	require.Equal(t, strconv.Itoa(connections), harness.Single(t, db, "SELECT SUM(V) FROM t"), "the others' increments")
	cancel()
	all.Wait()
	require.NoError(t, errors.Join(errs...))
}

// useConnection increments a row, and leaves rows and a transaction open until
// the context ends.
func useConnection(ctx context.Context, db *sql.DB, i int, ready chan<- struct{}) error {
	announced := false
	defer func() {
		if !announced {
			ready <- struct{}{}
		}
	}()
	if _, err := db.Exec("UPDATE t SET V = V + 1 WHERE K = ?", strconv.Itoa(i%50)); err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	rows, err := tx.Query("SELECT K FROM t")
	if err != nil {
		return err
	}
	rows.Next()
	announced = true
	ready <- struct{}{}
	<-ctx.Done()
	for rows.Next() {
	}
	if err := rows.Err(); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	_ = rows.Close()
	return nil
}

// TestManyVersionsInOneTransaction: each insert without T finds the next free T
// among those of the transaction.
func TestManyVersionsInOneTransaction(t *testing.T) {
	db := harness.OpenDB(t, ":memory:")
	harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable)
	tx := harness.Begin(t, db)
	const n = 3000
	for i := range n {
		if _, err := tx.Exec("INSERT INTO t (K, Q, V) VALUES ('k', 'q', ?)", strconv.Itoa(i)); err != nil {
			t.Fatal(err)
		}
	}
	require.Equal(t, strconv.Itoa(n-1), harness.Single(t, tx, "SELECT V FROM t"), "the last one is the newest")
	require.Equal(t, strconv.Itoa(n), harness.Single(t, tx, "SELECT COUNT(DISTINCT T) FROM t FOR SYSTEM_TIME ALL"))
	harness.Must(t, tx, "DELETE FROM t")
	require.Empty(t, harness.Lines(t, tx, "SELECT * FROM t FOR SYSTEM_TIME ALL"))
	require.NoError(t, tx.Commit())
}
