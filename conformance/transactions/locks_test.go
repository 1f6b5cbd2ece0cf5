package transactions

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/driver"
)

func TestLockWaitTimeout(t *testing.T) {
	t.Parallel() // it waits most of the time
	harness.OnLayouts(t, "?lockTimeout=200ms", func(t *testing.T, db *sql.DB) {
		harness.Must(t, db, "INSERT INTO t VALUES ('k', 'q', 1, '0'), ('l', 'q', 1, '0')")
		holder, other := harness.Begin(t, db), harness.Begin(t, db)
		harness.Must(t, holder, "UPDATE t SET V = 'held' WHERE K = 'k'")
		harness.Must(t, other, "UPDATE t SET V = 'mine' WHERE K = 'l'")
		for _, waiter := range []harness.Execer{other, db} {
			began := time.Now()
			_, err := waiter.ExecContext(context.Background(), "UPDATE t SET V = 'waited' WHERE K = 'k'")
			harness.RequireErrorNumber(t, 1205, err)
			require.GreaterOrEqual(t, time.Since(began), 200*time.Millisecond)
			require.Less(t, time.Since(began), driver.DefaultLockTimeout)
		}
		require.Equal(t, []string{"k 0", "l 0"}, harness.Lines(t, db, "SELECT K, V FROM t ORDER BY K"),
			"readers do not wait")
		harness.Must(t, db, "INSERT INTO t VALUES ('m', 'q', 1, '0')")

		patient := harness.Conn(t, db)
		harness.Must(t, patient, "SET innodb_lock_wait_timeout = 60")
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		defer cancel()
		_, err := patient.ExecContext(ctx, "DELETE FROM t WHERE K = 'k'")
		require.Equal(t, context.DeadlineExceeded, err)

		require.NoError(t, holder.Rollback())
		harness.Must(t, other, "UPDATE t SET V = 'after' WHERE K = 'k'")
		require.NoError(t, other.Commit(), "a timeout undoes its statement alone")
		require.Equal(t, []string{"k after", "l mine", "m 0"}, harness.Lines(t, db, "SELECT K, V FROM t ORDER BY K"))
	})
}

// TestLockingReadAlone: FOR UPDATE without a transaction waits for the locks of others, and keeps none.
func TestLockingReadAlone(t *testing.T) {
	t.Parallel() // it waits most of the time
	harness.OnLayouts(t, "?lockTimeout=200ms", func(t *testing.T, db *sql.DB) {
		harness.Must(t, db, "INSERT INTO t VALUES ('k', 'q', 1, '0')", "CREATE TABLE p (id int PRIMARY KEY, v int)", "INSERT INTO p VALUES (1, 0), (2, 0)")
		for _, table := range [][2]string{{"SELECT V FROM t WHERE K = 'k'", "UPDATE t SET V = V + 1"}, {"SELECT v FROM p WHERE id = 1", "UPDATE p SET v = v + 1 WHERE id = 1"}} {
			holder := harness.Begin(t, db)
			harness.Must(t, holder, table[1])
			for _, lock := range []string{" FOR UPDATE", " LOCK IN SHARE MODE"} {
				_, err := harness.TryLines(db, table[0]+lock)
				harness.RequireErrorNumber(t, 1205, err)
			}
			require.Equal(t, "0", harness.Single(t, db, table[0]), "plain reads do not wait")
			waited := make(chan string, 1)
			go func() {
				var v string
				for v == "" { // waiting for the lock may time out
					_ = db.QueryRow(table[0] + " FOR UPDATE").Scan(&v)
				}
				waited <- v
			}()
			require.NoError(t, holder.Commit())
			require.Equal(t, "1", <-waited)
			require.EqualValues(t, 1, harness.Affected(t, db, table[1]), "no lock is left")
		}
		require.Equal(t, "0", harness.Single(t, db, "SELECT v FROM p WHERE id = 2 FOR UPDATE"))
	})
}

