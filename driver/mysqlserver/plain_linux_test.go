package mysqlserver

import (
	"context"
	"database/sql"
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	_ "github.com/hbasekv/hbasekv/driver"
	"github.com/hbasekv/hbasekv/driver/mysqlserver/internal/packet"
	"github.com/hbasekv/hbasekv/driver/mysqlserver/internal/wire"
	"github.com/hbasekv/hbasekv/kv/kvtest/testgc"
)

// serveDSN and serveSocket, in the environment, make the test binary a server: the
// benchmarks measure the processor time of its process only. serveProfile is a file
// for its profile, serveFiles how many files it may open.
const (
	serveDSN     = "HBASEKV_BENCH_DSN"
	serveSocket  = "HBASEKV_BENCH_SOCKET"
	serveProfile = "HBASEKV_BENCH_PROFILE"
	serveFiles   = "HBASEKV_BENCH_FILES"
)

// goroutinesFile, appended to the socket's name, is where the server writes its number of
// goroutines.
const goroutinesFile = ".goroutines"

func TestMain(m *testing.M) {
	socket := os.Getenv(serveSocket)
	if socket == "" {
		// Parallel tests wait most of the time, so more of them run than there are
		// processors. A -parallel on the command line takes precedence.
		if err := flag.Set("test.parallel", "8"); err != nil {
			panic(err)
		}
		testgc.Seldom()
		os.Exit(m.Run())
	}
	var err error
	if behind := os.Getenv(serveBehind); behind != "" {
		err = serveAnswers(behind, socket)
	} else if clients, convErr := strconv.Atoi(os.Getenv(tormentWith)); convErr == nil {
		tormentAlone(socket, clients)
	} else {
		err = serveAlone(os.Getenv(serveDSN), socket)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serveAlone serves until its standard input ends.
func serveAlone(dsn, socket string) error {
	if n, err := strconv.ParseUint(os.Getenv(serveFiles), 10, 32); err == nil {
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: n, Max: n}); err != nil {
			return err
		}
	}
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
	trim := make(chan os.Signal, 1)
	signal.Notify(trim, syscall.SIGUSR1) // free unused memory, so that what is used can be seen
	go func() {
		for range trim {
			debug.FreeOSMemory()
			os.WriteFile(socket+goroutinesFile, []byte(strconv.Itoa(runtime.NumGoroutine())), 0o600)
		}
	}()
	go func() {
		os.Stdin.Read(make([]byte, 1))
		cancel()
	}()
	defer Dedicate()()
	return Serve(ctx, l, db, Options{})
}

// startAlone starts a server as a separate process, and returns its socket.
func startAlone(t testing.TB, dsn string) string {
	t.Helper()
	return startTest(t, serveDSN+"="+dsn)
}

// startTest starts this binary with a variable that says what it serves.
func startTest(t testing.TB, what string) string {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "s")
	server := exec.Command(os.Args[0])
	server.Env = append(os.Environ(), what, serveSocket+"="+socket)
	server.Stderr = os.Stderr
	stop, err := server.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, server.Start())
	t.Cleanup(func() {
		stop.Close()
		require.NoError(t, server.Wait())
	})
	require.Eventually(t, func() bool {
		c, err := net.Dial("unix", socket)
		if err == nil {
			c.Close()
		}
		return err == nil
	}, time.Minute, 10*time.Millisecond)
	return socket
}

// plainClient sends prepared packets, and only looks for the end of the answer. It
// blocks in its system calls, to leave out the cost of Go's poller.
type plainClient struct {
	t        testing.TB
	fd       int
	in       []byte // read but not parsed
	buf, out []byte
}

func dialPlain(t testing.TB, socket, database string) *plainClient {
	t.Helper()
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	require.NoError(t, err)
	require.NoError(t, unix.Connect(fd, &unix.SockaddrUnix{Name: socket}))
	t.Cleanup(func() { unix.Close(fd) })
	c := &plainClient{t: t, fd: fd, buf: make([]byte, 4<<10)}
	c.packet() // the greeting
	hello := packet.AppendUint32(nil, uint32(protocol41|secureConnection|pluginAuth|connectWithDB))
	hello = append(packet.AppendUint32(hello, 1<<24), wire.DefaultCollation)
	hello = append(hello, make([]byte, 23)...)
	hello = append(packet.AppendTerminated(hello, "root"), 0)
	c.send(1, packet.AppendTerminated(packet.AppendTerminated(hello, database), "mysql_native_password"))
	require.EqualValues(t, okHeader, c.packet()[0])
	return c
}

