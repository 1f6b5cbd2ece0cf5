package packet

import (
	"bufio"
	"errors"
	"io"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hbasekv/hbasekv/sqlfront"
	"github.com/hbasekv/hbasekv/sqlfront/metrics"
)

const (
	// MaxPayload is the maximum payload of a packet, in bytes; a longer one
	// continues in the next packet.
	MaxPayload = 1<<24 - 1
	// bufferSize is the memory in which packets are collected, flushAt how many bytes
	// are sent together: with half as many, a scan took a tenth more processor time.
	bufferSize = 32 << 10
	flushAt    = bufferSize - bufferSize/8
	// ReadAhead is the size of the buffer for what a client sends, in bytes.
	ReadAhead = 4 << 10
	// HelloLimit is the maximum packet of a client that has not logged in, in bytes.
	HelloLimit = 16 << 10
	// KeptPayload is the largest payload whose memory is reused for the next.
	KeptPayload = 8 << 10
	// oneWrite is how many bytes at most are written under one deadline.
	oneWrite = 1 << 20
	// FirstStep is how much memory a payload gets before any of it has arrived.
	FirstStep = 64 << 10
)

// Errors in what a client sends, which end its connection.
var (
	ErrOrder    = errors.New("packets out of order")
	ErrTooLarge = errors.New("a packet larger than max_allowed_packet")
)

// Stream reads and writes the packets of one connection, for one goroutine.
type Stream struct {
	Conn     net.Conn
	In       *bufio.Reader
	Squeeze  *squeezer // nil without compression
	header   [4]byte
	Sequence byte
	Payload  []byte // of the last packet read
	Limit    int    // the maximum payload to accept, in bytes
	out      []byte // packets to send; nil if there are none
	at       int    // where the current payload begins in out
	counts   counts // the memory of what the client is sending
	// Wire, if not nil, counts the bytes.
	Wire *metrics.Wire
	// Unread is how long a client may leave what is sent to it unread, Between
	// how long it may take for the next piece of a packet.
	Unread, Between time.Duration
	// by, if not zero, is the deadline of everything that is waited for.
	by time.Time
	// Calls counts the calls on the connection, which may wait for the client: its
	// lowest byte is how many are running (under TLS they are nested), the other bytes
	// are how many there were. Other goroutines may read it.
	Calls atomic.Uint64
}

// What is added to Stream.Calls when a call begins and ends.
const (
	callBegins = 1<<8 + 1
	callEnds   = ^uint64(0)
	// CallsNow is the part of Stream.Calls that says how many are running.
	CallsNow = 1<<8 - 1
)

// watched is a connection that counts its calls.
type watched struct {
	net.Conn
	calls *atomic.Uint64
}

func (w *watched) Read(b []byte) (int, error) {
	w.calls.Add(callBegins)
	n, err := w.Conn.Read(b)
	w.calls.Add(callEnds)
	return n, err
}

func (w *watched) Write(b []byte) (int, error) {
	w.calls.Add(callBegins)
	n, err := w.Conn.Write(b)
	w.calls.Add(callEnds)
	return n, err
}

func New(conn net.Conn) *Stream {
	p := &Stream{Limit: HelloLimit, Unread: time.Minute, Between: 30 * time.Second}
	p.Attach(conn)
	return p
}

// Watch makes the stream use conn, whose calls are counted.
func (p *Stream) Watch(conn net.Conn) { p.Attach(&watched{conn, &p.Calls}) }

// Attach makes the stream use conn.
func (p *Stream) Attach(conn net.Conn) {
	p.Conn = conn
	p.In = bufio.NewReaderSize(conn, ReadAhead)
}

// Read returns the next payload, in memory that is valid until the next read. The caller
// has set a deadline for the first bytes. io.EOF is an end between two payloads,
// io.ErrUnexpectedEOF one within a payload.
func (p *Stream) Read() ([]byte, error) {
	if p.Payload = p.Payload[:0]; cap(p.Payload) > KeptPayload {
		p.Payload = nil
		p.counts.give()
	}
	for {
		n, err := p.readHeader()
		if err != nil && len(p.Payload) > 0 {
			return nil, cutShort(err)
		}
		if err != nil {
			return nil, err
		}
		if len(p.Payload)+n > p.Limit {
			return nil, ErrTooLarge
		}
		if err := p.readPayload(n); err != nil {
			return nil, cutShort(err)
		}
		if n < MaxPayload {
			return p.Payload, nil
		}
	}
}

