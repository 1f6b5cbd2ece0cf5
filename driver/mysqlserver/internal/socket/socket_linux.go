package socket

import (
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// socket is a client's socket outside of Go's poller. Parking a goroutine in the poller costs more
// than the statement, if the client asks again at once: each command then wakes a second thread. Here
// the thread itself first waits in the kernel for a short while, and only then is the goroutine
// parked. For a read of one row the server took 14 us of processor time this way, and 19.5 us with the
// poller (benchmark Wire).
//
// A client for which the thread has waited without success is expected to be slow again, until it is
// fast once: such a thread keeps its place for up to 10 ms, and others' statements find none. Beside
// 22 clients that send a byte each 100 ms, the 99th percentile of others' statements was 1.3 ms this
// way, and 2.3 ms when each wait began with the thread (TestHostileClients).
//
// One goroutine reads and writes it. Others may set deadlines and close it.
type socket struct {
	parking       *Parking
	local, remote net.Addr
	fd            int
	poll          [1]unix.PollFd
	slow          [2]bool // the last wait timed out, or was longer than slowCall
	wakeup        chan struct{}
	timer         *time.Timer

	mu       sync.Mutex
	users    int // running calls
	closed   bool
	listed   bool // in parking
	deadline [2]time.Time
}

// What a goroutine waits for, which selects the deadline.
const (
	toRead = iota
	toWrite
)

// TakeOver replaces a socket by one outside of Go's poller, and returns other connections
// unchanged.
func (p *Parking) TakeOver(c net.Conn) net.Conn {
	known, ok := c.(syscall.Conn)
	if !ok {
		return c
	}
	raw, err := known.SyscallConn()
	if err != nil {
		return c
	}
	fd := -1
	controlled := raw.Control(func(old uintptr) { fd, err = unix.FcntlInt(old, unix.F_DUPFD_CLOEXEC, 0) })
	if controlled != nil || err != nil {
		return c
	}
	if blocking(fd) != nil {
		unix.Close(fd)
		return c
	}
	c.Close() // removes it from Go's poller
	return &socket{parking: p, fd: fd, local: c.LocalAddr(), remote: c.RemoteAddr(), wakeup: make(chan struct{}, 1)}
}

// slowCall is how long a thread waits before the goroutine is parked, which the kernel extends
// to some milliseconds, and how soon a client must ask again for a thread to wait for it.
const slowCall = time.Millisecond

var threadWaits = unix.NsecToTimeval(slowCall.Nanoseconds())

// blocking sets that timeout on the socket's calls.
func blocking(fd int) error {
	for _, option := range []int{unix.SO_RCVTIMEO, unix.SO_SNDTIMEO} {
		if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, option, &threadWaits); err != nil {
			return err
		}
	}
	return unix.SetNonblock(fd, false)
}

func (s *socket) LocalAddr() net.Addr  { return s.local }
func (s *socket) RemoteAddr() net.Addr { return s.remote }

// enter keeps the descriptor open until leave is called.
func (s *socket) enter() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return net.ErrClosed
	}
	s.users++
	return nil
}

func (s *socket) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users--; s.closed && s.users == 0 {
		s.release()
	}
}

// release closes the descriptor; the caller holds mu.
func (s *socket) release() {
	if s.listed {
		s.parking.forget(s)
	}
	unix.Close(s.fd)
}

// Close also ends a running call.
func (s *socket) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return net.ErrClosed
	}
	s.closed = true
	if s.users == 0 {
		s.release()
		return nil
	}
	unix.Shutdown(s.fd, unix.SHUT_RDWR)
	s.wake()
	return nil
}

// CloseWrite tells the client that nothing more will come.
func (s *socket) CloseWrite() error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	return unix.Shutdown(s.fd, unix.SHUT_WR)
}

// Gone reports whether the client has closed its end.
func (s *socket) Gone() bool {
	if s.enter() != nil {
		return true
	}
	defer s.leave()
	p := []unix.PollFd{{Fd: int32(s.fd), Events: unix.POLLRDHUP}}
	n, err := unix.Poll(p, 0)
	return err == nil && n > 0 && p[0].Revents&(unix.POLLRDHUP|unix.POLLHUP|unix.POLLERR) != 0
}

