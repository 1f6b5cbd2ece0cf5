package mysqlserver_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"database/sql"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver/mysqlserver"
)

func init() {
	if err := mysql.RegisterTLSConfig("unverified", &tls.Config{InsecureSkipVerify: true}); err != nil {
		panic(err)
	}
}

const native, sha2 = "mysql_native_password", "caching_sha2_password"

// accounts has one account, app, with all privileges and the options of CREATE
// USER in demands.
func accounts(t testing.TB, plugin, demands string) *mysqlserver.Accounts {
	t.Helper()
	list, err := mysqlserver.NewAccounts(appAccount(plugin, "s3cret", demands))
	require.NoError(t, err)
	return list
}

func appAccount(plugin, password, require string) string {
	return fmt.Sprintf("CREATE USER app@localhost IDENTIFIED WITH %s BY '%s' REQUIRE %s; "+
		"GRANT ALL ON *.* TO app@localhost WITH GRANT OPTION", plugin, password, require)
}

// onLoopback serves on a port of the loopback address, which it returns.
func onLoopback(t testing.TB, o mysqlserver.Options) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	serveOn(t, l, ":memory:", o)
	return l.Addr().String()
}

func ping(t testing.TB, source string) error {
	t.Helper()
	db, err := sql.Open("mysql", source)
	require.NoError(t, err)
	defer db.Close()
	return db.PingContext(context.Background())
}

// Each plugin works over TCP, TLS and a socket, the first time and again.
func TestPasswords(t *testing.T) {
	certificates, err := mysqlserver.SelfSigned()
	require.NoError(t, err)
	for _, plugin := range []string{native, sha2} {
		for _, encrypted := range []string{"false", "unverified"} {
			t.Run(plugin+" tls="+encrypted, func(t *testing.T) {
				t.Parallel()
				o := mysqlserver.Options{Accounts: accounts(t, plugin, "NONE"), TLS: certificates.Config()}
				address := onLoopback(t, o)
				source := func(password string) string {
					return fmt.Sprintf("app:%s@tcp(%s)/?tls=%s", password, address, encrypted)
				}
				for range 2 {
					require.NoError(t, ping(t, source("s3cret")))
				}
				for _, wrong := range []string{"", "S3cret", "s3cret\x00", strings.Repeat("x", 200)} {
					err := ping(t, source(wrong))
					var known *mysql.MySQLError
					require.ErrorAs(t, err, &known)
					require.EqualValues(t, 1045, known.Number)
				}
			})
		}
	}
}

func TestRequireTLS(t *testing.T) {
	certificates, err := mysqlserver.SelfSigned()
	require.NoError(t, err)
	list := accounts(t, native, "SSL")
	address := onLoopback(t, mysqlserver.Options{Accounts: list, TLS: certificates.Config()})
	require.Error(t, ping(t, "app:s3cret@tcp("+address+")/"))
	require.NoError(t, ping(t, "app:s3cret@tcp("+address+")/?tls=unverified"))
	x509 := accounts(t, native, "X509")
	address = onLoopback(t, mysqlserver.Options{Accounts: x509, TLS: certificates.Config()})
	require.Error(t, ping(t, "app:s3cret@tcp("+address+")/?tls=unverified"))
}

func TestTLSIsShown(t *testing.T) {
	certificates, err := mysqlserver.SelfSigned()
	require.NoError(t, err)
	address := onLoopback(t, mysqlserver.Options{TLS: certificates.Config()})
	db, err := sql.Open("mysql", "root@tcp("+address+")/?tls=unverified")
	require.NoError(t, err)
	defer db.Close()
	var name, version string
	require.NoError(t, db.QueryRow("SHOW STATUS LIKE 'Ssl_version'").Scan(&name, &version))
	require.Equal(t, "TLSv1.3", version)
}

