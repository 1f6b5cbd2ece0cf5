package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// bench is a contender with its tables loaded.
type bench struct {
	*contender
	data  dataset
	dir   string
	store store
	limit time.Duration // for one answer during the check

	// Counts of inserted rows, added ones, inserted records, loaded rows and inserted
	// scattered rows.
	logged, counted, recorded, loaded, spread atomic.Int64
}

// openBench creates a store in its own directory and loads the tables.
func openBench(c *contender, d dataset, durable bool, tables []table, limit time.Duration) (_ *bench, err error) {
	dir, err := os.MkdirTemp("", "peers-")
	if err != nil {
		return nil, err
	}
	b := &bench{contender: c, data: d, dir: dir, limit: limit}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("%s: %w", c.name, err), b.close())
		}
	}()
	if b.store, err = c.open(dir, durable); err != nil {
		return nil, err
	}
	return b, b.fill(tables)
}

func (b *bench) fill(tables []table) error {
	for _, t := range tables {
		if err := b.store.create(t); err != nil {
			return err
		}
	}
	if b.name == "floor" {
		return nil
	}
	s := b.store.connect()
	defer s.close()
	for _, t := range tables {
		if err := load(s, t); err != nil {
			return err
		}
	}
	if b.asLoaded {
		return nil
	}
	for _, t := range tables {
		if err := b.store.settle(t); err != nil {
			return err
		}
	}
	return nil
}

// batch is the number of cells that a transaction inserts.
const batch = 1000

func load(s session, t table) (err error) {
	n := 0
	t.each(0, t.rows, func(c cell) bool {
		if n%batch == 0 {
			err = s.begin()
		}
		if err == nil {
			err = s.write(insertCell, t.name, c)
		}
		if n++; err == nil && n%batch == 0 {
			err = s.commit()
		}
		return err == nil
	})
	if err == nil && n%batch != 0 {
		err = s.commit()
	}
	return err
}

func (b *bench) close() error {
	var err error
	if b.store != nil {
		err = b.store.close()
	}
	return errors.Join(err, os.RemoveAll(b.dir))
}

// ask returns an answer's short form, within the time limit.
func (b *bench) ask(s session, r *reading, what scan) (answer, error) {
	ctx, cancel := context.WithTimeout(context.Background(), b.limit)
	defer cancel()
	to := newSink(r.ordered)
	err := s.read(ctx, r, what, to)
	if ctx.Err() != nil {
		err = fmt.Errorf("%w within %v", errSlow, b.limit)
	}
	return to.answer, err
}

// sample is the measurement of one repetition.
type sample struct {
	elapsed, processor time.Duration
	ops                int
	allocs             uint64
}

// processorTime returns the time that the process has used so far, on all its threads.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// awaitQuiet waits, but no longer than most, until the process is almost idle, so
// that the flushes and compactions of one contender do not disturb the next.
func awaitQuiet(most time.Duration) {
	const look = 10 * time.Millisecond
	for ; most > look; most -= look {
		used := processorTime()
		if time.Sleep(look); processorTime()-used < look/10 {
			return
		}
	}
}

// operation runs one operation of a workload, the i-th of all its workers.
type operation func(s session, i int) error

// measure repeats an operation on all workers for about the given time.
func measure(op operation, sessions []session, next *atomic.Int64, long time.Duration) (sample, error) {
	var before, behind runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var all sync.WaitGroup
	var ops atomic.Int64
	errs := make([]error, len(sessions))
	began, used := time.Now(), processorTime()
	for w, s := range sessions {
		all.Go(func() {
			var n int
			n, errs[w] = repeat(op, s, next, began.Add(long))
			ops.Add(int64(n))
		})
	}
	all.Wait()
	elapsed, processor := time.Since(began), processorTime()-used
	runtime.ReadMemStats(&behind)
	return sample{elapsed, processor, int(ops.Load()), behind.Mallocs - before.Mallocs}, errors.Join(errs...)
}

// repeat runs operations until the time is over; it reads the clock after ever
// more of them, since that takes time, too.
func repeat(op operation, s session, next *atomic.Int64, until time.Time) (n int, err error) {
	for chunk := 1; ; {
		began := time.Now()
		for range chunk {
			if err := op(s, int(next.Add(1)-1)); err != nil {
				return n, err
			}
			n++
		}
		now := time.Now()
		if !now.Before(until) {
			return n, nil
		}
		if now.Sub(began) < time.Millisecond {
			chunk *= 2
		}
	}
}

var background = context.Background()

var (
	// errSlow is the error of a statement that takes too long to be measured.
	errSlow = errors.New("no answer")
	// errWrong is the error of a statement whose answer is not the model's.
	errWrong = errors.New("the answer is wrong")
)
