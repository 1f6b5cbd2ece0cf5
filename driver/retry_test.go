package driver

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"
)

// TestRetryOfConflicts: transactions that read a counter and write it conflict,
// and each counts once.
func TestRetryOfConflicts(t *testing.T) {
	db := openTable(t)
	run(t, db, "INSERT INTO g$f VALUES ('n', 'q', 1, '0')")
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 10 {
				err := Retry(context.Background(), db, RetryOptions{Attempts: 1000}, func(tx *sql.Tx) error {
					var n int
					if err := tx.QueryRow("SELECT V FROM g$f WHERE K = 'n'").Scan(&n); err != nil {
						return err
					}
					_, err := tx.Exec("UPDATE g$f SET V = ? WHERE K = 'n'", n+1)
					return err
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	require.Equal(t, "40", one(t, db, "SELECT V FROM g$f"))
}

// TestWritersOfTypedRowTakeTurns: a statement that names typed rows by their keys locks them before it reads them,
// so that it never has to run again.
func TestWritersOfTypedRowTakeTurns(t *testing.T) {
	db := openTable(t)
	run(t, db, "CREATE TABLE counters (id int PRIMARY KEY, n bigint, label text)")
	run(t, db, "INSERT INTO counters VALUES (7, 0, 'seven')")
	adds := []string{"UPDATE counters SET n = n + 1 WHERE id = 7", "UPDATE counters SET n = n + 1 WHERE id = 7 AND n >= 0",
		"UPDATE counters SET n = n + 1 WHERE id = 7 LIMIT 1", "INSERT INTO counters (id) VALUES (7) ON DUPLICATE KEY UPDATE n = n + 1"}
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for i := range 200 {
				if _, err := db.Exec(adds[i%len(adds)]); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	require.Equal(t, "800", one(t, db, "SELECT n FROM counters"))
	require.Zero(t, gather(t, db).of(t, "store_conflicts_total"))
}

// TestWritersOfTypedRowsTakeTurns is the same for statements that name several rows, in any order.
func TestWritersOfTypedRowsTakeTurns(t *testing.T) {
	db := openTable(t)
	run(t, db, "CREATE TABLE counters (id int PRIMARY KEY, n bigint)")
	run(t, db, "INSERT INTO counters VALUES (3, 0), (7, 0), (12, 0)")
	adds := []string{"UPDATE counters SET n = n + 1 WHERE id IN (3, 7, 12)", "UPDATE counters SET n = n + 1 WHERE id IN (12, 9, 7)",
		"UPDATE counters SET n = n + 1 WHERE id IN (7, 3) AND n >= 0", "UPDATE counters SET n = n + 1 WHERE id = 12 OR id = 3",
		"INSERT INTO counters (id) VALUES (7) ON DUPLICATE KEY UPDATE n = n + 1"}
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			for i := range 200 {
				if _, err := db.Exec(adds[(i+worker)%len(adds)]); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	require.Equal(t, "3200", one(t, db, "SELECT SUM(n) FROM counters"))
	figures := gather(t, db)
	require.Zero(t, figures.of(t, "store_conflicts_total"))
	require.Zero(t, figures.of(t, "store_deadlocks_total"))
}

func TestRetryStops(t *testing.T) {
	db := openTable(t)
	deadlock := &mysql.MySQLError{Number: 1213}
	for _, c := range []struct {
		err   error
		calls int
	}{
		{deadlock, 3}, {&mysql.MySQLError{Number: 1205}, 3}, {&mysql.MySQLError{Number: 1062}, 1},
		{driver.ErrBadConn, 1}, {errors.New("of the program"), 1}, {nil, 1},
	} {
		calls := 0
		err := Retry(context.Background(), db, RetryOptions{Attempts: 3, Backoff: time.Microsecond}, func(tx *sql.Tx) error {
			calls++
			run(t, tx, "REPLACE INTO g$f VALUES ('k', 'q', 1, 'v')")
			return c.err
		})
		require.Equal(t, c.err, err)
		require.Equal(t, c.calls, calls, "%v", c.err)
	}
	require.Equal(t, "1", one(t, db, "SELECT COUNT(*) FROM g$f"), "of the attempt that had no error")

	ctx, cancel := context.WithCancel(context.Background())
	err := Retry(ctx, db, RetryOptions{Backoff: time.Hour}, func(*sql.Tx) error {
		cancel()
		return deadlock
	})
	require.Equal(t, deadlock, err, "it does not wait for an attempt that cannot be")
}

func ExampleRetry() {
	db, err := sql.Open("hbasekv", MemoryPath)
	if err != nil {
		panic(err)
	}
	defer db.Close()
	ctx := context.Background()
	_, err = db.Exec(`CREATE TABLE counters (K varbinary(64), Q varbinary(64), T bigint, V varbinary(64) NOT NULL, PRIMARY KEY (K, Q, T))`)
	if err != nil {
		panic(err)
	}
	err = Retry(ctx, db, RetryOptions{}, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO counters (K, Q, V) VALUES ('visits', 'n', '1')")
		return err
	})
	if err != nil {
		panic(err)
	}
	var visits int
	if err := db.QueryRow("SELECT V FROM counters").Scan(&visits); err != nil {
		panic(err)
	}
	fmt.Println(visits)
	// Output: 1
}
