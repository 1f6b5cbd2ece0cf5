package writes

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// TestCreateSelectIsAtomic: nobody sees the table of a CREATE TABLE ... SELECT
// before it has its rows, and one that ends early leaves nothing.
func TestCreateSelectIsAtomic(t *testing.T) {
	db := harness.OpenDB(t, ":memory:")
	harness.Must(t, db, "CREATE TABLE c "+harness.PlainTable,
		"INSERT INTO c VALUES ('a', 'q', 1, 'x'), ('b', 'q', 1, 'y')")
	ends := map[string]struct {
		meanwhile func(cancel context.CancelFunc)
		number    uint16 // of the error, 0 for none
		cancelled bool
	}{
		"good": {meanwhile: func(context.CancelFunc) {}},
		"taken": {meanwhile: func(context.CancelFunc) { harness.Must(t, db, "CREATE TABLE made "+harness.PlainTable) },
			number: 1050},
		"a view": {meanwhile: func(context.CancelFunc) { harness.Must(t, db, "CREATE VIEW made AS SELECT 1") },
			number: 1050},
		"killed": {meanwhile: func(context.CancelFunc) {
			harness.Must(t, db, "KILL QUERY "+harness.Single(t, db,
				"SELECT ID FROM information_schema.PROCESSLIST WHERE "+making))
		}, number: 1317},
		"canceled": {meanwhile: func(cancel context.CancelFunc) { cancel() }, cancelled: true},
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			gate := harness.Conn(t, db)
			require.Equal(t, "1", harness.Single(t, gate, "SELECT GET_LOCK('gate', 0)"))
			done := make(chan error, 1)
			go func() {
				_, err := db.ExecContext(ctx, "CREATE TABLE made SELECT K, Q, T, "+
					"CONCAT(GET_LOCK('gate', 60) + RELEASE_LOCK('gate'), V) AS V FROM c")
				done <- err
			}()
			waitsInGate(t, gate)
			require.Equal(t, "0", harness.Single(t, gate, "SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_NAME = 'made'"))
			end.meanwhile(cancel)
			require.Equal(t, "1", harness.Single(t, gate, "SELECT RELEASE_LOCK('gate')"))
			err := <-done
			switch {
			case end.cancelled:
				require.ErrorIs(t, err, context.Canceled)
			case end.number != 0:
				require.Equal(t, end.number, harness.ErrorNumber(err), err)
			default:
				require.NoError(t, err)
				require.Equal(t, "2x,2y", harness.Single(t, gate, "SELECT GROUP_CONCAT(V ORDER BY K) FROM made"))
			}
			require.Equal(t, "0", harness.Single(t, gate, "SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_NAME LIKE '#%'"))
			harness.Must(t, db, "DROP TABLE IF EXISTS made", "DROP VIEW IF EXISTS made")
		})
	}
}

// making is true for the process that creates the table.
const making = "INFO LIKE 'CREATE TABLE made%'"

// waitsInGate returns when a statement is waiting for the lock.
func waitsInGate(t *testing.T, conn *sql.Conn) {
	require.Eventually(t, func() bool {
		return harness.Single(t, conn, "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE "+making) == "1"
	}, time.Minute, time.Millisecond)
}
