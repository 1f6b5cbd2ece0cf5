package hbaseserver

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"time"

	"github.com/hbasekv/hbasekv/driver/internal/client"
)

// handshake is the first byte of a client that begins with TLS. No client of HBase or ZooKeeper begins with
// it.
const handshake = 0x16

var errPlain = errors.New("the client does not use TLS, which this server requires")

// secure puts TLS below a connection whose client begins with it. A client without TLS is accepted only if no
// other machine can reach the listener, or if Insecure allows it.
func (o Options) secure(ctx context.Context, conn net.Conn) (net.Conn, error) {
	if o.TLS == nil {
		return conn, nil
	}
	if err := conn.SetDeadline(time.Now().Add(o.ConnectTimeout)); err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	begun := &begun{Conn: conn, first: make([]byte, 1)}
	if _, err := conn.Read(begun.first); err != nil {
		return nil, err
	}
	if begun.first[0] != handshake {
		if !o.Insecure && !client.IsLocal(conn.LocalAddr()) {
			return nil, errPlain
		}
		return begun, conn.SetDeadline(time.Time{})
	}
	secured := tls.Server(begun, o.TLS)
	if err := secured.HandshakeContext(ctx); err != nil {
		return nil, err
	}
	return secured, conn.SetDeadline(time.Time{})
}

// begun is a connection whose first byte has been read.
type begun struct {
	net.Conn
	first []byte
}

func (b *begun) Read(p []byte) (int, error) {
	if len(b.first) > 0 {
		n := copy(p, b.first)
		b.first = b.first[n:]
		return n, nil
	}
	return b.Conn.Read(p)
}
