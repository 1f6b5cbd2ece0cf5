package transactions

import (
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// retry runs fn in transactions until one of them commits.
func retry(db *sql.DB, fn func(*sql.Tx) error) error {
	for {
		tx, err := db.Begin()
		if err != nil {
			return err
		}
		if err = fn(tx); err == nil {
			err = tx.Commit()
		}
		_ = tx.Rollback()
		if harness.ErrorNumber(err) != 1213 {
			return err
		}
	}
}

func TestTransfersKeepTheSum(t *testing.T) {
	harness.OnLayouts(t, "", func(t *testing.T, db *sql.DB) {
		const accounts = 10
		for i := range accounts {
			harness.Must(t, db, fmt.Sprintf("INSERT INTO t VALUES ('a%d', 'balance', 1, '100')", i))
		}
		done := make(chan struct{})
		var readers sync.WaitGroup
		for range 2 {
			readers.Go(func() {
				for {
					select {
					case <-done:
						return
					default:
					}
					var sum, count int
					if !assert.NoError(t, db.QueryRow("SELECT SUM(V), COUNT(*) FROM t").Scan(&sum, &count)) {
						return
					}
					if !assert.Equal(t, [2]int{100 * accounts, accounts}, [2]int{sum, count}) {
						return
					}
				}
			})
		}
		harness.AtOnce(t, func(worker int) error {
			r := rand.New(rand.NewPCG(1, uint64(worker)))
			for range 15 {
				from, to, amount := r.IntN(accounts), r.IntN(accounts), r.IntN(20)
				if from == to {
					continue
				}
				if err := retry(db, func(tx *sql.Tx) error { return transfer(tx, from, to, amount) }); err != nil {
					return err
				}
			}
			return nil
		})
		close(done)
		readers.Wait()
		require.Equal(t, strconv.Itoa(100*accounts), harness.Single(t, db, "SELECT SUM(V) FROM t"))
	})
}

func transfer(tx *sql.Tx, from, to, amount int) error {
	const move = "UPDATE t SET V = V + ? WHERE K = ? AND Q = 'balance'"
	if _, err := tx.Exec(move, -amount, fmt.Sprintf("a%d", from)); err != nil {
		return err
	}
	var sum int
	if err := tx.QueryRow("SELECT SUM(V) FROM t").Scan(&sum); err != nil {
		return err
	}
	if sum != 1000-amount {
		return fmt.Errorf("inside the transaction the sum is %d, want %d", sum, 1000-amount)
	}
	_, err := tx.Exec(move, amount, fmt.Sprintf("a%d", to))
	return err
}

func TestWriteConflict(t *testing.T) {
	harness.OnLayouts(t, "", func(t *testing.T, db *sql.DB) {
		harness.Must(t, db, "INSERT INTO t VALUES ('k', 'q', 1, '0'), ('l', 'q', 1, '0')")
		a, b := harness.Begin(t, db), harness.Begin(t, db)
		require.Equal(t, "0", harness.Single(t, a, "SELECT V FROM t WHERE K = 'k'"))
		harness.Must(t, a, "UPDATE t SET V = 'lost' WHERE K = 'l'")
		harness.Must(t, b, "UPDATE t SET V = V + 1 WHERE K = 'k'")
		require.NoError(t, b.Commit())
		require.Equal(t, "0", harness.Single(t, a, "SELECT V FROM t WHERE K = 'k'"), "the snapshot stays")
		_, err := a.Exec("UPDATE t SET V = V + 1 WHERE K = 'k'")
		harness.RequireErrorNumber(t, 1213, err)
		_, err = a.Query("SELECT V FROM t")
		harness.RequireErrorNumber(t, 1213, err)
		harness.RequireErrorNumber(t, 1213, a.Commit())
		require.NoError(t, retry(db, func(tx *sql.Tx) error {
			_, err := tx.Exec("UPDATE t SET V = V + 1 WHERE K = 'k'")
			return err
		}))
		require.Equal(t, []string{"k 2", "l 0"}, harness.Lines(t, db, "SELECT K, V FROM t ORDER BY K"))
	})
}

// TestAFirstWriteThatWaitsSeesWhatItWaitedFor: a transaction whose first
// statement writes has no conflict with the transaction that it waits for.
func TestAFirstWriteThatWaitsSeesWhatItWaitedFor(t *testing.T) {
	harness.OnLayouts(t, "", func(t *testing.T, db *sql.DB) {
		a, b := harness.Begin(t, db), harness.Begin(t, db)
		harness.Must(t, a, "INSERT INTO t VALUES ('k', 'q', 5, 'a')")
		waited := make(chan error, 1)
		go func() {
			_, err := b.Exec("INSERT INTO t VALUES ('k', 'q', 5, 'b')")
			waited <- err
		}()
		select {
		case err := <-waited:
			t.Fatalf("did not wait: %v", err)
		case <-time.After(30 * time.Millisecond):
		}
		require.NoError(t, a.Commit())
		harness.RequireErrorNumber(t, 1062, <-waited)
		harness.Must(t, b, "REPLACE INTO t VALUES ('k', 'q', 6, 'b')")
		require.NoError(t, b.Commit())
		require.Equal(t, []string{"k q 6 b", "k q 5 a"}, harness.Lines(t, db, "SELECT * FROM t FOR SYSTEM_TIME ALL ORDER BY K, Q, T DESC"))
	})
}

func TestDeadlock(t *testing.T) {
	harness.OnLayouts(t, "?lockTimeout=1m", func(t *testing.T, db *sql.DB) {
		harness.Must(t, db, "INSERT INTO t VALUES ('a', 'q', 1, '0'), ('b', 'q', 1, '0')")
		first, second := harness.Begin(t, db), harness.Begin(t, db)
		harness.Must(t, first, "UPDATE t SET V = 'first' WHERE K = 'a'")
		harness.Must(t, second, "UPDATE t SET V = 'second' WHERE K = 'b'")
		waits := make(chan error, 1)
		go func() {
			_, err := first.Exec("UPDATE t SET V = 'first' WHERE K = 'b'")
			waits <- err
		}()
		require.Eventually(t, func() bool { // otherwise it might be the one that closes the cycle
			return harness.Single(t, db, "SELECT COUNT(*) FROM information_schema.INNODB_TRX WHERE trx_state = 'LOCK WAIT'") == "1"
		}, time.Minute, time.Millisecond)
		_, err := second.Exec("UPDATE t SET V = 'second' WHERE K = 'a'")
		harness.RequireErrorNumber(t, 1213, err)
		require.NoError(t, <-waits, "the victim's rollback lets the other go on")
		require.NoError(t, first.Commit())
		require.NoError(t, second.Rollback())
		require.Equal(t, []string{"a first", "b first"}, harness.Lines(t, db, "SELECT K, V FROM t ORDER BY K"))
	})
}

// TestIncrementAsORMsDo increments in transactions of one statement, with a
// savepoint before it: if nothing is read before, no caller sees a conflict.
func TestIncrementAsORMsDo(t *testing.T) {
	harness.OnLayouts(t, "", func(t *testing.T, db *sql.DB) {
		harness.Must(t, db, "INSERT INTO t VALUES ('k', 'n', 1, '0')")
		harness.AtOnce(t, func(worker int) error {
			for range 20 {
				tx, err := db.Begin()
				if err != nil {
					return err
				}
				for _, s := range []string{"SAVEPOINT s", "UPDATE t SET V = V + 1", "SAVEPOINT late", "UPDATE t SET V = V + 100", "ROLLBACK TO late"} {
					if _, err := tx.Exec(s); err != nil {
						return errors.Join(err, tx.Rollback())
					}
				}
				if err := tx.Commit(); err != nil {
					return err
				}
			}
			return nil
		})
		require.Equal(t, strconv.Itoa(20*harness.Workers), harness.Single(t, db, "SELECT V FROM t"))
	})
}

// TestRollbackLeavesNothing: a rollback, a failed statement and a savepoint
// undo what they should and nothing else, also for concurrent readers.
func TestRollbackLeavesNothing(t *testing.T) {
	harness.OnLayouts(t, "", func(t *testing.T, db *sql.DB) {
		harness.Must(t, db, "INSERT INTO t VALUES ('a', 'q', 1, 'a1'), ('a', 'q', 2, 'a2'), ('b', 'q', 1, 'b1')")
		before := harness.Lines(t, db, "SELECT * FROM t FOR SYSTEM_TIME ALL ORDER BY K, Q, T DESC")
		tx := harness.Begin(t, db)
		harness.Must(t, tx, "DELETE FROM t WHERE K = 'a'", "UPDATE t SET K = 'c', V = 'moved' WHERE K = 'b'",
			"SAVEPOINT s", "REPLACE INTO t VALUES ('c', 'q', 1, 'again')")
		_, err := tx.Exec("INSERT INTO t VALUES ('d', 'q', 1, 'd'), ('e', 'q', 1, 'e'), ('c', 'q', 1, 'dup')")
		harness.RequireErrorNumber(t, 1062, err)
		require.Equal(t, []string{"c"}, harness.Lines(t, tx, "SELECT DISTINCT K FROM t FOR SYSTEM_TIME ALL"))
		harness.Must(t, tx, "ROLLBACK TO s")
		require.Equal(t, "moved b1", strings.Join(harness.Lines(t, tx, "SELECT V FROM t FOR SYSTEM_TIME ALL"), " "))
		require.Equal(t, before, harness.Lines(t, db, "SELECT * FROM t FOR SYSTEM_TIME ALL ORDER BY K, Q, T DESC"))
		require.NoError(t, tx.Rollback())
		require.Equal(t, before, harness.Lines(t, db, "SELECT * FROM t FOR SYSTEM_TIME ALL ORDER BY K, Q, T DESC"))
		var e *mysql.MySQLError
		require.NotErrorAs(t, tx.Rollback(), &e, "database/sql answers by itself")
	})
}
