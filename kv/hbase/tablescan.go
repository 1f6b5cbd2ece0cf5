package hbase

import (
	"bytes"
	"context"
	"slices"
	"time"

	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
)

// tableScan reads ranges of a table's rows, region by region. When a scanner is
// lost, it continues after the last returned cell.
type tableScan struct {
	cluster *cluster
	table   string
	request *pb.Scan // the request for each region, without its rows
	reverse bool
	rows    func() int // how many rows to request next

	// ranges are what is left, ascending and disjoint; at may be within the first.
	// In reverse there is one.
	ranges []partition.RowRange
	// at is the next row to be read: the first one, or in reverse the last,
	// exclusive unless included is set. An empty at in reverse is open.
	at       []byte
	included bool
	done     bool

	region  *regionInfo
	scan    *serverScan
	current *pb.Scan // the request with the region's rows
	stop    []byte   // where the scanner ends; empty if open
	last    cell     // the last returned one, of a row that may be incomplete
	given   bool
	resume  bool // the next block begins with last's row
	partial bool // last's row continues

	did kv.ScanStats
}

func newTableScan(c *cluster, table string, request *pb.Scan, ranges []partition.RowRange, reverse bool, rows func() int) *tableScan {
	t := &tableScan{cluster: c, table: table, request: request, reverse: reverse, rows: rows, ranges: ranges}
	t.at, t.included = ranges[0].Start, true
	if reverse {
		t.at, t.included = ranges[0].End, false
	}
	return t
}

func (t *tableScan) stats() kv.ScanStats { return t.did }

// scanTimeout is how long a server may search without returning cells.
const scanTimeout = 90 * time.Second

// next returns a block of complete cells, empty at the end.
func (t *tableScan) next(ctx context.Context) (block []byte, err error) {
	bounded, cancel := t.cluster.within(ctx, scanTimeout)
	defer cancel()
	for len(block) == 0 && !t.done && err == nil {
		block, err = t.step(bounded)
	}
	return block, err
}

// step sends one request, and repeats it if it failed without harm.
func (t *tableScan) step(ctx context.Context) (block []byte, err error) {
	tries := 0
	err = t.cluster.retry(ctx, func(ctx context.Context) error {
		block, err = t.ask(ctx)
		if err == nil {
			return nil
		}
		if tries++; tries > 3 {
			if off := t.cluster.unserved(ctx, t.table); off != nil {
				return off
			}
		}
		t.lose()
		if o := outcomeOf(err); o == lost || o == gone {
			return &rpcError{moved, "", err.Error()} // reading again is harmless
		}
		return err
	}, func(o outcome) {
		if o != busy {
			t.cluster.forget(t.table)
		}
	})
	return block, err
}

// lose drops the scanner, to continue after the last cell.
func (t *tableScan) lose() {
	if t.scan != nil {
		t.scan.close()
		t.scan = nil
	}
	if t.given {
		t.at, t.included, t.resume = t.last.row, true, true
	}
}

func (t *tableScan) ask(ctx context.Context) ([]byte, error) {
	if t.scan == nil {
		if !t.skip() {
			t.done = true
			return nil, nil
		}
		if err := t.open(ctx); err != nil {
			return nil, err
		}
	}
	t.did.Requests++
	block, more, err := t.scan.next(ctx, t.current, t.rows())
	if err != nil {
		return nil, err
	}
	t.did.Bytes += int64(len(block))
	t.partial = t.scan.partial
	if block, err = t.fresh(block); err != nil {
		return nil, err
	}
	if !more {
		t.scan = nil
		t.advance()
	}
	return block, nil
}

// longest is the last possible row.
var longest = bytes.Repeat([]byte{0xff}, maxRow)

// skip makes at the next row of the ranges; false if none is left.
func (t *tableScan) skip() bool {
	if t.reverse {
		return t.skipBack()
	}
	for len(t.ranges) > 0 && t.ranges[0].End != nil && bytes.Compare(t.ranges[0].End, t.at) <= 0 {
		t.ranges = t.ranges[1:]
	}
	if len(t.ranges) == 0 {
		return false
	}
	if bytes.Compare(t.ranges[0].Start, t.at) > 0 {
		t.at = t.ranges[0].Start
	}
	return true
}

