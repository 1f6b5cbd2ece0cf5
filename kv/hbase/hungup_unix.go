//go:build unix

package hbase

import "syscall"

// hungUp reports whether the other end of a socket has closed it. It reads nothing.
func hungUp(raw syscall.RawConn) (gone bool) {
	err := raw.Control(func(fd uintptr) {
		var b [1]byte
		n, _, err := syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK)
		waits := err == syscall.EAGAIN || err == syscall.EWOULDBLOCK || err == syscall.EINTR
		gone = !waits && (err != nil || n == 0)
	})
	return gone || err != nil
}
