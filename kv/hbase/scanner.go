package hbase

import (
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

	mu   sync.Mutex // held while a request is under way
	id   uint64
	open bool
	// partial is true where the last row that was given goes on.
	partial bool
	over    bool
	renew   *time.Timer
	lease   time.Duration
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
	flags := response.GetPartialFlagPerResult()
	s.partial = len(flags) > 0 && flags[len(flags)-1]
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
