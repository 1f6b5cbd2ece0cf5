package zookeeper

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"path"
	"slices"
	"time"
)

// Tree is the tree of nodes. It is safe for concurrent use.
type Tree struct{ nodes map[string]*node }

type node struct {
	data     []byte
	children []string // by name
}

// NewTree makes a tree of nodes by their paths, and of their parents.
func NewTree(data map[string][]byte) *Tree {
	t := &Tree{map[string]*node{"/": {}}}
	for name, bytes := range data {
		t.add(name).data = bytes
	}
	for _, n := range t.nodes {
		slices.Sort(n.children)
	}
	return t
}

func (t *Tree) add(name string) *node {
	if n := t.nodes[name]; n != nil {
		return n
	}
	above := t.add(path.Dir(name))
	above.children = append(above.children, path.Base(name))
	n := &node{}
	t.nodes[name] = n
	return n
}

// maxPacket is the maximum length of a request in bytes: a path and little more.
const maxPacket = 64 << 10

// How long a client may be silent.
const (
	minTimeout = 2 * time.Second
	maxTimeout = 10 * time.Minute
)

// stall is how long a client may take to complete a packet that it has begun, or to take an answer.
const stall = 10 * time.Second

// ServeConn serves one client until it disconnects, ctx ends or it violates the protocol. It closes the
// connection.
func (t *Tree) ServeConn(ctx context.Context, conn net.Conn) {
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	timeout, err := greet(conn)
	for err == nil {
		var packet, answer []byte
		var last bool
		if packet, err = readPacket(conn, timeout); err != nil {
			return
		}
		if answer, last, err = t.reply(packet); err != nil {
			return
		}
		if err = writePacket(conn, answer); last {
			return
		}
	}
}

// greet opens a session, and returns how long the client may be silent.
func greet(conn net.Conn) (time.Duration, error) {
	packet, err := readPacket(conn, stall)
	if err != nil {
		return 0, err
	}
	d := &decoder{rest: packet}
	d.int32() // the version of the protocol, 0
	d.int64() // the last transaction that it has seen
	timeout := min(max(time.Duration(d.int32())*time.Millisecond, minTimeout), maxTimeout)
	session := d.int64()
	secret := d.bytes()
	if d.short {
		return 0, errShort
	}
	if session == 0 {
		session, secret = newSession()
	}
	out := encoder{}.int32(0).int32(int32(timeout.Milliseconds())).int64(session).bytes(secret)
	if len(d.rest) > 0 { // it asks whether the server is read-only
		out = append(out, 0)
	}
	return timeout, writePacket(conn, out)
}

func newSession() (id int64, secret []byte) {
	b := make([]byte, 8+16)
	rand.Read(b)
	return int64(binary.BigEndian.Uint64(b)>>1) | 1, b[8:]
}

// readPacket waits for a packet, at most for silence.
func readPacket(conn net.Conn, silence time.Duration) ([]byte, error) {
	if err := conn.SetReadDeadline(time.Now().Add(silence)); err != nil {
		return nil, err
	}
	var head [4]byte
	if _, err := io.ReadFull(conn, head[:]); err != nil {
		return nil, err
	}
	if string(head[:]) == "ruok" { // monitors send it, and read until the end
		conn.Write([]byte("imok"))
		return nil, io.EOF
	}
	n := binary.BigEndian.Uint32(head[:])
	if n > maxPacket {
		return nil, fmt.Errorf("a packet of %d bytes is longer than any that is answered", n)
	}
	if err := conn.SetReadDeadline(time.Now().Add(stall)); err != nil {
		return nil, err
	}
	packet := make([]byte, n)
	_, err := io.ReadFull(conn, packet)
	return packet, err
}

func writePacket(conn net.Conn, packet []byte) error {
	if err := conn.SetWriteDeadline(time.Now().Add(stall)); err != nil {
		return err
	}
	_, err := conn.Write(append(encoder{}.int32(int32(len(packet))), packet...))
	return err
}
