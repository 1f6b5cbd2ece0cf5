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
	Read   = hbasekv.OpRead   // opens a cursor over cells
	Lock   = hbasekv.OpLock   // locks a row, as each write of a row does
	Commit = hbasekv.OpCommit // commits a transaction or an autocommit statement
)

// The errors of a store, and what the program sees of them.
var (
	Deadlock    error = kv.ErrDeadlock    // 1213; the transaction is rolled back
	Conflict    error = kv.ErrConflict    // 1213, as when another transaction has changed a row
	LockTimeout error = kv.ErrLockTimeout // 1205; the statement is undone
	DiskFull    error = kv.ErrDiskFull    // 1021
	ReadError   error = kv.ErrStorage     // 1030
	StoreFailed error = kv.ErrFailed      // 1030; whether a commit was done is unknown
	BadConn     error = driver.ErrBadConn // of database/sql, which discards the connection
)

// Faults makes chosen operations of a store fail with the store's own errors,
// to test how a program handles them. It is safe for concurrent use.
type Faults struct {
	mu     sync.Mutex
	faults []*fault
}

type fault struct {
	op    hbasekv.StoreOp
	left  int // operations up to and including the one that fails
	err   error
	after bool // the operation is done first
}

var _ hbasekv.Faults = (*Faults)(nil)

// NewFaults returns a Faults with which nothing fails yet.
func NewFaults() *Faults { return &Faults{} }

// WithFaults makes operations of the store fail as f says.
func WithFaults(f *Faults) Option { return func(o *options) { o.faults = f } }

// Fail makes the nth operation from now, counted from 1, fail with err. The
// operation is not done.
//
// The driver answers Deadlock and Conflict in a single statement, or in a
// transaction's first one, by repeating it, as it does with real ones: its
// caller does not see them. How many rows a statement locks and how often it reads
// depends on its plan.
func (f *Faults) Fail(op hbasekv.StoreOp, nth int, err error) { f.add(&fault{op, nth, err, false}) }

// FailAfter is Fail for an operation that is done and then fails: after such a
// Commit the program cannot know that its writes are there.
func (f *Faults) FailAfter(op hbasekv.StoreOp, nth int, err error) { f.add(&fault{op, nth, err, true}) }

func (f *Faults) add(next *fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults = append(f.faults, next)
}

// Pending is the number of failures that have not happened yet.
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

// due counts an operation, and returns the failure that is due, or nil.
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
