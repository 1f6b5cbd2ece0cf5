package hbaseservertest

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/hbasekv/hbasekv/driver/hbaseserver"
)

// The sorts of calls that can be made to fail.
const (
	Lookup = hbaseserver.OpLookup // asks hbase:meta where a row is
	Read   = hbaseserver.OpRead   // a Get, or a batch of them
	Write  = hbaseserver.OpWrite  // a mutation, or a batch with one
	Scan   = hbaseserver.OpScan   // opens a scanner, which may answer the first rows
	Next   = hbaseserver.OpNext   // goes on with a scanner, or renews it
	Close  = hbaseserver.OpClose  // closes a scanner, which clients do beside their work
	Admin  = hbaseserver.OpAdmin  // is for a master
)

// What calls fail with, and what HBase's clients do then.
var (
	// NotServingRegion is of a region that is not open here, or no more: clients look it up again.
	NotServingRegion = hbaseserver.Exception("NotServingRegionException", "the region is not online")
	// RegionMoved is of a region that another server has now: clients look it up again.
	RegionMoved = hbaseserver.Exception("exceptions.RegionMovedException", "Region moved to another server")
	// RegionOpening is of a region that is about to be open: clients wait and try again.
	RegionOpening = hbaseserver.Exception("exceptions.RegionOpeningException", "the region is opening")
	// RegionTooBusy is of a region that takes no more writes for now: clients wait and try again.
	RegionTooBusy = hbaseserver.Exception("RegionTooBusyException", "over the limit of its memstore")
	// CallQueueTooBig is of a server that has too many calls: clients wait and try again.
	CallQueueTooBig = hbaseserver.Exception("CallQueueTooBigException", "Call queue is full")
	// LeaseExpired is of a scanner that its client has left alone for too long.
	LeaseExpired = hbaseserver.Exception("UnknownScannerException", "the scanner's lease has expired")
	// ServerStopped is of a server that is about to end: clients connect again.
	ServerStopped = hbaseserver.Exception("regionserver.RegionServerStoppedException", "the server is stopping")
	// LostReply ends the connection in place of the answer. With FailAfter the call has been done.
	LostReply = hbaseserver.ErrNoAnswer
)

// Faults makes chosen calls fail, so that a test can see what a program does about them. It is for Faults of
// hbaseserver.Options, and safe for goroutines.
type Faults struct {
	mu     sync.Mutex
	faults []*fault
}

type fault struct {
	op    hbaseserver.Op
	left  int // calls until the one that is met, which is 1
	err   error
	after bool          // the call is done first
	delay time.Duration // it waits first
}

var _ hbaseserver.Faults = (*Faults)(nil)

// NewFaults has nothing fail yet.
func NewFaults() *Faults { return &Faults{} }

// Fail makes the nth call of a sort from now on, from 1, fail with an error: one of those above, or of
// hbaseserver.Exception. The call is not done. How many calls a program makes is its client's affair: some send
// several Gets or Puts as one batch, and ask for regions only once.
func (f *Faults) Fail(op hbaseserver.Op, nth int, err error) {
	f.add(&fault{op: op, left: nth, err: err})
}

// FailAfter is Fail of a call that is done before it fails: its program cannot know that it was.
func (f *Faults) FailAfter(op hbaseserver.Op, nth int, err error) {
	f.add(&fault{op: op, left: nth, err: err, after: true})
}

// Delay makes the nth call of a sort from now on wait before it is done, as one of a slow scanner or a busy server
// does, until its own deadline or the end of its connection.
func (f *Faults) Delay(op hbaseserver.Op, nth int, wait time.Duration) {
	f.add(&fault{op: op, left: nth, delay: wait})
}

func (f *Faults) add(next *fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults = append(f.faults, next)
}

// Pending is how many faults have not happened yet.
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

// due counts a call, and gives the fault that it meets or nil.
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
