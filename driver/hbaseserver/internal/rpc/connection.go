package rpc

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hbasekv/hbasekv/kv/caught"
)

// Connection is a client's connection.
type Connection struct {
	server *Server
	conn   net.Conn
	reader *bufio.Reader

	service, user string
	blocks        bool // cells are sent as blocks
	compressor    compressor

	session     Session
	readTimeout time.Duration // of the next read
	readUntil   deadline
	calls       *calls
	under       context.Context // of the calls
	cancel      func()          // ends it
	read        chan error      // why reading ended
	turn        turn            // of the goroutine that reads when it does a call
	work        chan job        // for the waiting worker
	waits       atomic.Bool     // a worker waits
	stopped     atomic.Bool     // no more calls are read
	last        atomic.Bool     // calls were running at that time

	writing    sync.Mutex // guards what is written, and writeUntil
	writeUntil deadline
}

// ServeConn serves one client until it disconnects, ctx ends or it violates the protocol. When ctx ends, the
// calls that have arrived are answered first. It closes the connection.
func (s *Server) ServeConn(ctx context.Context, conn net.Conn) {
	c := &Connection{server: s, conn: conn, readTimeout: s.Limits.Setup, calls: newCalls(), work: make(chan job),
		read: make(chan error, 1)}
	c.reader = bufio.NewReaderSize((*patient)(c), firstRead)
	c.under, c.cancel = context.WithCancel(context.WithoutCancel(ctx))
	defer c.cancel()
	stop := context.AfterFunc(ctx, c.stop)
	defer stop()
	err := c.greet()
	if err == nil {
		err = c.open()
	}
	if err == nil {
		c.worker(job{})
		err = <-c.read
	}
	c.calls.wait()
	if c.session != nil {
		c.session.Close()
		if c.stopped.Load() {
			c.linger()
		}
	}
	conn.Close()
	var broken *Exception
	if errors.As(err, &broken) {
		s.Log.Warn("connection refused", "client", conn.RemoteAddr(), "error", err)
	}
}

// open tells the handler of the client, and tells the client why it is not admitted.
func (c *Connection) open() error {
	session, err := c.server.Handler.Open(c.under, c)
	if err != nil {
		c.answer(noCall, nil, err)
		return asException(err)
	}
	c.session = session
	return nil
}

// User is the client's name as the client says it.
func (c *Connection) User() string { return c.user }

// Peer is the client's address.
func (c *Connection) Peer() net.Addr { return c.conn.RemoteAddr() }

// TLS is the state of the connection's TLS; nil if it has none.
func (c *Connection) TLS() *tls.ConnectionState {
	secured, ok := c.conn.(*tls.Conn)
	if !ok {
		return nil
	}
	state := secured.ConnectionState()
	return &state
}

// Close closes the connection, which ends its running calls.
func (c *Connection) Close() { c.conn.Close() }

// count adds n to a counter of bytes, if there is one.
func count(to *atomic.Uint64, n int) {
	if to != nil && n > 0 {
		to.Add(uint64(n))
	}
}

// patient reads what the client sends, and gives up if nothing comes for readTimeout.
type patient Connection

func (p *patient) Read(b []byte) (int, error) {
	for {
		if err := p.readUntil.renew(p.readTimeout, p.conn.SetReadDeadline); err != nil {
			return 0, err
		}
		if p.stopped.Load() { // its deadline has just been overwritten
			return 0, errStopped
		}
		n, err := p.conn.Read(b)
		count(p.server.Received, n)
		if n == 0 && isTimeout(err) && p.calls.any() {
			continue // the client waits for responses
		}
		return n, err
	}
}

func isTimeout(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}

// serve does calls, or passes them on, until no more come or another goroutine reads.
func (c *Connection) serve() {
	for {
		next, err := c.readJob()
		if err != nil {
			close(c.work)
			if !c.stopped.Load() {
				c.cancel() // the client has disconnected
			}
			c.read <- err
			return
		}
		alone := c.calls.begin(&c.server.Limits)
		switch {
		case !alone || c.reader.Buffered() > 0:
			c.turn.setParallel()
			c.have(next)
		case !c.turn.do(c, next):
			return
		}
	}
}

// have passes a job to the waiting worker, or to a new one.
func (c *Connection) have(done job) {
	select {
	case c.work <- done:
	default:
		go c.worker(done)
	}
}

// job is a call to do; without a call, the job is to read calls.
type job struct {
	*call
	received time.Time
}

