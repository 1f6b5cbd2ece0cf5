package sqlfront_test

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/sqlfront"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

const createT = "CREATE TABLE t (K varbinary(10), Q varbinary(10), T bigint, V blob, PRIMARY KEY (K, Q, T)) PARTITION BY KEY(K) PARTITIONS 3"

func exec(s *sqlfront.Session, sql string, args ...value.Value) (sqlfront.Result, error) {
	st, err := s.Prepare(context.Background(), sql)
	if err != nil {
		return sqlfront.Result{}, err
	}
	return s.Exec(context.Background(), st, args)
}

func mustExec(t testing.TB, s *sqlfront.Session, sql string, args ...value.Value) sqlfront.Result {
	t.Helper()
	r, err := exec(s, sql, args...)
	require.NoError(t, err, sql)
	return r
}

// inParallel runs fn in n sessions at the same time.
func inParallel(t *testing.T, e *sqlfront.Engine, n int, fn func(s *sqlfront.Session, i int) error) {
	errs := make(chan error, n)
	var all sync.WaitGroup
	for i := range n {
		s := newSession(t, e, strconv.Itoa(i))
		mustExec(t, s, "SET innodb_lock_wait_timeout = 60") // a busy machine holds locks for long
		all.Go(func() {
			errs <- fn(s, i)
			_ = s.Close()
		})
	}
	all.Wait()
	close(errs)
	for err := range errs {
		require.NoError(t, err)
	}
}

// TestIncrementsAreAtomic: single statements never fail by a conflict, and none is lost.
func TestIncrementsAreAtomic(t *testing.T) {
	const sessions, each = 8, 25
	e := newEngine(t)
	s := newSession(t, e, "a")
	mustExec(t, s, createT)
	mustExec(t, s, "INSERT INTO t VALUES ('counter', 'q', 1, 0)")
	inParallel(t, e, sessions, func(s *sqlfront.Session, _ int) error {
		for range each {
			r, err := exec(s, "UPDATE t SET V = V + 1 WHERE K = 'counter'")
			if err != nil || r.RowsAffected != 1 {
				return err
			}
		}
		return nil
	})
	require.Equal(t, "V\n"+strconv.Itoa(sessions*each)+"\n", answer(s, "SELECT V FROM t"))
	require.Equal(t, "COUNT(*)\n"+strconv.Itoa(sessions*each+1)+"\n", answer(s, "SELECT /*+ VERSIONS(ALL) */ COUNT(*) FROM t"))
}

// TestPutIfAbsent: only one of several sessions creates a cell that must not exist.
func TestPutIfAbsent(t *testing.T) {
	const rows = 20
	e := newEngine(t)
	s := newSession(t, e, "a")
	mustExec(t, s, createT)
	var mu sync.Mutex
	made := map[string]int64{}
	inParallel(t, e, 4, func(s *sqlfront.Session, i int) error {
		for n := range rows {
			row := value.NewString("r" + strconv.Itoa(n))
			r, err := exec(s, "INSERT INTO t (K, Q, V) SELECT ?, 'q', ? FROM DUAL WHERE NOT EXISTS (SELECT 1 FROM t WHERE K = ?)",
				row, value.NewInt(int64(i)), row)
			if err != nil {
				return err
			}
			mu.Lock()
			made[row.String()] += r.RowsAffected
			mu.Unlock()
		}
		return nil
	})
	require.Len(t, made, rows)
	for row, n := range made {
		require.EqualValues(t, 1, n, row)
	}
}

// TestWritersOutliveDDL: truncating and altering a table never makes its writers fail.
func TestWritersOutliveDDL(t *testing.T) {
	e := newEngine(t)
	s := newSession(t, e, "a")
	mustExec(t, s, createT)
	stop := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
				_, _ = exec(s, []string{"TRUNCATE TABLE t", "ALTER TABLE t COMMENT 'c'"}[i%2])
			}
		}
	}()
	inParallel(t, e, 3, func(s *sqlfront.Session, i int) error {
		for n := range 100 {
			if _, err := exec(s, "REPLACE INTO t (K, Q, V) VALUES (?, 'q', 'v')", value.NewString(strconv.Itoa(i*100+n))); err != nil {
				return err
			}
			if _, err := exec(s, "SELECT COUNT(*) FROM t"); err != nil {
				return err
			}
		}
		return nil
	})
	close(stop)
	<-done
}

// TestWaitingEndsWithTheContext: a statement that cannot get its lock ends with its context.
func TestWaitingEndsWithTheContext(t *testing.T) {
	e := newEngine(t)
	holder, waiter := newSession(t, e, "a"), newSession(t, e, "b")
	mustExec(t, holder, createT)
	mustExec(t, holder, "INSERT INTO t VALUES ('k', 'q', 1, 'v')")
	mustExec(t, holder, "BEGIN")
	mustExec(t, holder, "UPDATE t SET V = 'w'")
	mustExec(t, waiter, "SET innodb_lock_wait_timeout = 60")
	st, err := waiter.Prepare(context.Background(), "UPDATE t SET V = 'x'")
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	_, err = waiter.Exec(ctx, st, nil)
	require.Equal(t, context.DeadlineExceeded, err)
	mustExec(t, holder, "COMMIT")
	require.EqualValues(t, 1, mustExec(t, waiter, "UPDATE t SET V = 'x'").RowsAffected)
}

