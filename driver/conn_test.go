package driver

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// fill puts n cells of one qualifier into g$f.
func fill(t testing.TB, db *sql.DB, n int) {
	t.Helper()
	for from := 0; from < n; from += 1000 {
		values := make([]string, 0, 1000)
		for i := from; i < min(n, from+1000); i++ {
			values = append(values, fmt.Sprintf("('row%06d', 'q', 1, 'value%d')", i, i))
		}
		run(t, db, "REPLACE INTO g$f (K, Q, T, V) VALUES "+strings.Join(values, ", "))
	}
}

// TestSessionIsKept: the driver's own settings of a session are kept too, until
// the connection is closed.
func TestSessionIsKept(t *testing.T) {
	db := openTable(t)
	db.SetMaxOpenConns(1)
	run(t, db, "SET hbasekv_versions = 'all'", "INSERT INTO g$f VALUES ('k', 'q', 1, 'v'), ('k', 'q', 2, 'v')")
	require.Equal(t, "2", one(t, db, "SELECT COUNT(*) FROM g$f"))
	run(t, db, "SET hbasekv_versions = DEFAULT")
	require.Equal(t, "1", one(t, db, "SELECT COUNT(*) FROM g$f"))

	run(t, db, "SET hbasekv_versions = 'all'", "BEGIN", "DELETE FROM g$f")
	conn, err := db.Conn(context.Background())
	require.NoError(t, err)
	require.Equal(t, driver.ErrBadConn, conn.Raw(func(any) error { return driver.ErrBadConn }))
	require.Equal(t, "latest 1", one(t, db, "SELECT CONCAT_WS(' ', @@hbasekv_versions, COUNT(*)) FROM g$f"))
}

func TestCancelEndsAScan(t *testing.T) {
	db := openTable(t)
	db.SetMaxOpenConns(1)
	fill(t, db, 20_000)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	rows, err := db.QueryContext(ctx, "SELECT K, V FROM g$f")
	require.NoError(t, err)
	n := 0
	for rows.Next() {
		if n++; n == 10 {
			cancel()
		}
	}
	require.Less(t, n, 20_000)
	require.Equal(t, context.Canceled, rows.Err(), "the context's own error")
	require.Equal(t, "20000", one(t, db, "SELECT COUNT(*) FROM g$f"), "the next query is not hit")
}

func TestCancelWithinAStatement(t *testing.T) {
	db := openTable(t)
	db.SetMaxOpenConns(1)
	fill(t, db, 5000)
	for _, query := range []string{
		"SELECT COUNT(*) FROM g$f WHERE SHA2(REPEAT(K, 3000), 512) = V",
		"SELECT K FROM g$f ORDER BY SHA2(REPEAT(K, 3000), 512)",
		"UPDATE g$f SET V = SHA2(REPEAT(K, 3000), 512)",
		"DELETE FROM g$f WHERE SHA2(REPEAT(K, 3000), 512) <> V",
	} {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
		_, err := db.ExecContext(ctx, query)
		cancel()
		require.Equal(t, context.DeadlineExceeded, err, query)
		require.Equal(t, "5000", one(t, db, "SELECT COUNT(*) FROM g$f WHERE V LIKE 'value%'"), query)
	}
}

