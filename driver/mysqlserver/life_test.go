package mysqlserver_test

import (
	"context"
	"database/sql"
	"fmt"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver/mysqlserver"
)

// running is how many statements like the text are running.
func (s *served) running(t testing.TB, text string) int {
	t.Helper()
	return one[int](t, s.db, "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID <> CONNECTION_ID() AND INFO LIKE ?",
		"%"+text+"%")
}

func (s *served) sessions(t testing.TB) int {
	t.Helper()
	return one[int](t, s.db, "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID <> CONNECTION_ID()")
}

// One more place is kept for a client that may kill others.
func TestTooManyConnections(t *testing.T) {
	s := serve(t, ":memory:", mysqlserver.Options{MaxConnections: 2})
	execAll(t, s.db, "CREATE USER app IDENTIFIED BY 'pw'", "GRANT ALL ON `default`.* TO app")
	all, app := s.client(t, ""), s.as(t, "app", "default")
	app.SetMaxOpenConns(0)
	var held []*sql.Conn
	open := func(db *sql.DB) { // a refused client may hold a place for a moment
		require.Eventually(t, func() bool {
			c, err := db.Conn(t.Context())
			if err == nil {
				held = append(held, c)
			}
			return err == nil
		}, time.Minute, time.Millisecond)
	}
	full := func(db *sql.DB) {
		_, err := db.Conn(t.Context())
		var known *mysql.MySQLError
		require.ErrorAs(t, err, &known)
		require.EqualValues(t, 1040, known.Number)
	}
	open(app)
	open(app)
	full(app)
	full(app) // the place of a refused client is free again
	open(all)
	full(all)
	full(app)
	var most, refused int
	require.NoError(t, held[len(held)-1].QueryRowContext(t.Context(), "SELECT @@global.max_connections").Scan(&most))
	require.Equal(t, 2, most)
	require.NoError(t, held[len(held)-1].QueryRowContext(t.Context(), "SHOW STATUS LIKE 'Connection_errors_max_connections'").Scan(new(string), &refused))
	require.GreaterOrEqual(t, refused, 4)
	for _, c := range held {
		require.NoError(t, c.Close())
	}
}

// A running statement finishes within the grace; one that takes longer does not.
func TestGracefulEnd(t *testing.T) {
	for grace, sleep := range map[time.Duration]string{0: "SLEEP(600)", time.Minute: "SLEEP(3)"} {
		t.Run(sleep, func(t *testing.T) {
			t.Parallel()
			s := serve(t, ":memory:", mysqlserver.Options{Grace: grace})
			db := s.client(t, "")
			idle, err := db.Conn(context.Background())
			require.NoError(t, err)
			got := make(chan error, 1)
			go func() {
				_, err := db.Exec("SELECT " + sleep)
				got <- err
			}()
			require.Eventually(t, func() bool { return s.running(t, sleep) == 1 }, time.Minute, 5*time.Millisecond)
			s.stop(t)
			if err := <-got; grace > 0 {
				require.NoError(t, err)
			} else {
				require.Error(t, err)
			}
			require.Error(t, idle.PingContext(context.Background()))
			idle.Close()
		})
	}
}

func TestKillEndsTheConnection(t *testing.T) {
	s := serve(t, ":memory:", mysqlserver.Options{})
	l, err := net.Dial("unix", s.socket)
	require.NoError(t, err)
	l.Close() // a client that is silent
	db := s.client(t, "")
	c, err := db.Conn(context.Background())
	require.NoError(t, err)
	defer c.Close()
	var id int
	require.NoError(t, c.QueryRowContext(context.Background(), "SELECT CONNECTION_ID()").Scan(&id))
	execAll(t, db, fmt.Sprintf("KILL %d", id))
	require.Error(t, c.PingContext(context.Background()))
	require.Eventually(t, func() bool { return s.sessions(t) == 1 }, time.Minute, 10*time.Millisecond)
}

func TestKilledStatement(t *testing.T) {
	s := serve(t, ":memory:", mysqlserver.Options{})
	db := s.client(t, "")
	c, err := db.Conn(context.Background())
	require.NoError(t, err)
	defer c.Close()
	var id int
	require.NoError(t, c.QueryRowContext(context.Background(), "SELECT CONNECTION_ID()").Scan(&id))
	got := make(chan error, 1)
	go func() {
		_, err := c.ExecContext(context.Background(), "SELECT BENCHMARK(1000000000000, 1)")
		got <- err
	}()
	require.Eventually(t, func() bool { return s.running(t, "BENCHMARK") == 1 }, time.Minute, 5*time.Millisecond)
	execAll(t, db, fmt.Sprintf("KILL QUERY %d", id))
	var known *mysql.MySQLError
	require.ErrorAs(t, <-got, &known)
	require.EqualValues(t, 1317, known.Number)
	require.NoError(t, c.PingContext(context.Background()))
}

