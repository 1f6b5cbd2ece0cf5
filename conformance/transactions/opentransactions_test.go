package transactions

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// TestOpenTransactions reads the list of transactions from another connection.
func TestOpenTransactions(t *testing.T) {
	db := harness.OpenDB(t, ":memory:?lockTimeout=1m")
	harness.Must(t, db, "CREATE TABLE c "+harness.PlainTable,
		"INSERT INTO c VALUES ('a', 'q', 1, 'x'), ('b', 'q', 1, 'y')")
	holder, waiter, watcher := harness.Conn(t, db), harness.Conn(t, db), harness.Conn(t, db)
	id := harness.Single(t, holder, "SELECT CONNECTION_ID()")
	of := func(columns, thread string) []string {
		return harness.Lines(t, watcher, "SELECT "+columns+" FROM information_schema.INNODB_TRX WHERE trx_mysql_thread_id = ?", thread)
	}
	const counts = "trx_state, trx_rows_locked, trx_rows_modified, trx_query IS NULL"
	require.Empty(t, of(counts, id))

	harness.Must(t, holder, "BEGIN", "UPDATE c SET V = 'z' WHERE K = 'a'")
	require.Equal(t, []string{"RUNNING 1 1 1"}, of(counts, id))
	number := of("trx_id", id)
	harness.Must(t, holder, "SAVEPOINT s", "DELETE FROM c WHERE K = 'b'", "INSERT INTO c VALUES ('d', 'q', 1, 'x'), ('d', 'r', 1, 'x')")
	require.Equal(t, []string{"RUNNING 3 4 1"}, of(counts, id))
	harness.Must(t, holder, "ROLLBACK TO s") // keeps the locks
	require.Equal(t, []string{"RUNNING 3 1 1"}, of(counts, id))
	require.Equal(t, number, of("trx_id", id))

	// A statement that is its own transaction waits.
	done := make(chan error, 1)
	other := harness.Single(t, waiter, "SELECT CONNECTION_ID()")
	go func() {
		_, err := waiter.ExecContext(context.Background(), "UPDATE c SET V = 'w' WHERE K = 'a'")
		done <- err
	}()
	require.Eventually(t, func() bool {
		found := of("trx_state, trx_query, trx_wait_started >= trx_started", other)
		return len(found) == 1 && found[0] == "LOCK WAIT UPDATE c SET V = 'w' WHERE K = 'a' 1"
	}, time.Minute, time.Millisecond)
	harness.Must(t, holder, "COMMIT")
	require.NoError(t, <-done)
	require.Equal(t, []string{"0"}, harness.Lines(t, watcher, "SELECT COUNT(*) FROM information_schema.INNODB_TRX"))
}

// TestLockWaits: one transaction waits for two that share a lock, and another one for that one.
func TestLockWaits(t *testing.T) {
	db := harness.OpenDB(t, ":memory:?lockTimeout=1m")
	harness.Must(t, db, "CREATE TABLE c "+harness.PlainTable, "INSERT INTO c VALUES ('a', 'q', 1, 'x'), ('b', 'q', 1, 'y')")
	first, second, middle, last, watcher := harness.Conn(t, db), harness.Conn(t, db), harness.Conn(t, db), harness.Conn(t, db), harness.Conn(t, db)
	const waits = "SELECT w.trx_mysql_thread_id, h.trx_mysql_thread_id FROM information_schema.INNODB_LOCK_WAITS l " +
		"JOIN information_schema.INNODB_TRX w ON w.trx_id = l.requesting_trx_id AND w.trx_requested_lock_id = l.requested_lock_id " +
		"JOIN information_schema.INNODB_TRX h ON h.trx_id = l.blocking_trx_id ORDER BY 1, 2"
	ids := map[*sql.Conn]string{}
	for _, c := range []*sql.Conn{first, second, middle, last} {
		ids[c] = harness.Single(t, c, "SELECT CONNECTION_ID()")
		harness.Must(t, c, "BEGIN")
	}
	for _, c := range []*sql.Conn{first, second} {
		require.Equal(t, []string{"x"}, harness.Lines(t, c, "SELECT V FROM c WHERE K = 'a' LOCK IN SHARE MODE"))
	}
	harness.Must(t, middle, "UPDATE c SET V = 'm' WHERE K = 'b'")
	require.Empty(t, harness.Lines(t, watcher, waits))
	done := make(chan error, 2)
	wait := func(c *sql.Conn, key string) {
		go func() {
			_, err := c.ExecContext(context.Background(), "UPDATE c SET V = 'w' WHERE K = '"+key+"'")
			done <- err
		}()
		require.Eventually(t, func() bool {
			return slices.ContainsFunc(harness.Lines(t, watcher, waits), func(line string) bool { return strings.HasPrefix(line, ids[c]+" ") })
		}, time.Minute, time.Millisecond)
	}
	wait(middle, "a")
	wait(last, "b")
	want := []string{ids[middle] + " " + ids[first], ids[middle] + " " + ids[second], ids[last] + " " + ids[middle]}
	require.ElementsMatch(t, want, harness.Lines(t, watcher, waits))
	harness.Must(t, first, "COMMIT")
	require.ElementsMatch(t, want[1:], harness.Lines(t, watcher, waits))
	harness.Must(t, second, "COMMIT")
	require.NoError(t, <-done)
	harness.Must(t, middle, "COMMIT")
	require.NoError(t, <-done)
	require.Empty(t, harness.Lines(t, watcher, waits))
}
