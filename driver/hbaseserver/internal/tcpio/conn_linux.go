package tcpio

import (
	"io"
	"net"
	"os"
	"syscall"
	"unsafe"
)

// conn is a connection whose system calls, which do not wait, are hidden from the scheduler: Go's poller
// parks the goroutine if there is nothing to read or no room. One goroutine at a time may read it, and one
// may write it.
type conn struct {
	*net.TCPConn
	raw     syscall.RawConn
	in, out transfer
}

// transfer is a running Read or Write.
type transfer struct {
	call  uintptr // the number of the system call
	bytes []byte  // to read into, or left to write
	n     int
	errno syscall.Errno
	try   func(fd uintptr) (done bool) // attempt
}

// Wrap returns a connection to use, and to close, instead of c. It returns c if c is not a TCP connection.
func Wrap(c net.Conn) net.Conn {
	tcp, ok := c.(*net.TCPConn)
	if !ok {
		return c
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return c
	}
	out := &conn{TCPConn: tcp, raw: raw, in: transfer{call: syscall.SYS_READ}, out: transfer{call: syscall.SYS_WRITE}}
	out.in.try, out.out.try = out.in.attempt, out.out.attempt
	return out
}

// attempt makes the system call, and reports whether it need not be repeated after waiting.
func (t *transfer) attempt(fd uintptr) bool {
	for {
		n, _, errno := syscall.RawSyscall(t.call, fd, uintptr(unsafe.Pointer(unsafe.SliceData(t.bytes))), uintptr(len(t.bytes)))
		switch errno {
		case syscall.EINTR:
		case syscall.EAGAIN:
			return false
		default:
			t.n, t.errno = int(n), errno
			return true
		}
	}
}

// move makes the system calls for bytes.
func (t *transfer) move(bytes []byte, poll func(func(fd uintptr) bool) error) (int, error) {
	t.bytes = bytes
	err := poll(t.try)
	t.bytes = nil
	if err == nil && t.errno != 0 {
		err = os.NewSyscallError("socket", t.errno)
	}
	if err != nil {
		return 0, err
	}
	return t.n, nil
}

// Read implements net.Conn.
func (c *conn) Read(b []byte) (int, error) {
	n, err := c.in.move(b, c.raw.Read)
	if n == 0 && err == nil && len(b) > 0 {
		err = io.EOF
	}
	return n, err
}

// longWrite is the number of bytes from which copying takes the kernel so long that other goroutines should
// run.
const longWrite = 64 << 10

// Write implements net.Conn.
func (c *conn) Write(b []byte) (written int, err error) {
	for written < len(b) && err == nil {
		if len(b)-written > longWrite {
			n, err := c.TCPConn.Write(b[written:])
			return written + n, err
		}
		var n int
		n, err = c.out.move(b[written:], c.raw.Write)
		written += n
	}
	return written, err
}
