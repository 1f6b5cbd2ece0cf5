package hbase

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"

	"google.golang.org/protobuf/proto"
)

// This file, connection.go, quorum.go and protocol.go are all that is spoken with
// ZooKeeper and HBase's servers. Of gohbase they use the messages.

// transport sends one request to one server, once.
type transport interface {
	// call fills response. The cells that come beside it are valid for ever. Its
	// errors are of type *rpcError, but for the context's own.
	call(ctx context.Context, to server, method string, request, response proto.Message) (cells []byte, err error)
	close()
}

// server is a region server, or the master.
type server struct {
	addr   string
	master bool
	locks  bool // the master's service of locks
}

type dialer func(ctx context.Context, network, addr string) (net.Conn, error)

// wire is the connections to the servers, one to each.
type wire struct {
	user    string
	dial    dialer
	service string // of region servers

	mu    sync.Mutex
	conns map[server]*connection
}

func newWire(user string, dial dialer) *wire {
	return &wire{user: user, dial: dial, service: "ClientService", conns: map[server]*connection{}}
}

// connection is the connection to a server, which is made where there is none.
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
	case to.locks:
		service = "LockService"
	case to.master:
		service = "MasterService"
	}
	if err := c.start(conn, w.user, service); err != nil {
		conn.Close()
		return err
	}
	return nil
}

func (w *wire) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for to, c := range w.conns {
		c.fail(errClosed)
		delete(w.conns, to)
	}
}

var errClosed = errors.New("it is closed")

func (w *wire) call(ctx context.Context, to server, method string, request, response proto.Message) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c, err := w.connection(ctx, to)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, &rpcError{notSent, "", fmt.Sprintf("the server %s cannot be reached: %v", to.addr, err)}
	}
	return c.call(ctx, method, request, response)
}
