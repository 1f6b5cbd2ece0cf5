package rpc

import (
	"errors"
	"time"
)

// errStopped ends the reading of a connection because the server is stopping.
var errStopped = errors.New("the server ends")

// lastWords is how long the responses to interrupted calls may wait for the client.
const lastWords = 500 * time.Millisecond

// stop stops the reading of calls, and interrupts the running ones after Grace.
func (c *Connection) stop() {
	c.last.Store(c.calls.any())
	c.stopped.Store(true)
	c.conn.SetReadDeadline(time.Unix(1, 0)) // fails only if the connection is closed
	end := func() {
		c.cancel()
		time.AfterFunc(lastWords, func() { c.conn.Close() })
	}
	if c.server.Limits.Grace == 0 {
		end()
		return
	}
	time.AfterFunc(c.server.Limits.Grace, end)
}

// unread is how long data that the client has sent may take to arrive.
const unread = 10 * time.Millisecond

// linger gives the client time to take the last responses: closing a connection with unread data could
// discard them.
func (c *Connection) linger() {
	half, ok := c.conn.(interface{ CloseWrite() error })
	if !ok || half.CloseWrite() != nil {
		return
	}
	over, patience := time.Now().Add(lastWords), unread
	if c.last.Load() {
		patience = lastWords
	}
	var b [4 << 10]byte
	for {
		until := time.Now().Add(patience)
		if until.After(over) {
			until = over
		}
		if c.conn.SetReadDeadline(until) != nil {
			return
		}
		if _, err := c.conn.Read(b[:]); err != nil {
			return // the client has closed it, or is silent
		}
		patience = lastWords
	}
}
