package hbase

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"

	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/kv/hbase/internal/certificates"
	"github.com/hbasekv/hbasekv/kv/hbase/internal/kerberos"
)

// This file, connection.go and protocol.go contain the protocol of HBase's servers, except for the Kerberos login
// (internal/kerberos); ZooKeeper's is in internal/zookeeper. They use gohbase's messages.

// transport sends one request to one server, once.
type transport interface {
	// call fills response. The cells that come with it stay valid. Its errors are of type
	// *rpcError, except the context's own.
	call(ctx context.Context, to server, method string, request, response proto.Message) (cells []byte, err error)
	close()
}

// server is a region server or a master, and which of its services is called.
type server struct {
	addr   string
	master bool
	locks  bool // the master's lock service
	finds  bool // the service by which clients find other servers
}

// access says how to call servers: as which user, and over which connections.
type access struct {
	user  string // the user that a server believes this to be, or for whom the login acts
	dial  certificates.Dialer
	login *kerberos.Login // nil if the server believes the user's name
}

// wire has the connections to the servers, one to each.
type wire struct {
	access
	service string // of region servers

	mu    sync.Mutex
	conns map[server]*connection
}

func newWire(a access) *wire {
	return &wire{access: a, service: "ClientService", conns: map[server]*connection{}}
}

// connection returns the connection to a server, which it makes if there is none.
func (w *wire) connection(ctx context.Context, to server) (*connection, error) {
	w.mu.Lock()
	c := w.conns[to]
	if c == nil || c.isBroken() {
		c = newConnection()
		w.conns[to] = c
	}
	w.mu.Unlock()
	c.dialed.Do(func() {
		if err := w.open(ctx, c, to); err != nil {
			c.fail(err)
		}
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	return c, c.broken
}

func (w *wire) open(ctx context.Context, c *connection, to server) error {
	conn, err := w.dial(ctx, "tcp", to.addr)
	if err != nil {
		return err
	}
	service := w.service
	switch {
	case to.finds:
		service = "ClientMetaService"
	case to.locks:
		service = "LockService"
	case to.master:
		service = "MasterService"
	}
	spoken, err := w.admit(ctx, conn, to)
	if err == nil {
		err = c.start(spoken, w.user, service)
	}
	if err != nil {
		conn.Close()
	}
	return err
}

// admit begins a connection, and authenticates to the server if required.
func (w *wire) admit(ctx context.Context, conn net.Conn, to server) (net.Conn, error) {
	if w.login == nil {
		const simple = "HBas\x00\x50" // a version, and an authentication that believes the user's name
		_, err := conn.Write([]byte(simple))
		return conn, err
	}
	host, _, err := net.SplitHostPort(to.addr)
	if err != nil {
		return nil, err
	}
	return w.login.Handshake(ctx, conn, host)
}

func (w *wire) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for to, c := range w.conns {
		c.fail(errClosed)
		delete(w.conns, to)
	}
}

var errClosed = errors.New("the connection is closed")
var errHungUp = errors.New("the server has closed the connection")

func (w *wire) call(ctx context.Context, to server, method string, request, response proto.Message) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c, err := w.connection(ctx, to)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if denied := new(kerberos.Error); errors.As(err, &denied) { // it would fail again
			return nil, &rpcError{refused, "", err.Error()}
		}
		return nil, &rpcError{notSent, "", fmt.Sprintf("the server %s cannot be reached: %v", to.addr, err)}
	}
	return c.call(ctx, method, request, response)
}