func TestTimeLimits(t *testing.T) {
	t.Parallel()
	s := serve(t, ":memory:", mysqlserver.Options{})
	db := s.client(t, "max_execution_time=50")
	_, err := db.Exec("SELECT BENCHMARK(1000000000000, 1)")
	var known *mysql.MySQLError
	require.ErrorAs(t, err, &known)
	require.EqualValues(t, 3024, known.Number)
	silent := s.client(t, "wait_timeout=1")
	require.NoError(t, silent.Ping())
	require.Eventually(t, func() bool { return s.sessions(t) == 1 }, time.Minute, 20*time.Millisecond,
		"who is silent is cut off, and the other is not")
}

func many(t testing.TB, db *sql.DB, n int) {
	t.Helper()
	execAll(t, db, table)
	const batch = 10_000
	for i := 0; i < n; i += batch {
		var b strings.Builder
		for j := i; j < min(i+batch, n); j++ {
			fmt.Fprintf(&b, ",('row%09d','q',1,'a value of some length')", j)
		}
		execAll(t, db, "REPLACE INTO t VALUES "+b.String()[1:])
	}
}

// A result of any length needs the memory of only a few packets.
func TestStreamTakesConstantMemory(t *testing.T) {
	n := 1_000_000
	if testing.Short() {
		n = 100_000
	}
	s := serve(t, "file:"+t.TempDir()+"?sync=false&cache=8MiB", mysqlserver.Options{})
	many(t, s.db, n/10)
	for _, parameters := range []string{"", "compress=true"} {
		db := s.client(t, parameters)
		rows, err := db.Query("SELECT a.K, a.V, b.n FROM t a JOIN (SELECT 1 n UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION " +
			"SELECT 5 UNION SELECT 6 UNION SELECT 7 UNION SELECT 8 UNION SELECT 9 UNION SELECT 10) b")
		require.NoError(t, err)
		before, most, count := heap(), uint64(0), 0
		for ; rows.Next(); count++ {
			if count%(n/4) == 0 {
				most = max(most, heap())
			}
		}
		require.NoError(t, rows.Err())
		require.Equal(t, n, count)
		require.Less(t, most, before+(16<<20))
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// A client that does not read stops the scan, and its disconnection ends the statement.
func TestClientThatStopsReading(t *testing.T) {
	t.Parallel()
	s := serve(t, "file:"+t.TempDir()+"?sync=false", mysqlserver.Options{})
	many(t, s.db, 50_000)
	db := s.client(t, "")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	rows, err := db.QueryContext(ctx, "SELECT a.* FROM t a JOIN t b")
	require.NoError(t, err)
	require.True(t, rows.Next())
	require.Equal(t, 1, s.running(t, "t a JOIN t b"))
	cancel()
	for rows.Next() {
	}
	require.Eventually(t, func() bool { return s.running(t, "t a JOIN t b") == 0 }, time.Minute, 10*time.Millisecond)
	// A client that stays connected and does not read is cut off after net_write_timeout.
	db = s.client(t, "net_write_timeout=1")
	rows, err = db.Query("SELECT a.* FROM t a JOIN t b")
	require.NoError(t, err)
	require.True(t, rows.Next())
	require.Eventually(t, func() bool { return s.running(t, "t a JOIN t b") == 0 }, 30*time.Second, 20*time.Millisecond)
	for rows.Next() {
	}
	require.Error(t, rows.Err())
}

// An idle connection takes at most 64 KiB of the server and the client together, and
// leaves no goroutine behind.
func TestIdleConnections(t *testing.T) {
	n := 2000
	if testing.Short() {
		n = 200
	}
	s := serve(t, ":memory:", mysqlserver.Options{})
	before := inUse()
	db, err := sql.Open("mysql", s.source("default", ""))
	require.NoError(t, err)
	db.SetMaxIdleConns(n)
	var held []*sql.Conn
	for range n {
		c, err := db.Conn(context.Background())
		require.NoError(t, err)
		_, err = c.ExecContext(context.Background(), "SELECT K, V FROM information_schema.TABLES JOIN (SELECT 1 K, 2 V) x LIMIT 1")
		require.NoError(t, err)
		held = append(held, c)
	}
	per := (int64(inUse()) - int64(before)) / int64(n)
	t.Logf("%d bytes a connection", per)
	require.Less(t, per, int64(64<<10))
	require.Equal(t, n, s.sessions(t))
	for _, c := range held {
		require.NoError(t, c.Close())
	}
	require.NoError(t, db.Close())
	s.stop(t)
	require.Eventually(t, func() bool { return !strings.Contains(stacks(), "mysqlserver.(*") }, time.Minute, 10*time.Millisecond)
}

// stacks are the stacks of all goroutines.
func stacks() string {
	b := make([]byte, 1<<20)
	return string(b[:runtime.Stack(b, true)])
}

// inUse is the memory of the heap and the stacks.
func inUse() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}

// Values longer than a packet are sent and received.
func TestLargeValues(t *testing.T) {
	s := serve(t, ":memory:", mysqlserver.Options{})
	db := s.client(t, "maxAllowedPacket=0")
	execAll(t, db, "CREATE TABLE t (K varbinary(8), Q varbinary(8), T bigint, V longblob, PRIMARY KEY (K, Q, T))")
	for _, n := range []int{1<<24 - 1, 1 << 24, 40 << 20} {
		v := []byte(strings.Repeat("0123456789abcdef", n/16+1)[:n])
		_, err := db.Exec("REPLACE INTO t VALUES ('k', 'q', 1, ?)", v)
		require.NoError(t, err)
		got := one[[]byte](t, db, "SELECT V FROM t WHERE K = ?", "k")
		require.Equal(t, len(v), len(got))
		require.True(t, string(v) == string(got))
		require.Equal(t, n, one[int](t, db, "SELECT LENGTH(V) FROM t"))
	}
	_, err := db.Exec("REPLACE INTO t VALUES ('k', 'q', 1, ?)", make([]byte, 65<<20))
	require.Error(t, err)
	require.Equal(t, 40<<20, one[int](t, db, "SELECT LENGTH(V) FROM t"))
}

// TestServeEndsEarly ends a server before it has begun.
func TestServeEndsEarly(t *testing.T) {
	db, err := sql.Open("hbasekv", ":memory:")
	require.NoError(t, err)
	defer db.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, mysqlserver.Serve(ctx, l, db, mysqlserver.Options{}))
	_, err = l.Accept()
	require.ErrorIs(t, err, net.ErrClosed)
}

