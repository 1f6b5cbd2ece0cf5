package hbase

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/kv"
)

// connection is a connection to one server. Each call writes its request by itself, in one write. One of the
// calls that wait for a response reads, for all, until it has its own: so the only waiting call is woken by
// the arrival of its response and by nothing else.
type connection struct {
	dialed sync.Once
	conn   net.Conn
	raw    syscall.RawConn // nil where conn has none
	last   atomic.Uint32   // id of the last call
	pen    chan struct{}   // has one element while nobody writes

	mu      sync.Mutex
	waiting map[uint32]chan answer // by id of the call, with room for the answer
	broken  error                  // why it is no longer usable
	served  bool                   // a call has been answered

	// turn has one element while no goroutine reads. The goroutine that takes it may use the fields below.
	turn   chan struct{}
	in     *bufio.Reader
	frame  []byte // a partly received response; nil if there is none
	got    int    // received bytes of frame
	silent time.Time
}

// answer is the response to a call: the message and the cells after it, or the error.
type answer struct {
	header *pb.ResponseHeader
	body   []byte
	err    error
}

func newConnection() *connection {
	c := &connection{waiting: map[uint32]chan answer{}, turn: make(chan struct{}, 1), pen: make(chan struct{}, 1)}
	c.turn <- struct{}{}
	c.pen <- struct{}{}
	return c
}

// start begins the conversation with a service.
func (c *connection) start(conn net.Conn, user, service string) error {
	hello := &pb.ConnectionHeader{UserInfo: &pb.UserInformation{EffectiveUser: &user}, ServiceName: &service,
		CellBlockCodecClass: proto.String("org.apache.hadoop.hbase.codec.KeyValueCodec")}
	b, err := proto.Marshal(hello)
	if err != nil {
		return err
	}
	if _, err := conn.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(b))), b...)); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.broken != nil {
		return c.broken
	}
	c.conn, c.in, c.raw = conn, bufio.NewReader(conn), rawConn(conn)
	return nil
}

// rawConn returns the socket of a connection.
func rawConn(conn net.Conn) syscall.RawConn {
	for below, ok := conn.(interface{ NetConn() net.Conn }); ok; below, ok = conn.(interface{ NetConn() net.Conn }) {
		conn = below.NetConn()
	}
	if s, ok := conn.(syscall.Conn); ok {
		if raw, err := s.SyscallConn(); err == nil {
			return raw
		}
	}
	return nil
}

// fail ends the connection: waiting calls get the error, and later ones are not sent.
func (c *connection) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.broken != nil {
		return
	}
	c.broken = err
	if c.conn != nil {
		c.conn.Close()
	}
	var why *rpcError
	if !errors.As(err, &why) || !errors.Is(why, kv.ErrDenied) || c.served {
		why = c.brokenError(lost)
	}
	for id, to := range c.waiting {
		delete(c.waiting, id)
		to <- answer{err: why}
	}
}

// brokenError returns what a call on a broken connection gets. The lock must be held.
func (c *connection) brokenError(o outcome) *rpcError {
	message := "the connection to the server broke: " + c.broken.Error()
	if !c.served && (c.broken == io.EOF || c.broken == errHungUp || errors.Is(c.broken, syscall.ECONNRESET)) {
		message += " in place of its first answer, as that of HBase 3 which wants Kerberos (auth=kerberos)"
	}
	return &rpcError{o, "", message}
}

func (c *connection) isBroken() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.broken != nil
}

// call sends a request and waits for its response.
func (c *connection) call(ctx context.Context, method string, request, response proto.Message) (cells []byte, err error) {
	id := c.last.Add(1)
	b, err := encodeRequest(id, method, request)
	if err != nil {
		return nil, &rpcError{refused, "", err.Error()}
	}
	select {
	case <-c.pen:
	case <-ctx.Done(): // nothing has been sent
		return nil, ctx.Err()
	}
	to, err := c.expect(id)
	if err != nil {
		c.pen <- struct{}{}
		return nil, err
	}
	c.write(ctx, b)
	a, err := c.await(ctx, to)
	if err != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.waiting, id)
		return nil, err
	}
	return a.decode(response)
}

// writeGrace is how much longer the write of a request may take when its context ends: interrupting it would
// break the connection.
const writeGrace = time.Second

// write sends a request, and returns the pen. If the server no longer reads when the context ends, the write
// is interrupted, and the connection, which may have a part of the request, is closed.
func (c *connection) write(ctx context.Context, b []byte) {
	defer func() { c.pen <- struct{}{} }()
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		_ = c.conn.SetWriteDeadline(time.Now().Add(writeGrace))
	})
	_, err := c.conn.Write(b)
	if !stop() {
		<-ended
		_ = c.conn.SetWriteDeadline(time.Time{})
	}
	// A server that refuses the login may close before it has read the request: then why is still to be read.
	if err != nil && !errors.Is(err, syscall.EPIPE) && !errors.Is(err, syscall.ECONNRESET) {
		c.fail(err)
	}
}

