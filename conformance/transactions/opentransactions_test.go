package transactions

import (
	"context"
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
