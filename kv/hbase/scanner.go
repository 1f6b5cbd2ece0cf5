package hbase

import (
	"context"
	"sync"
	"time"

	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"
)

// serverScan is a scanner on one region's server. It opens with the first call of next
// and renews its lease while next is not called.
type serverScan struct {
	cluster *cluster
	to      server
	region  []byte

	mu   sync.Mutex // held during a request
	id   uint64
	open bool
	// partial is true if the last returned row continues.
	partial bool
	over    bool
	renew   *time.Timer
	lease   time.Duration
}

// scanned is the response to a scanner's request.
type scanned struct {
	block []byte
	more  bool
	err   error
}

// next returns cells, perhaps none, and whether there may be more in the region. A
// request is completed even if nobody waits for it any more: only its response says
// which scanner it has opened, and one that stays open until its lease ends holds
// files that a compaction has replaced. HBase 2.6.4 gives those to the daughters of a
// region that is split meanwhile, and what was deleted reappears.
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

// rearm schedules the renewal of the lease after a third of it.
func (s *serverScan) rearm() {
	switch {
	case s.lease <= 0:
	case s.renew == nil:
		s.renew = time.AfterFunc(s.lease/3, s.renewNow)
	default:
		s.renew.Reset(s.lease / 3)
	}
}

// renewNow renews the lease. If that fails, the next call reports it.
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

// tell sends a request for the open scanner without asking for rows.
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

// closeTimeout is the time limit for closing a scanner, for which nobody waits.
const closeTimeout = 5 * time.Second

// close releases the scanner. It tells the server in the background, after the
// response to a running request.
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
