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

// Connection is a client's.
type Connection struct {
	server *Server
	conn   net.Conn
	reader *bufio.Reader

	service, user string
	blocks        bool // cells are sent as blocks
	compressor    compressor

	session     Session
	readTimeout time.Duration // of the next read
	calls       *calls
	under       context.Context // of the calls
	cancel      func()          // ends it
	read        chan error      // why nothing more is read
	turn        turn            // of the goroutine that reads to do a call
	work        chan job        // for the worker that waits
	waits       atomic.Bool     // there is one
	stopped     atomic.Bool     // no more is read
	last        atomic.Bool     // calls were under way then

	writing sync.Mutex
}

// ServeConn answers the calls of one client until it goes, ctx ends or it breaks the protocol. Where ctx ends, the calls
// that have come are answered first. It closes the connection.
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

// open tells the handler of the client, and the client why it is not let in.
func (c *Connection) open() error {
	session, err := c.server.Handler.Open(c.under, c)
	if err != nil {
		c.answer(noCall, nil, err)
		return asException(err)
	}
	c.session = session
	return nil
}

// User is who the client says that it is.
func (c *Connection) User() string { return c.user }

// Peer is where the client is.
func (c *Connection) Peer() net.Addr { return c.conn.RemoteAddr() }

// TLS is the encryption of the connection; nil where there is none.
func (c *Connection) TLS() *tls.ConnectionState {
	secured, ok := c.conn.(*tls.Conn)
	if !ok {
		return nil
	}
	state := secured.ConnectionState()
	return &state
}

// Close ends the connection and the calls that are under way.
func (c *Connection) Close() { c.conn.Close() }

// count adds to a counter of bytes.
func count(to *atomic.Uint64, n int) {
	if to != nil && n > 0 {
		to.Add(uint64(n))
	}
}

// patient reads what the client sends, and gives up where nothing comes for as long as patience.
type patient Connection

func (p *patient) Read(b []byte) (int, error) {
	for {
		if err := p.conn.SetReadDeadline(time.Now().Add(p.readTimeout)); err != nil {
			return 0, err
		}
		if p.stopped.Load() { // whose deadline is overwritten now, or comes
			return 0, errStopped
		}
		n, err := p.conn.Read(b)
		count(p.server.Received, n)
		if n == 0 && isTimeout(err) && p.calls.any() {
			continue // it waits for answers
		}
		return n, err
	}
}

func isTimeout(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}

// serve does the calls that come, or has them done, until no more come or another goroutine reads on.
func (c *Connection) serve() {
	for {
		next, err := c.readJob()
		if err != nil {
			close(c.work)
			if !c.stopped.Load() {
				c.cancel() // the client has gone
			}
			c.read <- err
			return
		}
		alone := c.calls.begin(&c.server.Limits)
		switch {
		case !alone || c.reader.Buffered() > 0:
			c.have(next)
		case !c.turn.do(c, next):
			return
		}
	}
}

// have has a job done by the goroutine that waits, or by a new one.
func (c *Connection) have(done job) {
	select {
	case c.work <- done:
	default:
		go c.worker(done)
	}
}

// job is a call that is to be done; without one it is to read those that come.
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

// worker does a job and, unless another worker waits, waits for those that come: its stack has grown by then.
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

// refuseLong answers a call that is too long, of which nothing but the beginning is read.
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

// do calls the handler, whose panic ends this call alone.
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

// decompressed are a call's cells, which count among the bytes of calls under way.
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

// decompressing keeps those few who decompress: how much it becomes is counted afterwards.
var decompressing = make(chan struct{}, 4)

// answer sends what is not asked for.
func (c *Connection) answer(id uint32, response *Response, err error) {
	c.send(c.appendAnswer(nil, id, response, err))
}

// appendAnswer adds what has become of a call.
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
		out, _ = appendResponse(out[:at], exceptionHeader(id, asException(err)), nil, nil) // a header alone
	}
	return out
}

// send sends an answer.
func (c *Connection) send(out []byte) {
	if err := c.write(out); err != nil {
		c.conn.Close() // which ends its reader
	}
}

// chunk is what a client must take within Limits.Stall.
const chunk = 1 << 20

// write sends an answer whole.
func (c *Connection) write(out []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	for len(out) > 0 {
		if err := c.conn.SetWriteDeadline(time.Now().Add(c.server.Limits.Stall)); err != nil {
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
