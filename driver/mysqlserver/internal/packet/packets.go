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
	// MaxPayload is the longest payload of one packet; a longer one continues in the
	// next.
	MaxPayload = 1<<24 - 1
	// bufferSize is the memory that packets are gathered in, flushAt how many bytes of
	// them are sent together: a scan took a tenth more processor time at half as many.
	bufferSize = 32 << 10
	flushAt    = bufferSize - bufferSize/8
	// ReadAhead is the size of the buffer of what a client sends.
	ReadAhead = 4 << 10
	// HelloLimit is the longest packet of a client that has not logged in.
	HelloLimit = 16 << 10
	// KeptPayload is the largest payload whose memory goes to the next one.
	KeptPayload = 8 << 10
	// oneWrite is the most that is written under one deadline.
	oneWrite = 1 << 20
	// FirstStep is how much memory a payload gets before any of it is there.
	FirstStep = 64 << 10
)

// Errors of what a client sends, which end its connection.
var (
	ErrOrder    = errors.New("packets out of order")
	ErrTooLarge = errors.New("a packet larger than max_allowed_packet")
)

// Stream reads and writes the packets of one connection. It is used by one
// goroutine.
type Stream struct {
	Conn     net.Conn
	In       *bufio.Reader
	Squeeze  *squeezer // nil without compression
	header   [4]byte
	Sequence byte
	Payload  []byte // of the packet read last
	Limit    int    // the longest payload to take
	out      []byte // packets to send; nil where there are none
	at       int    // where the payload under way begins in out
	counts   counts // of what the client is sending
	// Wire, where it is not nil, counts the bytes.
	Wire *metrics.Wire
	// Unread is how long a client may leave what it is sent unread, Between how
	// long it may take for the next piece of a packet.
	Unread, Between time.Duration
	// by, where it is not zero, is when all that is waited for has to be there.
	by time.Time
	// Calls are the calls on the connection, which may wait for the client: its lowest
	// byte says how many are under way, under TLS one within the other, the others how
	// many there were. Others may look at it.
	Calls atomic.Uint64
}

// What is added to Stream.Calls when a call begins and ends.
const (
	callBegins = 1<<8 + 1
	callEnds   = ^uint64(0)
	// CallsNow is the part of Stream.Calls that says how many are under way.
	CallsNow = 1<<8 - 1
)

// watched is a connection whose calls are counted.
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

// Watch makes conn what is read and written, whose calls are counted.
func (p *Stream) Watch(conn net.Conn) { p.Attach(&watched{conn, &p.Calls}) }

// Attach makes conn what is read and written.
func (p *Stream) Attach(conn net.Conn) {
	p.Conn = conn
	p.In = bufio.NewReaderSize(conn, ReadAhead)
}

// Read is the next payload, in memory that is good until the next read. The caller has
// said by a deadline how long it waits for the first bytes. io.EOF is an end between two
// payloads, and io.ErrUnexpectedEOF one within a payload.
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

// cutShort makes the end of what the client sends an error where something is missing.
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

// ExtendDeadline lets the client take its time for the next piece of what it sends. The error is
// the connection's.
func (p *Stream) ExtendDeadline() error {
	by := p.by
	if by.IsZero() {
		by = time.Now().Add(p.Between)
	}
	return p.Conn.SetReadDeadline(by)
}

// Within lets the client take so long for all that is read until its end is called.
func (p *Stream) Within(d time.Duration) (end func(), err error) {
	p.by = time.Now().Add(d)
	return func() { p.by = time.Time{} }, p.Conn.SetReadDeadline(p.by)
}

// readPayload reads n bytes behind what was read. Memory is made as they come: who
// announces much takes none by that.
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

// counts counts what a client sends, beyond a little, in the memory of its session.
type counts struct {
	of    *sqlfront.Session // nil before there is one
	bytes int
}

// take counts so many bytes more: 1041 where they are too many.
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

// give counts nothing any more.
func (c *counts) give() {
	if c.bytes > 0 {
		c.of.Give(c.bytes)
		c.bytes = 0
	}
}

// CountIn has the memory of what the client sends counted in a session's. It is nil for the end of
// one, with which all of its count ends.
func (p *Stream) CountIn(s *sqlfront.Session) {
	p.counts = counts{of: s}
	if p.Squeeze != nil {
		p.Squeeze.counts = counts{of: s}
	}
}

// Keep leaves the memory of the payload read last to its user, beside whose statement it counts.
func (p *Stream) Keep() { p.Payload = nil }

var buffers = sync.Pool{New: func() any {
	b := make([]byte, 0, bufferSize)
	return &b
}}

// Begin starts a packet: its payload is appended to what it gives, and goes to end.
func (p *Stream) Begin() []byte {
	if p.out == nil {
		p.out = *buffers.Get().(*[]byte)
	}
	b := append(p.out, 0, 0, 0, 0)
	p.at = len(b)
	return b
}

// End ends a packet, and sends those that are there where they are many.
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

// endLarge sends a payload in pieces.
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

// send sends the packets that are there.
func (p *Stream) send() error {
	err := p.write(p.out)
	p.out = p.out[:0]
	return err
}

// Flush is send at the end of an answer; the memory goes to others.
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
