package mysqlserver

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/x509"
	"database/sql"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver/mysqlserver/internal/packet"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
)

// onePlugin is a client that knows one plugin, as those of MySQL 9 know caching_sha2_password and
// old ones mysql_native_password.
type onePlugin struct {
	*wild
	plugin, password string
	secure           bool // it is on a socket
	nonce            []byte
	full             bool // it was asked for the password itself
}

// answer is the plugin's answer for the password and the nonce.
func (o *onePlugin) answer() []byte {
	switch {
	case o.plugin == rights.NativePassword && o.password == "":
		return nil
	case o.plugin == rights.NativePassword:
		return nativeAnswer(o.password, o.nonce)
	case o.password == "":
		return []byte{0}
	}
	return sha2Answer(o.password, o.nonce)
}

// login reports whether the client gets in. Like MySQL's library, it does not show its plugin a
// nonce of another plugin.
func (o *onePlugin) login(user string) bool {
	g := o.greeting()
	rest := g[1+bytes.IndexByte(g[1:], 0)+1+4:]
	o.nonce = append(append([]byte{}, rest[:8]...), rest[8+1+2+1+2+2+1+10:][:12]...)
	var answer []byte
	if bytes.HasSuffix(g, []byte(o.plugin+"\x00")) {
		answer = o.answer()
	}
	o.put(append(o.Begin(), helloOf(wildCaps, user, o.plugin, answer, "")...))
	for {
		p, err := o.Read()
		switch {
		case err != nil:
			return false
		case p[0] == eofHeader:
			name, data, _ := bytes.Cut(p[1:], []byte{0})
			if string(name) != o.plugin {
				return false
			}
			o.nonce = bytes.Clone(data[:nonceLength])
			o.put(append(o.Begin(), o.answer()...))
		case p[0] == moreDataAuth && p[1] == 4:
			o.full = true
			o.sendPassword()
		case p[0] != moreDataAuth:
			return p[0] == okHeader
		}
	}
}

func (o *onePlugin) sendPassword() {
	plain := []byte(o.password + "\x00")
	if o.secure {
		o.put(append(o.Begin(), plain...))
		return
	}
	o.put(append(o.Begin(), 2))
	block, _ := pem.Decode(o.get()[1:])
	key, err := x509.ParsePKIXPublicKey(block.Bytes)
	require.NoError(o.t, err)
	for i := range plain {
		plain[i] ^= o.nonce[i%nonceLength]
	}
	sealed, err := rsa.EncryptOAEP(sha1.New(), rand.Reader, key.(*rsa.PublicKey), plain, nil)
	require.NoError(o.t, err)
	o.put(append(o.Begin(), sealed...))
}

// pluginServer is a server on a socket and a port.
type pluginServer struct {
	socket, address string
	db              *sql.DB
}

func servePlugins(t testing.TB) *pluginServer {
	t.Helper()
	s := &pluginServer{}
	s.socket, s.db = serveWild(t, Options{})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s.address = l.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, l, s.db, Options{}) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-ended)
	})
	return s
}

func (s *pluginServer) exec(t testing.TB, statements ...string) {
	t.Helper()
	for _, each := range statements {
		_, err := s.db.Exec(each)
		require.NoError(t, err, each)
	}
}

// dialWild opens a connection, which is closed at the end of the test.
func dialWild(t testing.TB, network, address string) *wild {
	t.Helper()
	c, err := net.Dial(network, address)
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	require.NoError(t, c.SetDeadline(time.Now().Add(time.Minute)))
	return &wild{packet.New(c), t}
}

// lets reports whether a client of one plugin gets in, and whether it was asked for its password.
func (s *pluginServer) lets(t testing.TB, network, plugin, user, password string) (in, full bool) {
	t.Helper()
	address := s.socket
	if network == "tcp" {
		address = s.address
	}
	o := &onePlugin{wild: dialWild(t, network, address), plugin: plugin, password: password, secure: network == "unix"}
	in = o.login(user)
	return in, o.full
}

// TestClientsOfOnePlugin: without a password each client gets in with its plugin; with one,
// those that have the account's plugin.
func TestClientsOfOnePlugin(t *testing.T) {
	t.Parallel()
	s := servePlugins(t)
	for _, network := range []string{"unix", "tcp"} {
		for _, plugin := range []string{rights.CachingSHA2, rights.NativePassword} {
			in, _ := s.lets(t, network, plugin, "root", "")
			require.True(t, in, "%s by %s", network, plugin)
			in, _ = s.lets(t, network, plugin, "root", "wrong")
			require.False(t, in)
			in, _ = s.lets(t, network, plugin, "nobody", "")
			require.False(t, in)
		}
	}
	s.exec(t, "CREATE USER made IDENTIFIED BY 's3cret'", "CREATE USER old IDENTIFIED WITH mysql_native_password BY 's3cret'",
		"CREATE USER changed", "ALTER USER changed IDENTIFIED BY 's3cret'",
		"CREATE USER hashed IDENTIFIED BY PASSWORD '"+rights.NewSecret(rights.NativePassword, "s3cret")+"'",
		"CREATE USER set_later", "SET PASSWORD FOR set_later = 's3cret'")
	made, kept, err := EnsureAccount(t.Context(), s.db, "ensured", "%", "s3cret")
	require.NoError(t, err)
	require.True(t, made && kept)
	for user, plugin := range map[string]string{"made": rights.CachingSHA2, "changed": rights.CachingSHA2, "ensured": rights.CachingSHA2,
		"set_later": rights.CachingSHA2, "old": rights.NativePassword, "hashed": rights.NativePassword} {
		for i, network := range []string{"tcp", "unix", "tcp"} {
			for _, other := range []string{rights.CachingSHA2, rights.NativePassword} {
				in, full := s.lets(t, network, other, user, "s3cret")
				require.Equal(t, other == plugin, in, "%s by %s and %s", user, network, other)
				require.Equal(t, in && other == rights.CachingSHA2 && s.first(i), full, "a server knows it the second time")
				in, _ = s.lets(t, network, other, user, "")
				require.False(t, in)
				in, _ = s.lets(t, network, other, user, "wrong")
				require.False(t, in)
			}
		}
	}
}