// skipBack is skip in reverse, for a single range.
func (t *tableScan) skipBack() bool {
	n := bytes.Compare(t.ranges[0].Start, t.at)
	return len(t.at) == 0 || n < 0 || n == 0 && t.included
}

// mostRanges is the most ranges of one scanner.
const mostRanges = 1000

// within returns the ranges of one region that the next scanner reads.
func (t *tableScan) within(r *regionInfo) []partition.RowRange {
	if t.reverse {
		return t.ranges
	}
	n := 1
	for n < len(t.ranges) && n < mostRanges && (len(r.end) == 0 || bytes.Compare(t.ranges[n].Start, r.end) < 0) {
		n++
	}
	return t.ranges[:n]
}

// open prepares a scanner for the next region.
func (t *tableScan) open(ctx context.Context) error {
	r, err := t.cluster.regionOf(ctx, t.table, t.at, t.reverse && !t.included)
	if err != nil {
		return err
	}
	ranges := t.within(r)
	scan := proto.Clone(t.request).(*pb.Scan)
	scan.StartRow = t.at
	if t.reverse {
		t.stop = later(r.start, ranges[0].Start)
		scan.Reversed = proto.Bool(true)
		if len(scan.StartRow) == 0 {
			scan.StartRow = longest
		}
		setField(scan, boolField(scanIncludeStart, t.included || len(t.at) == 0))
		setField(scan, boolField(scanIncludeStop, true))
	} else if t.stop = ranges[len(ranges)-1].End; len(r.end) > 0 && (t.stop == nil || bytes.Compare(r.end, t.stop) < 0) {
		t.stop = r.end
	}
	scan.StopRow = t.stop
	if len(ranges) > 1 {
		scan.Filter = both(rowRanges(ranges), scan.Filter)
	}
	if t.region == nil || !bytes.Equal(t.region.name, r.name) {
		t.did.Partitions++
	}
	t.region, t.current = r, scan
	t.scan = &serverScan{cluster: t.cluster, to: r.server, region: r.name}
	return nil
}

// later returns the greater of two rows.
func later(a, b []byte) []byte {
	if bytes.Compare(a, b) > 0 {
		return a
	}
	return b
}

// advance moves after what the scanner has read.
func (t *tableScan) advance() {
	t.given, t.resume, t.partial = false, false, false
	t.at, t.included = t.stop, !t.reverse
	t.done = len(t.at) == 0 || !t.skip()
}

// cut ends the scan before a row.
func (t *tableScan) cut(end []byte) {
	t.ranges = slices.Clone(t.ranges)
	for i, r := range t.ranges {
		if r.End == nil || bytes.Compare(r.End, end) > 0 {
			t.ranges[i].End = end
			t.ranges = t.ranges[:i+1]
			break
		}
	}
	for n := len(t.ranges); n > 0 && bytes.Compare(t.ranges[n-1].Start, end) >= 0; n-- {
		t.ranges = t.ranges[:n-1]
	}
}

// fresh returns the cells of a block that have not been returned yet, and keeps the last.
func (t *tableScan) fresh(block []byte) ([]byte, error) {
	var c cell
	for t.resume && len(block) > 0 {
		rest, err := c.decode(block)
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(c.row, t.last.row) || c.compareInRow(&t.last) > 0 {
			t.resume = false
			break
		}
		block = rest
	}
	for rest := block; len(rest) > 0; {
		var err error
		if rest, err = t.last.decode(rest); err != nil {
			return nil, err
		}
		t.given = true
	}
	return block, nil
}

// compareInRow compares two cells of one row.
func (c *cell) compareInRow(o *cell) int {
	if n := bytes.Compare(c.family, o.family); n != 0 {
		return n
	}
	if n := bytes.Compare(c.qualifier, o.qualifier); n != 0 {
		return n
	}
	switch {
	case c.timestamp > o.timestamp:
		return -1
	case c.timestamp < o.timestamp:
		return 1
	}
	return 0
}

func (t *tableScan) close() {
	if t.scan != nil {
		t.scan.close()
		t.scan = nil
	}
	t.done = true
}
