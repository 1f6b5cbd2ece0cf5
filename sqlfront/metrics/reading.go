package metrics

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
)

// ReadProgress is how much a statement has read.
type ReadProgress struct {
	Cells int64 // read so far
	// AllCells is the approximate number in the spans of the scans that have begun, at least Cells; 0 if the
	// store has no estimates. HBase only estimates positions within regions.
	AllCells int64
}

type readProgressKey struct{}

// WithReadProgress makes statements under the context that read for long call fn now and then, on a goroutine
// of the statement, one call at a time.
func WithReadProgress(ctx context.Context, fn func(ReadProgress)) context.Context {
	return context.WithValue(ctx, readProgressKey{}, &readHook{tell: fn})
}

// readHook limits callbacks to one per hookEvery.
type readHook struct {
	tell func(ReadProgress)
	busy atomic.Bool
	last time.Time // guarded by busy
}

const hookEvery = 50 * time.Millisecond

// Reading is what the long scans of a statement have read. A copy may be used concurrently.
type Reading struct {
	Number uint64 // of the statement
	Cells  int64
	// partitions is the number of partitions that the scans have read, if reported.
	partitions float64
	scans      []scanRead
}

// scanRead is a scan of which a part was read.
type scanRead struct {
	of     any
	tables []*kv.Table
	scan   kv.Scan
}

// mostScans is the number of scans of a statement that are estimated, each with up to mostRanges spans.
const (
	mostScans  = 8
	mostRanges = 64
)

// Add notes the numbers of cells of a scan and of its partitions that have been read, a part of one being a
// fraction. of identifies the scan in the statement; tables and scan are not kept.
func (r *Reading) Add(of any, tables []*kv.Table, scan *kv.Scan, cells int64, partitions float64) {
	r.Cells += cells
	r.partitions += partitions
	r.note(of, tables, scan)
}

// note keeps a copy of a scan, unless there is one already.
func (r *Reading) note(of any, tables []*kv.Table, scan *kv.Scan) {
	if len(r.scans) >= mostScans || slices.ContainsFunc(r.scans, func(each scanRead) bool { return each.of == of }) {
		return
	}
	own := kv.Scan{Ranges: spansOf(scan.Ranges), Qualifiers: slices.Clone(scan.Qualifiers), Time: scan.Time,
		MaxVersions: scan.MaxVersions, Partitions: slices.Clone(scan.Partitions), Slices: slices.Clone(scan.Slices),
		Leaves: slices.Clone(scan.Leaves), Rows: scan.Rows}
	for i, q := range own.Qualifiers {
		own.Qualifiers[i] = kv.QualifierRange{Start: bytes.Clone(q.Start), End: bytes.Clone(q.End)}
	}
	r.scans = append(r.scans, scanRead{of, slices.Clone(tables), own})
}

// spansOf is a copy of ranges; many become one, from the first to the last.
func spansOf(ranges []kv.Range) []kv.Range {
	if n := len(ranges); n > mostRanges {
		ranges = []kv.Range{{Start: ranges[0].Start, End: ranges[n-1].End}}
	}
	out := slices.Clone(ranges)
	for i := range out {
		for _, p := range []*kv.Position{&out[i].Start, &out[i].End} {
			p.Row, p.Qualifier = bytes.Clone(p.Row), bytes.Clone(p.Qualifier)
		}
	}
	return out
}

// TellReading calls the function that the statement's caller has set by WithReadProgress, if any, unless it
// has just been called. reading returns what was read so far.
func TellReading(ctx context.Context, estimator kv.Estimator, reading func() Reading) {
	h, ok := ctx.Value(readProgressKey{}).(*readHook)
	if !ok || !h.busy.CompareAndSwap(false, true) {
		return
	}
	defer h.busy.Store(false)
	if time.Since(h.last) < hookEvery {
		return
	}
	r := reading()
	h.tell(r.Progress(ctx, estimator))
	h.last = time.Now()
}

// looksAtRead is the number of cells from which reading is estimated.
const looksAtRead = 512

// Progress compares what was read with the sizes of the scans; estimator is nil if the store does not
// estimate. It takes long only for the first call about a scan.
func (r *Reading) Progress(ctx context.Context, estimator kv.Estimator) ReadProgress {
	out := ReadProgress{Cells: r.Cells}
	if estimator == nil {
		if r.partitions > 0 {
			out.AllCells = max(r.Cells, int64(float64(r.Cells)/r.partitions*float64(r.allPartitions())))
		}
		return out
	}
	for i := range r.scans {
		each := &r.scans[i]
		e, err := estimator.Estimate(ctx, each.tables, &each.scan, kv.EstimateOptions{Cells: looksAtRead})
		if err != nil {
			return ReadProgress{Cells: r.Cells}
		}
		if each.scan.Qualifiers != nil {
			e.Stored = min(e.Stored, e.Cells+e.Rows) // others are skipped
		}
		out.AllCells += e.Stored
	}
	out.AllCells = max(out.AllCells, out.Cells)
	return out
}

// allPartitions is the number of partitions that the scans touch.
func (r *Reading) allPartitions() (n int) {
	for _, each := range r.scans {
		var rows []partition.RowRange
		for _, span := range each.scan.Ranges {
			rows = append(rows, partition.RowRange{Start: span.Start.Row, End: endRow(span.End)})
		}
		if each.scan.Ranges == nil {
			rows = []partition.RowRange{{}}
		}
		n += len(each.tables[0].Partitioning.Prune(rows))
	}
	return n
}

// endRow is the first row after a position; nil is none.
func endRow(p kv.Position) []byte {
	if p.Depth == kv.DepthNone || p.Depth == kv.DepthRow && !p.After {
		return p.Row
	}
	return append(slices.Clip(p.Row), 0)
}

// State is the text for the process list.
func (p ReadProgress) State() string {
	if p.AllCells == 0 {
		return fmt.Sprintf("Sending data, %d cells read", p.Cells)
	}
	return fmt.Sprintf("Sending data %d%%", 100*p.Cells/p.AllCells)
}
