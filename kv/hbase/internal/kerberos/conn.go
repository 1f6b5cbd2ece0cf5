package kerberos

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
)

// protected is a connection whose messages are protected. One goroutine at a time writes, and one reads.
// After a Read that a deadline interrupts, the next one continues.
type protected struct {
	net.Conn
	*securityContext
	seal bool
	most int // the most bytes of text in a message

	frame []byte // of the message being received
	got   int    // received bytes of it
	head  [4]byte
	heads int    // received bytes of head
	text  []byte // not read yet
}

// mostFrame is more bytes than a server sends at once.
const mostFrame = 1 << 30

// protect wraps a connection whose server accepts tokens of up to most bytes.
func protect(conn net.Conn, c *securityContext, seal bool, most int) (net.Conn, error) {
	// The text is followed by a copy of its header and the padding or checksum; 64 is more than these.
	most -= 2*headerSize + c.overhead() + 64
	if most <= 0 {
		return nil, errors.New("the server's maximum message size is too small")
	}
	return &protected{Conn: conn, securityContext: c, seal: seal, most: most}, nil
}

// NetConn returns the connection below.
func (p *protected) NetConn() net.Conn { return p.Conn }

// Write implements net.Conn.
func (p *protected) Write(b []byte) (n int, err error) {
	out := make([]byte, 0, len(b)+(len(b)/p.most+1)*256)
	for rest := b; len(rest) > 0; {
		part := rest[:min(len(rest), p.most)]
		rest = rest[len(part):]
		token, err := p.wrap(part, p.seal)
		if err != nil {
			return 0, err
		}
		out = append(binary.BigEndian.AppendUint32(out, uint32(len(token))), token...)
	}
	if _, err := p.Conn.Write(out); err != nil {
		return 0, err // its messages cannot be undone
	}
	return len(b), nil
}

// Read implements net.Conn.
func (p *protected) Read(b []byte) (int, error) {
	for len(p.text) == 0 {
		if err := p.next(); err != nil {
			return 0, err
		}
	}
	n := copy(b, p.text)
	p.text = p.text[n:]
	return n, nil
}

// next reads a message.
func (p *protected) next() error {
	for p.heads < len(p.head) {
		n, err := p.Conn.Read(p.head[p.heads:])
		if p.heads += n; err != nil {
			return err
		}
	}
	if p.frame == nil {
		size := binary.BigEndian.Uint32(p.head[:])
		if size > mostFrame {
			return fmt.Errorf("invalid message size: %d bytes", size)
		}
		p.frame, p.got = make([]byte, size), 0
	}
	n, err := io.ReadFull(p.Conn, p.frame[p.got:])
	if p.got += n; err != nil {
		return err
	}
	p.text, err = p.unwrap(p.frame, p.seal)
	p.frame, p.heads = nil, 0
	return err
}
