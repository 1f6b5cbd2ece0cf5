// Package cancelcheck counts the work that a statement does, so that the statement checks its context often
// enough whatever it is doing: a cancelled statement ends soon, and for the others the checks cost next to
// nothing.
package cancelcheck

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/hbasekv/hbasekv/kv/caught"
)

// Stride is the work between two checks of the context, in units. A unit is a few nanoseconds: a byte that is
// read, a token, a pair of items that are compared.
const Stride = 1 << 16

// Row is the approximate cost of returning a row, keeping it, reading it or writing it.
const Row = 64

// Meter counts the units of one goroutine's work under a context. The zero Meter, and a nil one, has no
// context and never returns an error.
type Meter struct {
	Ctx  context.Context
	done int
}

// Step counts n units that have been done or are about to be done at once. The error is the context's, which
// is checked after each Stride units.
func (m *Meter) Step(n int) error {
	if m == nil {
		return nil
	}
	if m.done += n; m.done < Stride {
		return nil
	}
	return m.look()
}

func (m *Meter) look() error {
	m.done = 0
	if m.Ctx == nil {
		return nil
	}
	return m.Ctx.Err()
}

// Parts calls f with one part of b after another, each of at most Stride bytes, and counts them as steps. The
// error is the context's.
func (m *Meter) Parts(b []byte, f func(part []byte)) error {
	for len(b) > 0 {
		part := b[:min(len(b), Stride)]
		b = b[len(part):]
		f(part)
		if err := m.Step(len(part)); err != nil {
			return err
		}
	}
	return nil
}

// compareUnits is the approximate cost of comparing two items.
const compareUnits = 8

// Sort is slices.SortFunc that ends with the context; the slice then still has all items, in no particular
// order.
func Sort[T any](m *Meter, items []T, compare func(a, b T) int) (err error) {
	slices.SortFunc(items, func(a, b T) int {
		if err == nil {
			err = m.Step(compareUnits)
		}
		if err != nil {
			return 0 // all items are equal now: the rest is soon done
		}
		return compare(a, b)
	})
	return err
}

// Share does tasks, those of lower numbers first, on several goroutines, each with a meter of its own. An
// error ends all of them; the returned error is that of one of the tasks.
func Share(ctx context.Context, workers, tasks int, do func(m *Meter, task int) error) error {
	var next atomic.Int64
	work := func() error {
		m := &Meter{Ctx: ctx}
		for {
			task := int(next.Add(1)) - 1
			if task >= tasks {
				return nil
			}
			if err := do(m, task); err != nil {
				next.Store(int64(tasks))
				return err
			}
		}
	}
	errs := make([]error, max(workers, 1))
	var others sync.WaitGroup
	for i := 1; i < min(workers, tasks); i++ {
		others.Go(func() { errs[i] = caught.Do(work) })
	}
	errs[0] = caught.Do(work)
	others.Wait()
	return cmp.Or(errs...)
}
