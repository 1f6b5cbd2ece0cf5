package mysqlserver

import (
	"io"
	"net"
	"os"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// serveBehind, in the environment, makes the test binary a server of answers: it is the
// socket of the server from which they come.
const serveBehind = "HBASEKV_BENCH_BEHIND"

// serveAnswers forwards what clients send to the server behind, except executions that follow
// an execution: each gets the previous answer again, from memory. No server can do less, so
// this is the best that clients could get. It serves until its standard input ends.
func serveAnswers(behind, socket string) error {
	runtime.GOMAXPROCS(64) // all wait in the kernel
	l, err := net.Listen("unix", socket)
	if err != nil {
		return err
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go repeatAnswers(c, behind)
		}
	}()
	io.Copy(io.Discard, os.Stdin)
	return l.Close()
}

// blockingFile is the descriptor of a socket whose calls block, and the file to which it
// belongs.
func blockingFile(c net.Conn) (*os.File, int, error) {
	defer c.Close()
	f, err := c.(*net.UnixConn).File()
	if err != nil {
		return nil, 0, err
	}
	fd := int(f.Fd())
	return f, fd, unix.SetNonblock(fd, false)
}

func repeatAnswers(c net.Conn, behind string) {
	client, from, err := blockingFile(c)
	if err != nil {
		return
	}
	defer client.Close()
	dialed, err := net.Dial("unix", behind)
	if err != nil {
		return
	}
	server, to, err := blockingFile(dialed)
	if err != nil {
		return
	}
	defer server.Close()
	r := &repeater{client: client}
	passed := make(chan struct{})
	go func() {
		r.pass(server)
		unix.Shutdown(from, unix.SHUT_RDWR)
		close(passed)
	}()
	r.serve(from, to)
	unix.Shutdown(to, unix.SHUT_RDWR)
	<-passed // from here on, another client may have the descriptors' numbers
}

// repeater is one client of serveAnswers.
type repeater struct {
	client *os.File
	mu     sync.Mutex
	answer []byte // to the last command that was forwarded
}

// pass forwards the server's answers to the client.
func (r *repeater) pass(server *os.File) {
	buf := make([]byte, 64<<10)
	for {
		n, err := server.Read(buf)
		if err != nil {
			return
		}
		r.mu.Lock()
		r.answer = append(r.answer, buf[:n]...)
		_, err = r.client.Write(buf[:n])
		r.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// serve reads the commands, each of which is one piece, as plainClient sends it.
func (r *repeater) serve(from, to int) {
	buf := make([]byte, 64<<10)
	for executed := false; ; {
		n, err := unix.Read(from, buf)
		if err != nil || n <= 4 {
			return
		}
		if execution := buf[3] == 0 && buf[4] == comStmtExecute; execution && executed {
			r.mu.Lock()
			_, err = unix.Write(from, r.answer) // it is complete: the client asks again
			r.mu.Unlock()
		} else {
			executed = execution
			r.mu.Lock()
			r.answer = r.answer[:0]
			r.mu.Unlock()
			_, err = unix.Write(to, buf[:n])
		}
		if err != nil {
			return
		}
	}
}

// TestServerOfAnswers: the answers against which benchmarks are measured are those of
// the server.
func TestServerOfAnswers(t *testing.T) {
	behind := startAlone(t, ":memory:")
	socket := startTest(t, serveBehind+"="+behind)
	straight, repeated := dialPlain(t, behind, "default"), dialPlain(t, socket, "default")
	straight.query(benchTable)
	straight.query("INSERT INTO bench VALUES ('a', 'q', 1, 'x'), ('a', 'r', 1, 'y'), ('b', 'q', 1, 'z')")
	number := repeated.prepare("SELECT Q, T, V FROM bench WHERE K = ?")
	require.Equal(t, 2, repeated.execute(number, "a"))
	require.Equal(t, 2, repeated.execute(number, "b"))
	require.Equal(t, 1, repeated.query("SELECT 1"))
	require.Equal(t, 1, repeated.execute(number, "b"))
}
