package driver

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

func testFoundRows(t *testing.T, open opener) {
	for parameters, second := range map[string]int64{"": 2, "clientFoundRows=true": 3} {
		db := open(parameters)
		harness.Must(t, db, "INSERT INTO c VALUES ('a', 'q', 1, 0), ('a', 'q', 2, 0), ('b', 'q', 3, 0), ('b', 'q', 4, 0), ('b', 'q', 5, 1)")
		require.EqualValues(t, 2, harness.Affected(t, db, "UPDATE c SET V = 1 WHERE K = 'a'"))
		require.EqualValues(t, second, harness.Affected(t, db, "UPDATE c SET V = 1 WHERE K = 'b'"))
	}
}

func testClosedConnection(t *testing.T, open opener) {
	db := open("")
	conn, err := db.Conn(context.Background())
	require.NoError(t, err)
	require.ErrorIs(t, conn.Raw(func(c any) error {
		st, err := c.(driver.Conn).Prepare("DO 1")
		require.NoError(t, err)
		exec := st.(driver.StmtExecContext)
		_, err = exec.ExecContext(context.Background(), nil)
		require.NoError(t, err)
		require.NoError(t, c.(driver.Conn).Close())
		_, err = exec.ExecContext(context.Background(), nil)
		return err
	}), driver.ErrBadConn)
	_ = conn.Close()
	require.NoError(t, db.Ping())
}

func testRowsAndStatements(t *testing.T, open opener) {
	db := open("")
	harness.Must(t, db, "INSERT INTO c VALUES ('a', 'q', 1, 1), ('b', 'q', 1, 2)")
	rows, err := db.Query("SELECT K FROM c")
	require.NoError(t, err)
	require.NoError(t, rows.Close())
	require.False(t, rows.Next())
	require.NoError(t, rows.Err())

	st, err := db.Prepare("SELECT V FROM c WHERE T = ? ORDER BY K")
	require.NoError(t, err)
	rows, err = st.Query(1)
	require.NoError(t, err)
	other, err := db.Prepare("SELECT V FROM c WHERE T = ? ORDER BY K DESC")
	require.NoError(t, err)
	more, err := other.Query(1)
	require.NoError(t, err)
	require.NoError(t, errors.Join(st.Close(), other.Close()))
	var up, down []int
	for rows.Next() && more.Next() { // alternately
		var a, b int
		require.NoError(t, errors.Join(rows.Scan(&a), more.Scan(&b)))
		up, down = append(up, a), append(down, b)
	}
	require.NoError(t, errors.Join(rows.Err(), more.Err(), rows.Close(), more.Close()))
	require.Equal(t, [][]int{{1, 2}, {2, 1}}, [][]int{up, down})
}

func testPing(t *testing.T, open opener) {
	db := open("")
	require.NoError(t, db.Ping())
	ctx, cancel := context.WithCancel(context.Background())
	conn := harness.Conn(t, db)
	require.NoError(t, conn.PingContext(ctx))
	cancel()
	require.ErrorIs(t, db.PingContext(ctx), context.Canceled)
	require.NoError(t, conn.PingContext(context.Background()))
	tx, err := db.Begin()
	require.NoError(t, err)
	require.NoError(t, db.Ping())
	require.NoError(t, tx.Rollback())
	db.SetMaxIdleConns(0) // each has its own connection
	for i := range 50 {
		short, stop := context.WithTimeout(context.Background(), time.Duration(i)*time.Microsecond)
		if err := db.PingContext(short); err != nil {
			require.True(t, errors.Is(err, context.DeadlineExceeded) || errors.Is(err, driver.ErrBadConn), err)
		}
		stop()
	}
	require.NoError(t, db.Ping())
}

