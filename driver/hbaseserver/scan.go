package hbaseserver

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"time"

	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/guard"
	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/rpc"
	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/tables"
	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/wire"
	"github.com/hbasekv/hbasekv/kv/rowapi"
)

// The fields that HBase 2 adds to a ScanRequest.
const scanLimitOfRows = 11

// The size of a page of a scan if the client sets none, and its maximum.
const (
	defaultPageBytes = 2 << 20
	maxPageBytes     = 100 << 20
)

// scan opens a scanner, continues it, renews its lease or closes it.
func (s *server) scan(ctx context.Context, r *rpc.Request, m *pb.ScanRequest) (*rpc.Response, error) {
	if m.ScannerId != nil {
		return s.scanOn(ctx, r, m)
	}
	open := s.openScanner
	if tables.IsMeta(m.GetRegion()) {
		open = s.openMetaScanner
	}
	c, err := open(ctx, m)
	if err != nil {
		return nil, err
	}
	defer s.scanners.release(c)
	return s.page(ctx, r, m, c)
}

// scanAnswer is a response without rows.
func (s *server) scanAnswer(c *scanner) *pb.ScanResponse {
	return &pb.ScanResponse{ScannerId: &c.id, MoreResults: proto.Bool(true), MoreResultsInRegion: proto.Bool(true),
		Ttl: proto.Uint32(uint32(min(s.options.Lease.Milliseconds(), math.MaxUint32)))}
}

// openScanner opens a scanner of the part of a scan in one region. It reads the
// snapshot of the previous region's scanner, if there was one.
func (s *server) openScanner(ctx context.Context, m *pb.ScanRequest) (*scanner, error) {
	region, err := s.region(ctx, m.GetRegion())
	if err != nil {
		return nil, err
	}
	scan, err := wire.Scan(m.GetScan(), region.Table.FamilyNames())
	if err != nil {
		return nil, err
	}
	clip(scan, region)
	here := part{guard.ClientOf(ctx), region, m.GetScan()}
	snapshot := s.handover.take(here.leg)
	if snapshot == nil {
		if snapshot, err = s.client.Snapshot(ctx); err != nil {
			return nil, err
		}
	}
	// The scanner outlives this call; its lease ends it.
	rows, err := snapshot.Scanner(context.WithoutCancel(ctx), region.Table.Name, scan)
	if err != nil {
		snapshot.Close()
		return nil, err
	}
	reading := guard.Reads(ctx, region.Table, m.GetScan().GetColumn())
	c, err := s.scanners.add(rows, reading, limitOf(m))
	if err != nil {
		rows.Close()
		snapshot.Close()
		return nil, err
	}
	c.snapshot, c.part = snapshot, here
	return c, nil
}

// openMetaScanner opens a scanner of hbase:meta in its current state.
func (s *server) openMetaScanner(ctx context.Context, m *pb.ScanRequest) (*scanner, error) {
	if m.GetScan().GetFilter() != nil {
		return nil, rpc.Refused("filters on hbase:meta are not supported")
	}
	scan, err := wire.Scan(m.GetScan(), nil)
	if err != nil {
		return nil, err
	}
	v, err := s.view(ctx)
	if err != nil {
		return nil, err
	}
	limit := limitOf(m)
	most := limit
	if n := int(m.GetNumberOfRows()); m.GetCloseScanner() && n > 0 && (most == 0 || n < most) {
		most = n // it does not come back for more
	}
	return s.scanners.add(&metaScanner{v.ScanMeta(scan, s.self, most)}, guard.ReadsMeta(ctx), limit)
}

// limitOf is the limit of a scan's rows, 0 for none.
func limitOf(m *pb.ScanRequest) int { return int(min(wire.Uint(m, scanLimitOfRows, 0), math.MaxInt32)) }

// clip restricts a scan to a region's rows.
func clip(s *rowapi.Scan, r *tables.Region) {
	first, last := &s.Start, &s.Stop
	firstOut, lastIn := s.StartExclusive, s.StopInclusive
	if s.Reversed {
		first, last = &s.Stop, &s.Start
		firstOut, lastIn = !s.StopInclusive, !s.StartExclusive
	}
	if len(r.Start) > 0 && bytes.Compare(*first, r.Start) < 0 {
		*first, firstOut = r.Start, false
	}
	if len(r.End) > 0 && (len(*last) == 0 || bytes.Compare(*last, r.End) >= 0) {
		*last, lastIn = r.End, false
	}
	if s.Reversed {
		s.StopInclusive, s.StartExclusive = !firstOut, !lastIn
	} else {
		s.StartExclusive, s.StopInclusive = firstOut, lastIn
	}
}

func (s *server) scanOn(ctx context.Context, r *rpc.Request, m *pb.ScanRequest) (*rpc.Response, error) {
	c, err := s.scanners.take(m.GetScannerId())
	if err != nil {
		if m.GetCloseScanner() { // the server has already closed it
			return &rpc.Response{Message: &pb.ScanResponse{MoreResults: proto.Bool(false)}}, nil
		}
		return nil, err
	}
	defer s.scanners.release(c)
	if err := c.reading.Owned(ctx); err != nil {
		return nil, err
	}
	if m.GetCloseScanner() && m.GetNumberOfRows() == 0 {
		c.using.Lock()
		defer c.using.Unlock()
		s.scanners.remove(c)
		return &rpc.Response{Message: &pb.ScanResponse{MoreResults: proto.Bool(false)}}, nil
	}
	if err := c.reading.Permit(ctx); err != nil {
		return nil, err
	}
	if m.GetRenew() {
		c.using.Lock()
		defer c.using.Unlock()
		c.renewals++
		return &rpc.Response{Message: s.scanAnswer(c)}, nil
	}
	return s.page(ctx, r, m, c)
}

