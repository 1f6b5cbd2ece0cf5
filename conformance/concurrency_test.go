package conformance

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	plainTable = "(K varbinary(1024), Q varbinary(256), T bigint, V varbinary(1048576), PRIMARY KEY (K, Q, T))"
	workers    = 8
)

// openDB is a database that the test closes.
func openDB(t testing.TB, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open("hbasekv", dsn)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// querier is a database, a connection or a transaction.
type querier interface {
	execer
	QueryRowContext(context.Context, string, ...any) *sql.Row
}

func must(t testing.TB, db execer, statements ...string) {
	t.Helper()
	for _, s := range statements {
		_, err := db.ExecContext(context.Background(), s)
		require.NoError(t, err, s)
	}
}

// affected runs a statement that must work and gives its RowsAffected.
func affected(t testing.TB, db execer, query string, args ...any) int64 {
	t.Helper()
	r, err := db.ExecContext(context.Background(), query, args...)
	require.NoError(t, err, query)
	n, err := r.RowsAffected()
	require.NoError(t, err)
	return n
}

// single is the one value that a query gives, NULL as "NULL".
func single(t testing.TB, db querier, query string, args ...any) string {
	t.Helper()
	var s sql.NullString
	require.NoError(t, db.QueryRowContext(context.Background(), query, args...).Scan(&s), query)
	if !s.Valid {
		return "NULL"
	}
	return s.String
}

// lines are a query's rows, their columns divided by a space, NULL as "NULL".
func lines(t testing.TB, db execer, query string, args ...any) []string {
	t.Helper()
	out, err := tryLines(db, query, args...)
	require.NoError(t, err, query)
	return out
}

func tryLines(db execer, query string, args ...any) ([]string, error) {
	rows, err := db.QueryContext(context.Background(), query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	cells, into := make([]sql.NullString, len(names)), make([]any, len(names))
	for i := range cells {
		into[i] = &cells[i]
	}
	out := []string{}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		words := make([]string, len(cells))
		for i, c := range cells {
			if words[i] = c.String; !c.Valid {
				words[i] = "NULL"
			}
		}
		out = append(out, strings.Join(words, " "))
	}
	return out, rows.Err()
}

// numberOf is MySQL's number of an error, 0 of nil.
func numberOf(err error) uint16 {
	if err == nil {
		return 0
	}
	return errorNumber(err)
}

func requireErrorNumber(t testing.TB, number uint16, err error) {
	t.Helper()
	require.Equal(t, number, numberOf(err), "%v", err)
}

// onLayouts runs a test on a table t without partitions and on one with seven.
func onLayouts(t *testing.T, parameters string, test func(*testing.T, *sql.DB)) {
	for name, partitioning := range map[string]string{"none": "", "key7": " PARTITION BY KEY(K) PARTITIONS 7"} {
		t.Run(name, func(t *testing.T) {
			db := openDB(t, ":memory:"+parameters)
			must(t, db, "CREATE TABLE t "+plainTable+partitioning)
			test(t, db)
		})
	}
}

// atOnce runs fn in each worker and fails the test with their errors.
func atOnce(t *testing.T, fn func(worker int) error) {
	t.Helper()
	var group sync.WaitGroup
	errs := make([]error, workers)
	start := make(chan struct{})
	for i := range workers {
		group.Go(func() {
			<-start
			errs[i] = fn(i)
		})
	}
	close(start)
	group.Wait()
	require.NoError(t, errors.Join(errs...))
}

func TestIncrement(t *testing.T) {
	onLayouts(t, "", func(t *testing.T, db *sql.DB) {
		must(t, db, "INSERT INTO t VALUES ('k', 'n', 1, '0'), ('k', 'other', 1, '0'), ('l', 'n', 1, '0')")
		const each = 40
		atOnce(t, func(worker int) error {
			for range each {
				r, err := db.Exec("UPDATE t SET V = V + 1 WHERE K = ? AND Q = ?", "k", "n")
				if err != nil {
					return err
				}
				if n, _ := r.RowsAffected(); n != 1 {
					return fmt.Errorf("%d rows affected", n)
				}
				if _, err := db.Exec("UPDATE t SET V = V + 1 WHERE Q = 'n' AND K > 'k'"); err != nil {
					return err
				}
			}
			return nil
		})
		total := strconv.Itoa(workers * each)
		require.Equal(t, []string{"k n " + total, "k other 0", "l n " + total}, lines(t, db, "SELECT K, Q, V FROM t ORDER BY K, Q"))
		require.Equal(t, strconv.Itoa(workers*each+1), single(t, db, "SELECT COUNT(*) FROM t FOR SYSTEM_TIME ALL WHERE K = 'k' AND Q = 'n'"),
			"each increment is a version")
	})
}

func TestIncrementOfManyRowsAtOnce(t *testing.T) {
	onLayouts(t, "", func(t *testing.T, db *sql.DB) {
		for i := range 20 {
			must(t, db, fmt.Sprintf("INSERT INTO t VALUES ('k%d', 'n', 1, '0')", i))
		}
		atOnce(t, func(worker int) error {
			order := []string{"ASC", "DESC"}[worker%2]
			for range 10 {
				if _, err := db.Exec("UPDATE t SET V = V + 1 ORDER BY K " + order); err != nil {
					return err
				}
			}
			return nil
		})
		require.Equal(t, []string{"20 80 80"}, lines(t, db, "SELECT COUNT(*), MIN(V + 0), MAX(V + 0) FROM t"))
	})
}

func TestAppend(t *testing.T) {
	onLayouts(t, "", func(t *testing.T, db *sql.DB) {
		must(t, db, "INSERT INTO t VALUES ('k', 'list', 1, '')")
		const each = 15
		atOnce(t, func(worker int) error {
			for i := range each {
				if _, err := db.Exec("UPDATE t SET V = CONCAT(V, ?) WHERE K = 'k' AND Q = 'list'", fmt.Sprintf("%d.%d,", worker, i)); err != nil {
					return err
				}
			}
			return nil
		})
		parts := strings.Split(strings.TrimSuffix(single(t, db, "SELECT V FROM t"), ","), ",")
		require.Len(t, parts, workers*each)
		for worker := range workers {
			mine := slices.DeleteFunc(slices.Clone(parts), func(p string) bool { return !strings.HasPrefix(p, fmt.Sprintf("%d.", worker)) })
			for i, p := range mine {
				require.Equal(t, fmt.Sprintf("%d.%d", worker, i), p, "in the order of writing")
			}
		}
	})
}

// races are statements of which one worker's alone may take effect.
var races = map[string]string{
	"check and put":              "UPDATE t SET V = ? WHERE K = 'k' AND Q = 'lock' AND V = 'free'",
	"check and delete":           "DELETE FROM t WHERE K = 'k' AND Q = 'lock' AND V = 'free' AND ? <> ''",
	"strict insert":              "INSERT INTO t VALUES ('k', 'put', 5, ?)",
	"insert ignore":              "INSERT IGNORE INTO t VALUES ('k', 'put', 5, ?)",
	"insert where not exists":    "INSERT INTO t (K, Q, V) SELECT 'k', 'put', ? FROM DUAL WHERE NOT EXISTS (SELECT 1 FROM t WHERE K = 'k' AND Q = 'put')",
	"insert at T, not exists":    "INSERT INTO t SELECT 'k', 'put', 7, ? FROM DUAL WHERE NOT EXISTS (SELECT 1 FROM t WHERE K = 'k' AND Q = 'put')",
	"insert where count is zero": "INSERT INTO t (K, Q, V) SELECT 'k', 'put', ? FROM t WHERE K = 'k' AND Q = 'put' HAVING COUNT(*) = 0",
	"move":                       "UPDATE t SET K = 'moved', V = ? WHERE K = 'k' AND Q = 'lock'",
}

func TestOneWinner(t *testing.T) {
	for name, statement := range races {
		t.Run(name, func(t *testing.T) {
			onLayouts(t, "", func(t *testing.T, db *sql.DB) {
				for range 12 {
					must(t, db, "DELETE FROM t", "INSERT INTO t VALUES ('k', 'lock', 1, 'free')")
					var winners atomic.Int64
					var winner atomic.Value
					atOnce(t, func(worker int) error {
						me := fmt.Sprintf("worker %d", worker)
						r, err := db.Exec(statement, me)
						if errorNumber(err) == 1062 && name == "strict insert" {
							return nil
						}
						if err != nil {
							return err
						}
						if n, _ := r.RowsAffected(); n > 0 {
							winners.Add(n)
							winner.Store(me)
						}
						return nil
					})
					require.EqualValues(t, 1, winners.Load())
					if name != "check and delete" {
						require.Equal(t, winner.Load(), single(t, db, "SELECT V FROM t WHERE V LIKE 'worker %'"))
					}
				}
			})
		})
	}
}

func TestInsertsOfOneCellWithoutT(t *testing.T) {
	onLayouts(t, "", func(t *testing.T, db *sql.DB) {
		const each = 40
		ids := make([][]int64, workers)
		atOnce(t, func(worker int) error {
			for i := range each {
				r, err := db.Exec("INSERT INTO t (K, Q, V) VALUES ('k', 'q', ?)", fmt.Sprintf("%d/%d", worker, i))
				if err != nil {
					return err
				}
				id, _ := r.LastInsertId()
				ids[worker] = append(ids[worker], id)
			}
			return nil
		})
		for worker, mine := range ids {
			for i, id := range mine {
				require.Equal(t, fmt.Sprintf("%d/%d", worker, i),
					single(t, db, "SELECT V FROM t FOR SYSTEM_TIME ALL WHERE T = ?", id), "LastInsertId is the version's T")
				if i > 0 {
					require.Greater(t, id, mine[i-1], "the later one is newer")
				}
			}
		}
		require.Equal(t, strconv.Itoa(workers*each), single(t, db, "SELECT COUNT(*) FROM t FOR SYSTEM_TIME ALL"))
	})
}

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
		if errorNumber(err) != 1213 {
			return err
		}
	}
}