func TestCancelledBeforeDoesNothing(t *testing.T) {
	db := openTable(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	c, err := newConnector(NewConfig(MemoryPath), stores).Connect(ctx)
	require.Nil(t, c)
	require.Equal(t, context.Canceled, err)
	conn, err := db.Conn(context.Background())
	require.NoError(t, err)
	defer conn.Close()
	_, err = conn.ExecContext(ctx, "INSERT INTO g$f VALUES ('k', 'q', 1, 'v')")
	require.Equal(t, context.Canceled, err)
	_, err = conn.BeginTx(ctx, nil)
	require.Equal(t, context.Canceled, err)
	require.NoError(t, conn.PingContext(context.Background()))
	require.Equal(t, "0", one(t, db, "SELECT COUNT(*) FROM g$f"))
}

// TestBadConn: a connection asks to be replaced before it has done anything,
// and Connect never does.
func TestBadConn(t *testing.T) {
	ctx := context.Background()
	connector := newConnector(NewConfig(MemoryPath), stores)
	defer connector.Close()
	opened, err := connector.Connect(ctx)
	require.NoError(t, err)
	c := opened.(*conn)
	prepared, err := c.Prepare("SELECT 1")
	require.NoError(t, err)
	begun, err := c.Begin()
	require.NoError(t, err)
	require.True(t, c.IsValid())
	require.NoError(t, c.Close())
	require.NoError(t, c.Close(), "again")
	require.False(t, c.IsValid())
	_, execErr := c.ExecContext(ctx, "SELECT 1", nil)
	_, queryErr := c.QueryContext(ctx, "SELECT 1", nil)
	_, prepareErr := c.Prepare("SELECT 1")
	_, beginErr := c.Begin()
	_, stmtErr := prepared.(*stmt).Query(nil)
	for _, err := range []error{execErr, queryErr, prepareErr, beginErr, stmtErr, c.Ping(ctx), c.ResetSession(ctx), begun.Commit(), begun.Rollback()} {
		require.Equal(t, driver.ErrBadConn, err)
	}
	_, err = (Driver{}).Open("file:" + strings.Repeat("x", 5000))
	require.Error(t, err)
	require.NotErrorIs(t, err, driver.ErrBadConn)
}

func TestOpenWithoutAPool(t *testing.T) {
	opened, err := Driver{}.Open(MemoryPath)
	require.NoError(t, err)
	c := opened.(*conn)
	prepared, err := c.Prepare(createTable)
	require.NoError(t, err)
	s := prepared.(*stmt)
	_, err = s.Exec(nil)
	require.NoError(t, err)
	require.NoError(t, s.Close())
	_, err = s.Exec(nil)
	requireNumber(t, 1210, err)
	begun, err := c.Begin()
	require.NoError(t, err)
	require.NoError(t, begun.Rollback())
	require.NoError(t, c.Close())
}

func TestDiscardedConnectionsKeepTheMemoryStore(t *testing.T) {
	db := openTable(t)
	db.SetMaxIdleConns(-1)
	run(t, db, "INSERT INTO g$f VALUES ('k', 'q', 1, 'v')")
	conn, err := db.Conn(context.Background())
	require.NoError(t, err)
	require.Equal(t, driver.ErrBadConn, conn.Raw(func(any) error { return driver.ErrBadConn }))
	require.Equal(t, "v", one(t, db, "SELECT V FROM g$f"))
}

func TestErrorsAreBare(t *testing.T) {
	db := openTable(t)
	_, err := db.Exec("SELEC 1")
	requireNumber(t, 1064, err)
	_, err = db.Prepare("SELEC 1")
	requireNumber(t, 1064, err)
	_, err = db.Query("SELECT * FROM nothing")
	requireNumber(t, 1146, err)
	_, err = db.Query("")
	requireNumber(t, 1065, err)
	_, err = db.BeginTx(context.Background(), &sql.TxOptions{Isolation: sql.LevelLinearizable})
	requireNumber(t, 1235, err)
	tx, err := db.BeginTx(context.Background(), &sql.TxOptions{ReadOnly: true, Isolation: sql.LevelRepeatableRead})
	require.NoError(t, err)
	_, err = tx.Exec("INSERT INTO g$f VALUES ('k', 'q', 1, 'v')")
	requireNumber(t, 1792, err)
	require.NoError(t, tx.Rollback())
	rows, err := db.Query("SELECT 9223372036854775807 + LENGTH(K) FROM (SELECT 'x' AS K) d")
	if err == nil {
		require.False(t, rows.Next())
		err = rows.Err()
	}
	requireNumber(t, 1690, err)
}

func TestExecOfSelectAndQueryOfInsert(t *testing.T) {
	db := openTable(t)
	r, err := db.Exec("SELECT 1 FROM g$f;")
	require.NoError(t, err)
	n, err := r.RowsAffected()
	require.NoError(t, err)
	require.Zero(t, n)
	rows, err := db.Query("INSERT INTO g$f VALUES ('k', 'q', 1, 'v'), ('l', 'q', 1, 'v');")
	require.NoError(t, err)
	columns, err := rows.Columns()
	require.NoError(t, err)
	require.Empty(t, columns)
	require.False(t, rows.Next())
	require.NoError(t, rows.Err())
	require.Equal(t, "2", one(t, db, "SELECT COUNT(*) FROM g$f"))
	stmt, err := db.Prepare("INSERT INTO g$f (K, Q, V) VALUES (?, 'q', 'v')")
	require.NoError(t, err)
	defer stmt.Close()
	rows, err = stmt.Query("m")
	require.NoError(t, err)
	require.NoError(t, rows.Close())
	r, err = stmt.Exec("n")
	require.NoError(t, err)
	id, err := r.LastInsertId()
	require.NoError(t, err)
	require.InDelta(t, time.Now().UnixMilli(), id, 60_000)
	require.Equal(t, "4", one(t, db, "SELECT COUNT(*) FROM g$f"))
}

func TestStatementClosedWhileItsRowsAreOpen(t *testing.T) {
	db := openTable(t)
	fill(t, db, 3000)
	stmt, err := db.Prepare("SELECT K FROM g$f WHERE V <> ?")
	require.NoError(t, err)
	rows, err := stmt.Query("none")
	require.NoError(t, err)
	require.True(t, rows.Next())
	require.NoError(t, stmt.Close())
	n := 1
	for rows.Next() {
		n++
	}
	require.NoError(t, rows.Err())
	require.Equal(t, 3000, n)
	_, err = stmt.Query("none")
	require.Error(t, err)
}

func TestStatementInSeveralGoroutines(t *testing.T) {
	db := openTable(t)
	fill(t, db, 500)
	stmt, err := db.Prepare("SELECT V FROM g$f WHERE K = ?")
	require.NoError(t, err)
	defer stmt.Close()
	var group sync.WaitGroup
	for g := range 8 {
		group.Go(func() {
			for i := g; i < 500; i += 8 {
				var v string
				if err := stmt.QueryRow(fmt.Sprintf("row%06d", i)).Scan(&v); err != nil || v != fmt.Sprintf("value%d", i) {
					t.Errorf("row %d: %q, %v", i, v, err)
				}
			}
		})
	}
	group.Wait()
}

// TestStatementsWhileRowsAreOpen reads and writes on a connection while its
// rows are being read, in a transaction and outside one.
func TestStatementsWhileRowsAreOpen(t *testing.T) {
	db := openTable(t)
	db.SetMaxOpenConns(1)
	fill(t, db, 100)
	tx, err := db.Begin()
	require.NoError(t, err)
	rows, err := tx.Query("SELECT K FROM g$f")
	require.NoError(t, err)
	n := 0
	for ; rows.Next(); n++ {
		var k string
		require.NoError(t, rows.Scan(&k))
		require.Equal(t, fmt.Sprintf("value%d", n), one(t, tx, "SELECT V FROM g$f WHERE K = ?", k))
		_, err := tx.Exec("REPLACE INTO g$f VALUES (?, 'copy', 1, 'v')", k)
		require.NoError(t, err)
	}
	require.NoError(t, rows.Err())
	require.Equal(t, 100, n, "rows do not see what was written after they were opened")
	require.NoError(t, tx.Commit())

	conn, err := db.Conn(context.Background())
	require.NoError(t, err)
	rows, err = conn.QueryContext(context.Background(), "SELECT K FROM g$f")
	require.NoError(t, err)
	require.True(t, rows.Next())
	_, err = conn.ExecContext(context.Background(), "DELETE FROM g$f WHERE Q = 'copy'")
	require.NoError(t, err)
	require.NoError(t, rows.Close())
	require.NoError(t, conn.Close())
	require.Equal(t, "100", one(t, db, "SELECT COUNT(*) FROM g$f"))
}

// TestDDLBesideAnOpenTransaction does what test suites do: it creates tables on
// a second connection while a transaction is open on the first.
func TestDDLBesideAnOpenTransaction(t *testing.T) {
	db := openTable(t)
	tx, err := db.Begin()
	require.NoError(t, err)
	run(t, tx, "INSERT INTO g$f VALUES ('k', 'q', 1, 'v')")
	run(t, db, "CREATE TABLE h (K varbinary(10), Q varbinary(10), T bigint, V varbinary(10), PRIMARY KEY (K, Q, T))",
		"INSERT INTO h VALUES ('k', 'q', 1, 'v')", "INSERT INTO g$f VALUES ('other', 'q', 1, 'v')")
	require.NoError(t, tx.Commit())
	require.Equal(t, "2", one(t, db, "SELECT COUNT(*) FROM g$f"))
}

func TestRollbackByContext(t *testing.T) {
	db := openTable(t)
	db.SetMaxOpenConns(1)
	ctx, cancel := context.WithCancel(context.Background())
	tx, err := db.BeginTx(ctx, nil)
	require.NoError(t, err)
	run(t, tx, "INSERT INTO g$f VALUES ('k', 'q', 1, 'v')")
	cancel()
	require.Error(t, tx.Commit())
	require.Equal(t, "0", one(t, db, "SELECT COUNT(*) FROM g$f"))
}

func TestDatabaseCloseEndsWhatRuns(t *testing.T) {
	for _, shared := range []bool{false, true} {
		path := storePath(t)
		db := open(t, path)
		run(t, db, createTable)
		fill(t, db, 2000)
		if shared {
			require.NoError(t, open(t, path).Ping())
		}
		rows, err := db.Query("SELECT K FROM g$f")
		require.NoError(t, err)
		require.True(t, rows.Next())
		conn, err := db.Conn(context.Background())
		require.NoError(t, err)
		tx, err := conn.BeginTx(context.Background(), nil)
		require.NoError(t, err)
		run(t, tx, "INSERT INTO g$f VALUES ('uncommitted', 'q', 1, 'v')")

		require.NoError(t, db.Close())
		require.False(t, rows.Next())
		requireNumber(t, 1053, rows.Err())
		_, err = tx.Exec("INSERT INTO g$f VALUES ('late', 'q', 1, 'v')")
		requireNumber(t, 1053, err)
		require.Error(t, tx.Commit())
		_ = conn.Close()
		require.ErrorContains(t, db.Ping(), "closed")
		require.Equal(t, "2000", one(t, open(t, path), "SELECT COUNT(*) FROM g$f"))
	}
}

// TestCloseUnderLoad closes the database while goroutines read and write.
func TestCloseUnderLoad(t *testing.T) {
	db := openTable(t)
	fill(t, db, 1000)
	var group sync.WaitGroup
	for g := range 6 {
		group.Go(func() {
			for i := 0; ; i++ {
				if _, err := db.Exec("REPLACE INTO g$f VALUES (?, 'q', ?, 'v')", fmt.Sprint(g), i); err != nil {
					return
				}
				rows, err := db.Query("SELECT K, V FROM g$f")
				if err != nil {
					return
				}
				for rows.Next() {
				}
				rows.Close()
			}
		})
	}
	time.Sleep(50 * time.Millisecond)
	require.NoError(t, db.Close())
	group.Wait()
}