func testResultSets(t *testing.T, open opener) {
	db := open("multiStatements=true")
	const script = "SELECT 1 AS a, 2 AS b UNION SELECT 3, 4; SELECT 0 UNION SELECT 1; SELECT 1 AS a, 2 AS b, 3 AS c UNION SELECT 4, 5, 6"
	rows, err := db.Query(script)
	require.NoError(t, err)
	require.Equal(t, []string{"1 2", "3 4"}, printSet(t, rows))
	require.True(t, rows.NextResultSet())
	require.True(t, rows.Next()) // and leaves the other rows unread
	require.True(t, rows.NextResultSet())
	require.Equal(t, []string{"1 2 3", "4 5 6"}, printSet(t, rows))
	require.False(t, rows.NextResultSet())
	require.NoError(t, errors.Join(rows.Err(), rows.Close()))

	rows, err = db.Query("DO 1; DO 2;")
	require.NoError(t, err)
	require.False(t, rows.Next() || rows.NextResultSet())
	require.NoError(t, errors.Join(rows.Err(), rows.Close()))

	rows, err = db.Query("SELECT 1, 2")
	require.NoError(t, err)
	require.True(t, rows.Next())
	require.False(t, rows.NextResultSet())
	require.NoError(t, errors.Join(rows.Err(), rows.Close()))
}

// printSet are the rows of the current result set.
func printSet(t *testing.T, rows *sql.Rows) (out []string) {
	columns, err := rows.Columns()
	require.NoError(t, err)
	for rows.Next() {
		values, dest := make([]string, len(columns)), make([]any, len(columns))
		for i := range dest {
			dest[i] = &values[i]
		}
		require.NoError(t, rows.Scan(dest...))
		out = append(out, strings.Join(values, " "))
	}
	require.NoError(t, rows.Err())
	return out
}

func testResultsOfAll(t *testing.T, open opener) {
	db := open("multiStatements=true")
	conn := harness.Conn(t, db)
	for round := range 2 {
		require.NoError(t, conn.Raw(func(c any) error {
			result, err := c.(driver.ExecerContext).ExecContext(context.Background(),
				fmt.Sprintf("INSERT INTO c VALUES ('a', 'q', %d, 1), ('b', 'q', %d, 1); DELETE FROM c; DO 1; INSERT INTO c VALUES ('x', 'q', 0, 1); DELETE FROM c",
					round, round), nil)
			if err != nil {
				return err
			}
			all := result.(mysql.Result)
			require.Equal(t, []int64{2, 2, 0, 1, 1}, all.AllRowsAffected())
			require.Equal(t, []int64{0, 0, 0, 0, 0}, all.AllLastInsertIds())
			last, err := result.RowsAffected()
			require.EqualValues(t, 1, last)
			if err != nil {
				return err
			}
			result, err = c.(driver.ExecerContext).ExecContext(context.Background(), "DO 1", nil)
			require.Equal(t, []int64{0}, result.(mysql.Result).AllRowsAffected())
			return err
		}))
	}
}

// endsEarly runs a call with a context that ends while the call sleeps.
func endsEarly(t *testing.T, call func(ctx context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer time.AfterFunc(20*time.Millisecond, cancel).Stop()
	require.ErrorIs(t, call(ctx), context.Canceled)
	require.ErrorIs(t, call(ctx), context.Canceled, "of a context that is over")
}

func testCancelled(t *testing.T, open opener) {
	db := open("")
	const insert, query = "INSERT INTO c VALUES ('k', 'q', 1, SLEEP(60))", "SELECT SLEEP(60)"
	read := func(rows *sql.Rows, err error) error {
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			t.Error("a row of a query that was cancelled")
		}
		return rows.Err()
	}
	endsEarly(t, func(ctx context.Context) error { _, err := db.ExecContext(ctx, insert); return err })
	endsEarly(t, func(ctx context.Context) error { return read(db.QueryContext(ctx, query)) })
	endsEarly(t, func(ctx context.Context) error { var n int; return db.QueryRowContext(ctx, query).Scan(&n) })
	write, err := db.Prepare(insert)
	require.NoError(t, err)
	defer write.Close()
	st, err := db.Prepare(query)
	require.NoError(t, err)
	defer st.Close()
	endsEarly(t, func(ctx context.Context) error { _, err := write.ExecContext(ctx); return err })
	endsEarly(t, func(ctx context.Context) error { return read(st.QueryContext(ctx)) })
	over, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = db.PrepareContext(over, "SELECT 1")
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, "0", harness.Single(t, db, "SELECT COUNT(*) FROM c"))
}