// TestClockOfAWaitingInsert: a version at the server's clock is newer than everything that was
// written while its row's lock was waited for.
func TestClockOfAWaitingInsert(t *testing.T) {
	harness.OnLayouts(t, "", func(t *testing.T, db *sql.DB) {
		holder := harness.Begin(t, db)
		harness.Must(t, holder, "INSERT INTO t VALUES ('k', 'p', 1, 'locks the row')")
		waited := make(chan error, 1)
		go func() {
			_, err := db.Exec("INSERT INTO t (K, Q, V) VALUES ('k', 'q', 'waited')")
			waited <- err
		}()
		require.Eventually(t, func() bool {
			return harness.Single(t, db, "SELECT COUNT(*) FROM information_schema.INNODB_TRX WHERE trx_state = 'LOCK WAIT'") == "1"
		}, time.Minute, time.Millisecond)
		time.Sleep(2 * time.Millisecond) // the clock's unit is one millisecond
		harness.Must(t, holder, "INSERT INTO t (K, Q, V) VALUES ('k', 'q', 'held')")
		require.NoError(t, holder.Commit())
		require.NoError(t, <-waited)
		require.Equal(t, []string{"held", "waited"}, harness.Lines(t, db, "SELECT V FROM t FOR SYSTEM_TIME ALL WHERE Q = 'q' ORDER BY T"))
	})
}

// TestFirstStatementAfterALockTimeout: a transaction whose first statement
// waited without success may send it again.
func TestFirstStatementAfterALockTimeout(t *testing.T) {
	harness.OnLayouts(t, "?lockTimeout=20ms", func(t *testing.T, db *sql.DB) {
		harness.Must(t, db, "INSERT INTO t VALUES ('k', 'q', 1, '1')")
		holder, waiter := harness.Begin(t, db), harness.Begin(t, db)
		harness.Must(t, holder, "UPDATE t SET V = V + 1")
		_, err := waiter.Exec("UPDATE t SET V = V + 1")
		harness.RequireErrorNumber(t, 1205, err)
		require.NoError(t, holder.Commit())
		harness.Must(t, waiter, "UPDATE t SET V = V + 1")
		require.NoError(t, waiter.Commit())
		require.Equal(t, "3", harness.Single(t, db, "SELECT V FROM t"))
	})
}

// TestLockingRead increments as applications do that lock what they read: FOR
// UPDATE as the first statement waits, and reads what it waited for. Two
// transactions that share a lock cannot both go on to write, as in InnoDB: one
// of them gets 1213 and starts again.
func TestLockingRead(t *testing.T) {
	harness.OnLayouts(t, "", func(t *testing.T, db *sql.DB) {
		harness.Must(t, db, "INSERT INTO t VALUES ('k', 'n', 1, '0')")
		harness.AtOnce(t, func(worker int) error {
			lock := []string{"FOR UPDATE", "LOCK IN SHARE MODE"}[worker%2]
			for done := 0; done < 15; {
				err := incrementLocked(db, lock)
				switch {
				case err == nil:
					done++
				case lock == "FOR UPDATE" || harness.NumberOf(err) != 1213:
					return err
				}
			}
			return nil
		})
		require.Equal(t, strconv.Itoa(15*harness.Workers), harness.Single(t, db, "SELECT V FROM t"))
		tx := harness.Begin(t, db)
		require.Empty(t, harness.Lines(t, tx, "SELECT V FROM t WHERE K = 'none' FOR UPDATE"))
		require.Equal(t, []string{"120"}, harness.Lines(t, tx, "SELECT V FROM t FOR UPDATE"))
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		defer cancel()
		_, err := db.ExecContext(ctx, "DELETE FROM t")
		require.Equal(t, context.DeadlineExceeded, err)
		_, err = db.QueryContext(ctx, "SELECT V FROM t FOR UPDATE")
		require.Equal(t, context.DeadlineExceeded, err, "alone it waits, too")
	})
}

func incrementLocked(db *sql.DB, lock string) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var n int
	if err := tx.QueryRow("SELECT V FROM t WHERE K = 'k' " + lock).Scan(&n); err != nil {
		return err
	}
	if _, err := tx.Exec("UPDATE t SET V = ? WHERE K = 'k'", n+1); err != nil {
		return err
	}
	return tx.Commit()
}

