package hbaseserver

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/guard"
	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/rpc"
	"github.com/hbasekv/hbasekv/kv/rowapi"
)

// rows are what a scanner gives, page by page.
type rows interface {
	// NextIn gives the next page, which may be in m until that is used again.
	NextIn(ctx context.Context, m *rowapi.Memory, limits rowapi.PageLimits) (*rowapi.Page, error)
	Stats() rowapi.Stats
	Close() error
}

// scanner is an open one, between the calls of its client.
type scanner struct {
	id   uint64
	rows rows
	// reading is what it reads, for whom.
	reading guard.Reading
	// snapshot is what it reads, nil of hbase:meta; part is what of a scan it is, which may go on with it.
	snapshot *rowapi.Snapshot
	part     part

	using sync.Mutex // by one call at a time; guards what follows
	next  uint64     // the number of the next call
	// renewals are those of the lease since the last call.
	renewals uint64
	left     int // rows that the client still wants; 0 is no limit
	// pageBytes is the most bytes of a page; 0 is the default.
	pageBytes int64

	lease *time.Timer // closes it; nil until the first call has ended; guarded by scanners.mu
	users int         // calls that are under way or wait; guarded by scanners.mu
}

// scanners are those that are open.
type scanners struct {
	lease time.Duration
	most  int

	mu     sync.Mutex
	open   map[uint64]*scanner
	closed bool
}

func newScanners(lease time.Duration, most int) *scanners {
	return &scanners{lease: lease, most: most, open: map[uint64]*scanner{}}
}

// add keeps a scanner, in use by its caller.
func (s *scanners) add(rows rows, of guard.Reading, limit int) (*scanner, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	most := s.most
	if of.Meta() { // clients find their regions where tables have all the scanners that they may
		most *= 2
	}
	if s.closed || len(s.open) >= most {
		return nil, &rpc.Exception{Class: rpc.Prefix + "RegionTooBusyException",
			Message: fmt.Sprintf("%d scanners are open, as many as may be", len(s.open))}
	}
	c := &scanner{id: s.freeID(), rows: rows, reading: of, left: limit, users: 1}
	s.open[c.id] = c
	return c, nil
}

func (s *scanners) freeID() uint64 {
	for {
		if id := rand.Uint64() >> 1; id != 0 && s.open[id] == nil {
			return id
		}
	}
}

// take gives a scanner to a call, which releases it: until then its lease does not end.
func (s *scanners) take(id uint64) (*scanner, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.open[id]
	if c == nil {
		return nil, &rpc.Exception{Class: rpc.Prefix + "UnknownScannerException", DoNotRetry: true,
			Message: fmt.Sprintf("scanner %d is closed, or its lease of %s has expired", id, s.lease)}
	}
	c.users++
	if c.lease != nil {
		c.lease.Stop()
	}
	return c, nil
}

// release begins the lease again.
func (s *scanners) release(c *scanner) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch c.users--; {
	case c.users > 0 || s.open[c.id] != c:
	case c.lease == nil:
		c.lease = time.AfterFunc(s.lease, func() { s.expire(c) })
	default:
		c.lease.Reset(s.lease)
	}
}

func (s *scanners) expire(c *scanner) {
	s.mu.Lock()
	idle := c.users == 0 && s.open[c.id] == c
	if idle {
		delete(s.open, c.id)
	}
	s.mu.Unlock()
	if idle {
		c.close()
	}
}

// close ends the scanner and its part in the snapshot.
func (c *scanner) close() {
	c.rows.Close()
	if c.snapshot != nil {
		c.snapshot.Close()
	}
}

// handOn closes a scanner that the caller uses, and has its snapshot wait for the one that follows on it.
func (s *scanners) handOn(c *scanner, h *handover) {
	if next, ok := c.part.onward(); ok {
		h.give(next, c.snapshot)
		c.snapshot = nil
	}
	s.remove(c)
}

// remove closes a scanner that the caller uses.
func (s *scanners) remove(c *scanner) {
	s.mu.Lock()
	delete(s.open, c.id)
	s.mu.Unlock()
	c.close()
}

// closeAll closes all, once no call is under way, and lets none be added.
func (s *scanners) closeAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for id, c := range s.open {
		if c.lease != nil {
			c.lease.Stop()
		}
		c.close()
		delete(s.open, id)
	}
}
