package rpc

import (
	"sync"
	"sync/atomic"
	"time"
)

// The goroutine that reads a connection does a call itself if no other call is running, because waking
// another goroutine takes longer than many calls do. If the call takes long, another goroutine goes on
// reading, so that other calls are done meanwhile, and a disconnected client is noticed.

// turn counts when the reading goroutine begins and ends a call: it is odd while that goroutine does a call.
type turn struct {
	count   atomic.Uint64
	watched atomic.Bool // by the server's relief
	seen    uint64      // the count that it has last seen
	idle    int         // how often it has seen the same count, without a call
}

// do does a call, and reports whether the caller must read on.
func (t *turn) do(c *Connection, j job) bool {
	this := t.count.Add(1)
	if !t.watched.Load() {
		c.server.relief.watch(c)
	}
	c.run(j)
	return t.count.CompareAndSwap(this, this+1)
}

// relief starts goroutines that read in place of those that do a long call.
type relief struct {
	mu      sync.Mutex
	watched map[*Connection]struct{}
}

// How often relief looks, and after how many looks without a call it stops watching a connection.
const (
	reliefEvery = time.Millisecond
	reliefIdle  = 100
)

// watch begins to watch a connection.
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

// look checks the connections until none is watched.
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

// forgotten checks a connection: if it is still at the same call as last time, another goroutine reads on. It
// reports whether to stop watching the connection.
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
	t.watched.Store(true) // a call has begun, whose goroutine may have seen watched
	t.idle = 0
	return false
}