// TestCeilings: no client can raise its timeouts above what the server grants, and none
// begins above that.
func TestCeilings(t *testing.T) {
	s := serve(t, ":memory:", mysqlserver.Options{MaxNetTimeout: 45 * time.Second, MaxWaitTimeout: 2 * time.Hour})
	c, err := s.client(t, "").Conn(t.Context())
	require.NoError(t, err)
	defer c.Close()
	now := func(name string) (n int) {
		require.NoError(t, c.QueryRowContext(t.Context(), "SELECT @@"+name).Scan(&n))
		return n
	}
	most := map[string]int{"net_read_timeout": 45, "net_write_timeout": 45, "wait_timeout": 7200, "interactive_timeout": 7200}
	first := map[string]int{"net_read_timeout": 30, "net_write_timeout": 45, "wait_timeout": 7200, "interactive_timeout": 7200}
	for name, n := range most {
		require.Equal(t, first[name], now(name), name)
		for _, v := range []string{"31536000", "18446744073709551615", "7201"} {
			_, err := c.ExecContext(t.Context(), "SET "+name+" = "+v)
			require.NoError(t, err)
			var level, message string
			var code int
			require.NoError(t, c.QueryRowContext(t.Context(), "SHOW WARNINGS").Scan(&level, &code, &message))
			require.Equal(t, 1292, code)
			require.Equal(t, "Truncated incorrect "+name+" value: '"+v+"'", message)
			require.Equal(t, n, now(name))
		}
		_, err := c.ExecContext(t.Context(), "SET "+name+" = 0")
		require.NoError(t, err)
		require.Equal(t, 1, now(name))
		_, err = c.ExecContext(t.Context(), "SET "+name+" = DEFAULT")
		require.NoError(t, err)
		require.Equal(t, first[name], now(name))
		_, err = c.ExecContext(t.Context(), "SET "+name+" = "+fmt.Sprint(n-1))
		require.NoError(t, err)
		require.Equal(t, n-1, now(name))
	}
	var shown int
	require.NoError(t, c.QueryRowContext(t.Context(), "SHOW VARIABLES LIKE 'net_write_timeout'").Scan(new(string), &shown))
	require.Equal(t, 44, shown)
}
