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

// rows are a scanner's rows, page by page.
type rows interface {
	// NextIn returns the next page, which may be in m until m is used again.
	NextIn(ctx context.Context, m *rowapi.Memory, limits rowapi.PageLimits) (*rowapi.Page, error)
	Stats() rowapi.Stats
	Close() error
}

// scanner is an open scanner, which is used by one call after another.
type scanner struct {
	id   uint64
	rows rows
	// reading is what it reads, and for whom.
	reading guard.Reading
	// snapshot is what it reads, nil for hbase:meta; part is its part of a scan, whose next part may use
	// the snapshot.
	snapshot *rowapi.Snapshot
	part     part

	using sync.Mutex // by one call at a time; guards what follows
	next  uint64     // the number of the next call
	// renewals is the number of renewals of the lease since the last call.
	renewals uint64
	left     int // rows that the client still wants; 0 is no limit
	// pageBytes is the maximum size of a page; 0 is the default.
	pageBytes int64

	lease *time.Timer // closes it; nil until the first call has ended; guarded by scanners.mu
	users int         // running or waiting calls; guarded by scanners.mu
}

// scanners are the open scanners.
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
	if of.Meta() { // clients must find regions even if scanners of tables have reached the limit
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

// take returns a scanner for a call, which must release it; until then its lease does not end.
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

// release restarts the lease.
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

// close closes the scanner, and releases its snapshot.
func (c *scanner) close() {
	c.rows.Close()
	if c.snapshot != nil {
		c.snapshot.Close()
	}
}

// handOn closes a scanner that the caller uses, and keeps its snapshot for the scan's next one.
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

// closeAll closes all scanners and prevents new ones. No call may be running.
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
