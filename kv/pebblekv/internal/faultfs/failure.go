package faultfs

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/hbasekv/hbasekv/kv"
)

// Failure is the first error after which nothing can be written.
type Failure struct {
	p    atomic.Pointer[error]
	done chan struct{}
	// writing is shared by those who change files.
	writing sync.RWMutex
}

// Init makes it ready.
func (f *Failure) Init() { f.done = make(chan struct{}) }

// Fail keeps the first error.
func (f *Failure) Fail(err error) {
	if f.p.CompareAndSwap(nil, &err) {
		close(f.done)
	}
}

// Err is why nothing can be written, or nil.
func (f *Failure) Err() error {
	if p := f.p.Load(); p != nil {
		return fmt.Errorf("%w: %w", kv.ErrFailed, DiskError(*p))
	}
	return nil
}

// Done is closed when something fails.
func (f *Failure) Done() <-chan struct{} { return f.done }

// Settle waits, behind a failure, for those who are still changing files. From then on
// all stay as they are.
func (f *Failure) Settle() {
	f.writing.Lock()
	defer f.writing.Unlock()
}

// write runs what changes files, unless something has failed.
func (f *Failure) write(do func() error) error {
	f.writing.RLock()
	defer f.writing.RUnlock()
	if err := f.Err(); err != nil {
		return err
	}
	return do()
}

// Unknown is the error of a commit whose record is on its way to the log.
func Unknown(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", DiskError(err), kv.ErrOutcomeUnknown)
}
