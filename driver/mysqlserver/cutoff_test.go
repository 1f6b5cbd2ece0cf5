package mysqlserver_test

import (
	"context"
	"crypto/tls"
	"crypto/x509/pkix"
	"database/sql"
	"flag"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver/mysqlserver"
	"github.com/hbasekv/hbasekv/driver/mysqlserver/mysqlservertest"
)

var cutPlaces = flag.Int("cut.places", 60, "the places at which TestCutOffClients cuts each stream")

// cutConn is a connection that ends after that many bytes were sent: with a FIN, like a
// client that was killed, or with an RST, like a machine that has restarted.
type cutConn struct {
	*net.TCPConn
	left  int
	reset bool
	sent  int
}

func (c *cutConn) Write(b []byte) (int, error) {
	n, err := c.TCPConn.Write(b[:min(len(b), c.left)])
	c.sent += n
	if c.left -= n; err == nil && n < len(b) {
		c.cut()
		err = io.ErrClosedPipe
	}
	return n, err
}

// cut ends the connection. For a FIN, it then waits for the server's own, so that an unread
// answer does not make it an RST.
func (c *cutConn) cut() {
	if c.reset {
		c.SetLinger(0)
		c.TCPConn.Close()
		return
	}
	c.CloseWrite()
	c.SetReadDeadline(time.Now().Add(time.Minute))
	io.Copy(io.Discard, c.TCPConn)
}

// cutClient runs do on a connection that is cut after that many bytes, and returns how
// many were sent.
func cutClient(t testing.TB, cfg *mysql.Config, behind int, reset bool, do func(*sql.Conn) error) (sent int, err error) {
	t.Helper()
	var cut *cutConn
	cfg = cfg.Clone()
	cfg.Logger = mysql.Logger(&mysql.NopLogger{})
	cfg.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		var d net.Dialer
		c, err := d.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		cut = &cutConn{TCPConn: c.(*net.TCPConn), left: behind, reset: reset}
		return cut, nil
	}
	connector, err := mysql.NewConnector(cfg)
	require.NoError(t, err)
	db := sql.OpenDB(connector)
	defer db.Close()
	db.SetMaxOpenConns(1)
	conn, err := db.Conn(context.Background())
	if err == nil {
		err = do(conn)
		conn.Close()
	}
	db.Close()
	return cut.sent, err
}

// aStream is what a client sends to store rows of the table t, all or none of them.
type aStream struct {
	name string
	set  func(*mysql.Config)
	do   func(context.Context, *sql.Conn) error
	rows int
}

func texts(statements ...string) func(context.Context, *sql.Conn) error {
	return func(ctx context.Context, c *sql.Conn) error {
		for _, s := range statements {
			if _, err := c.ExecContext(ctx, s); err != nil {
				return err
			}
		}
		return nil
	}
}

// lineReader returns one line at a time.
type lineReader struct{ lines []string }

func (r *lineReader) Read(p []byte) (int, error) {
	if len(r.lines) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.lines[0])
	if r.lines[0] = r.lines[0][n:]; r.lines[0] == "" {
		r.lines = r.lines[1:]
	}
	return n, nil
}

const cutLines = 60

// cutStreams are the ways in which rows are sent.
func cutStreams(t testing.TB, authority *mysqlservertest.Authority) []aStream {
	mysql.RegisterReaderHandler("cut", func() io.Reader {
		r := &lineReader{}
		for i := range cutLines {
			r.lines = append(r.lines, fmt.Sprintf("key%02d\tq\t1\tvalue of the row %d\n", i, i))
		}
		return r
	})
	t.Cleanup(func() { mysql.DeregisterReaderHandler("cut") })
	const load = "LOAD DATA LOCAL INFILE 'Reader::cut' INTO TABLE t"
	small := func(c *mysql.Config) { c.MaxAllowedPacket = 300 } // the file is sent in packets of that many bytes
	long := strings.Repeat("long ", 190)
	return []aStream{
		{"LOAD DATA LOCAL", small, texts(load), cutLines},
		{"LOAD DATA LOCAL REPLACE", small, texts("LOAD DATA LOCAL INFILE 'Reader::cut' REPLACE INTO TABLE t"), cutLines},
		{"LOAD DATA LOCAL in a transaction", small, texts("BEGIN", load, "COMMIT"), cutLines},
		{"LOAD DATA LOCAL without autocommit", small, texts("SET autocommit = 0", load, "COMMIT"), cutLines},
		{"LOAD DATA LOCAL, compressed", func(c *mysql.Config) { small(c); require.NoError(t, c.Apply(mysql.EnableCompression(true))) },
			texts(load), cutLines},
		{"LOAD DATA LOCAL by TLS", func(c *mysql.Config) {
			small(c)
			c.TLS = &tls.Config{RootCAs: authority.Pool(), ServerName: "localhost"}
		}, texts(load), cutLines},
		{"a long text", nil, texts("INSERT INTO t VALUES ('a', 'q', 1, '" + long + "'), ('b', 'q', 1, '" + long + "')"), 2},
		{"several texts", func(c *mysql.Config) { c.MultiStatements = true },
			texts("BEGIN; INSERT INTO t VALUES ('a', 'q', 1, '" + long + "'); INSERT INTO t VALUES ('b', 'q', 1, 'v'); COMMIT"), 2},
		{"arguments", nil, func(ctx context.Context, c *sql.Conn) error {
			_, err := c.ExecContext(ctx, "INSERT INTO t VALUES (?, 'q', 1, ?), (?, 'q', 1, ?)", "a", long, "b", long)
			return err
		}, 2},
		{"arguments in pieces", func(c *mysql.Config) { c.MaxAllowedPacket = 400 }, func(ctx context.Context, c *sql.Conn) error {
			_, err := c.ExecContext(ctx, "INSERT INTO t VALUES (?, 'q', 1, ?), (?, 'q', 1, ?)", "a", []byte(long), "b", []byte(long))
			return err
		}, 2},
	}
}

