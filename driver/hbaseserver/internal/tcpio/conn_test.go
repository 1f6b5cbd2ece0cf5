package tcpio_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/tcpio"
)

// pair is a wrapped connection, and its peer.
func pair(t *testing.T) (wrapped net.Conn, other *net.TCPConn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	dialled, err := net.Dial("tcp", l.Addr().String())
	require.NoError(t, err)
	accepted, err := l.Accept()
	require.NoError(t, err)
	wrapped, other = tcpio.Wrap(accepted), dialled.(*net.TCPConn)
	t.Cleanup(func() {
		wrapped.Close()
		other.Close()
	})
	return wrapped, other
}

// TestTransfers sends short and long pieces both ways, some of which fill the socket.
func TestTransfers(t *testing.T) {
	c, other := pair(t)
	for _, size := range []int{0, 1, 700, 64 << 10, 64<<10 + 1, 9 << 20} {
		sent := bytes.Repeat([]byte("0123456789abcdef"), size/16+1)[:size]
		for from, to := range map[net.Conn]net.Conn{c: other, other: c} {
			written := make(chan error, 1)
			go func() {
				n, err := from.Write(sent)
				if err == nil && n != size {
					err = io.ErrShortWrite
				}
				written <- err
			}()
			got := make([]byte, size)
			_, err := io.ReadFull(to, got)
			require.NoError(t, err)
			require.NoError(t, <-written)
			require.True(t, bytes.Equal(sent, got))
		}
	}
}

// TestEnds: a Read waits until the deadline, until another goroutine changes it or closes the connection, or
// until the peer closes or resets it.
func TestEnds(t *testing.T) {
	c, _ := pair(t)
	b := make([]byte, 8)
	require.NoError(t, c.SetReadDeadline(time.Now().Add(20*time.Millisecond)))
	_, err := c.Read(b)
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	require.NoError(t, c.SetReadDeadline(time.Time{}))
	soon(t, func() { c.SetReadDeadline(time.Unix(1, 0)) })
	_, err = c.Read(b)
	var timeout net.Error
	require.True(t, errors.As(err, &timeout) && timeout.Timeout())
	require.NoError(t, c.SetReadDeadline(time.Time{}))
	soon(t, func() { c.Close() })
	_, err = c.Read(b)
	require.ErrorIs(t, err, net.ErrClosed)
	_, err = c.Write(b)
	require.ErrorIs(t, err, net.ErrClosed)

	c, other := pair(t)
	require.NoError(t, other.CloseWrite())
	n, err := c.Read(nil)
	require.NoError(t, err)
	require.Zero(t, n)
	_, err = c.Read(b)
	require.ErrorIs(t, err, io.EOF)

	c, other = pair(t)
	require.NoError(t, other.SetLinger(0))
	require.NoError(t, other.Close())
	_, err = c.Read(b)
	require.ErrorIs(t, err, syscall.ECONNRESET)
	_, err = c.Write(b)
	require.ErrorIs(t, err, syscall.EPIPE)
}

// TestFullSocket: a Write waits for room, until the deadline.
func TestFullSocket(t *testing.T) {
	c, _ := pair(t)
	require.NoError(t, c.SetWriteDeadline(time.Now().Add(50*time.Millisecond)))
	piece := make([]byte, 32<<10)
	var err error
	for range 10_000 {
		if _, err = c.Write(piece); err != nil {
			break
		}
	}
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
}

// TestOthers: a connection that is not TCP is returned unchanged.
func TestOthers(t *testing.T) {
	a, b := net.Pipe()
	defer a.Close()
	defer b.Close()
	require.Equal(t, a, tcpio.Wrap(a))
}

// soon does something a little later, in a goroutine.
func soon(t *testing.T, do func()) {
	timer := time.AfterFunc(20*time.Millisecond, do)
	t.Cleanup(func() { timer.Stop() })
}