// cutShort turns io.EOF into an error for an end where more was expected.
func cutShort(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

func (p *Stream) readHeader() (length int, err error) {
	if _, err := io.ReadFull(p.In, p.header[:]); err != nil {
		return 0, err
	}
	h := &p.header
	if h[3] != p.Sequence && p.Squeeze == nil {
		return 0, ErrOrder
	}
	p.Sequence = h[3] + 1
	length = int(h[0]) | int(h[1])<<8 | int(h[2])<<16
	if p.Wire != nil {
		p.Wire.Received.Add(uint64(len(p.header) + length))
	}
	return length, nil
}

// ExtendDeadline gives the client time for the next piece of what it sends. The error is the
// connection's.
func (p *Stream) ExtendDeadline() error {
	by := p.by
	if by.IsZero() {
		by = time.Now().Add(p.Between)
	}
	return p.Conn.SetReadDeadline(by)
}

// Within sets a deadline for everything that is read until end is called.
func (p *Stream) Within(d time.Duration) (end func(), err error) {
	p.by = time.Now().Add(d)
	return func() { p.by = time.Time{} }, p.Conn.SetReadDeadline(p.by)
}

// readPayload appends n bytes to the payload. It allocates memory as they come: a
// client that only announces much takes none.
func (p *Stream) readPayload(n int) error {
	if n > p.In.Buffered() {
		if err := p.ExtendDeadline(); err != nil {
			return err
		}
	}
	for step := FirstStep; n > 0; step *= 2 {
		step = min(step, n)
		start := len(p.Payload)
		if start+step > FirstStep {
			if err := p.counts.take(step); err != nil {
				return err
			}
		}
		p.Payload = slices.Grow(p.Payload, step)[:start+step]
		if _, err := io.ReadFull(p.In, p.Payload[start:]); err != nil {
			return err
		}
		if n -= step; n > 0 {
			if err := p.ExtendDeadline(); err != nil {
				return err
			}
		}
	}
	return nil
}

// counts counts larger memory for what a client sends, as memory of its session.
type counts struct {
	of    *sqlfront.Session // nil before there is one
	bytes int
}

// take counts n bytes more, or fails with 1041.
func (c *counts) take(n int) error {
	if c.of == nil {
		return nil
	}
	err := c.of.Take(n)
	if err == nil {
		c.bytes += n
	}
	return err
}

// give returns all counted memory.
func (c *counts) give() {
	if c.bytes > 0 {
		c.of.Give(c.bytes)
		c.bytes = 0
	}
}

// CountIn counts the memory of what the client sends in a session's. nil is for the end of a
// session, which also ends what it has counted.
func (p *Stream) CountIn(s *sqlfront.Session) {
	p.counts = counts{of: s}
	if p.Squeeze != nil {
		p.Squeeze.counts = counts{of: s}
	}
}

// Keep leaves the memory of the last payload to its user, whose statement is counted besides.
func (p *Stream) Keep() { p.Payload = nil }

var buffers = sync.Pool{New: func() any {
	b := make([]byte, 0, bufferSize)
	return &b
}}

// Begin starts a packet. The caller appends the payload to the result and passes it to End.
func (p *Stream) Begin() []byte {
	if p.out == nil {
		p.out = *buffers.Get().(*[]byte)
	}
	b := append(p.out, 0, 0, 0, 0)
	p.at = len(b)
	return b
}

// End ends a packet, and sends the collected packets if they are many.
func (p *Stream) End(b []byte) error {
	n := len(b) - p.at
	if n >= MaxPayload {
		return p.endLarge(b)
	}
	p.putHeader(b[p.at-4:], n)
	p.out = b
	if len(b) < flushAt {
		return nil
	}
	return p.send()
}

func (p *Stream) putHeader(b []byte, n int) {
	b[0], b[1], b[2], b[3] = byte(n), byte(n>>8), byte(n>>16), p.Sequence
	p.Sequence++
}

// endLarge sends a payload as several packets.
func (p *Stream) endLarge(b []byte) error {
	payload := b[p.at:]
	if err := p.write(b[:p.at-4]); err != nil {
		return err
	}
	for {
		n := min(len(payload), MaxPayload)
		var header [4]byte
		p.putHeader(header[:], n)
		if err := p.write(header[:]); err != nil {
			return err
		}
		if err := p.write(payload[:n]); err != nil {
			return err
		}
		if payload = payload[n:]; n < MaxPayload {
			p.out = b[:0]
			return nil
		}
	}
}

// send sends the collected packets.
func (p *Stream) send() error {
	err := p.write(p.out)
	p.out = p.out[:0]
	return err
}

// Flush sends the collected packets at the end of an answer, and releases their memory.
func (p *Stream) Flush() error {
	if p.out == nil {
		return nil
	}
	err := p.send()
	if cap(p.out) <= 2*bufferSize {
		b := p.out
		buffers.Put(&b)
	}
	p.out = nil
	return err
}

func (p *Stream) write(b []byte) error {
	if p.Wire != nil {
		p.Wire.Sent.Add(uint64(len(b)))
	}
	if p.Squeeze != nil {
		return p.Squeeze.write(p, b)
	}
	return p.writeRaw(b)
}

func (p *Stream) writeRaw(b []byte) error {
	for len(b) > 0 {
		if err := p.Conn.SetWriteDeadline(time.Now().Add(p.Unread)); err != nil {
			return err
		}
		n := min(len(b), oneWrite)
		if _, err := p.Conn.Write(b[:n]); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}
