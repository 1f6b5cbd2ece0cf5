package conformance

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLockWaitTimeout(t *testing.T) {
	onLayouts(t, "?lockTimeout=200ms", func(t *testing.T, db *sql.DB) {
		must(t, db, "INSERT INTO t VALUES ('k', 'q', 1, '0'), ('l', 'q', 1, '0')")
		holder, other := begin(t, db), begin(t, db)
		must(t, holder, "UPDATE t SET V = 'held' WHERE K = 'k'")
		must(t, other, "UPDATE t SET V = 'mine' WHERE K = 'l'")
		for _, waiter := range []execer{other, db} {
			began := time.Now()
			_, err := waiter.ExecContext(context.Background(), "UPDATE t SET V = 'waited' WHERE K = 'k'")
			requireErrorNumber(t, 1205, err)
			require.GreaterOrEqual(t, time.Since(began), 200*time.Millisecond)
			require.Less(t, time.Since(began), 3*time.Second)
		}
		require.Equal(t, []string{"k 0", "l 0"}, lines(t, db, "SELECT K, V FROM t ORDER BY K"), "readers do not wait")
		must(t, db, "INSERT INTO t VALUES ('m', 'q', 1, '0')")

		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		defer cancel()
		_, err := db.ExecContext(ctx, "DELETE FROM t WHERE K = 'k'")
		require.Equal(t, context.DeadlineExceeded, err)

		require.NoError(t, holder.Rollback())
		must(t, other, "UPDATE t SET V = 'after' WHERE K = 'k'")
		require.NoError(t, other.Commit(), "a timeout undoes its statement alone")
		require.Equal(t, []string{"k after", "l mine", "m 0"}, lines(t, db, "SELECT K, V FROM t ORDER BY K"))
	})
}

// TestFirstStatementAfterALockTimeout holds that a transaction whose first
// statement waited in vain may send it again.
func TestFirstStatementAfterALockTimeout(t *testing.T) {
	onLayouts(t, "?lockTimeout=20ms", func(t *testing.T, db *sql.DB) {
		must(t, db, "INSERT INTO t VALUES ('k', 'q', 1, '1')")
		holder, waiter := begin(t, db), begin(t, db)
		must(t, holder, "UPDATE t SET V = V + 1")
		_, err := waiter.Exec("UPDATE t SET V = V + 1")
		requireErrorNumber(t, 1205, err)
		require.NoError(t, holder.Commit())
		must(t, waiter, "UPDATE t SET V = V + 1")
		require.NoError(t, waiter.Commit())
		require.Equal(t, "3", single(t, db, "SELECT V FROM t"))
	})
}

// TestLockingRead increments as applications that lock what they read do: as
// the first statement FOR UPDATE waits, and reads what it waited for. Two that
// share a lock cannot both go on to write, as in InnoDB: one of them is 1213 and
// begins again.
func TestLockingRead(t *testing.T) {
	onLayouts(t, "", func(t *testing.T, db *sql.DB) {
		must(t, db, "INSERT INTO t VALUES ('k', 'n', 1, '0')")
		atOnce(t, func(worker int) error {
			lock := []string{"FOR UPDATE", "LOCK IN SHARE MODE"}[worker%2]
			for done := 0; done < 15; {
				err := incrementLocked(db, lock)
				switch {
				case err == nil:
					done++
				case lock == "FOR UPDATE" || numberOf(err) != 1213:
					return err
				}
			}
			return nil
		})
		require.Equal(t, strconv.Itoa(15*workers), single(t, db, "SELECT V FROM t"))
		tx := begin(t, db)
		require.Empty(t, lines(t, tx, "SELECT V FROM t WHERE K = 'none' FOR UPDATE"))
		require.Equal(t, []string{"120"}, lines(t, tx, "SELECT V FROM t FOR UPDATE"))
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		defer cancel()
		_, err := db.ExecContext(ctx, "DELETE FROM t")
		require.Equal(t, context.DeadlineExceeded, err)
		require.Equal(t, []string{"120"}, lines(t, db, "SELECT V FROM t FOR UPDATE"), "alone it waits for nobody")
	})
}

func incrementLocked(db *sql.DB, lock string) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	var n int
	if err := tx.QueryRow("SELECT V FROM t WHERE K = 'k' " + lock).Scan(&n); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	if _, err := tx.Exec("UPDATE t SET V = ? WHERE K = 'k'", n+1); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

func TestLockOfARowIsItsGroups(t *testing.T) {
	db := openDB(t, ":memory:?lockTimeout=50ms")
	must(t, db, "CREATE TABLE g$a "+plainTable, "CREATE TABLE g$b "+plainTable, "CREATE TABLE h$a "+plainTable)
	tx := begin(t, db)
	must(t, tx, "REPLACE INTO g$a VALUES ('k', 'q', 1, 'v')")
	_, err := db.Exec("REPLACE INTO g$b VALUES ('k', 'q', 1, 'v')")
	requireErrorNumber(t, 1205, err)
	must(t, db, "REPLACE INTO g$b VALUES ('other', 'q', 1, 'v')", "REPLACE INTO h$a VALUES ('k', 'q', 1, 'v')")
	require.NoError(t, tx.Commit())
	must(t, db, "REPLACE INTO g$b VALUES ('k', 'q', 1, 'v')")
}
