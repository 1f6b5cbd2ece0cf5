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

func accounts(t testing.TB, plugin string, change func(*mysqlserver.Account)) *mysqlserver.Accounts {
	t.Helper()
	a, err := mysqlserver.NewAccount("app", "localhost", plugin, "s3cret")
	require.NoError(t, err)
	if change != nil {
		change(&a)
	}
	list, err := mysqlserver.NewAccounts(a)
	require.NoError(t, err)
	return list
}

// onLoopback serves on a port of the loopback address.
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
	for _, plugin := range []string{mysqlserver.NativePassword, mysqlserver.CachingSHA2} {
		for _, encrypted := range []string{"false", "unverified"} {
			t.Run(plugin+" tls="+encrypted, func(t *testing.T) {
				o := mysqlserver.Options{Accounts: accounts(t, plugin, nil), TLS: certificates.Config()}
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
	list := accounts(t, mysqlserver.NativePassword, func(a *mysqlserver.Account) { a.RequireTLS = true })
	address := onLoopback(t, mysqlserver.Options{Accounts: list, TLS: certificates.Config()})
	require.Error(t, ping(t, "app:s3cret@tcp("+address+")/"))
	require.NoError(t, ping(t, "app:s3cret@tcp("+address+")/?tls=unverified"))
	x509 := accounts(t, mysqlserver.NativePassword, func(a *mysqlserver.Account) { a.RequireX509 = true })
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

// What others can reach is not served without a password and TLS.
func TestCheckListener(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	require.NoError(t, mysqlserver.Options{}.CheckListener(l))
	everywhere := addressed{l, &net.TCPAddr{IP: net.IPv4zero, Port: 3306}}
	require.ErrorContains(t, mysqlserver.Options{}.CheckListener(everywhere), "an account with a password")
	open, err := mysqlserver.NewAccounts(mysqlserver.Account{User: "root", Host: "%"})
	require.NoError(t, err)
	require.ErrorContains(t, mysqlserver.Options{Accounts: open}.CheckListener(everywhere), "root@% has no password")
	closed := accounts(t, mysqlserver.NativePassword, nil)
	require.ErrorContains(t, mysqlserver.Options{Accounts: closed}.CheckListener(everywhere), "TLS")
	require.NoError(t, mysqlserver.Options{Accounts: closed, Insecure: true}.CheckListener(everywhere))
	require.NoError(t, mysqlserver.Options{Accounts: closed, TLS: &tls.Config{}}.CheckListener(everywhere))
	require.Error(t, mysqlserver.Serve(context.Background(), everywhere, nil, mysqlserver.Options{}))
}

// addressed is a listener that says it is elsewhere.
type addressed struct {
	net.Listener
	addr net.Addr
}

func (a addressed) Addr() net.Addr { return a.addr }

// No password is logged, and names cannot forge lines.
func TestFailedLoginsAreLogged(t *testing.T) {
	var log safeBuffer
	o := mysqlserver.Options{Accounts: accounts(t, mysqlserver.CachingSHA2, nil), Log: slog.New(slog.NewTextHandler(&log, nil))}
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
	native, err := mysqlserver.NewAccount("app", "%", mysqlserver.NativePassword, "a")
	require.NoError(t, err)
	sha2, err := mysqlserver.NewAccount("report", "10.0.0.%", mysqlserver.CachingSHA2, "b")
	require.NoError(t, err)
	sha2.RequireTLS = true
	path := filepath.Join(t.TempDir(), "accounts")
	text := "# those who may\n\n" + mysqlserver.FormatAccount(native) + "\n" + mysqlserver.FormatAccount(sha2) + "\n"
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	list, err := mysqlserver.ReadAccountsFile(path)
	require.NoError(t, err)
	require.Equal(t, []mysqlserver.Account{native, sha2}, list)
	require.NoError(t, os.Chmod(path, 0o644))
	_, err = mysqlserver.ReadAccountsFile(path)
	require.ErrorContains(t, err, "chmod 600")
	for _, bad := range []string{"app", "app@% " + mysqlserver.NativePassword, "app@% sha1 -", "app@% mysql_native_password *12",
		"app@% caching_sha2_password $A$005$x", "app@% mysql_native_password - REQUIRE NOTHING"} {
		require.NoError(t, os.Chmod(path, 0o600))
		require.NoError(t, os.WriteFile(path, []byte(bad), 0o600))
		_, err = mysqlserver.ReadAccountsFile(path)
		require.ErrorContains(t, err, "line 1", bad)
	}
}

// Who is replaced cannot log in any more.
func TestReplacedAccountsHoldAtOnce(t *testing.T) {
	list := accounts(t, mysqlserver.NativePassword, nil)
	address := onLoopback(t, mysqlserver.Options{Accounts: list})
	require.NoError(t, ping(t, "app:s3cret@tcp("+address+")/"))
	other, err := mysqlserver.NewAccount("app", "localhost", mysqlserver.NativePassword, "other")
	require.NoError(t, err)
	require.NoError(t, list.Replace([]mysqlserver.Account{other}))
	require.Error(t, ping(t, "app:s3cret@tcp("+address+")/"))
	require.NoError(t, ping(t, "app:other@tcp("+address+")/"))
}