func (s *socket) Read(b []byte) (int, error) {
	if err := s.enter(); err != nil {
		return 0, err
	}
	defer s.leave()
	for {
		n, err := -1, error(unix.EAGAIN)
		blocked := s.mayBlock(toRead, unix.POLLIN)
		if blocked {
			n, err = unix.Read(s.fd, b)
			threads.Add(-1)
		}
		switch {
		case n > 0 || n == 0 && len(b) == 0:
			return n, nil
		case n == 0:
			return 0, io.EOF
		case err == unix.EAGAIN:
			if err := s.wait(toRead, unix.POLLIN, blocked); err != nil {
				return 0, err
			}
		case err != unix.EINTR:
			return 0, os.NewSyscallError("read", err)
		}
	}
}

func (s *socket) Write(b []byte) (written int, err error) {
	if err := s.enter(); err != nil {
		return 0, err
	}
	defer s.leave()
	for written < len(b) {
		n, err := -1, error(unix.EAGAIN)
		blocked := s.mayBlock(toWrite, unix.POLLOUT)
		if blocked {
			giveWay(len(b))
			n, err = unix.Write(s.fd, b[written:])
			threads.Add(-1)
		}
		written += max(n, 0)
		switch {
		case err == unix.EAGAIN:
			if err := s.wait(toWrite, unix.POLLOUT, blocked); err != nil {
				return written, err
			}
		case err != nil && err != unix.EINTR:
			return written, os.NewSyscallError("write", err)
		}
	}
	return written, nil
}

// longAnswer is the length in bytes of a write from which an answer counts as long.
const longAnswer = 4 << 10

// giveWay lets threads that wait for a processor run before one that sends a long answer:
// the kernel would make them wait for up to its time slice, some milliseconds. Beside 44
// clients whose answers filled their sockets in turn, the 99th percentile of others'
// statements was 1.6 ms this way, and 2.4 ms without (TestHostileClients).
func giveWay(n int) {
	if n > longAnswer {
		unix.Syscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
	}
}

// SetDeadline sets both deadlines.
func (s *socket) SetDeadline(t time.Time) error {
	s.SetReadDeadline(t)
	return s.SetWriteDeadline(t)
}

// SetReadDeadline sets when a read that finds nothing gives up.
func (s *socket) SetReadDeadline(t time.Time) error { return s.by(toRead, t) }

// SetWriteDeadline sets when a write that finds no room gives up.
func (s *socket) SetWriteDeadline(t time.Time) error { return s.by(toWrite, t) }

func (s *socket) by(what int, t time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deadline[what] = t
	if s.users > 0 {
		s.wake()
	}
	return nil
}

// wake makes the parked goroutine check again.
func (s *socket) wake() {
	select {
	case s.wakeup <- struct{}{}:
	default:
	}
}

// left is how long to wait, at most an hour.
func (s *socket) left(what int) (time.Duration, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return 0, net.ErrClosed
	}
	by := s.deadline[what]
	if by.IsZero() {
		return time.Hour, nil
	}
	left := time.Until(by)
	if left <= 0 {
		return 0, os.ErrDeadlineExceeded
	}
	return min(left, time.Hour), nil
}

// maxThreads is how many threads may wait in the kernel at once.
const maxThreads = 64

// Places is what GOMAXPROCS should be in a process that does little but serve, if it
// would otherwise be n: a thread that waits in the kernel keeps its place for a while,
// and clients that ask meanwhile find none. With eight clients on two processors this
// gave 1.65 times as many reads of one row per second, and 1.2 to 1.4 times as many
// other statements, in the same processor time (benchmark Wire).
func Places(n int) int { return min(4*n, n+maxThreads) }

// threads is the number of threads in a call that may wait.
var threads atomic.Int32

// mayBlock reports whether to make a call that may wait, or that will not need to.
// It counts the call in threads.
func (s *socket) mayBlock(what int, events int16) bool {
	if threads.Add(1) <= maxThreads && !s.slow[what] {
		return true
	}
	s.poll[0] = unix.PollFd{Fd: int32(s.fd), Events: events}
	if n, err := unix.Poll(s.poll[:], 0); n > 0 && err == nil {
		return true
	}
	threads.Add(-1)
	return false
}

// wait parks the goroutine until the socket is probably ready, or until the deadline.
// inVain says that the thread has already waited without success.
func (s *socket) wait(what int, events uint32, inVain bool) error {
	left, err := s.left(what)
	if err != nil {
		return err
	}
	if err := s.parking.park(s, events); err != nil {
		return err
	}
	if s.timer == nil {
		s.timer = time.NewTimer(left)
	} else {
		s.timer.Reset(left)
	}
	defer s.timer.Stop()
	began := time.Now()
	select {
	case <-s.wakeup:
	case <-s.timer.C:
	}
	s.slow[what] = inVain || time.Since(began) > slowCall
	_, err = s.left(what)
	return err
}
