package stores

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// TestDDLBesideATransaction: DDL waits for no transaction, and a transaction
// that wrote to the changed table gets an error.
func TestDDLBesideATransaction(t *testing.T) {
	for _, ddl := range []string{"TRUNCATE TABLE t", "DROP TABLE t", "RENAME TABLE t TO u", "DROP DATABASE `default`"} {
		t.Run(ddl, func(t *testing.T) {
			harness.OnLayouts(t, "", func(t *testing.T, db *sql.DB) {
				harness.Must(t, db, "CREATE TABLE other "+harness.PlainTable, "INSERT INTO t VALUES ('k', 'q', 1, 'v')")
				writer, reader := harness.Begin(t, db), harness.Begin(t, db)
				harness.Must(t, writer, "INSERT INTO t VALUES ('mine', 'q', 1, 'v')", "INSERT INTO other VALUES ('mine', 'q', 1, 'v')")
				require.Equal(t, "1", harness.Single(t, reader, "SELECT COUNT(*) FROM t"))
				ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
				defer cancel()
				_, err := db.ExecContext(ctx, ddl)
				require.NoError(t, err)
				require.Equal(t, "1", harness.Single(t, reader, "SELECT COUNT(*) FROM t"), "a snapshot keeps the table")
				harness.RequireErrorNumber(t, 1412, writer.Commit())
				require.NoError(t, reader.Commit())
				if ddl != "DROP DATABASE `default`" {
					require.Equal(t, "0", harness.Single(t, db, "SELECT COUNT(*) FROM other"), "nothing of the transaction is written")
				}
			})
		})
	}
}

// TestDDLUnderLoad creates, drops and truncates a table while others write it;
// their only error is that the table does not exist.
func TestDDLUnderLoad(t *testing.T) {
	harness.OnLayouts(t, "", func(t *testing.T, db *sql.DB) {
		harness.Must(t, db, "CREATE TABLE x "+harness.PlainTable)
		var stop atomic.Bool
		var ddl sync.WaitGroup
		ddl.Go(func() {
			for i := range 30 {
				for _, s := range [][]string{{"TRUNCATE TABLE x"}, {"DROP TABLE x", "CREATE TABLE x " + harness.PlainTable}}[i%2] {
					_, err := db.Exec(s)
					assert.NoError(t, err, s)
				}
			}
			stop.Store(true)
		})
		harness.AtOnce(t, func(worker int) error {
			for i := 0; !stop.Load(); i++ {
				for _, s := range []string{
					fmt.Sprintf("INSERT INTO x (K, Q, V) VALUES ('%d', 'q', '%d')", i%5, worker),
					"UPDATE x SET V = CONCAT(V, 'x') WHERE K = '1'",
					"SELECT COUNT(*) FROM x",
				} {
					if _, err := db.Exec(s); err != nil && harness.ErrorNumber(err) != 1146 {
						return fmt.Errorf("%s: %w", s, err)
					}
				}
			}
			return nil
		})
		ddl.Wait()
		harness.Must(t, db, "DELETE FROM x", "INSERT INTO x VALUES ('k', 'q', 1, 'v')")
		require.Equal(t, []string{"k q 1 v"}, harness.Lines(t, db, "SELECT * FROM x FOR SYSTEM_TIME ALL"))
	})
}
