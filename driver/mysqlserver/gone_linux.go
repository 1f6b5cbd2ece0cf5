package mysqlserver

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// gone reports whether the other end of a socket has been closed, without reading
// from it. It does not know of what is no socket.
func gone(c net.Conn) bool {
	raw := rawSocket(c)
	if raw == nil {
		return false
	}
	closed := false
	err := raw.Control(func(fd uintptr) {
		p := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLRDHUP}}
		n, err := unix.Poll(p, 0)
		closed = err == nil && n > 0 && p[0].Revents&(unix.POLLRDHUP|unix.POLLHUP|unix.POLLERR) != 0
	})
	return closed || err != nil
}

func rawSocket(c net.Conn) syscall.RawConn {
	socket, ok := c.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return nil
	}
	return raw
}
