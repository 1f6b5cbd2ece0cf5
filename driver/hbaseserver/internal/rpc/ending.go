package rpc

import (
	"errors"
	"time"
)

// errStopped is of a connection that is not read any more, since the server ends.
var errStopped = errors.New("the server ends")

// lastWords is how long the answers to calls that were ended may wait for the client.
const lastWords = 500 * time.Millisecond

// stop has no more calls read, and those that are under way go on for the time of Grace, which then end.
func (c *Connection) stop() {
	c.last.Store(c.calls.any())
	c.stopped.Store(true)
	c.conn.SetReadDeadline(time.Unix(1, 0)) // of a connection that is closed, it is no matter
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

// unread is how long what the client has sent may take to be there.
const unread = 10 * time.Millisecond

// linger lets the client take the last answers: closing a connection of which something has not been read could take
// them away from it.
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
			return // the client has closed it, or says nothing more
		}
		patience = lastWords
	}
}
