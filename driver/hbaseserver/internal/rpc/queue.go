package rpc

import (
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// readFrame reads a call. Its bytes are counted, as they come, among those of all running calls. ok is false
// if there are too many: then the client is told so, and the rest of the call is skipped.
func (c *Connection) readFrame(n int) (frame []byte, ok bool, err error) {
	out := []byte{}
	for {
		taken, more := cap(out), 0
		if len(out) == taken {
			more = min(n-taken, max(taken, firstRead))
		}
		if !c.server.queue(int64(more)) {
			c.server.queued.Add(-int64(taken))
			return nil, false, c.refuse(out, n)
		}
		grown := slices.Grow(out, more)
		out = grown[: len(out) : taken+more]
		if len(out) == n {
			return out, true, nil
		}
		m, err := c.reader.Read(out[len(out):cap(out)])
		if out = out[:len(out)+m]; err != nil && len(out) < n {
			c.server.queued.Add(-int64(cap(out)))
			return nil, false, err
		}
	}
}

// refuse tells a client that its call, of which out has arrived, does not fit.
func (c *Connection) refuse(out []byte, n int) error {
	id := idOf(out)
	if len(out) == 0 {
		id = c.peekID()
	}
	if _, err := c.reader.Discard(n - len(out)); err != nil {
		return err
	}
	c.answer(id, nil, tooBusy)
	return nil
}

// peekID returns the number of the next call, as far as the call has arrived.
func (c *Connection) peekID() uint32 {
	if _, err := c.reader.Peek(1); err != nil {
		return noCall
	}
	first, _ := c.reader.Peek(c.reader.Buffered())
	return idOf(first)
}

// idOf returns the number of the call that begins with first.
func idOf(first []byte) uint32 {
	if head, n := protowire.ConsumeBytes(first); n > 0 {
		if h, err := readHeader(head); err == nil {
			return h.id
		}
	}
	return noCall
}
