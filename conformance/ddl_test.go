package conformance

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
)

// TestDDLBesideATransaction holds that DDL waits for no transaction, and that
// a transaction which wrote to the changed table is told.
func TestDDLBesideATransaction(t *testing.T) {
	for _, ddl := range []string{"TRUNCATE TABLE t", "DROP TABLE t", "RENAME TABLE t TO u", "DROP DATABASE `default`"} {
		t.Run(ddl, func(t *testing.T) {
			onLayouts(t, "", func(t *testing.T, db *sql.DB) {
				must(t, db, "CREATE TABLE other "+plainTable, "INSERT INTO t VALUES ('k', 'q', 1, 'v')")
				writer, reader := begin(t, db), begin(t, db)
				must(t, writer, "INSERT INTO t VALUES ('mine', 'q', 1, 'v')", "INSERT INTO other VALUES ('mine', 'q', 1, 'v')")
				require.Equal(t, "1", single(t, reader, "SELECT COUNT(*) FROM t"))
				ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
				defer cancel()
				_, err := db.ExecContext(ctx, ddl)
				require.NoError(t, err)
				require.Equal(t, "1", single(t, reader, "SELECT COUNT(*) FROM t"), "a snapshot keeps the table")
				requireErrorNumber(t, 1412, writer.Commit())
				require.NoError(t, reader.Commit())
				if ddl != "DROP DATABASE `default`" {
					require.Equal(t, "0", single(t, db, "SELECT COUNT(*) FROM other"), "nothing of the transaction is written")
				}
			})
		})
	}
}

// TestDDLUnderLoad creates, drops and truncates a table under writers, who see
// no error but that it is missing.
func TestDDLUnderLoad(t *testing.T) {
	onLayouts(t, "", func(t *testing.T, db *sql.DB) {
		must(t, db, "CREATE TABLE x "+plainTable)
		var stop atomic.Bool
		var ddl sync.WaitGroup
		ddl.Go(func() {
			for i := range 30 {
				for _, s := range [][]string{{"TRUNCATE TABLE x"}, {"DROP TABLE x", "CREATE TABLE x " + plainTable}}[i%2] {
					_, err := db.Exec(s)
					assert.NoError(t, err, s)
				}
			}
			stop.Store(true)
		})
		atOnce(t, func(worker int) error {
			for i := 0; !stop.Load(); i++ {
				for _, s := range []string{
					fmt.Sprintf("INSERT INTO x (K, Q, V) VALUES ('%d', 'q', '%d')", i%5, worker),
					"UPDATE x SET V = CONCAT(V, 'x') WHERE K = '1'",
					"SELECT COUNT(*) FROM x",
				} {
					if _, err := db.Exec(s); err != nil && errorNumber(err) != 1146 {
						return fmt.Errorf("%s: %w", s, err)
					}
				}
			}
			return nil
		})
		ddl.Wait()
		must(t, db, "DELETE FROM x", "INSERT INTO x VALUES ('k', 'q', 1, 'v')")
		require.Equal(t, []string{"k q 1 v"}, lines(t, db, "SELECT * FROM x FOR SYSTEM_TIME ALL"))
	})
}