func TestLockOfARowIsItsGroups(t *testing.T) {
	db := harness.OpenDB(t, ":memory:?lockTimeout=50ms")
	harness.Must(t, db, "CREATE TABLE g$a "+harness.PlainTable, "CREATE TABLE g$b "+harness.PlainTable,
		"CREATE TABLE h$a "+harness.PlainTable)
	tx := harness.Begin(t, db)
	harness.Must(t, tx, "REPLACE INTO g$a VALUES ('k', 'q', 1, 'v')")
	_, err := db.Exec("REPLACE INTO g$b VALUES ('k', 'q', 1, 'v')")
	harness.RequireErrorNumber(t, 1205, err)
	harness.Must(t, db, "REPLACE INTO g$b VALUES ('other', 'q', 1, 'v')", "REPLACE INTO h$a VALUES ('k', 'q', 1, 'v')")
	require.NoError(t, tx.Commit())
	harness.Must(t, db, "REPLACE INTO g$b VALUES ('k', 'q', 1, 'v')")
}

// TestLockingReadOfManyRows locks all rows with the first statement, with
// concurrent writers of some: there are no conflicts, and no increment is lost.
func TestLockingReadOfManyRows(t *testing.T) {
	t.Parallel() // it waits most of the time

	for _, rows := range []int{20, 600} { // 600 are more than are buffered while they are locked
		harness.OnLayouts(t, "?lockTimeout=1m", func(t *testing.T, db *sql.DB) {
			fill := harness.Begin(t, db)
			for i := range rows {
				harness.Must(t, fill, fmt.Sprintf("INSERT INTO t VALUES ('%03d', 'q', 1, '0')", i))
			}
			require.NoError(t, fill.Commit())
			harness.AtOnce(t, func(worker int) error {
				for i := range 4 {
					if worker%2 == 0 {
						if _, err := db.Exec("UPDATE t SET V = V + 1 WHERE K = ?", fmt.Sprintf("%03d", (worker*7+i)%rows)); err != nil {
							return err
						}
						continue
					}
					if err := incrementAll(db, rows); err != nil {
						return err
					}
				}
				return nil
			})
			single := harness.Workers / 2 * 4
			require.Equal(t, []string{strconv.Itoa(rows*single + single)}, harness.Lines(t, db, "SELECT SUM(V) FROM t"))
		})
	}
}

