package hbase

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
)

// fakeServers are servers in memory with a table of one family, for simulating faults:
// scanners end, regions move and split, responses are lost. They support rows, limits of
// rows and resuming, and conditions as a function of the test.
type fakeServers struct {
	t  testing.TB
	mu sync.Mutex
	// cells are the cells of the family f, in HBase's order.
	cells    []cell
	regions  []*regionInfo
	scanners map[uint64]*fakeScanner
	ids      uint64
	// before is called for each request, and may return an error as its response; lose
	// means that the request is executed and its response lost.
	before func(n int, method string, request proto.Message) (err error, lose bool)
	holds  func() bool // the condition of a mutation
	calls  int
	sent   []string   // methods
	opened []*pb.Scan // requests of scans and gets
	done   int        // mutations executed
	// regionsShown makes the catalog of SQL show the regions; through, if not nil, is
	// the transport to the servers.
	regionsShown bool
	through      transport
}

type fakeScanner struct {
	region  string
	left    []cell
	reverse bool
}

func newFake(t testing.TB, cells []cell, bounds ...string) *fakeServers {
	f := &fakeServers{t: t, cells: cells, scanners: map[uint64]*fakeScanner{}}
	f.layOut(bounds...)
	return f
}

// layOut makes regions with these bounds and new names: older scanners are gone.
func (f *fakeServers) layOut(bounds ...string) {
	f.regions = nil
	f.ids++
	start := ""
	for i, end := range append(bounds, "") {
		f.regions = append(f.regions, &regionInfo{table: "t", name: fmt.Appendf(nil, "t,%s,%d.%032d.", start, f.ids, i),
			start: []byte(start), end: []byte(end), server: server{addr: fmt.Sprintf("s%d:1", i%2)}})
		start = end
	}
}

func (f *fakeServers) close() {}

func (f *fakeServers) call(ctx context.Context, to server, method string, request, response proto.Message) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if scan, ok := request.(*pb.ScanRequest); ok && (scan.GetCloseScanner() || string(scan.GetRegion().GetValue()) == string(metaRegion)) {
		if scan.GetCloseScanner() {
			delete(f.scanners, scan.GetScannerId())
			return nil, nil
		}
		return f.meta(), nil
	}
	f.calls++
	f.sent = append(f.sent, method)
	lose := false
	if f.before != nil {
		var err error
		if err, lose = f.before(f.calls, method, request); err != nil {
			return nil, err
		}
	}
	var block []byte
	var err error
	switch r := request.(type) {
	case *pb.ScanRequest:
		block, err = f.scan(r, response.(*pb.ScanResponse))
	case *pb.GetRequest:
		response.(*pb.GetResponse).Result, err = f.get(r)
	case *pb.MultiRequest:
		response.(*pb.MultiResponse).Processed = f.mutate(r.Condition)
	case *pb.MutateRequest:
		response.(*pb.MutateResponse).Processed = f.mutate(r.Condition)
	default:
		f.t.Errorf("unexpected request %T", request)
	}
	if lose {
		return nil, &rpcError{lost, "", "the answer is lost"}
	}
	return block, err
}

// mutate executes a mutation if its condition holds.
func (f *fakeServers) mutate(condition *pb.Condition) *bool {
	holds := condition == nil || f.holds()
	if holds {
		f.done++
	}
	return &holds
}

// get returns the cells of a row.
func (f *fakeServers) get(r *pb.GetRequest) (*pb.Result, error) {
	if err := f.serves(string(r.GetRegion().GetValue())); err != nil {
		return nil, err
	}
	f.opened = append(f.opened, &pb.Scan{Filter: r.GetGet().GetFilter(), TimeRange: r.GetGet().GetTimeRange()})
	result := &pb.Result{}
	for _, c := range f.cells {
		if bytes.Equal(c.row, r.GetGet().GetRow()) {
			result.Cell = append(result.Cell, &pb.Cell{Row: c.row, Family: c.family, Qualifier: c.qualifier,
				Timestamp: proto.Uint64(uint64(c.timestamp)), Value: c.value})
		}
	}
	return result, nil
}

// serves returns the error if a region is not served.
func (f *fakeServers) serves(name string) error {
	if slices.ContainsFunc(f.regions, func(g *regionInfo) bool { return string(g.name) == name }) {
		return nil
	}
	return exception("org.apache.hadoop.hbase.NotServingRegionException", "org.apache.hadoop.hbase.NotServingRegionException: "+name+"\n\tat java")
}

