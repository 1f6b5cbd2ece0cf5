package mysqlserver

import (
	"context"
	"database/sql"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestFewDescriptors: if the process may open only few files, it accepts fewer clients, and
// the store can write whatever these hold.
func TestFewDescriptors(t *testing.T) {
	for files, want := range map[string]int{"512": 192, "256": 96, "96": leastConnections} {
		t.Run(files, func(t *testing.T) {
			t.Setenv(serveFiles, files)
			socket := startAlone(t, "file:"+t.TempDir()+"?sync=false&cache=8MiB")
			db, err := sql.Open("mysql", "root@unix("+socket+")/default")
			require.NoError(t, err)
			defer db.Close()
			db.SetMaxOpenConns(1)
			var most int
			require.NoError(t, db.QueryRow("SHOW VARIABLES LIKE 'max_connections'").Scan(new(string), &most))
			require.Equal(t, want, most)
			_, err = db.Exec("CREATE TABLE t (K varbinary(64), Q varbinary(64), T bigint, V varbinary(2000), PRIMARY KEY (K, Q, T))")
			require.NoError(t, err)

			var held []net.Conn
			defer func() {
				for _, c := range held {
					c.Close()
				}
			}()
			for range 600 { // more than there are descriptors: the rest waits, and is not accepted
				c, err := net.DialTimeout("unix", socket, 10*time.Millisecond)
				if err != nil {
					break
				}
				held = append(held, c)
			}
			for i := range 20 {
				var rows []string
				for j := range 100 {
					rows = append(rows, fmt.Sprintf("('row%03d', 'q%03d', 1, '%s')", i, j, strings.Repeat("v", 1000)))
				}
				_, err := db.Exec("INSERT INTO t VALUES " + strings.Join(rows, ","))
				require.NoError(t, err)
				_, err = db.Exec("FLUSH TABLES")
				require.NoError(t, err)
			}
			_, err = db.Exec("OPTIMIZE TABLE t")
			require.NoError(t, err)
			var n int
			require.NoError(t, db.QueryRow("SELECT COUNT(*) FROM t").Scan(&n))
			require.Equal(t, 2000, n)
			for _, c := range held {
				c.Close()
			}
			held = nil
			require.NoError(t, db.Close())
			again, err := sql.Open("mysql", "root@unix("+socket+")/default?timeout=1s")
			require.NoError(t, err)
			defer again.Close()
			require.Eventually(t, func() bool { return again.Ping() == nil }, time.Minute, 20*time.Millisecond, "others come in")
		})
	}
}

// exhausted is a listener without descriptors for a while.
type exhausted struct {
	net.Listener
	left atomic.Int32
}

func (l *exhausted) Accept() (net.Conn, error) {
	if l.left.Add(-1) >= 0 {
		return nil, &net.OpError{Op: "accept", Err: os.NewSyscallError("accept4", syscall.EMFILE)}
	}
	return l.Listener.Accept()
}

// TestNoDescriptorToAccept: this does not end the server.
func TestNoDescriptorToAccept(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	inner, err := net.Listen("unix", socket)
	require.NoError(t, err)
	l := &exhausted{Listener: inner}
	l.left.Store(6)
	db, err := sql.Open("hbasekv", ":memory:")
	require.NoError(t, err)
	defer db.Close()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, l, db, Options{}) }()
	w := dial(t, socket)
	w.login(wildCaps)
	w.healthy()
	require.Negative(t, l.left.Load())
	stop()
	require.NoError(t, <-ended)
}
