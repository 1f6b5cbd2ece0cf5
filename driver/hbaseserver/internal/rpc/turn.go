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
	count    atomic.Uint64
	parallel atomic.Bool // since relief last looked, a call was read while another was running or waiting
	watched  atomic.Bool // by the server's relief
	seen     uint64      // the count that it has last seen
	idle     int         // how often it has seen the same count, without a call
	lone     int         // how often it has seen no parallel calls
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

// setParallel records that calls run in parallel.
func (t *turn) setParallel() {
	if !t.parallel.Load() {
		t.parallel.Store(true)
	}
}

// relief starts goroutines that read in place of those that do a long call.
type relief struct {
	mu      sync.Mutex
	watched map[*Connection]struct{}
}

// How often relief looks. Each look wakes threads. If a client makes one call at a time, no other call waits, and looks
// every millisecond would take a tenth of the server's processor time. So after reliefIdle looks without parallel
// calls the looks are rarer, and after that many looks without any call the connection is no longer watched.
const (
	reliefEvery = time.Millisecond
	reliefRare  = 5 * time.Millisecond
	reliefIdle  = 100
)

// watch begins to watch a connection.
func (r *relief) watch(c *Connection) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c.turn.seen, c.turn.idle, c.turn.lone = 0, 0, 0
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
		next := r.lookOnce(watched)
		if next == 0 {
			return
		}
		ticker.Reset(next)
	}
}

// lookOnce returns how long to wait until the next look; 0 if no connection is watched any more.
func (r *relief) lookOnce(watched map[*Connection]struct{}) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	next := reliefRare
	for c := range watched {
		if c.turn.forgotten(c) {
			delete(watched, c)
		} else if c.turn.lone < reliefIdle {
			next = reliefEvery
		}
	}
	if len(watched) == 0 {
		r.watched, next = nil, 0
	}
	return next
}

// forgotten checks a connection: if it is still at the same call as last time, another goroutine reads on. It
// reports whether to stop watching the connection.
func (t *turn) forgotten(c *Connection) bool {
	if t.lone++; t.parallel.Swap(false) {
		t.lone = 0
	}
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
