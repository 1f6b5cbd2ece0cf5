package rpc

import (
	"sync"
	"sync/atomic"
	"time"
)

// The goroutine that reads a connection does a call itself where no other is under way, since to have another
// goroutine woken for it takes longer than many calls do. Where the call takes its time, another goroutine reads on, so
// that it keeps no other call from being done, and the end of the client is seen.

// turn counts what the goroutine that reads begins and ends to do: it is odd while that does a call.
type turn struct {
	count   atomic.Uint64
	watched atomic.Bool // by the server's relief
	seen    uint64      // by it, the last time
	idle    int         // how often it has seen the same that is no call
}

// do does a call, and reports whether the caller is to read on.
func (t *turn) do(c *Connection, j job) bool {
	this := t.count.Add(1)
	if !t.watched.Load() {
		c.server.relief.watch(c)
	}
	c.run(j)
	return t.count.CompareAndSwap(this, this+1)
}

// relief has goroutines read in the place of those that do a long call.
type relief struct {
	mu      sync.Mutex
	watched map[*Connection]struct{}
}

// Of the relief: how often it looks, and after how many looks without a call it watches a connection no more.
const (
	reliefEvery = time.Millisecond
	reliefIdle  = 100
)

// watch watches a connection.
func (r *relief) watch(c *Connection) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c.turn.seen, c.turn.idle = 0, 0
	c.turn.watched.Store(true)
	if r.watched == nil {
		r.watched = map[*Connection]struct{}{}
		go r.look(r.watched)
	}
	r.watched[c] = struct{}{}
}

// look looks after connections until none is watched.
func (r *relief) look(watched map[*Connection]struct{}) {
	ticker := time.NewTicker(reliefEvery)
	defer ticker.Stop()
	for range ticker.C {
		if r.lookOnce(watched) {
			return
		}
	}
}

// lookOnce reports whether no connection is watched any more.
func (r *relief) lookOnce(watched map[*Connection]struct{}) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for c := range watched {
		if c.turn.forgotten(c) {
			delete(watched, c)
		}
	}
	if len(watched) == 0 {
		r.watched = nil
	}
	return len(watched) == 0
}

// forgotten looks at a connection, has it read on where it is at the call of the last time, and reports whether it is
// watched no more.
func (t *turn) forgotten(c *Connection) bool {
	now := t.count.Load()
	switch {
	case now != t.seen:
		t.seen, t.idle = now, 0
		return false
	case now%2 == 1:
		if t.count.CompareAndSwap(now, now+1) {
			c.have(job{})
		}
		return false
	}
	if t.idle++; t.idle < reliefIdle {
		return false
	}
	t.watched.Store(false)
	if t.count.Load() == now {
		return true
	}
	t.watched.Store(true) // a call has begun, whose goroutine may have seen that it is watched
	t.idle = 0
	return false
}