// expect prepares the connection for a call. If the server has closed it while nobody was waiting, that is
// found here, where nothing has been sent.
func (c *connection) expect(id uint32) (chan answer, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.broken == nil && len(c.waiting) == 0 && c.raw != nil && hungUp(c.raw) {
		c.broken = errHungUp
		c.conn.Close()
	}
	if c.broken != nil {
		return nil, c.brokenError(notSent)
	}
	to := make(chan answer, 1)
	c.waiting[id] = to
	return to, nil
}

// await waits for a response, and reads those of others if nobody else does.
func (c *connection) await(ctx context.Context, to chan answer) (answer, error) {
	select {
	case a := <-to:
		return a, nil
	case <-ctx.Done():
		return answer{}, ctx.Err()
	case <-c.turn:
	}
	defer func() { c.turn <- struct{}{} }()
	stop := context.AfterFunc(ctx, c.interrupt)
	defer stop()
	for {
		select {
		case a := <-to:
			return a, nil
		default:
		}
		if err := ctx.Err(); err != nil {
			return answer{}, err
		}
		if err := c.read(); err != nil {
			c.fail(err)
		}
	}
}

// interrupt wakes the reading goroutine. If another one is reading by then, that one continues.
func (c *connection) interrupt() { _ = c.conn.SetReadDeadline(time.Unix(1, 0)) }

// readTimeout is how long a server may be silent while it owes a response.
const readTimeout = 2 * time.Minute

// read reads, and passes each complete response to the waiting call.
func (c *connection) read() error {
	if now := time.Now(); c.silent.Sub(now) < readTimeout { // not for each response
		c.silent = now.Add(readTimeout + readTimeout/4)
		if err := c.conn.SetReadDeadline(c.silent); err != nil {
			return err
		}
	}
	frame, err := c.readFrame()
	switch {
	case err == nil:
		return c.deliver(frame)
	case errors.Is(err, os.ErrDeadlineExceeded) && time.Now().Before(c.silent):
		c.silent = time.Time{}
		return nil
	}
	return err
}

// mostBytes is more than a server sends at once.
const mostBytes = 1 << 30

// readFrame reads a response. After an error it can continue with what it has read.
func (c *connection) readFrame() ([]byte, error) {
	if c.frame == nil {
		head, err := c.in.Peek(4)
		if err != nil {
			return nil, err
		}
		size := binary.BigEndian.Uint32(head)
		if size > mostBytes {
			return nil, fmt.Errorf("the response has an invalid size: %d bytes", size)
		}
		if _, err := c.in.Discard(4); err != nil {
			return nil, err
		}
		c.frame, c.got = make([]byte, size), 0
	}
	n, err := io.ReadFull(c.in, c.frame[c.got:])
	if c.got += n; err != nil {
		return nil, err
	}
	whole := c.frame
	c.frame = nil
	return whole, nil
}

// noCall is the call id in a response by which a server ends the connection, such as when it refuses the login.
const noCall = math.MaxUint32

// deliver passes a response to the waiting call, if it still waits.
func (c *connection) deliver(frame []byte) error {
	header, n := protowire.ConsumeBytes(frame)
	if n < 0 {
		return protowire.ParseError(n)
	}
	a := answer{header: &pb.ResponseHeader{}, body: frame[n:]}
	if err := proto.Unmarshal(header, a.header); err != nil {
		return err
	}
	id := a.header.GetCallId()
	if e := a.header.GetException(); e != nil && id == noCall {
		return exception(e.GetExceptionClassName(), e.GetStackTrace())
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if to := c.waiting[id]; to != nil {
		delete(c.waiting, id)
		c.served = true
		to <- a
	}
	return nil
}

// decode fills a response, and returns the cells after it.
func (a *answer) decode(response proto.Message) (cells []byte, err error) {
	if a.err != nil {
		return nil, a.err
	}
	if e := a.header.GetException(); e != nil {
		return nil, exception(e.GetExceptionClassName(), e.GetStackTrace())
	}
	message, n := protowire.ConsumeBytes(a.body)
	size := int(a.header.GetCellBlockMeta().GetLength())
	if n < 0 || len(a.body)-n < size {
		return nil, &rpcError{lost, "", "the server's answer is cut short"}
	}
	if err := proto.Unmarshal(message, response); err != nil {
		return nil, &rpcError{lost, "", "the server's answer cannot be read: " + err.Error()}
	}
	return a.body[n : n+size : n+size], nil
}

// encodeRequest returns a request as it is sent: its length, then a header and the message, each after its own length.
func encodeRequest(id uint32, method string, request proto.Message) (b []byte, err error) {
	b = make([]byte, 4)
	header := &pb.RequestHeader{CallId: &id, MethodName: &method, RequestParam: proto.Bool(true)}
	for _, m := range []proto.Message{header, request} {
		size := proto.Size(m)
		b = protowire.AppendVarint(slices.Grow(b, size+binary.MaxVarintLen32), uint64(size))
		if b, err = (proto.MarshalOptions{UseCachedSize: true}).MarshalAppend(b, m); err != nil {
			return nil, err
		}
	}
	binary.BigEndian.PutUint32(b, uint32(len(b)-4))
	return b, nil
}
