package mysqlserver

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
	// maxPayload is the longest payload of one packet; a longer one continues in the
	// next.
	maxPayload = 1<<24 - 1
	// bufferSize is the memory that packets are gathered in, flushAt how many bytes of
	// them are sent together: a scan took a tenth more processor time at half as many.
	bufferSize = 32 << 10
	flushAt    = bufferSize - bufferSize/8
	// readAhead is the size of the buffer of what a client sends.
	readAhead = 4 << 10
	// helloLimit is the longest packet of one who has not logged in.
	helloLimit = 16 << 10
	// keptPayload is the largest payload whose memory goes to the next one.
	keptPayload = 8 << 10
	// oneWrite is the most that is written under one deadline.
	oneWrite = 1 << 20
	// firstStep is how much memory a payload gets before any of it is there.
	firstStep = 64 << 10
)

// Errors of what a client sends, which end its connection.
var (
	errOrder    = errors.New("packets out of order")
	errTooLarge = errors.New("a packet larger than max_allowed_packet")
)

// packets reads and writes the packets of one connection. It is used by one
// goroutine.
type packets struct {
	conn     net.Conn
	in       *bufio.Reader
	squeeze  *squeezer // nil without compression
	header   [4]byte
	sequence byte
	payload  []byte // of the packet read last
	limit    int    // the longest payload to take
	out      []byte // packets to send; nil where there are none
	at       int    // where the payload under way begins in out
	counts   counts // of what the client is sending
	// wire, where it is not nil, counts the bytes.
	wire *metrics.Wire
	// unread is how long a client may leave what it is sent unread, between how
	// long it may take for the next piece of a packet.
	unread, between time.Duration
	// by, where it is not zero, is when all that is waited for has to be there.
	by time.Time
	// calls are the calls on the connection, which may wait for the client: its lowest
	// byte says how many are under way, under TLS one within the other, the others how
	// many there were. Others may look at it.
	calls atomic.Uint64
}

// What is added to packets.calls when a call begins and ends, and where it says how many
// are under way.
const (
	callBegins = 1<<8 + 1
	callEnds   = ^uint64(0)
	callsNow   = 1<<8 - 1
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

func newPackets(conn net.Conn) *packets {
	p := &packets{limit: helloLimit, unread: time.Minute, between: 30 * time.Second}
	p.attach(conn)
	return p
}

// attach makes conn what is read and written.
func (p *packets) attach(conn net.Conn) {
	p.conn = conn
	p.in = bufio.NewReaderSize(conn, readAhead)
}

// read is the next payload, in memory that is good until the next read. The caller has
// said by a deadline how long it waits for the first bytes. io.EOF is an end between two
// payloads, and io.ErrUnexpectedEOF one within a payload.
func (p *packets) read() ([]byte, error) {
	if p.payload = p.payload[:0]; cap(p.payload) > keptPayload {
		p.payload = nil
		p.counts.give()
	}
	for {
		n, err := p.readHeader()
		if err != nil && len(p.payload) > 0 {
			return nil, cutShort(err)
		}
		if err != nil {
			return nil, err
		}
		if len(p.payload)+n > p.limit {
			return nil, errTooLarge
		}
		if err := p.readPayload(n); err != nil {
			return nil, cutShort(err)
		}
		if n < maxPayload {
			return p.payload, nil
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

func (p *packets) readHeader() (length int, err error) {
	if _, err := io.ReadFull(p.in, p.header[:]); err != nil {
		return 0, err
	}
	h := &p.header
	if h[3] != p.sequence && p.squeeze == nil {
		return 0, errOrder
	}
	p.sequence = h[3] + 1
	length = int(h[0]) | int(h[1])<<8 | int(h[2])<<16
	if p.wire != nil {
		p.wire.Received.Add(uint64(len(p.header) + length))
	}
	return length, nil
}

// patience lets the client take its time for the next piece of what it sends.
func (p *packets) patience() error {
	by := p.by
	if by.IsZero() {
		by = time.Now().Add(p.between)
	}
	return p.conn.SetReadDeadline(by)
}

// within lets the client take so long for all that is read until its end is called.
func (p *packets) within(d time.Duration) (end func(), err error) {
	p.by = time.Now().Add(d)
	return func() { p.by = time.Time{} }, p.conn.SetReadDeadline(p.by)
}

// readPayload reads n bytes behind what was read. Memory is made as they come: who
// announces much takes none by that.
func (p *packets) readPayload(n int) error {
	if n > p.in.Buffered() {
		if err := p.patience(); err != nil {
			return err
		}
	}
	for step := firstStep; n > 0; step *= 2 {
		step = min(step, n)
		start := len(p.payload)
		if start+step > firstStep {
			if err := p.counts.take(step); err != nil {
				return err
			}
		}
		p.payload = slices.Grow(p.payload, step)[:start+step]
		if _, err := io.ReadFull(p.in, p.payload[start:]); err != nil {
			return err
		}
		if n -= step; n > 0 {
			if err := p.patience(); err != nil {
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

// countIn has the memory of what the client sends counted in a session's. It is nil for the end of
// one, with which all of its count ends.
func (p *packets) countIn(s *sqlfront.Session) {
	p.counts = counts{of: s}
	if p.squeeze != nil {
		p.squeeze.counts = counts{of: s}
	}
}

// keep leaves the memory of the payload read last to its user, beside whose statement it counts.
func (p *packets) keep() { p.payload = nil }

var buffers = sync.Pool{New: func() any {
	b := make([]byte, 0, bufferSize)
	return &b
}}

// begin starts a packet: its payload is appended to what it gives, and goes to end.
func (p *packets) begin() []byte {
	if p.out == nil {
		p.out = *buffers.Get().(*[]byte)
	}
	b := append(p.out, 0, 0, 0, 0)
	p.at = len(b)
	return b
}

// end ends a packet, and sends those that are there where they are many.
func (p *packets) end(b []byte) error {
	n := len(b) - p.at
	if n >= maxPayload {
		return p.endLarge(b)
	}
	p.putHeader(b[p.at-4:], n)
	p.out = b
	if len(b) < flushAt {
		return nil
	}
	return p.send()
}

func (p *packets) putHeader(b []byte, n int) {
	b[0], b[1], b[2], b[3] = byte(n), byte(n>>8), byte(n>>16), p.sequence
	p.sequence++
}

// endLarge sends a payload in pieces.
func (p *packets) endLarge(b []byte) error {
	payload := b[p.at:]
	if err := p.write(b[:p.at-4]); err != nil {
		return err
	}
	for {
		n := min(len(payload), maxPayload)
		var header [4]byte
		p.putHeader(header[:], n)
		if err := p.write(header[:]); err != nil {
			return err
		}
		if err := p.write(payload[:n]); err != nil {
			return err
		}
		if payload = payload[n:]; n < maxPayload {
			p.out = b[:0]
			return nil
		}
	}
}

// send sends the packets that are there.
func (p *packets) send() error {
	err := p.write(p.out)
	p.out = p.out[:0]
	return err
}

// flush is send at the end of an answer; the memory goes to others.
func (p *packets) flush() error {
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

func (p *packets) write(b []byte) error {
	if p.wire != nil {
		p.wire.Sent.Add(uint64(len(b)))
	}
	if p.squeeze != nil {
		return p.squeeze.write(p, b)
	}
	return p.writeRaw(b)
}

func (p *packets) writeRaw(b []byte) error {
	for len(b) > 0 {
		if err := p.conn.SetWriteDeadline(time.Now().Add(p.unread)); err != nil {
			return err
		}
		n := min(len(b), oneWrite)
		if _, err := p.conn.Write(b[:n]); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}
