package hbasekvtest

import (
	"database/sql/driver"
	"slices"
	"sync"

	hbasekv "github.com/hbasekv/hbasekv/driver"
	"github.com/hbasekv/hbasekv/kv"
)

// The operations of a store that can be made to fail.
const (
	Read   = hbasekv.OpRead   // it begins to read cells
	Lock   = hbasekv.OpLock   // it locks a row, which each write of one does
	Commit = hbasekv.OpCommit // it commits a transaction or a single statement
)

// The errors of a store, and what becomes of them.
var (
	Deadlock    error = kv.ErrDeadlock    // 1213; the transaction is rolled back
	Conflict    error = kv.ErrConflict    // 1213, as of a row that another one has changed
	LockTimeout error = kv.ErrLockTimeout // 1205; the statement is undone
	DiskFull    error = kv.ErrDiskFull    // 1021
	ReadError   error = kv.ErrStorage     // 1030
	StoreFailed error = kv.ErrFailed      // 1030; whether a commit was done is unknown
	BadConn     error = driver.ErrBadConn // of database/sql, which gives the connection up
)

// Faults makes chosen operations of a store fail with its own errors, so that a
// test can see what a program does about them. It is safe for goroutines.
type Faults struct {
	mu     sync.Mutex
	faults []*fault
}

type fault struct {
	op    hbasekv.StoreOp
	left  int // operations until the one that fails, which is 1
	err   error
	after bool // the operation is done first
}

var _ hbasekv.Faults = (*Faults)(nil)

// NewFaults has nothing fail yet.
func NewFaults() *Faults { return &Faults{} }

// WithFaults has operations of the store fail.
func WithFaults(f *Faults) Option { return func(o *options) { o.faults = f } }

// Fail makes the nth operation from now on, from 1, fail with an error. The
// operation is not done.
//
// What a single statement, or the first one of a transaction, gets of Deadlock and
// Conflict, the driver meets by running it again: its caller does not see it, as
// with a real one. How many rows a statement locks
// and how often it reads is its plan's affair.
func (f *Faults) Fail(op hbasekv.StoreOp, nth int, err error) { f.add(&fault{op, nth, err, false}) }

// FailAfter is Fail of an operation that is done before it fails: after a Commit
// the program cannot know that its writes are there.
func (f *Faults) FailAfter(op hbasekv.StoreOp, nth int, err error) { f.add(&fault{op, nth, err, true}) }

func (f *Faults) add(next *fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults = append(f.faults, next)
}

// Pending is how many failures have not happened yet.
func (f *Faults) Pending() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.faults)
}

// Do implements driver.Faults.
func (f *Faults) Do(op hbasekv.StoreOp, run func() error) error {
	due := f.due(op)
	if due == nil {
		return run()
	}
	if due.after {
		if err := run(); err != nil {
			return err
		}
	}
	return due.err
}

// due counts an operation, and gives the failure that it meets or nil.
func (f *Faults) due(op hbasekv.StoreOp) (due *fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults = slices.DeleteFunc(f.faults, func(each *fault) bool {
		if each.op != op {
			return false
		}
		each.left--
		if each.left > 0 || due != nil {
			return false
		}
		due = each
		return true
	})
	return due
}
