package main

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver/mysqlserver/mysqlservertest"
)

// login is a login attempt of app by a client that trusts the authority.
func (s *serving) login(t *testing.T, password string, trusted *mysqlservertest.Authority) error {
	t.Helper()
	cfg := mysql.NewConfig()
	cfg.User, cfg.Passwd, cfg.Net, cfg.Addr = "app", password, "tcp", s.sql
	cfg.TLS = &tls.Config{RootCAs: trusted.Pool(), ServerName: "localhost"}
	connector, err := mysql.NewConnector(cfg)
	require.NoError(t, err)
	db := sql.OpenDB(connector)
	defer db.Close()
	return db.Ping()
}

// TestReload: on SIGHUP the running command reloads the accounts file and the certificates,
// for later logins. What cannot be read stays as it was, and clients that are logged in
// remain connected.
func TestReload(t *testing.T) {
	dir := t.TempDir()
	accounts, certificate, key := filepath.Join(dir, "accounts"), filepath.Join(dir, "server.pem"), filepath.Join(dir, "server.key")
	write := func(password string) {
		script := "CREATE USER app@localhost IDENTIFIED BY '" + password + "' REQUIRE SSL; GRANT SELECT ON *.* TO app@localhost;"
		require.NoError(t, os.WriteFile(accounts, []byte(script), 0o600))
	}
	first := mysqlservertest.NewAuthority(t, pkix.Name{CommonName: "first"})
	second := mysqlservertest.NewAuthority(t, pkix.Name{CommonName: "second"})
	first.Issue(t, pkix.Name{CommonName: "server"}, certificate, key)
	write("one")
	s := startServe(t, "--accounts", accounts, "--tls-cert", certificate, "--tls-key", key)
	require.NoError(t, s.login(t, "one", first))
	cfg := mysql.NewConfig()
	cfg.User, cfg.Passwd, cfg.Net, cfg.Addr = "app", "one", "tcp", s.sql
	cfg.TLS = &tls.Config{RootCAs: first.Pool(), ServerName: "localhost"}
	connector, err := mysql.NewConnector(cfg)
	require.NoError(t, err)
	early := sql.OpenDB(connector)
	defer early.Close()
	early.SetMaxOpenConns(1)
	require.NoError(t, early.Ping())

	hangup := func() { require.NoError(t, s.cmd.Process.Signal(syscall.SIGHUP)) }
	becomes := func(password string, trusted *mysqlservertest.Authority) {
		t.Helper()
		require.Eventually(t, func() bool { return s.login(t, password, trusted) == nil }, 30*time.Second, 50*time.Millisecond)
	}
	second.Issue(t, pkix.Name{CommonName: "server"}, certificate, key)
	write("two")
	hangup()
	becomes("two", second)
	var unknown x509.UnknownAuthorityError
	require.ErrorAs(t, s.login(t, "two", first), &unknown)
	var denied *mysql.MySQLError
	require.ErrorAs(t, s.login(t, "one", second), &denied)
	require.EqualValues(t, 1045, denied.Number)
	require.NoError(t, early.Ping(), "who was logged in is")

	// A certificate that cannot be read leaves the old one, and the accounts are still
	// reloaded.
	require.NoError(t, os.WriteFile(certificate, []byte("none"), 0o600))
	write("three")
	hangup()
	becomes("three", second)
	// The same holds the other way round.
	first.Issue(t, pkix.Name{CommonName: "server"}, certificate, key)
	require.NoError(t, os.WriteFile(accounts, []byte("CREATE USER app@localhost IDENTIFIED BY"), 0o600))
	hangup()
	becomes("three", first)
	// A file that others may read is refused.
	write("four")
	require.NoError(t, os.Chmod(accounts, 0o644))
	second.Issue(t, pkix.Name{CommonName: "server"}, certificate, key)
	hangup()
	becomes("three", second)
	err = s.login(t, "four", second)
	require.True(t, errors.As(err, &denied) && denied.Number == 1045, "%v", err)
}