// A listener that others can reach needs a password and TLS.
func TestCheckListener(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	db, err := sql.Open("hbasekv", ":memory:")
	require.NoError(t, err)
	defer db.Close()
	ctx := context.Background()
	check := func(o mysqlserver.Options, l net.Listener) error { return o.CheckListener(ctx, l, db) }
	require.NoError(t, check(mysqlserver.Options{}, l))
	everywhere := addressed{l, &net.TCPAddr{IP: net.IPv4zero, Port: 3306}}
	require.ErrorContains(t, check(mysqlserver.Options{}, everywhere), "every account needs a password, but root@localhost has none")
	empty, err := mysqlserver.NewAccounts("")
	require.NoError(t, err)
	require.ErrorContains(t, check(mysqlserver.Options{Accounts: empty}, everywhere), "an account with a password")
	closed := accounts(t, native, "NONE")
	require.ErrorContains(t, check(mysqlserver.Options{Accounts: closed}, everywhere), "TLS")
	require.NoError(t, check(mysqlserver.Options{Accounts: closed, Insecure: true}, everywhere))
	require.NoError(t, check(mysqlserver.Options{Accounts: closed, TLS: &tls.Config{}}, everywhere))
	require.Error(t, mysqlserver.Serve(ctx, everywhere, db, mysqlserver.Options{}))

	made, kept, err := mysqlserver.EnsureAccount(ctx, db, "admin", "%", "s3cret")
	require.NoError(t, err)
	require.True(t, made && kept)
	require.NoError(t, check(mysqlserver.Options{Insecure: true}, everywhere), "root without a password is gone")
	made, kept, err = mysqlserver.EnsureAccount(ctx, db, "admin", "%", "other")
	require.NoError(t, err)
	require.True(t, !made && kept)
}

// addressed is a listener that claims another address.
type addressed struct {
	net.Listener
	addr net.Addr
}

func (a addressed) Addr() net.Addr { return a.addr }

// No password is logged, and names cannot forge lines.
func TestFailedLoginsAreLogged(t *testing.T) {
	t.Parallel()
	var log safeBuffer
	o := mysqlserver.Options{Accounts: accounts(t, sha2, "NONE"), Log: slog.New(slog.NewTextHandler(&log, nil))}
	address := onLoopback(t, o)
	require.Error(t, ping(t, "app:hunter2@tcp("+address+")/"))
	require.Error(t, ping(t, "a\nlevel=INFO' OR 1=1:hunter2@tcp("+address+")/"))
	require.Equal(t, 2, strings.Count(log.String(), "login failed"))
	require.Equal(t, 2, strings.Count(log.String(), "\n"))
	require.NotContains(t, log.String(), "hunter2")
}

type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func TestAccountsFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "accounts")
	script := "# those who may\n\n" + appAccount(native, "a", "SSL") + ";\nGRANT SELECT ON `shop`.* TO app@localhost;"
	require.NoError(t, os.WriteFile(path, []byte(script), 0o600))
	read, err := mysqlserver.ReadAccountsFile(path)
	require.NoError(t, err)
	require.Equal(t, script, read)
	require.NoError(t, os.Chmod(path, 0o644))
	_, err = mysqlserver.ReadAccountsFile(path)
	require.ErrorContains(t, err, "chmod 600")
	require.NoError(t, os.Chmod(path, 0o600))
	for _, bad := range []string{"app@% mysql_native_password -", "SELECT 1", "GRANT SELECT ON *.* TO nobody",
		"CREATE USER a IDENTIFIED WITH sha1 BY 's3cret'", "CREATE USER a IDENTIFIED WITH mysql_native_password AS 's3cret'",
		"CREATE USER a IDENTIFIED BY 's3cret' REQUIRE NOTHING", "CREATE USER a IDENTIFIED BY 's3cret"} {
		require.NoError(t, os.WriteFile(path, []byte(bad), 0o600))
		_, err = mysqlserver.ReadAccountsFile(path)
		require.ErrorContains(t, err, path, bad)
		require.NotContains(t, err.Error(), "s3cret")
	}
}

// An account that was replaced cannot log in any more.
func TestReplacedAccountsHoldAtOnce(t *testing.T) {
	list := accounts(t, native, "NONE")
	address := onLoopback(t, mysqlserver.Options{Accounts: list})
	require.NoError(t, ping(t, "app:s3cret@tcp("+address+")/"))
	require.NoError(t, list.Replace(appAccount(native, "other", "NONE")))
	require.Error(t, ping(t, "app:s3cret@tcp("+address+")/"))
	require.NoError(t, ping(t, "app:other@tcp("+address+")/"))
}
