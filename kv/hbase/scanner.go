package hbase

import (
	"bytes"
	"context"
	"sync"
	"time"

	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"
)

// serverScan is a scanner on one region's server. It opens with the first call of
// next and renews its lease while nobody asks.
type serverScan struct {
	rpc    transport
	to     server
	region []byte

	mu    sync.Mutex // held while a request is under way
	id    uint64
	open  bool
	over  bool
	renew *time.Timer
	lease time.Duration
}

// next gives cells, which may be none, and whether there may be more in the region.
func (s *serverScan) next(ctx context.Context, scan *pb.Scan, rows int) (block []byte, more bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return nil, false, nil
	}
	request := &pb.ScanRequest{Region: regionSpecifier(s.region), NumberOfRows: proto.Uint32(uint32(rows)),
		ClientHandlesPartials: proto.Bool(true), ClientHandlesHeartbeats: proto.Bool(true)}
	if s.open {
		request.ScannerId = &s.id
	} else {
		request.Scan = scan
	}
	response := &pb.ScanResponse{}
	block, err = s.rpc.call(ctx, s.to, "Scan", request, response)
	if err != nil {
		s.stop()
		s.open = false
		return nil, false, err
	}
	more = response.GetMoreResultsInRegion() && (response.MoreResults == nil || response.GetMoreResults())
	s.id, s.open, s.over = response.GetScannerId(), more, !more
	s.lease = time.Duration(response.GetTtl()) * time.Millisecond
	if more {
		s.rearm()
	} else {
		s.stop()
	}
	return block, more, nil
}

// rearm has the lease renewed when a third of it has gone by.
func (s *serverScan) rearm() {
	switch {
	case s.lease <= 0:
	case s.renew == nil:
		s.renew = time.AfterFunc(s.lease/3, s.renewNow)
	default:
		s.renew.Reset(s.lease / 3)
	}
}

// renewNow renews the lease. Where that fails the next call finds out.
func (s *serverScan) renewNow() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.open {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), s.lease/3)
	defer cancel()
	request := &pb.ScanRequest{Region: regionSpecifier(s.region), ScannerId: &s.id, NumberOfRows: proto.Uint32(0), Renew: proto.Bool(true)}
	if _, err := s.rpc.call(ctx, s.to, "Scan", request, &pb.ScanResponse{}); err == nil {
		s.rearm()
	}
}

func (s *serverScan) stop() {
	if s.renew != nil {
		s.renew.Stop()
	}
}

// closeTimeout is how long the server may take to close a scanner, for which
// nobody waits.
const closeTimeout = 5 * time.Second

// close gives the scanner up. The server is told by the way.
func (s *serverScan) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stop()
	s.over = true
	if !s.open {
		return
	}
	s.open = false
	id := s.id
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
		defer cancel()
		request := &pb.ScanRequest{Region: regionSpecifier(s.region), ScannerId: &id, NumberOfRows: proto.Uint32(0), CloseScanner: proto.Bool(true)}
		_, _ = s.rpc.call(ctx, s.to, "Scan", request, &pb.ScanResponse{})
	}()
}

// tableScan reads a range of a table's rows, region by region. It goes on behind
// the last cell that it gave wherever a scanner is lost.
type tableScan struct {
	cluster *cluster
	table   string
	request *pb.Scan // what is asked of each region, but for its rows
	reverse bool
	rows    func() int // how many are asked for next

	// at is the next row to be read, the first one or in reverse the last; of those
	// before it in reverse where at is not included. A nil at in reverse is open.
	at       []byte
	included bool
	// end is where the range ends: exclusive, in reverse inclusive. nil is open.
	end  []byte
	done bool

	region  *regionInfo
	scan    *serverScan
	current *pb.Scan // the request with the region's rows
	last    cell     // the last one given, of a row that may be incomplete
	given   bool
	resume  bool // what is given next begins with the last one's row

	rpcs, regions int
}

// scanTimeout is how long a server may look for cells without giving any.
const scanTimeout = 90 * time.Second

// next gives whole cells one behind the other, none at the end.
func (t *tableScan) next(ctx context.Context) (block []byte, err error) {
	bounded, cancel := t.cluster.within(ctx, scanTimeout)
	defer cancel()
	for len(block) == 0 && !t.done && err == nil {
		block, err = t.step(bounded)
	}
	return block, err
}

// step asks once, and again where that failed without harm.
func (t *tableScan) step(ctx context.Context) (block []byte, err error) {
	tries := 0
	err = t.cluster.retry(ctx, func(ctx context.Context) error {
		block, err = t.ask(ctx)
		if err == nil {
			return nil
		}
		if tries++; tries > 3 {
			if off := t.cluster.disabled(ctx, t.table); off != nil {
				return off
			}
		}
		t.lose()
		if o := outcomeOf(err); o == lost || o == gone {
			return &rpcError{moved, "", err.Error()} // to read again harms nobody
		}
		return err
	}, func(o outcome) {
		if o != busy {
			t.cluster.forget(t.table)
		}
	})
	return block, err
}

// lose gives up the scanner, to go on behind the last cell.
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
		if err := t.open(ctx); err != nil {
			return nil, err
		}
	}
	t.rpcs++
	block, more, err := t.scan.next(ctx, t.current, t.rows())
	if err != nil {
		return nil, err
	}
	if block, err = t.fresh(block); err != nil {
		return nil, err
	}
	if !more {
		t.scan = nil
		t.advance()
	}
	return block, nil
}

// longest is the last row that there can be.
var longest = bytes.Repeat([]byte{0xff}, maxRow)

// open readies a scanner for the region that is next.
func (t *tableScan) open(ctx context.Context) error {
	row := t.at
	r, err := t.cluster.regionOf(ctx, t.table, row, t.reverse && !t.included)
	if err != nil {
		return err
	}
	scan := proto.Clone(t.request).(*pb.Scan)
	if t.reverse {
		scan.Reversed = proto.Bool(true)
		scan.StartRow, scan.StopRow = t.at, r.start
		if len(scan.StartRow) == 0 {
			scan.StartRow = longest
		}
		if bytes.Compare(t.end, r.start) > 0 {
			scan.StopRow = t.end
		}
		setField(scan, boolField(scanIncludeStart, t.included || len(t.at) == 0))
		setField(scan, boolField(scanIncludeStop, true))
	} else {
		scan.StartRow, scan.StopRow = t.at, t.end
		if len(r.end) > 0 && (t.end == nil || bytes.Compare(r.end, t.end) < 0) {
			scan.StopRow = r.end
		}
	}
	if t.region == nil || !bytes.Equal(t.region.name, r.name) {
		t.regions++
	}
	t.region, t.current = r, scan
	t.scan = &serverScan{rpc: t.cluster.rpc, to: r.server, region: r.name}
	return nil
}

// advance goes on to the next region.
func (t *tableScan) advance() {
	t.given, t.resume = false, false
	if t.reverse {
		t.at, t.included = t.region.start, false
		t.done = len(t.at) == 0 || bytes.Compare(t.at, t.end) <= 0
		return
	}
	t.at, t.included = t.region.end, true
	t.done = len(t.at) == 0 || t.end != nil && bytes.Compare(t.at, t.end) >= 0
}

// fresh is the cells of a block that have not been given yet, and keeps the last.
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

// compareInRow is the order of two cells of one row.
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
