package hbase

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tsuna/gohbase/hrpc"
	"github.com/tsuna/gohbase/region"
	"google.golang.org/protobuf/proto"
)

// This file, quorum.go and protocol.go are all that is spoken with ZooKeeper and
// HBase's servers. Of gohbase they use one connection to one server, which sends
// each call once.

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
}

// call is one request on gohbase's connection.
type call struct {
	ctx      context.Context
	method   string
	request  proto.Message
	response proto.Message
	cells    []byte
	answer   chan hrpc.RPCResult
}

func (c *call) Table() []byte                   { return nil }
func (c *call) Name() string                    { return c.method }
func (c *call) Description() string             { return c.method }
func (c *call) Key() []byte                     { return nil }
func (c *call) Region() hrpc.RegionInfo         { return nil }
func (c *call) SetRegion(hrpc.RegionInfo)       {}
func (c *call) ToProto() proto.Message          { return c.request }
func (c *call) NewResponse() proto.Message      { return c.response }
func (c *call) ResultChan() chan hrpc.RPCResult { return c.answer }
func (c *call) Context() context.Context        { return c.ctx }
func (c *call) DeserializeCellBlocks(_ proto.Message, b []byte) (uint32, error) {
	c.cells = b
	return uint32(len(b)), nil
}

type dialer func(ctx context.Context, network, addr string) (net.Conn, error)

// wire is the connections to the servers, one to each.
type wire struct {
	user string
	dial dialer
	kind region.ClientType // of region servers' connections

	mu    sync.Mutex
	conns map[server]*connection
}

func newWire(user string, dial dialer) *wire {
	return &wire{user: user, dial: dial, kind: region.RegionClient, conns: map[server]*connection{}}
}

// connection is a connection to one server. It is dead once its reader has failed.
type connection struct {
	client hrpc.RegionClient
	dialed error
	dead   atomic.Bool
}

// watchedConn tells the connection of its end.
type watchedConn struct {
	net.Conn
	of *connection
}

func (w watchedConn) Read(b []byte) (int, error) {
	n, err := w.Conn.Read(b)
	if err != nil {
		w.of.dead.Store(true)
	}
	return n, err
}

func (w watchedConn) Close() error {
	w.of.dead.Store(true)
	return w.Conn.Close()
}

// readTimeout is how long a server may be silent while it owes an answer.
const readTimeout = 2 * time.Minute

func (w *wire) connection(to server) *connection {
	w.mu.Lock()
	defer w.mu.Unlock()
	if c := w.conns[to]; c != nil && !c.dead.Load() {
		return c
	}
	kind := w.kind
	if to.master {
		kind = region.MasterClient
	}
	c := &connection{}
	dial := func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := w.dial(ctx, network, addr)
		if c.dialed = err; err != nil {
			return nil, err
		}
		return watchedConn{conn, c}, nil
	}
	c.client = region.NewClient(to.addr, kind, 1, 0, w.user, readTimeout, nil, dial, slog.New(slog.DiscardHandler))
	w.conns[to] = c
	return c
}

// drop forgets a connection that is of no use any more.
func (w *wire) drop(to server, c *connection) {
	c.dead.Store(true)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.conns[to] == c {
		delete(w.conns, to)
	}
}

func (w *wire) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for to, c := range w.conns {
		c.client.Close()
		delete(w.conns, to)
	}
}

func (w *wire) call(ctx context.Context, to server, method string, request, response proto.Message) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	conn := w.connection(to)
	if err := conn.client.Dial(ctx); err != nil {
		w.drop(to, conn)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if conn.dialed != nil {
			err = conn.dialed
		}
		return nil, &rpcError{notSent, "", fmt.Sprintf("the server %s cannot be reached: %v", to.addr, err)}
	}
	c := &call{ctx: ctx, method: method, request: request, response: response, answer: make(chan hrpc.RPCResult, 1)}
	conn.client.QueueRPC(c)
	select {
	case r := <-c.answer:
		if r.Error == nil {
			return c.cells, nil
		}
		if _, broken := r.Error.(region.ServerError); broken {
			w.drop(to, conn)
		}
		return nil, fromGohbase(r.Error)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
