package hbaseservertest

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/hbasekv/hbasekv/driver/hbaseserver"
)

// The kinds of calls that can be made to fail.
const (
	Lookup = hbaseserver.OpLookup // looks a row's region up in hbase:meta
	Read   = hbaseserver.OpRead   // a Get, or a batch of them
	Write  = hbaseserver.OpWrite  // a mutation, or a batch with one
	Scan   = hbaseserver.OpScan   // opens a scanner, and may return the first rows
	Next   = hbaseserver.OpNext   // continues or renews a scanner
	Close  = hbaseserver.OpClose  // closes a scanner, which clients do in the background
	Admin  = hbaseserver.OpAdmin  // is for a master
)

// The errors that calls fail with, and what HBase's clients do then.
var (
	// NotServingRegion says that a region is not open here: clients look it up again.
	NotServingRegion = hbaseserver.Exception("NotServingRegionException", "the region is not online")
	// RegionMoved says that another server has the region: clients look it up again.
	RegionMoved = hbaseserver.Exception("exceptions.RegionMovedException", "Region moved to another server")
	// RegionOpening says that a region is being opened: clients wait and retry.
	RegionOpening = hbaseserver.Exception("exceptions.RegionOpeningException", "the region is opening")
	// RegionTooBusy says that a region accepts no writes for now: clients wait and retry.
	RegionTooBusy = hbaseserver.Exception("RegionTooBusyException", "over the limit of its memstore")
	// CallQueueTooBig says that a server has too many calls: clients wait and retry.
	CallQueueTooBig = hbaseserver.Exception("CallQueueTooBigException", "Call queue is full")
	// LeaseExpired says that a scanner's client was silent for too long.
	LeaseExpired = hbaseserver.Exception("UnknownScannerException", "the scanner's lease has expired")
	// ServerStopped says that a server is stopping: clients connect again.
	ServerStopped = hbaseserver.Exception("regionserver.RegionServerStoppedException", "the server is stopping")
	// LostReply ends the connection instead of responding. With FailAfter the call has been done.
	LostReply = hbaseserver.ErrNoAnswer
)

// Faults makes chosen calls fail, to test how a program handles that. It is for Faults of
// hbaseserver.Options, and safe for concurrent use.
type Faults struct {
	mu     sync.Mutex
	faults []*fault
}

type fault struct {
	op    hbaseserver.Op
	left  int // calls up to and including the one that is affected
	err   error
	after bool          // the call is done first
	delay time.Duration // it waits first
}

var _ hbaseserver.Faults = (*Faults)(nil)

// NewFaults returns a Faults with which nothing fails yet.
func NewFaults() *Faults { return &Faults{} }

// Fail makes the nth call of a kind from now, counted from 1, fail with err: one of those above, or of
// hbaseserver.Exception. The call is not done. How many calls a program makes depends on its client: some
// send several Gets or Puts as one batch, and look regions up only once.
func (f *Faults) Fail(op hbaseserver.Op, nth int, err error) {
	f.add(&fault{op: op, left: nth, err: err})
}

// FailAfter is Fail for a call that is done and then fails: the program cannot know that it was done.
func (f *Faults) FailAfter(op hbaseserver.Op, nth int, err error) {
	f.add(&fault{op: op, left: nth, err: err, after: true})
}

// Delay makes the nth call of a kind from now wait before it is done, as with a slow scanner or a busy
// server, until its own deadline or the end of its connection.
func (f *Faults) Delay(op hbaseserver.Op, nth int, wait time.Duration) {
	f.add(&fault{op: op, left: nth, delay: wait})
}

func (f *Faults) add(next *fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults = append(f.faults, next)
}

// Pending is the number of faults that have not happened yet.
func (f *Faults) Pending() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.faults)
}

// Do implements hbaseserver.Faults.
func (f *Faults) Do(ctx context.Context, op hbaseserver.Op, run func() error) error {
	due := f.due(op)
	switch {
	case due == nil:
		return run()
	case due.delay > 0:
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(due.delay):
		}
		return run()
	case due.after:
		if err := run(); err != nil {
			return err
		}
	}
	return due.err
}

// due counts a call, and returns the fault that is due, or nil.
func (f *Faults) due(op hbaseserver.Op) (due *fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults = slices.DeleteFunc(f.faults, func(each *fault) bool {
		if each.op != op {
			return false
		}
		if each.left--; each.left > 0 || due != nil {
			return false
		}
		due = each
		return true
	})
	return due
}
