package faultfs

import (
	"fmt"
	"sync/atomic"

	"github.com/hbasekv/hbasekv/kv"
)

// Failure is the first error after which nothing can be written.
type Failure struct{ p atomic.Pointer[error] }

// Fail keeps the first error.
func (f *Failure) Fail(err error) { f.p.CompareAndSwap(nil, &err) }

// Err is why nothing can be written, or nil.
func (f *Failure) Err() error {
	if p := f.p.Load(); p != nil {
		return fmt.Errorf("%w: %w", kv.ErrFailed, DiskError(*p))
	}
	return nil
}