// TestOpenRows: rows keep their snapshot; a transaction may have several open, and write meanwhile.
func TestOpenRows(t *testing.T) {
	ctx := context.Background()
	e := newEngine(t)
	s, other := newSession(t, e, "a"), newSession(t, e, "b")
	mustExec(t, s, createT)
	for i := range 10 {
		mustExec(t, s, "INSERT INTO t VALUES (?, 'q', 1, 'v')", value.NewInt(int64(i)))
	}
	st, err := s.Prepare(ctx, "SELECT K FROM t ORDER BY K")
	require.NoError(t, err)
	require.NoError(t, s.Begin(ctx, sqlfront.TxOptions{}))
	first, err := s.Query(ctx, st, nil)
	require.NoError(t, err)
	_, err = first.Next()
	require.NoError(t, err)
	mustExec(t, other, "DELETE FROM t")
	mustExec(t, s, "INSERT INTO t VALUES ('own', 'q', 1, 'v')")
	second, err := s.Query(ctx, st, nil)
	require.NoError(t, err)
	require.Equal(t, 12, strings.Count(printRows(second), "\n")) // the label, ten rows, its own
	require.Equal(t, 10, strings.Count(printRows(first), "\n"))
	require.NoError(t, s.Commit(ctx))
	require.Equal(t, "K\nown\n", answer(s, "SELECT K FROM t"))

	mustExec(t, s, "INSERT INTO t VALUES ('more', 'q', 1, 'v')")
	alone, err := s.Query(ctx, st, nil)
	require.NoError(t, err)
	mustExec(t, other, "TRUNCATE TABLE t")
	require.Equal(t, "K\nmore\nown\n", printRows(alone))
	require.NoError(t, alone.Close())
}

func TestTimeLimits(t *testing.T) {
	e := newEngine(t)
	s := newSession(t, e, "a")
	mustExec(t, s, createT)
	for i := range 200 {
		mustExec(t, s, "INSERT INTO t VALUES (?, 'q', 1, 'v')", value.NewInt(int64(i)))
	}
	const slow = "SELECT /*+ MAX_EXECUTION_TIME(5) */ COUNT(*) FROM t a, t b, t c, t d WHERE a.T + b.T + c.T + d.T = 0"
	require.Contains(t, answer(s, slow), "ERROR 3024")
	mustExec(t, s, "SET max_execution_time = 5")
	require.Contains(t, answer(s, strings.Replace(slow, "/*+ MAX_EXECUTION_TIME(5) */", "", 1)), "ERROR 3024")
	mustExec(t, s, "SET max_execution_time = 0")
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Millisecond)
	defer cancel()
	st, err := s.Prepare(context.Background(), strings.Replace(slow, "/*+ MAX_EXECUTION_TIME(5) */", "", 1))
	require.NoError(t, err)
	_, err = s.Exec(ctx, st, nil)
	require.Equal(t, context.DeadlineExceeded, err)
	require.Equal(t, "1\n1\n", answer(s, "SELECT 1"))
}

// TestNamedLocks: named locks exclude other sessions until they are released, or their session is reset.
func TestNamedLocks(t *testing.T) {
	e := newEngine(t)
	a, b := newSession(t, e, "a"), newSession(t, e, "b")
	const one, zero = "l\n1\n", "l\n0\n"
	require.Equal(t, one, answer(a, "SELECT GET_LOCK('x', 0) l"))
	require.Equal(t, one, answer(a, "SELECT GET_LOCK('X', 0) l"))
	require.Equal(t, zero, answer(b, "SELECT GET_LOCK('x', 0.01) l"))
	require.Equal(t, zero, answer(b, "SELECT RELEASE_LOCK('x') l"))
	require.Equal(t, one, answer(b, "SELECT IS_USED_LOCK('x') = "+strconv.FormatUint(a.ID(), 10)+" l"))
	got := make(chan string)
	go func() { got <- answer(b, "SELECT GET_LOCK('x', -1) l") }()
	require.Equal(t, one, answer(a, "SELECT RELEASE_LOCK('x') l"))
	a.Reset()
	require.Equal(t, one, <-got)
	require.Equal(t, one, answer(b, "SELECT RELEASE_ALL_LOCKS() l"))
	require.Equal(t, one, answer(a, "SELECT IS_FREE_LOCK('x') l"))
	require.Contains(t, answer(a, "SELECT GET_LOCK('', 0)"), "ERROR 3057")
	require.Contains(t, answer(a, "DO GET_LOCK(NULL, 0)"), "ERROR 3057")
}