// page returns the next rows of a scanner, and closes it if there are no more.
func (s *server) page(ctx context.Context, r *rpc.Request, m *pb.ScanRequest, c *scanner) (*rpc.Response, error) {
	c.using.Lock()
	defer c.using.Unlock()
	if err := c.inOrder(m); err != nil {
		s.scanners.remove(c)
		return nil, err
	}
	limits := s.limits(ctx, m, c)
	if m.NumberOfRows != nil && m.GetNumberOfRows() == 0 { // it is only opened, and its limits are for later calls
		return &rpc.Response{Message: s.scanAnswer(c)}, nil
	}
	memory := memoryFor(r)
	defer memory.release()
	page, err := c.rows.NextIn(ctx, &memory.Memory, limits)
	if err != nil {
		s.scanners.remove(c)
		return nil, err
	}
	out, answer := resultsOf(r), s.scanAnswer(c)
	if err := addPage(out, answer, page.Results); err != nil {
		s.scanners.remove(c)
		return nil, err
	}
	// A filter that wants nothing more ends the scan of all regions only if it has returned nothing, as in
	// HBase: otherwise the client continues with the next region, where the filter begins again.
	over := c.count(page) || page.Ended && len(page.Results) == 0
	done := over || page.Done || page.Ended
	answer.MoreResults, answer.MoreResultsInRegion = proto.Bool(!over), proto.Bool(!done)
	if page.Heartbeat {
		answer.HeartbeatMessage = proto.Bool(true)
	}
	if m.GetTrackScanMetrics() {
		answer.ScanMetrics = metricsOf(c.rows.Stats())
	}
	switch {
	case done && !over && !m.GetCloseScanner():
		s.scanners.handOn(c, &s.handover)
	case done || m.GetCloseScanner():
		s.scanners.remove(c)
	}
	return &rpc.Response{Message: answer, Block: out.Cells}, nil
}

// inOrder checks the numbers of a client's calls. A call with an earlier number was answered, and the answer
// was lost. A renewal of the lease has a number too, which some clients count and others do not.
func (c *scanner) inOrder(m *pb.ScanRequest) error {
	seq := m.GetNextCallSeq()
	switch {
	case m.NextCallSeq == nil:
		return nil
	case seq < c.next || seq-c.next > c.renewals:
		return &rpc.Exception{Class: rpc.Prefix + "exceptions.OutOfOrderScannerNextException", DoNotRetry: true,
			Message: fmt.Sprintf("Expected nextCallSeq: %d But the nextCallSeq got from client: %d", c.next, seq)}
	}
	c.next, c.renewals = seq+1, 0
	return nil
}

// limits are the limits of a page.
func (s *server) limits(ctx context.Context, m *pb.ScanRequest, c *scanner) rowapi.PageLimits {
	out := rowapi.PageLimits{Bytes: defaultPageBytes, Partials: m.GetClientHandlesPartials()}
	if m.NumberOfRows != nil {
		out.Rows = int(m.GetNumberOfRows())
	}
	if c.left > 0 && (out.Rows == 0 || c.left < out.Rows) {
		out.Rows = c.left
	}
	if said := m.GetScan().GetMaxResultSize(); said > 0 {
		c.pageBytes = int64(min(said, maxPageBytes))
	}
	if c.pageBytes > 0 {
		out.Bytes = c.pageBytes
	}
	if deadline, ok := ctx.Deadline(); ok && m.GetClientHandlesHeartbeats() {
		out.Until = time.Now().Add(time.Until(deadline) / 2)
	}
	return out
}

// count subtracts a page's rows from those that the client wants, and reports whether it has them all.
func (c *scanner) count(p *rowapi.Page) bool {
	if c.left == 0 {
		return false
	}
	for i := range p.Results {
		if !p.Results[i].Partial {
			if c.left--; c.left == 0 {
				return true
			}
		}
	}
	return false
}

// addPage puts results into a response.
func addPage(out *wire.Results, answer *pb.ScanResponse, results []rowapi.Result) error {
	if out.Block {
		out.Reserve(results)
		answer.CellsPerResult = make([]uint32, 0, len(results))
	}
	answer.PartialFlagPerResult = make([]bool, 0, len(results))
	for i := range results {
		result := &results[i]
		if !out.Block {
			m, err := out.Add(result)
			if err != nil {
				return err
			}
			answer.Results = append(answer.Results, m)
		} else if err := out.AddCells(result.Cells); err != nil {
			return err
		} else {
			answer.CellsPerResult = append(answer.CellsPerResult, uint32(len(result.Cells)))
		}
		answer.PartialFlagPerResult = append(answer.PartialFlagPerResult, result.Partial)
	}
	return nil
}

// metricsOf returns the metrics that clients know.
func metricsOf(s rowapi.Stats) *pb.ScanMetrics {
	metric := func(name string, n int64) *pb.NameInt64Pair { return &pb.NameInt64Pair{Name: &name, Value: &n} }
	return &pb.ScanMetrics{Metrics: []*pb.NameInt64Pair{
		metric("ROWS_SCANNED", s.RowsScanned), metric("ROWS_FILTERED", s.RowsFiltered)}}
}
