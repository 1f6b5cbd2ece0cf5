// Package mysqlservertest lets tests of a database reach it over MySQL's protocol.
package mysqlservertest

import (
	"context"
	"database/sql"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/hbasekv/hbasekv/driver"
	"github.com/hbasekv/hbasekv/driver/mysqlserver"
)

// Protocol says how go-sql-driver/mysql sends statements.
type Protocol string

// The protocols.
const (
	Text     Protocol = "text"     // arguments are interpolated into the statement
	Prepared Protocol = "prepared" // arguments are sent with a prepared statement
)

// Client serves db, which was opened with the data source name dsn, and opens the
// server with go-sql-driver/mysql and dsn's parameters. The server and the result are
// closed at the end of the test; db is left open.
func Client(t testing.TB, db *sql.DB, dsn string, p Protocol) *sql.DB {
	t.Helper()
	of, err := driver.ParseDSN(dsn)
	check(t, err)
	cfg := mysql.NewConfig()
	cfg.User, cfg.Net, cfg.Addr, cfg.DBName = "root", "unix", Serve(t, db), of.DB
	cfg.InterpolateParams, cfg.MultiStatements = p == Text, of.MultiStatements
	cfg.ParseTime, cfg.Loc = of.ParseTime, of.Loc
	connector, err := mysql.NewConnector(cfg)
	check(t, err)
	client := sql.OpenDB(connector)
	t.Cleanup(func() { client.Close() }) // reports connections that the server has ended
	return client
}

// Serve serves db on a Unix socket, which it returns, until the test ends.
func Serve(t testing.TB, db *sql.DB) (socket string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "mysqlserver") // a test's own directory may have too long a name for a socket
	check(t, err)
	socket = filepath.Join(dir, "s")
	l, err := net.Listen("unix", socket)
	check(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- mysqlserver.Serve(ctx, l, db, mysqlserver.Options{}) }()
	t.Cleanup(func() {
		cancel()
		check(t, <-ended)
		check(t, os.RemoveAll(dir))
	})
	return socket
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
