package zookeeper

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
)

// A loggedIn connection logs in as soon as the server has answered the request for a session, before it
// passes that answer to the library, which does not support SASL.
type loggedIn struct {
	net.Conn
	login   func(exchange func(token []byte) ([]byte, error)) error
	session []byte // the unread part of the answer
	done    bool
}

// Read implements net.Conn.
func (c *loggedIn) Read(b []byte) (int, error) {
	if !c.done {
		answer, err := readFrame(c.Conn)
		if err != nil {
			return 0, err
		}
		if err := c.login(c.exchange); err != nil {
			return 0, err
		}
		c.session, c.done = appendFrame(nil, answer), true
	}
	if len(c.session) == 0 {
		return c.Conn.Read(b)
	}
	n := copy(b, c.session)
	c.session = c.session[n:]
	return n, nil
}

// Parts of ZooKeeper's SASL messages: GetSASLRequest and SetSASLResponse in zookeeper.jute, after a
// RequestHeader (xid, type) and a ReplyHeader (xid, zxid, err).
const (
	saslRequest = 102
	replyHeader = 4 + 8 + 4

	mostFrame = 1 << 20
)

// exchange sends a token and returns that of the response.
func (c *loggedIn) exchange(token []byte) ([]byte, error) {
	request := binary.BigEndian.AppendUint32(make([]byte, 4, 12+len(token)), saslRequest)
	request = appendFrame(request, token)
	if _, err := c.Write(appendFrame(nil, request)); err != nil {
		return nil, err
	}
	answer, err := readFrame(c.Conn)
	if errors.Is(err, io.EOF) {
		return nil, errors.New("ZooKeeper has closed the connection; it may not accept Kerberos (see its log)")
	}
	if err != nil {
		return nil, err
	}
	if len(answer) < replyHeader {
		return nil, errors.New("invalid response from ZooKeeper")
	}
	if code := int32(binary.BigEndian.Uint32(answer[replyHeader-4:])); code != 0 {
		return nil, fmt.Errorf("ZooKeeper refuses the login (error %d): see its log", code)
	}
	return readToken(answer[replyHeader:])
}

// readToken reads a length, which is negative if there is no token, and that many bytes.
func readToken(b []byte) ([]byte, error) {
	if len(b) >= 4 {
		size := int32(binary.BigEndian.Uint32(b))
		if size < 0 {
			return nil, nil
		}
		if int(size) <= len(b)-4 {
			return b[4 : 4+size], nil
		}
	}
	return nil, errors.New("invalid response from ZooKeeper")
}

func appendFrame(b, frame []byte) []byte {
	return append(binary.BigEndian.AppendUint32(b, uint32(len(frame))), frame...)
}

func readFrame(from io.Reader) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(from, head[:]); err != nil {
		return nil, err
	}
	size := binary.BigEndian.Uint32(head[:])
	if size > mostFrame {
		return nil, fmt.Errorf("invalid message size: %d bytes", size)
	}
	frame := make([]byte, size)
	if _, err := io.ReadFull(from, frame); err != nil {
		return nil, io.ErrUnexpectedEOF
	}
	return frame, nil
}
