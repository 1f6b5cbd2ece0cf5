// Package txn is the transactions of a store: their locks, their writes, the checks
// for conflicts, and the commit.
//
// A [Manager] is what they share. Its Commits serialises the moment in which
// writes become visible; bulk loads and changes of the catalog take it, too.
package txn

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/collect"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/move"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/rowlock"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/views"
)

// Manager is what the transactions of a store share.
type Manager struct {
	engine      *views.Engine
	host        Host
	life        context.Context // ends with the store
	lockTimeout time.Duration   // if a transaction sets none
	sync        bool            // Commits are durable before they return
	readOnly    bool
	maxBytes    int64 // of a transaction's writes in memory
	spillCache  int64 // for the blocks of those on disk, in bytes
	Files       Files // set once the store is open

	Locks rowlock.Table
	// Commits serialises the moment in which writes become visible.
	Commits sync.Mutex
	Moves   move.Moves      // changed under Commits
	Watches collect.Watches // changed under Commits
	Runs    runs
	gaps    atomic.Pointer[gaps] // that the last commit left
	// Committed counts the transactions that were written, Conflicts those that lost
	// to a faster one.
	Committed, Conflicts atomic.Uint64
}

// Host is the store in which transactions are.
type Host interface {
	views.Keeper
	// Accepts is why nothing can be written at present, or nil.
	Accepts() error
	// Failed is why nothing can be written any more, or nil.
	Failed() error
	// Failure is closed when something is.
	Failure() <-chan struct{}
	Flush(context.Context) error
}

// Init makes the manager ready.
func (m *Manager) Init(e *views.Engine, h Host, life context.Context, lockTimeout time.Duration, sync, readOnly bool) {
	m.engine, m.host, m.life, m.lockTimeout = e, h, life, lockTimeout
	m.sync, m.readOnly = sync, readOnly
}

// leastSpillCache holds some blocks for each of the cache's shards.
const leastSpillCache = 1 << 20

// SetMemory divides the memory of a transaction: a quarter is for its writes in memory, a sixteenth for blocks of those
// on disk, and the rest for readers of its writes and for garbage. A process takes two to three times as much as the
// cache has, since garbage grows with what is in use; 4,000,000 typed rows that come in no order, with 64 MiB, take 4 %
// more processor time than with a cache of 32 MiB (2026-11-29).
func (m *Manager) SetMemory(bytes int64) {
	m.maxBytes, m.spillCache = bytes/4, max(bytes/16, leastSpillCache)
}

// Life ends with the store.
func (m *Manager) Life() context.Context { return m.life }