// fail ends the goroutine.
func (c *plainClient) fail(format string, args ...any) {
	c.t.Helper()
	c.t.Errorf(format, args...)
	runtime.Goexit()
}

func (c *plainClient) send(sequence byte, payload []byte) {
	c.out = append(packet.AppendUint24(c.out[:0], len(payload)), sequence)
	c.out = append(c.out, payload...)
	for out := c.out; len(out) > 0; {
		n, err := unix.Write(c.fd, out)
		if err != nil {
			c.fail("write: %v", err)
		}
		out = out[n:]
	}
}

// packet reads the next packet.
func (c *plainClient) packet() []byte {
	for {
		if len(c.in) >= 4 {
			n := int(c.in[0]) | int(c.in[1])<<8 | int(c.in[2])<<16
			if len(c.in) >= 4+n {
				p := c.in[4 : 4+n]
				c.in = c.in[4+n:]
				return p
			}
		}
		if old := c.in; len(old) == len(c.buf) {
			c.buf = make([]byte, 4*len(c.buf))
			c.in = c.buf[:copy(c.buf, old)]
		}
		kept := copy(c.buf, c.in)
		n, err := unix.Read(c.fd, c.buf[kept:])
		if err != nil || n == 0 {
			c.fail("read %d bytes: %v", n, err)
		}
		c.in = c.buf[:kept+n]
	}
}

// answer reads an answer to its end and returns the number of its rows.
func (c *plainClient) answer() (rows int) {
	switch first := c.packet(); first[0] {
	case okHeader:
		return 0
	case errHeader:
		c.fail("%s", first[9:])
	}
	c.toEOF()
	return c.toEOF()
}

func (c *plainClient) toEOF() (n int) {
	for ; ; n++ {
		if p := c.packet(); p[0] == eofHeader && len(p) < 9 {
			return n
		} else if p[0] == errHeader {
			c.fail("%s", p[9:])
		}
	}
}

func (c *plainClient) query(text string) int {
	c.send(0, append([]byte{comQuery}, text...))
	return c.answer()
}

func (c *plainClient) prepare(text string) (number uint32) {
	c.send(0, append([]byte{comStmtPrepare}, text...))
	p := c.packet()
	require.EqualValues(c.t, okHeader, p[0], "%s", p)
	number = binary.LittleEndian.Uint32(p[1:])
	columns, parameters := binary.LittleEndian.Uint16(p[5:]), binary.LittleEndian.Uint16(p[7:])
	for _, n := range []uint16{parameters, columns} {
		if n > 0 {
			c.toEOF()
		}
	}
	return number
}

// execute returns the number of rows.
func (c *plainClient) execute(number uint32, args ...string) int {
	b := append(make([]byte, 0, 128), comStmtExecute)
	b = append(packet.AppendUint32(b, number), 0, 1, 0, 0, 0)
	if len(args) > 0 {
		b = append(b, 0, 1) // no NULL, and new types
	}
	for range args {
		b = append(b, byte(wire.TypeString), 0)
	}
	for _, a := range args {
		b = packet.AppendString(b, a)
	}
	c.send(0, b)
	return c.answer()
}

// server is the process ID of the server.
func (c *plainClient) server() int {
	peer, err := unix.GetsockoptUcred(c.fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	require.NoError(c.t, err)
	return int(peer.Pid)
}

// resident is the memory of the server's process, without what it could return to
// the system, in bytes.
func (c *plainClient) resident() int {
	least := math.MaxInt
	for range 4 {
		require.NoError(c.t, syscall.Kill(c.server(), syscall.SIGUSR1))
		time.Sleep(250 * time.Millisecond)
		statm, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", c.server()))
		require.NoError(c.t, err)
		pages, err := strconv.Atoi(strings.Fields(string(statm))[1])
		require.NoError(c.t, err)
		least = min(least, pages*os.Getpagesize())
	}
	return least
}

// usedHere is the processor time that this process has used.
func usedHere(t testing.TB) time.Duration {
	var usage unix.Rusage
	require.NoError(t, unix.Getrusage(unix.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// used is the processor time that the server's process has used.
func (c *plainClient) used() time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", c.server()))
	require.NoError(c.t, err)
	_, after, _ := strings.Cut(string(stat), ") ")
	words := strings.Fields(after)
	user, err := strconv.ParseInt(words[11], 10, 64)
	require.NoError(c.t, err)
	system, err := strconv.ParseInt(words[12], 10, 64)
	require.NoError(c.t, err)
	return time.Duration(user+system) * 10 * time.Millisecond // in units of USER_HZ, which is 100 on Linux
}
