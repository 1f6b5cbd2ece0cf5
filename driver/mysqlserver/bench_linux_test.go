package mysqlserver

import (
	"context"
	"database/sql"
	"encoding/binary"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	_ "github.com/hbasekv/hbasekv/driver"
)

var mariadb = flag.String("mariadb.socket", "", "the socket of a MariaDB server, with a user root without a password and a "+
	"database test, for the benchmarks beside it")

// serveDSN and serveSocket, in the environment, make the test binary a server: the
// benchmarks measure the processor time of its process alone. serveProfile is a file
// for its profile.
const (
	serveDSN     = "HBASEKV_BENCH_DSN"
	serveSocket  = "HBASEKV_BENCH_SOCKET"
	serveProfile = "HBASEKV_BENCH_PROFILE"
)

func TestMain(m *testing.M) {
	if dsn := os.Getenv(serveDSN); dsn != "" {
		if err := serveAlone(dsn, os.Getenv(serveSocket)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// serveAlone serves until its standard input ends.
func serveAlone(dsn, socket string) error {
	db, err := sql.Open("hbasekv", dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	if file := os.Getenv(serveProfile); file != "" {
		f, err := os.Create(file)
		if err != nil {
			return err
		}
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer f.Close()
		defer pprof.StopCPUProfile()
	}
	l, err := net.Listen("unix", socket)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		os.Stdin.Read(make([]byte, 1))
		cancel()
	}()
	return Serve(ctx, l, db, Options{})
}

// startAlone starts a server in a process of its own, and gives its socket.
func startAlone(b *testing.B, dsn string) string {
	b.Helper()
	socket := filepath.Join(b.TempDir(), "s")
	server := exec.Command(os.Args[0])
	server.Env = append(os.Environ(), serveDSN+"="+dsn, serveSocket+"="+socket)
	server.Stderr = os.Stderr
	stop, err := server.StdinPipe()
	require.NoError(b, err)
	require.NoError(b, server.Start())
	b.Cleanup(func() {
		stop.Close()
		require.NoError(b, server.Wait())
	})
	require.Eventually(b, func() bool {
		c, err := net.Dial("unix", socket)
		if err == nil {
			c.Close()
		}
		return err == nil
	}, 10*time.Second, 10*time.Millisecond)
	return socket
}

const (
	benchRows  = 10_000
	benchCells = 4 // of a row
	benchTable = "CREATE TABLE bench (K varbinary(64) NOT NULL, Q varbinary(64) NOT NULL, T bigint NOT NULL, " +
		"V varbinary(200), PRIMARY KEY (K, Q, T))"
)

// BenchmarkWire is the same client with the same statements on the same cells, by the
// server and by a MariaDB, each a process of its own behind a socket. The client
// does as little as one can, so that the servers are what is compared. server-us/op
// is the processor time of the server's process. Commits are left to the operating
// system: give MariaDB --innodb-flush-log-at-trx-commit=2.
func BenchmarkWire(b *testing.B) {
	servers := []struct{ name, socket, database string }{
		{"hbasekv", startAlone(b, "file:"+b.TempDir()+"?sync=false&cache=256MiB"), "default"},
		{"mariadb", *mariadb, "test"},
	}
	for _, s := range servers {
		if s.socket == "" {
			continue
		}
		c := dialBench(b, s.socket, s.database)
		c.fill()
		for _, statement := range benchStatements {
			for _, clients := range []int{1, 8} {
				b.Run(fmt.Sprintf("%s/clients=%d/server=%s", statement.name, clients, s.name), func(b *testing.B) {
					benchWire(b, s.socket, s.database, statement, clients)
				})
			}
		}
	}
}

// benchStatement is a statement that is executed again and again.
type benchStatement struct {
	name, text string
	args       func(i int) []string
}

var benchStatements = []benchStatement{
	{"Ping", "DO 1", func(int) []string { return nil }},
	{"RowGet", "SELECT Q, T, V FROM bench WHERE K = ?", func(i int) []string { return []string{benchKey(i)} }},
	{"CellGet", "SELECT V FROM bench WHERE K = ? AND Q = ? AND T = 1", func(i int) []string {
		return []string{benchKey(i), "column2"}
	}},
	{"Scan1000", "SELECT K, Q, T, V FROM bench WHERE K >= ? ORDER BY K, Q LIMIT 1000", func(i int) []string {
		return []string{benchKey(i)}
	}},
	{"Insert", "INSERT INTO bench VALUES (?, 'q', 1, 'a value of some length')", func(int) []string {
		return []string{fmt.Sprintf("new%d", time.Now().UnixNano())}
	}},
}

func benchKey(i int) string { return fmt.Sprintf("row%08d", i*7919%(benchRows-1000)) }

// benchWire runs a statement by several clients at once.
func benchWire(b *testing.B, socket, database string, s benchStatement, clients int) {
	all := make([]*benchClient, clients)
	for i := range all {
		all[i] = dialBench(b, socket, database)
		all[i].prepare(s.text)
		all[i].execute(s.args(i))
	}
	before := all[0].used()
	b.ResetTimer()
	var running sync.WaitGroup
	for at, c := range all {
		running.Go(func() {
			for i := at; i < b.N; i += clients {
				c.execute(s.args(i))
			}
		})
	}
	running.Wait()
	b.StopTimer()
	b.ReportMetric(float64((all[0].used()-before).Nanoseconds())/1e3/float64(b.N), "server-us/op")
}

// benchClient sends what it has at hand, and looks only for the end of the answer. It
// blocks in its system calls: what Go's poller takes is left out.
type benchClient struct {
	b         *testing.B
	fd        int
	in        []byte // read and not looked at
	buf, out  []byte
	statement uint32
}

func dialBench(b *testing.B, socket, database string) *benchClient {
	b.Helper()
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	require.NoError(b, err)
	require.NoError(b, unix.Connect(fd, &unix.SockaddrUnix{Name: socket}))
	b.Cleanup(func() { unix.Close(fd) })
	c := &benchClient{b: b, fd: fd, buf: make([]byte, 64<<10)}
	c.packet() // the greeting
	hello := appendUint32(nil, uint32(protocol41|secureConnection|pluginAuth|connectWithDB))
	hello = append(appendUint32(hello, 1<<24), defaultCollation)
	hello = append(hello, make([]byte, 23)...)
	hello = append(appendTerminated(hello, "root"), 0)
	c.send(1, appendTerminated(appendTerminated(hello, database), NativePassword))
	require.EqualValues(b, okHeader, c.packet()[0])
	return c
}

func (c *benchClient) send(sequence byte, payload []byte) {
	c.out = append(appendUint24(c.out[:0], len(payload)), sequence)
	c.out = append(c.out, payload...)
	for out := c.out; len(out) > 0; {
		n, err := unix.Write(c.fd, out)
		require.NoError(c.b, err)
		out = out[n:]
	}
}

// packet is the next one.
func (c *benchClient) packet() []byte {
	for {
		if len(c.in) >= 4 {
			n := int(c.in[0]) | int(c.in[1])<<8 | int(c.in[2])<<16
			if len(c.in) >= 4+n {
				p := c.in[4 : 4+n]
				c.in = c.in[4+n:]
				return p
			}
		}
		kept := copy(c.buf, c.in)
		n, err := unix.Read(c.fd, c.buf[kept:])
		if err != nil || n == 0 {
			c.b.Fatalf("read %d bytes: %v", n, err)
		}
		c.in = c.buf[:kept+n]
	}
}

// answer reads an answer to its end and gives the number of its rows.
func (c *benchClient) answer() (rows int) {
	switch first := c.packet(); first[0] {
	case okHeader:
		return 0
	case errHeader:
		c.b.Fatalf("%s", first[9:])
	}
	c.toEOF()
	return c.toEOF()
}

func (c *benchClient) toEOF() (n int) {
	for ; ; n++ {
		if p := c.packet(); p[0] == eofHeader && len(p) < 9 {
			return n
		} else if p[0] == errHeader {
			c.b.Fatalf("%s", p[9:])
		}
	}
}

func (c *benchClient) query(text string) {
	c.send(0, append([]byte{comQuery}, text...))
	c.answer()
}

func (c *benchClient) prepare(text string) {
	c.send(0, append([]byte{comStmtPrepare}, text...))
	p := c.packet()
	require.EqualValues(c.b, okHeader, p[0], "%s", p)
	c.statement = binary.LittleEndian.Uint32(p[1:])
	columns, parameters := binary.LittleEndian.Uint16(p[5:]), binary.LittleEndian.Uint16(p[7:])
	for _, n := range []uint16{parameters, columns} {
		if n > 0 {
			c.toEOF()
		}
	}
}

func (c *benchClient) execute(args []string) {
	b := append(make([]byte, 0, 128), comStmtExecute)
	b = append(appendUint32(b, c.statement), 0, 1, 0, 0, 0)
	if len(args) > 0 {
		b = append(b, 0, 1) // no NULL, and their types
	}
	for range args {
		b = append(b, byte(typeString), 0)
	}
	for _, a := range args {
		b = appendString(b, a)
	}
	c.send(0, b)
	c.answer()
}

func (c *benchClient) fill() {
	c.query("DROP TABLE IF EXISTS bench")
	c.query(benchTable)
	for i := 0; i < benchRows; i += 1000 {
		var rows []string
		for j := i; j < i+1000; j++ {
			for q := range benchCells {
				rows = append(rows, fmt.Sprintf("('row%08d', 'column%d', 1, 'the value of %d in %d, some bytes long')", j, q, q, j))
			}
		}
		c.query("INSERT INTO bench VALUES " + strings.Join(rows, ","))
	}
}

// used is the processor time that the server's process has used.
func (c *benchClient) used() time.Duration {
	peer, err := unix.GetsockoptUcred(c.fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	require.NoError(c.b, err)
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", peer.Pid))
	require.NoError(c.b, err)
	_, after, _ := strings.Cut(string(stat), ") ")
	words := strings.Fields(after)
	user, err := strconv.ParseInt(words[11], 10, 64)
	require.NoError(c.b, err)
	system, err := strconv.ParseInt(words[12], 10, 64)
	require.NoError(c.b, err)
	return time.Duration(user+system) * 10 * time.Millisecond // of USER_HZ, which is 100 on Linux
}
