package faultfs

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// Background remembers how Pebble's work in the background fares. While memory
// cannot be written to tables, commits are refused: they would
// fill the memory, and then wait without end.
type Background struct {
	mu         sync.Mutex
	flush      error // of the last flush
	compaction error // of the last compaction that failed
	// The next flush or compaction that fails closes these.
	noFlush, noCompaction chan struct{}
	failed                int // flushes and compactions since the last that succeeded
}

// Init makes it ready.
func (b *Background) Init() { b.noFlush, b.noCompaction = make(chan struct{}), make(chan struct{}) }

// Flushed is told how each flush ended.
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

// emptyFlush is what Pebble says of a flush whose keys were all deleted again.
const emptyFlush = "pebble: empty table"

// Compacted is told how each compaction ended.
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

// FlushError is why memory cannot be written to tables at present.
func (b *Background) FlushError() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.flush == nil {
		return nil
	}
	return fmt.Errorf("writes are refused while what is in memory cannot be written to files: %w", DiskError(b.flush))
}

// FlushFailure is closed when a flush fails.
func (b *Background) FlushFailure() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.noFlush
}

// UntilFailure is the context, which also ends with a compaction that fails;
// why is then the cause.
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

// The pauses between attempts that fail.
const (
	firstPause = 10 * time.Millisecond
	lastPause  = time.Second
)

// pause waits the longer the more often the work has failed.
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