// cutServer is a server with an empty table t, and how clients connect to it over TCP.
func cutServer(t testing.TB, o mysqlserver.Options, table string) (*served, *mysql.Config) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := serveOn(t, l, ":memory:", o)
	execAll(t, s.db, table)
	cfg := mysql.NewConfig()
	cfg.User, cfg.Net, cfg.Addr, cfg.DBName = "root", "tcp", l.Addr().String(), "default"
	return s, cfg
}

// cut lets a client store rows, and returns how many there are when the server is done with
// it.
func (s *served) cut(t testing.TB, cfg *mysql.Config, each *aStream, behind int, reset bool) (sent, rows int, err error) {
	t.Helper()
	sent, err = cutClient(t, cfg, behind, reset, func(c *sql.Conn) error { return each.do(context.Background(), c) })
	s.alone(t)
	rows = one[int](t, s.db, "SELECT COUNT(*) FROM t")
	execAll(t, s.db, "DELETE FROM t")
	return sent, rows, err
}

const uncut = math.MaxInt

// TestCutOffClients: whatever a client was sending when its connection ended, all of it is
// stored or nothing.
func TestCutOffClients(t *testing.T) {
	t.Parallel()
	authority := mysqlservertest.NewAuthority(t, pkix.Name{CommonName: "authority"})
	certificate, key := issued(t, authority, pkix.Name{CommonName: "localhost"})
	certificates, err := mysqlserver.LoadCertificates(certificate, key, authority.File)
	require.NoError(t, err)
	s, plain := cutServer(t, mysqlserver.Options{TLS: certificates.Config()}, table)
	for _, each := range cutStreams(t, authority) {
		t.Run(each.name, func(t *testing.T) {
			cfg := plain.Clone()
			if each.set != nil {
				each.set(cfg)
			}
			length, rows, err := s.cut(t, cfg, &each, uncut, false)
			require.NoError(t, err)
			require.Equal(t, each.rows, rows)
			nothing := 0
			for i := range *cutPlaces {
				behind := length * i / *cutPlaces
				_, rows, err := s.cut(t, cfg, &each, behind, i%2 == 1)
				require.Contains(t, []int{0, each.rows}, rows, "cut behind %d of %d bytes", behind, length)
				if rows == 0 {
					nothing++
					require.Error(t, err)
				}
			}
			require.Greater(t, nothing, *cutPlaces/2)
		})
	}
}

// TestCutOffContinuation: a text that is longer than a packet is not executed without its
// last packet.
func TestCutOffContinuation(t *testing.T) {
	s, cfg := cutServer(t, mysqlserver.Options{}, strings.Replace(table, "varbinary(1000)", "longblob", 1))
	const maxPayload, quit, header = 1<<24 - 1, 5, 4
	text := "INSERT INTO t VALUES ('a', 'q', 1, '" + strings.Repeat("x", maxPayload) + "'), ('b', 'q', 1, 'v')"
	each := &aStream{do: texts(text)}
	length, rows, err := s.cut(t, cfg, each, uncut, false)
	require.NoError(t, err)
	require.Equal(t, 2, rows)
	whole := length - quit
	border := whole - (1 + len(text) - maxPayload) - header
	for _, behind := range []int{border - 1, border, border + 1, border + header, border + header + 1, whole - 1} {
		for _, reset := range []bool{false, true} {
			_, rows, err := s.cut(t, cfg, each, behind, reset)
			require.Error(t, err)
			require.Zero(t, rows, "cut %d bytes behind the first packet", behind-border)
		}
	}
}

// TestCutOffAccounts: a file of accounts that was cut off within a statement is refused as a
// whole, because the missing part may be a requirement of an account.
func TestCutOffAccounts(t *testing.T) {
	const script = "CREATE USER app@localhost IDENTIFIED BY 's3cret' REQUIRE SSL;\n-- and\nGRANT SELECT ON a.b TO app@localhost;\n" +
		"REVOKE SELECT ON a.b FROM app@localhost; /* no more */\n"
	file := filepath.Join(t.TempDir(), "accounts")
	ends := 0
	for n := range len(script) + 1 {
		require.NoError(t, os.WriteFile(file, []byte(script[:n]), 0o600))
		text, err := mysqlserver.ReadAccountsFile(file)
		if err != nil {
			continue
		}
		if strings.HasSuffix(text, ";") {
			ends++
		}
		again := strings.TrimSpace(regexp.MustCompile(`(?m)-- .*|--$|-$|/\*.*`).ReplaceAllString(text, ""))
		require.True(t, again == "" || strings.HasSuffix(again, ";"), "%q", text)
	}
	require.Equal(t, 3, ends)
}

// alone waits until the server has no client over TCP any more.
func (s *served) alone(t testing.TB) {
	t.Helper()
	const clients = "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE HOST LIKE '%:%'"
	for end := time.Now().Add(time.Minute); one[int](t, s.db, clients) > 0; {
		require.True(t, time.Now().Before(end), "a client has not ended")
		time.Sleep(100 * time.Microsecond)
	}
}
