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
	cluster *cluster
	to      server
	region  []byte

	mu   sync.Mutex // held while a request is under way
	id   uint64
	open bool
	// partial is true where the last row that was given goes on.
	partial bool
	over    bool
	renew   *time.Timer
	lease   time.Duration
}

// scanned is the answer to a request of a scanner.
type scanned struct {
	block []byte
	more  bool
	err   error
}

// next gives cells, which may be none, and whether there may be more in the region.
// A request is seen through even where nobody waits for it any more: only its answer
// says which scanner it has opened, and one that stays open until its lease ends holds
// files that a compaction has replaced. HBase 2.6.4 gives those to the daughters of a
// region that is split meanwhile, and what was deleted is there again.
func (s *serverScan) next(ctx context.Context, scan *pb.Scan, rows int) (block []byte, more bool, err error) {
	if err := ctx.Err(); err != nil {
		return nil, false, err
	}
	answer := make(chan scanned, 1)
	s.cluster.seeThrough(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		block, more, err := s.ask(scan, rows)
		answer <- scanned{block, more, err}
	})
	select {
	case a := <-answer:
		return a.block, a.more, a.err
	case <-ctx.Done():
		return nil, false, ctx.Err()
	}
}

func (s *serverScan) ask(scan *pb.Scan, rows int) (block []byte, more bool, err error) {
	if s.over {
		return nil, false, nil
	}
	ctx, cancel := s.cluster.timeouts.Within(context.Background(), scanTimeout)
	defer cancel()
	request := &pb.ScanRequest{Region: regionSpecifier(s.region), NumberOfRows: proto.Uint32(uint32(rows)),
		ClientHandlesPartials: proto.Bool(true), ClientHandlesHeartbeats: proto.Bool(true)}
	if s.open {
		request.ScannerId = &s.id
	} else {
		request.Scan = scan
	}
	response := &pb.ScanResponse{}
	block, err = s.cluster.rpc.call(ctx, s.to, "Scan", request, response)
	if err != nil {
		s.stop()
		if outcomeOf(err) == canceled {
			err = ended(ctx, err)
		}
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
	if err := s.tell(s.lease/3, &pb.ScanRequest{Renew: proto.Bool(true)}); err == nil {
		s.rearm()
	}
}

// tell sends what is said of the open scanner and asks for no rows.
func (s *serverScan) tell(timeout time.Duration, request *pb.ScanRequest) error {
	ctx, cancel := s.cluster.timeouts.Within(context.Background(), timeout)
	defer cancel()
	request.Region, request.ScannerId, request.NumberOfRows = regionSpecifier(s.region), &s.id, proto.Uint32(0)
	_, err := s.cluster.rpc.call(ctx, s.to, "Scan", request, &pb.ScanResponse{})
	return err
}

func (s *serverScan) stop() {
	if s.renew != nil {
		s.renew.Stop()
	}
}

// closeTimeout is how long the server may take to close a scanner, for which
// nobody waits.
const closeTimeout = 5 * time.Second

// close gives the scanner up. The server is told by the way, once a request that is
// under way has its answer.
func (s *serverScan) close() {
	s.cluster.seeThrough(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.stop()
		s.over = true
		if !s.open {
			return
		}
		s.open = false
		_ = s.tell(closeTimeout, &pb.ScanRequest{CloseScanner: proto.Bool(true)})
	})
}