// first is true for the first login to each of the servers in the test's steps.
func (s *pluginServer) first(step int) bool { return step < 2 }

func TestDefaultPluginIsShown(t *testing.T) {
	s := servePlugins(t)
	s.exec(t, "CREATE USER made IDENTIFIED BY 's3cret'")
	var shown string
	require.NoError(t, s.db.QueryRow("SELECT @@default_authentication_plugin").Scan(&shown))
	require.Equal(t, rights.CachingSHA2, shown)
	require.NoError(t, s.db.QueryRow("SHOW CREATE USER made").Scan(&shown))
	require.Contains(t, shown, "IDENTIFIED WITH 'caching_sha2_password' AS '$A$005$")
	_, err := s.db.Exec("SET GLOBAL default_authentication_plugin = 'mysql_native_password'")
	require.ErrorContains(t, err, "read only")
}

// TestFirstLoginInTheClear: MariaDB's client library sends the password in clear to a port of the same
// machine, which is accepted, right or wrong.
func TestFirstLoginInTheClear(t *testing.T) {
	s := servePlugins(t)
	long := strings.Repeat("p", 255) // with its end, as long as a password that the public key has encrypted
	s.exec(t, "CREATE USER short IDENTIFIED BY 's3cret'", "CREATE USER long IDENTIFIED BY '"+long+"'")
	for user, right := range map[string]string{"short": "s3cret", "long": long} {
		for _, password := range []string{"wrong", "\x02", right} {
			o := &onePlugin{wild: dialWild(t, "tcp", s.address), plugin: rights.CachingSHA2, password: password, secure: true}
			require.Equal(t, password == right, o.login(user), "%s by %q", user, password)
			require.True(t, o.full)
		}
	}
}

// TestDriversByTheDefaultPlugin: the drivers that are installed log in to accounts of the
// default plugin, without TLS, on a port and on a socket.
func TestDriversByTheDefaultPlugin(t *testing.T) {
	s := servePlugins(t)
	s.exec(t, "CREATE USER app IDENTIFIED BY 's3cret'", "CREATE USER other IDENTIFIED BY 's3cret'")
	host, port, err := net.SplitHostPort(s.address)
	require.NoError(t, err)
	for _, source := range []string{"app:s3cret@tcp(" + s.address + ")/", "app:s3cret@unix(" + s.socket + ")/", "root@tcp(" + s.address + ")/"} {
		t.Run("go-sql-driver "+source, func(t *testing.T) {
			db, err := sql.Open("mysql", source)
			require.NoError(t, err)
			defer db.Close()
			require.NoError(t, db.Ping())
		})
	}
	python := fmt.Sprintf("import pymysql; pymysql.connect(host=%q, port=%s, user='app', password='s3cret').ping()", host, port)
	node := fmt.Sprintf("require('mysql2').createConnection({host: %q, port: %s, user: 'app', password: 's3cret'}).query('SELECT 1', "+
		"e => process.exit(e ? 1 : 0))", host, port)
	for _, command := range [][]string{
		{"mariadb", "-uapp", "-ps3cret", "-h" + host, "-P" + port, "-e", "SELECT 1"},
		{"mariadb", "-uother", "-ps3cret", "-h" + host, "-P" + port, "-e", "SELECT 1"}, // to which nobody has logged in
		{"mariadb", "-uapp", "-ps3cret", "-S" + s.socket, "-e", "SELECT 1"},
		{"mariadb", "-uroot", "-h" + host, "-P" + port, "-e", "SELECT 1"},
		{filepath.Join(os.Getenv("HBASEKV_TEST_CLIENTS"), "python/bin/python"), "-c", python},
		{"node", "-e", node},
	} {
		t.Run(filepath.Base(command[0])+" "+strconv.Itoa(len(command)), func(t *testing.T) { runClient(t, command) })
	}
}

func runClient(t *testing.T, command []string) {
	installed := map[string][]string{"mariadb": {"mariadb", "--version"}, "node": {"node", "-e", "require('mysql2')"}}[command[0]]
	if installed == nil {
		installed = []string{command[0], "-c", "import pymysql, cryptography"}
	}
	t.Setenv("NODE_PATH", filepath.Join(os.Getenv("HBASEKV_TEST_CLIENTS"), "node/node_modules"))
	if err := exec.Command(installed[0], installed[1:]...).Run(); err != nil {
		t.Skip(command[0] + " is not installed")
	}
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = io.Discard, &said
	require.NoError(t, cmd.Run(), said.String())
}