// meta returns the rows of hbase:meta.
func (f *fakeServers) meta() (block []byte) {
	for _, r := range f.regions {
		info, err := proto.Marshal(&pb.RegionInfo{RegionId: proto.Uint64(1), TableName: pbTable("default", "t"), StartKey: r.start, EndKey: r.end})
		if err != nil {
			f.t.Error(err)
		}
		for _, c := range []cell{
			{row: r.name, family: []byte("info"), qualifier: []byte("regioninfo"), value: append([]byte("PBUF"), info...)},
			{row: r.name, family: []byte("info"), qualifier: []byte("server"), value: []byte(r.server.addr)},
		} {
			block = encode(block, &c)
		}
	}
	return block
}

// scan opens a scanner or continues with one: three cells at a time, which may
// end within a row.
func (f *fakeServers) scan(r *pb.ScanRequest, response *pb.ScanResponse) ([]byte, error) {
	name := string(r.GetRegion().GetValue())
	if err := f.serves(name); err != nil {
		return nil, err
	}
	s := f.scanners[r.GetScannerId()]
	if r.Scan != nil {
		s = f.open(name, r.Scan)
	} else if s == nil || s.region != name {
		return nil, exception("org.apache.hadoop.hbase.UnknownScannerException", "gone")
	}
	var block []byte
	for range min(3, len(s.left)) {
		block = encode(block, &s.left[0])
		s.left = s.left[1:]
	}
	response.ScannerId = proto.Uint64(f.ids)
	if r.Scan == nil {
		response.ScannerId = r.ScannerId
	}
	response.MoreResultsInRegion = proto.Bool(len(s.left) > 0)
	if len(s.left) == 0 { // the server closes it by itself
		delete(f.scanners, response.GetScannerId())
	}
	response.MoreResults = proto.Bool(true)
	return block, nil
}

func (f *fakeServers) open(region string, scan *pb.Scan) *fakeScanner {
	f.opened = append(f.opened, scan)
	f.ids++
	s := &fakeScanner{region: region, reverse: scan.GetReversed()}
	f.scanners[f.ids] = s
	at := slices.IndexFunc(f.regions, func(g *regionInfo) bool { return string(g.name) == region })
	var rows [][]cell
	for _, c := range f.cells {
		if !f.regions[at].contains(c.row) {
			continue
		}
		from, to := scan.GetStartRow(), scan.GetStopRow()
		if s.reverse {
			included := bytes.Contains(scan.ProtoReflect().GetUnknown(), boolField(scanIncludeStart, true))
			if n := bytes.Compare(c.row, from); n > 0 || n == 0 && !included || bytes.Compare(c.row, to) < 0 {
				continue
			}
		} else if bytes.Compare(c.row, from) < 0 || len(to) > 0 && bytes.Compare(c.row, to) >= 0 {
			continue
		}
		if n := len(rows); n > 0 && bytes.Equal(rows[n-1][0].row, c.row) {
			rows[n-1] = append(rows[n-1], c)
		} else {
			rows = append(rows, []cell{c})
		}
	}
	if s.reverse {
		slices.Reverse(rows)
	}
	s.left = slices.Concat(rows...)
	return s
}

// store returns a Store on the servers.
func (f *fakeServers) store() *Store {
	c := &cluster{rpc: f, timeout: 2 * time.Second, regions: map[string][]*regionInfo{},
		find: func(context.Context, string) (string, error) { return "meta:1", nil }}
	l := &layout{families: map[uint64]family{1: {table: "t", name: []byte("f"), newVersions: true}}, stored: &kv.StoredCatalog{
		Databases: []*kv.Database{{Name: "default"}},
		Tables: []*kv.Table{{ID: 1, Database: "default", Name: "t$f", Group: "t", Family: "f", MaxRow: maxRow, MaxQualifier: maxQualifier,
			Value: kv.ValueType{Max: maxValue}, Partitioning: &partition.Scheme{}}}}}
	l.catalog = l.stored.Catalog()
	later := time.Now().Add(time.Hour)
	return &Store{cluster: c, layout: l, read: later, tried: later, loading: make(chan struct{}, 1)}
}

// someCells returns rows of one to seven cells.
func someCells(rows int) (out []cell) {
	for r := range rows {
		for q := range 1 + r%7 {
			out = append(out, cell{row: fmt.Appendf(nil, "r%03d", r), family: []byte("f"), qualifier: fmt.Appendf(nil, "q%d", q), timestamp: int64(r), value: []byte("v")})
		}
	}
	return out
}