func TestTransfersKeepTheSum(t *testing.T) {
	onLayouts(t, "", func(t *testing.T, db *sql.DB) {
		const accounts = 10
		for i := range accounts {
			must(t, db, fmt.Sprintf("INSERT INTO t VALUES ('a%d', 'balance', 1, '100')", i))
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
		atOnce(t, func(worker int) error {
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
		require.Equal(t, strconv.Itoa(100*accounts), single(t, db, "SELECT SUM(V) FROM t"))
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

// begin opens a transaction that the test rolls back at the latest at its end.
func begin(t testing.TB, db *sql.DB) *sql.Tx {
	t.Helper()
	tx, err := db.Begin()
	require.NoError(t, err)
	t.Cleanup(func() { _ = tx.Rollback() })
	return tx
}

func TestWriteConflict(t *testing.T) {
	onLayouts(t, "", func(t *testing.T, db *sql.DB) {
		must(t, db, "INSERT INTO t VALUES ('k', 'q', 1, '0'), ('l', 'q', 1, '0')")
		a, b := begin(t, db), begin(t, db)
		require.Equal(t, "0", single(t, a, "SELECT V FROM t WHERE K = 'k'"))
		must(t, a, "UPDATE t SET V = 'lost' WHERE K = 'l'")
		must(t, b, "UPDATE t SET V = V + 1 WHERE K = 'k'")
		require.NoError(t, b.Commit())
		require.Equal(t, "0", single(t, a, "SELECT V FROM t WHERE K = 'k'"), "the snapshot stays")
		_, err := a.Exec("UPDATE t SET V = V + 1 WHERE K = 'k'")
		requireErrorNumber(t, 1213, err)
		_, err = a.Query("SELECT V FROM t")
		requireErrorNumber(t, 1213, err)
		requireErrorNumber(t, 1213, a.Commit())
		require.NoError(t, retry(db, func(tx *sql.Tx) error {
			_, err := tx.Exec("UPDATE t SET V = V + 1 WHERE K = 'k'")
			return err
		}))
		require.Equal(t, []string{"k 2", "l 0"}, lines(t, db, "SELECT K, V FROM t ORDER BY K"))
	})
}

// TestAFirstWriteThatWaitsSeesWhatItWaitedFor holds that a transaction whose
// first statement writes has no conflict with the one that it waits for.
func TestAFirstWriteThatWaitsSeesWhatItWaitedFor(t *testing.T) {
	onLayouts(t, "", func(t *testing.T, db *sql.DB) {
		a, b := begin(t, db), begin(t, db)
		must(t, a, "INSERT INTO t VALUES ('k', 'q', 5, 'a')")
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
		requireErrorNumber(t, 1062, <-waited)
		must(t, b, "REPLACE INTO t VALUES ('k', 'q', 6, 'b')")
		require.NoError(t, b.Commit())
		require.Equal(t, []string{"k q 6 b", "k q 5 a"}, lines(t, db, "SELECT * FROM t FOR SYSTEM_TIME ALL ORDER BY K, Q, T DESC"))
	})
}

func TestDeadlock(t *testing.T) {
	onLayouts(t, "", func(t *testing.T, db *sql.DB) {
		must(t, db, "INSERT INTO t VALUES ('a', 'q', 1, '0'), ('b', 'q', 1, '0')")
		first, second := begin(t, db), begin(t, db)
		must(t, first, "UPDATE t SET V = 'first' WHERE K = 'a'")
		must(t, second, "UPDATE t SET V = 'second' WHERE K = 'b'")
		waits := make(chan error, 1)
		go func() {
			_, err := first.Exec("UPDATE t SET V = 'first' WHERE K = 'b'")
			waits <- err
		}()
		time.Sleep(30 * time.Millisecond)
		began := time.Now()
		_, err := second.Exec("UPDATE t SET V = 'second' WHERE K = 'a'")
		requireErrorNumber(t, 1213, err)
		require.Less(t, time.Since(began), 2*time.Second, "at once")
		require.NoError(t, <-waits, "the victim's rollback lets the other go on")
		require.NoError(t, first.Commit())
		require.NoError(t, second.Rollback())
		require.Equal(t, []string{"a first", "b first"}, lines(t, db, "SELECT K, V FROM t ORDER BY K"))
	})
}

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

// TestIncrementAsORMsDo increments in transactions of one statement, with a
// savepoint before it: without a read before, no caller sees a conflict.
func TestIncrementAsORMsDo(t *testing.T) {
	onLayouts(t, "", func(t *testing.T, db *sql.DB) {
		must(t, db, "INSERT INTO t VALUES ('k', 'n', 1, '0')")
		atOnce(t, func(worker int) error {
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
		require.Equal(t, strconv.Itoa(20*workers), single(t, db, "SELECT V FROM t"))
	})
}

// TestLockingRead increments as applications that lock what they read do: as
// the first statement FOR UPDATE waits, and reads what it waited for.
func TestLockingRead(t *testing.T) {
	onLayouts(t, "", func(t *testing.T, db *sql.DB) {
		must(t, db, "INSERT INTO t VALUES ('k', 'n', 1, '0')")
		atOnce(t, func(worker int) error {
			for range 15 {
				if err := incrementLocked(db, []string{"FOR UPDATE", "LOCK IN SHARE MODE"}[worker%2]); err != nil {
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
				ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
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

// TestRollbackLeavesNothing holds that a rollback, a failed statement and a
// savepoint undo what they should and nothing else, for readers beside it too.
func TestRollbackLeavesNothing(t *testing.T) {
	onLayouts(t, "", func(t *testing.T, db *sql.DB) {
		must(t, db, "INSERT INTO t VALUES ('a', 'q', 1, 'a1'), ('a', 'q', 2, 'a2'), ('b', 'q', 1, 'b1')")
		before := lines(t, db, "SELECT * FROM t FOR SYSTEM_TIME ALL ORDER BY K, Q, T DESC")
		tx := begin(t, db)
		must(t, tx, "DELETE FROM t WHERE K = 'a'", "UPDATE t SET K = 'c', V = 'moved' WHERE K = 'b'",
			"SAVEPOINT s", "REPLACE INTO t VALUES ('c', 'q', 1, 'again')")
		_, err := tx.Exec("INSERT INTO t VALUES ('d', 'q', 1, 'd'), ('e', 'q', 1, 'e'), ('c', 'q', 1, 'dup')")
		requireErrorNumber(t, 1062, err)
		require.Equal(t, []string{"c"}, lines(t, tx, "SELECT DISTINCT K FROM t FOR SYSTEM_TIME ALL"))
		must(t, tx, "ROLLBACK TO s")
		require.Equal(t, "moved b1", strings.Join(lines(t, tx, "SELECT V FROM t FOR SYSTEM_TIME ALL"), " "))
		require.Equal(t, before, lines(t, db, "SELECT * FROM t FOR SYSTEM_TIME ALL ORDER BY K, Q, T DESC"))
		require.NoError(t, tx.Rollback())
		require.Equal(t, before, lines(t, db, "SELECT * FROM t FOR SYSTEM_TIME ALL ORDER BY K, Q, T DESC"))
		var e *mysql.MySQLError
		require.NotErrorAs(t, tx.Rollback(), &e, "database/sql answers by itself")
	})
}
