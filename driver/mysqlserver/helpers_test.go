package mysqlserver_test

import (
	"context"
	"database/sql"
	"fmt"
	"net"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	_ "github.com/hbasekv/hbasekv/driver"

	"github.com/hbasekv/hbasekv/driver/mysqlserver"
)

// served is a server with its own store, on a socket.
type served struct {
	db     *sql.DB // the store itself
	socket string
	cancel context.CancelFunc
	ended  chan error
}

func serve(t testing.TB, dsn string, o mysqlserver.Options) *served {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", socket)
	require.NoError(t, err)
	s := serveOn(t, l, dsn, o)
	s.socket = socket
	return s
}

func serveOn(t testing.TB, l net.Listener, dsn string, o mysqlserver.Options) *served {
	t.Helper()
	db, err := sql.Open("hbasekv", dsn)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	s := &served{db: db, cancel: cancel, ended: make(chan error, 1)}
	go func() { s.ended <- mysqlserver.Serve(ctx, l, db, o) }()
	t.Cleanup(func() {
		cancel()
		if s.ended != nil {
			require.NoError(t, <-s.ended)
		}
		require.NoError(t, db.Close())
	})
	return s
}

// stop ends the server and waits for it.
func (s *served) stop(t testing.TB) {
	s.cancel()
	require.NoError(t, <-s.ended)
	s.ended = nil
}

// source is the server's address for go-sql-driver/mysql.
func (s *served) source(database, parameters string) string {
	return fmt.Sprintf("root@unix(%s)/%s?%s", s.socket, database, parameters)
}

// client opens the server with go-sql-driver/mysql.
func (s *served) client(t testing.TB, parameters string) *sql.DB {
	t.Helper()
	db, err := sql.Open("mysql", s.source("default", parameters))
	require.NoError(t, err)
	t.Cleanup(func() { db.Close() }) // reports connections that the server has ended
	return db
}

const table = "CREATE TABLE t (K varbinary(1024), Q varbinary(256), T bigint, V varbinary(1000), PRIMARY KEY (K, Q, T))"

func execAll(t testing.TB, db *sql.DB, statements ...string) {
	t.Helper()
	for _, s := range statements {
		_, err := db.Exec(s)
		require.NoError(t, err, s)
	}
}

func one[T any](t testing.TB, db *sql.DB, query string, args ...any) (out T) {
	t.Helper()
	require.NoError(t, db.QueryRow(query, args...).Scan(&out), query)
	return out
}
