package faultfs

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// Background remembers how Pebble's background work fares. While memtables
// cannot be written to files, commits are refused: they would fill the memory,
// and then wait without end.
type Background struct {
	mu         sync.Mutex
	flush      error // of the last flush
	compaction error // of the last failed compaction
	// The next failing flush or compaction closes these.
	noFlush, noCompaction chan struct{}
	failed                int // failed flushes and compactions since the last success
}

// Init prepares b for use.
func (b *Background) Init() { b.noFlush, b.noCompaction = make(chan struct{}), make(chan struct{}) }

// Flushed notes how each flush ended.
func (b *Background) Flushed(info pebble.FlushInfo) {
	err := info.Err
	if err != nil && err.Error() == emptyFlush {
		err = nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.flush = err
	if err != nil {
		close(b.noFlush)
		b.noFlush = make(chan struct{})
	}
	b.count(err)
}

// emptyFlush is Pebble's error for a flush whose keys were all deleted again.
const emptyFlush = "pebble: empty table"

// Compacted notes how each compaction ended.
func (b *Background) Compacted(info pebble.CompactionInfo) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if info.Err != nil && !errors.Is(info.Err, pebble.ErrCancelledCompaction) {
		b.compaction = info.Err
		close(b.noCompaction)
		b.noCompaction = make(chan struct{})
	}
	b.count(info.Err)
}

func (b *Background) count(err error) {
	if b.failed++; err == nil {
		b.failed = 0
	}
}

// FlushError returns the reason why memtables cannot be written to files now, or nil.
func (b *Background) FlushError() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.flush == nil {
		return nil
	}
	return fmt.Errorf("writes are refused while the memory tables cannot be flushed to files: %w", DiskError(b.flush))
}

// FlushFailure returns a channel that is closed when a flush fails.
func (b *Background) FlushFailure() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.noFlush
}

// UntilFailure returns the context, which also ends when a compaction fails,
// with that error as its cause.
func (b *Background) UntilFailure(ctx context.Context) (context.Context, context.CancelFunc) {
	b.mu.Lock()
	failure := b.noCompaction
	b.mu.Unlock()
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-failure:
			b.mu.Lock()
			defer b.mu.Unlock()
			cancel(DiskError(b.compaction))
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

// The pauses between failed attempts.
const (
	firstPause = 10 * time.Millisecond
	lastPause  = time.Second
)

// pause waits longer the more often the work has failed.
func (b *Background) pause(life context.Context) {
	b.mu.Lock()
	wait := time.Duration(0)
	if b.failed > 0 {
		wait = min(firstPause<<min(b.failed-1, 10), lastPause)
	}
	b.mu.Unlock()
	if wait == 0 {
		return
	}
	select {
	case <-life.Done():
	case <-time.After(wait):
	}
}