// incrementAll reads all rows under locks, and writes back what it has read, incremented.
func incrementAll(db *sql.DB, want int) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	read, err := harness.TryLines(tx, "SELECT K, V FROM t FOR UPDATE")
	if err != nil {
		return err
	}
	if len(read) != want {
		return fmt.Errorf("%d rows, want %d", len(read), want)
	}
	for _, line := range read {
		k, v, _ := strings.Cut(line, " ")
		n, err := strconv.Atoi(v)
		if err != nil {
			return err
		}
		if _, err := tx.Exec("UPDATE t SET V = ? WHERE K = ?", strconv.Itoa(n+1), k); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// TestQueueOfJobs lets workers take jobs with SKIP LOCKED: each job is done
// once, and no worker waits or is refused.
func TestQueueOfJobs(t *testing.T) {
	for _, level := range []sql.IsolationLevel{sql.LevelReadCommitted, sql.LevelRepeatableRead} {
		harness.OnLayouts(t, "", func(t *testing.T, db *sql.DB) {
			const jobs = 60
			for i := range jobs {
				harness.Must(t, db, fmt.Sprintf("INSERT INTO t VALUES ('job%02d', 'state', 1, 'new')", i))
			}
			harness.AtOnce(t, func(worker int) error {
				for {
					done, err := takeJob(db, level, worker)
					if done || err != nil {
						return err
					}
				}
			})
			require.Equal(t, strconv.Itoa(jobs),
				harness.Single(t, db, "SELECT COUNT(*) FROM t WHERE V LIKE 'done by %'"))
			require.Equal(t, strconv.Itoa(2*jobs), harness.Single(t, db, "SELECT COUNT(*) FROM t FOR SYSTEM_TIME ALL"), "each once")
		})
	}
}

func takeJob(db *sql.DB, level sql.IsolationLevel, worker int) (none bool, err error) {
	tx, err := db.BeginTx(context.Background(), &sql.TxOptions{Isolation: level})
	if err != nil {
		return false, err
	}
	defer tx.Rollback()
	var job string
	err = tx.QueryRow("SELECT K FROM t WHERE V = 'new' ORDER BY K LIMIT 1 FOR UPDATE SKIP LOCKED").Scan(&job)
	if errors.Is(err, sql.ErrNoRows) {
		var left int
		err = db.QueryRow("SELECT COUNT(*) FROM t WHERE V = 'new'").Scan(&left)
		return left == 0, err
	}
	if err != nil {
		return false, err
	}
	if _, err := tx.Exec("UPDATE t SET V = ? WHERE K = ?", fmt.Sprintf("done by %d", worker), job); err != nil {
		return false, err
	}
	return false, tx.Commit()
}

// TestWhatIsLocked: of the rows that a locking read reads, those that satisfy
// WHERE are locked, wherever in the statement the clause stands.
func TestWhatIsLocked(t *testing.T) {
	db := harness.OpenDB(t, ":memory:?lockTimeout=1ms")
	harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable, "CREATE VIEW v AS SELECT K, V FROM t WHERE Q = 'q'", "CREATE TABLE g$a "+harness.PlainTable,
		"INSERT INTO t VALUES ('a', 'q', 1, '1'), ('b', 'q', 1, '2'), ('c', 'q', 1, '3'), ('c', 'r', 1, '3')", "INSERT INTO g$a VALUES ('a', 'q', 1, '1')")
	for query, want := range map[string]string{
		"SELECT V FROM t WHERE K = 'a' FOR UPDATE":                                           "a",
		"SELECT V FROM t WHERE V > 1 FOR UPDATE":                                             "b c",
		"SELECT V FROM t ORDER BY K LIMIT 1 FOR UPDATE":                                      "a",
		"SELECT V FROM t WHERE K = 'none' FOR UPDATE":                                        "",
		"SELECT V FROM v WHERE K = 'b' FOR UPDATE":                                           "b",
		"SELECT COUNT(*) FROM t WHERE Q = 'r' LOCK IN SHARE MODE":                            "c",
		"(SELECT V FROM t WHERE K = 'a' FOR UPDATE) UNION (SELECT V FROM t WHERE K = 'b')":   "a",
		"SELECT V FROM t WHERE K = 'a' UNION SELECT V FROM t WHERE K = 'b' FOR UPDATE":       "a b",
		"SELECT V FROM t WHERE K = 'a' EXCEPT SELECT V FROM t WHERE K = 'b' FOR UPDATE":      "a b",
		"SELECT x.V FROM t x JOIN t y ON x.V = y.V WHERE x.Q = 'r' AND y.Q = 'q' FOR UPDATE": "a b c", // what the join reads
		"SELECT V FROM t WHERE K IN (SELECT K FROM g$a) FOR UPDATE":                          "a",
		"SELECT V FROM t WHERE K = 'a'":                                                      "",
	} {
		tx := harness.Begin(t, db)
		harness.Lines(t, tx, query)
		locked := []string{}
		for _, k := range []string{"a", "b", "c"} {
			if _, err := db.Exec("REPLACE INTO t VALUES (?, 'other', 1, '')", k); err != nil {
				harness.RequireErrorNumber(t, 1205, err)
				locked = append(locked, k)
			}
		}
		require.Equal(t, want, strings.Join(locked, " "), query)
		harness.Must(t, db, "REPLACE INTO g$a VALUES ('a', 'other', 1, '')") // a subquery locks nothing
		require.NoError(t, tx.Rollback())
		harness.Must(t, db, "DELETE FROM t WHERE Q = 'other'")
	}
}
