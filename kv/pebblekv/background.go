package pebblekv

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// background remembers how Pebble's work in the background fares. While memory
// cannot be written to tables, commits are refused: they would
// fill the memory, and then wait without end.
type background struct {
	mu         sync.Mutex
	flush      error // of the last flush
	compaction error // of the last compaction that failed
	// The next flush or compaction that fails closes these.
	noFlush, noCompaction chan struct{}
	failed                int // flushes and compactions since the last that succeeded
}

func (b *background) init() { b.noFlush, b.noCompaction = make(chan struct{}), make(chan struct{}) }

// flushed is told how each flush ended.
func (b *background) flushed(info pebble.FlushInfo) {
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

// compacted is told how each compaction ended.
func (b *background) compacted(info pebble.CompactionInfo) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if info.Err != nil && !errors.Is(info.Err, pebble.ErrCancelledCompaction) {
		b.compaction = info.Err
		close(b.noCompaction)
		b.noCompaction = make(chan struct{})
	}
	b.count(info.Err)
}

func (b *background) count(err error) {
	if b.failed++; err == nil {
		b.failed = 0
	}
}

// flushError is why memory cannot be written to tables at present.
func (b *background) flushError() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.flush == nil {
		return nil
	}
	return fmt.Errorf("writes are refused while what is in memory cannot be written to files: %w", diskError(b.flush))
}

// flushFailure is closed when a flush fails.
func (b *background) flushFailure() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.noFlush
}

// untilFailure is the context, which also ends with a compaction that fails;
// why is then the cause.
func (b *background) untilFailure(ctx context.Context) (context.Context, context.CancelFunc) {
	b.mu.Lock()
	failure := b.noCompaction
	b.mu.Unlock()
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-failure:
			b.mu.Lock()
			defer b.mu.Unlock()
			cancel(diskError(b.compaction))
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
func (b *background) pause(life context.Context) {
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