// readJob reads the next call.
func (c *Connection) readJob() (job, error) {
	for {
		c.readTimeout = c.server.Limits.Idle
		n, err := readLength(c.reader, c.server.Limits.MaxCall)
		if err != nil {
			return job{}, c.refuseLong(err)
		}
		c.readTimeout = c.server.Limits.Stall
		frame, ok, err := c.readFrame(n)
		if err != nil {
			return job{}, err
		}
		if !ok {
			continue
		}
		received := time.Now()
		called, err := readCall(frame)
		if err != nil {
			c.server.queued.Add(-int64(n))
			return job{}, c.fatal("ipc.FatalConnectionException", err.Error())
		}
		return job{called, received}, nil
	}
}

// worker does a job and, unless another worker waits, waits for more: its stack has already grown.
func (c *Connection) worker(next job) {
	for ok := true; ok; {
		if next.call == nil {
			c.serve()
		} else {
			c.run(next)
		}
		if !c.waits.CompareAndSwap(false, true) {
			return
		}
		next, ok = <-c.work
		c.waits.Store(false)
	}
}

// refuseLong answers a call that is too long, of which only the beginning is read.
func (c *Connection) refuseLong(err error) error {
	var long errTooLong
	if !errors.As(err, &long) || long.length < 0 {
		return err
	}
	c.readTimeout = c.server.Limits.Stall
	id := c.peekID()
	e := &Exception{Class: Prefix + "exceptions.RequestTooBigException", Message: err.Error(), DoNotRetry: true}
	c.answer(id, nil, e)
	return e
}

// run does one call and answers it.
func (c *Connection) run(j job) {
	ctx := c.under
	if ms := j.header.timeout; ms > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, j.received.Add(time.Duration(ms)*time.Millisecond))
		defer cancel()
	}
	b := buffersPool.Get().(*buffers)
	defer buffersPool.Put(b)
	response, err := c.do(ctx, j.call, b.block[:0])
	c.server.queued.Add(-j.bytes)
	answers := !errors.Is(err, ErrNoAnswer)
	out := b.answer[:0]
	if answers {
		out = c.appendAnswer(out, j.header.id, response, err)
	}
	c.calls.answered(len(out))
	if answers {
		c.send(out)
	} else {
		c.Close()
	}
	b.keep(response, out)
	c.calls.end(len(out))
}

// do calls the handler. A panic ends only this call.
func (c *Connection) do(ctx context.Context, called *call, block []byte) (response *Response, err error) {
	r := &Request{Service: c.service, Method: string(called.header.method), Param: called.param, CellBlocks: c.blocks,
		Block: block}
	err = caught.Do(func() error {
		block, err := c.decompressed(called)
		if err != nil {
			return err
		}
		r.Cells = NewCellReader(block)
		response, err = c.session.Call(ctx, r)
		return err
	})
	return response, err
}

// decompressed returns a call's cells, which count among the bytes of running calls.
func (c *Connection) decompressed(called *call) ([]byte, error) {
	if c.compressor == nil || len(called.block) == 0 {
		return called.block, nil
	}
	decompressing <- struct{}{}
	defer func() { <-decompressing }()
	block, err := c.compressor.decompress(called.block, c.server.Limits.MaxCall)
	if err != nil {
		return nil, Refused(err.Error())
	}
	if !c.server.queue(int64(len(block))) {
		return nil, tooBusy
	}
	called.bytes += int64(len(block))
	return block, nil
}

// decompressing limits how many calls are decompressed at once, because their size is counted only
// afterwards.
var decompressing = make(chan struct{}, 4)

// answer sends what is not the response to a call.
func (c *Connection) answer(id uint32, response *Response, err error) {
	c.send(c.appendAnswer(nil, id, response, err))
}

// appendAnswer appends the response or the exception of a call.
func (c *Connection) appendAnswer(out []byte, id uint32, response *Response, err error) []byte {
	at := len(out)
	if err == nil {
		block := response.Block
		if len(block) > 0 && c.compressor != nil {
			block = c.compressor.compress(block)
		}
		var head [maxBlockHeader]byte
		out, err = appendResponse(out, appendBlockHeader(head[:0], id, len(block)), response.Message, block)
	}
	if err != nil {
		out, _ = appendResponse(out[:at], exceptionHeader(id, asException(err)), nil, nil) // only a header
	}
	return out
}

// send sends a response.
func (c *Connection) send(out []byte) {
	if err := c.write(out); err != nil {
		c.conn.Close() // ends its reader
	}
}

// chunk is how many bytes a client must take within Limits.Stall.
const chunk = 1 << 20

// write sends all of a response.
func (c *Connection) write(out []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	for len(out) > 0 {
		if err := c.writeUntil.renew(c.server.Limits.Stall, c.conn.SetWriteDeadline); err != nil {
			return err
		}
		n, err := c.conn.Write(out[:min(len(out), chunk)])
		count(c.server.Sent, n)
		if out = out[n:]; err != nil {
			return err
		}
	}
	return nil
}