func testCancelledTransaction(t *testing.T, open opener) {
	db := open("")
	ctx, cancel := context.WithCancel(context.Background())
	tx, err := db.BeginTx(ctx, nil)
	require.NoError(t, err)
	_, err = tx.Exec("INSERT INTO c VALUES ('a', 'q', 1, 'x')")
	require.NoError(t, err)
	defer time.AfterFunc(20*time.Millisecond, cancel).Stop()
	_, err = tx.ExecContext(ctx, "INSERT INTO c VALUES ('k', 'q', 1, SLEEP(60))")
	require.ErrorIs(t, err, context.Canceled)
	if err := tx.Commit(); !errors.Is(err, sql.ErrTxDone) {
		require.ErrorIs(t, err, context.Canceled)
	}
	_, err = db.BeginTx(ctx, nil)
	require.ErrorIs(t, err, context.Canceled)
	require.Eventually(t, func() bool { return harness.Single(t, db, "SELECT COUNT(*) FROM c") == "0" }, time.Minute, time.Millisecond)
}

func testLevels(t *testing.T, open opener) {
	db := open("")
	ctx := context.Background()
	writer, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead})
	require.NoError(t, err)
	committed, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelReadCommitted})
	require.NoError(t, err)
	reader, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	require.NoError(t, err)
	_, err = writer.Exec("INSERT INTO c VALUES ('a', 'q', 1, 'x')")
	require.NoError(t, err)
	const count = "SELECT COUNT(*) FROM c"
	require.Equal(t, "0", harness.Single(t, committed, count))
	require.Equal(t, "0", harness.Single(t, reader, count))
	require.NoError(t, writer.Commit())
	require.Equal(t, "1", harness.Single(t, committed, count))
	require.Equal(t, "0", harness.Single(t, reader, count))
	_, err = reader.Exec("DELETE FROM c")
	require.Equal(t, uint16(1792), harness.ErrorNumber(err))
	require.NoError(t, errors.Join(committed.Commit(), reader.Commit()))
	_, err = db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelLinearizable})
	require.Error(t, err)
}

func testRawBytesAfterCancel(t *testing.T, open opener) {
	db := open("")
	for i, v := range []string{"a", "B", "c", "D"} {
		harness.Must(t, db, fmt.Sprintf("INSERT INTO c VALUES ('k', 'q', %d, REPEAT('%s', 1000))", i, v))
	}
	for range 20 {
		ctx, cancel := context.WithCancel(context.Background())
		rows, err := db.QueryContext(ctx, "SELECT V FROM c ORDER BY T")
		require.NoError(t, err)
		require.True(t, rows.Next())
		var raw sql.RawBytes
		require.NoError(t, rows.Scan(&raw))
		before := string(raw)
		cancel()
		time.Sleep(100 * time.Microsecond)
		require.Equal(t, before, string(raw))
		_ = rows.Close() // of what was cancelled
	}
}

func testConnector(t *testing.T, open opener) {
	db := open("")
	connector, err := db.Driver().(driver.DriverContext).OpenConnector("hb/mysql?nonesuch=%zz") // no DSN of either
	require.Error(t, err)
	require.Nil(t, connector)
	conn := harness.Conn(t, db)
	require.NoError(t, conn.Raw(func(c any) error {
		for _, is := range []bool{
			is[driver.Pinger](c), is[driver.SessionResetter](c), is[driver.Validator](c), is[driver.ConnBeginTx](c),
			is[driver.NamedValueChecker](c), is[driver.QueryerContext](c), is[driver.ExecerContext](c), is[driver.ConnPrepareContext](c),
		} {
			require.True(t, is)
		}
		return nil
	}))
}

func is[T any](v any) bool { _, ok := v.(T); return ok }

func testErrorBehindResults(t *testing.T, open opener) {
	db := open("multiStatements=true")
	rows, err := db.Query("SELECT 1, 2; SELECT 3, 4; SELECT nonesuch FROM c; SELECT 5")
	require.NoError(t, err)
	defer rows.Close()
	require.Equal(t, []string{"1 2"}, printSet(t, rows))
	require.True(t, rows.NextResultSet())
	require.Equal(t, []string{"3 4"}, printSet(t, rows))
	require.False(t, rows.NextResultSet())
	require.Equal(t, uint16(1054), harness.ErrorNumber(rows.Err()))
	require.NoError(t, db.Ping())
}
