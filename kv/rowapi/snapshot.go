package rowapi

import (
	"context"
	"sync"

	"github.com/hbasekv/hbasekv/kv"
)

// Snapshot is the store at one moment, for several scanners. Its methods are safe for concurrent use.
// If the store has no snapshots, each scanner reads what is there.
type Snapshot struct {
	client *Client
	mu     sync.Mutex // guards tx, which one goroutine may use at a time
	tx     kv.Txn
	users  int // open scanners, and one until Close
	closed bool
}

// Snapshot takes a snapshot. It must be closed: it keeps the store from freeing what it reads.
func (c *Client) Snapshot(ctx context.Context) (*Snapshot, error) {
	tx, err := c.store.Begin(ctx, kv.TxnOptions{ReadOnly: true})
	if err != nil {
		return nil, mapError(err)
	}
	tx.Catalog() // takes the snapshot
	return &Snapshot{client: c, tx: tx, users: 1}, nil
}

// Scanner opens a scanner on the snapshot, which may be closed before the scanner. The context ends
// the scanner at any time. It fails with ErrScannerClosed if the snapshot is closed.
func (s *Snapshot) Scanner(ctx context.Context, table TableName, scan *Scan) (*Scanner, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, ErrScannerClosed
	}
	t, err := s.client.enabled(s.tx.Catalog(), table)
	if err != nil {
		return nil, err
	}
	from, p, err := openScan(ctx, s.tx, t, scan)
	if err != nil {
		return nil, mapError(err)
	}
	s.users++
	limit := scan.Limit
	if limit <= 0 {
		limit = -1
	}
	return &Scanner{snapshot: s, rows: new(rows).start(p, from, nil), limit: limit}, nil
}

// openScan plans a scan and opens its cursor.
func openScan(ctx context.Context, tx kv.Txn, t *target, scan *Scan) (source, *plan, error) {
	p := &plan{}
	if err := p.read(t, &scan.Columns, scan.Reversed); err != nil {
		return nil, nil, err
	}
	p.ofScan(scan)
	from, err := p.open(ctx, tx)
	return from, p, err
}

// Close releases the snapshot, once all of its scanners are closed. It may be called again.
func (s *Snapshot) Close() {
	s.mu.Lock()
	first := !s.closed
	s.closed = true
	s.mu.Unlock()
	if first {
		s.release()
	}
}

// release ends a use.
func (s *Snapshot) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users--; s.users == 0 {
		endRead(s.tx)
	}
}

// endRead ends a transaction that has only read, and recycles its memory.
func endRead(tx kv.Txn) {
	if r, ok := tx.(kv.Releaser); ok {
		_ = r.Release() // it has written nothing that could be lost
		return
	}
	tx.Rollback()
}

// Scanner opens a scanner on a snapshot of its own. It must be closed. The context ends it at any time.
func (c *Client) Scanner(ctx context.Context, table TableName, scan *Scan) (*Scanner, error) {
	s, err := c.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return s.Scanner(ctx, table, scan)
}
