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
	// writing is read-locked by those who change files.
	writing sync.RWMutex
}

// Init prepares f for use.
func (f *Failure) Init() { f.done = make(chan struct{}) }

// Fail stores the first error.
func (f *Failure) Fail(err error) {
	if f.p.CompareAndSwap(nil, &err) {
		close(f.done)
	}
}

// Err returns the reason why nothing can be written, kv.ErrFailed, or nil.
func (f *Failure) Err() error {
	if p := f.p.Load(); p != nil {
		return fmt.Errorf("%w: %w", kv.ErrFailed, DiskError(*p))
	}
	return nil
}

// Done returns a channel that is closed when something fails.
func (f *Failure) Done() <-chan struct{} { return f.done }

// Settle waits, after a failure, for those who are still changing files. From then on
// all files stay as they are.
func (f *Failure) Settle() {
	f.writing.Lock()
	defer f.writing.Unlock()
}

// write runs a change of files, unless something has failed.
func (f *Failure) write(do func() error) error {
	f.writing.RLock()
	defer f.writing.RUnlock()
	if err := f.Err(); err != nil {
		return err
	}
	return do()
}

// Unknown wraps the error of a commit whose record is on its way to the log with
// kv.ErrOutcomeUnknown.
func Unknown(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", DiskError(err), kv.ErrOutcomeUnknown)
}
