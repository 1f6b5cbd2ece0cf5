package hbaseserver

import (
	"bytes"
	"crypto/sha256"
	"sync"
	"time"

	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/guard"
	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/tables"
	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/wire"
	"github.com/hbasekv/hbasekv/kv/rowapi"
)

// Clients read a table with a scanner for each region, and do not say that these belong together. But the
// scanners' requests are the same except for the start row, which is where the previous region ends, and they
// come on the same connection. With these, the next scanner finds the snapshot of the previous one.

// leg identifies the part of a scan that is to come, by what a client says of it.
type leg struct {
	client *guard.Client
	table  rowapi.TableName
	scan   [sha256.Size]byte
	row    string // the start row
}

// The fields of a Scan in HBase 2 that differ between the legs of one scan.
const (
	scanReadPoint    = 20
	scanIncludeStart = 21
)

// part is the part of a scan in one region.
type part struct {
	client *guard.Client
	region *tables.Region
	scan   *pb.Scan
}

// onward returns the leg that follows the part's region; false if none does, as for
// hbase:meta, which has no parts.
func (p *part) onward() (leg, bool) {
	if p.region == nil {
		return leg{}, false
	}
	row, ok := beyond(p.scan, p.region)
	if !ok {
		return leg{}, false
	}
	next := p.leg()
	next.row = string(row)
	return next, true
}

// leg returns the leg of the part itself.
func (p *part) leg() leg {
	row := p.scan.GetStartRow()
	if p.scan.GetReversed() && len(p.region.End) > 0 && bytes.Equal(row, rowBefore(p.region.End)) {
		row = p.region.End
	}
	same := proto.Clone(p.scan).(*pb.Scan)
	same.StartRow = nil
	wire.Without(same, scanReadPoint, scanIncludeStart)
	data, err := proto.MarshalOptions{Deterministic: true, AllowPartial: true}.Marshal(same)
	if err != nil {
		data = nil // it is not UTF-8, and wire.Scan refuses it
	}
	return leg{p.client, p.region.Table.Name, sha256.Sum256(data), string(row)}
}

// beyond returns the row at which a scan continues after a region; false if it ends there.
func beyond(s *pb.Scan, r *tables.Region) ([]byte, bool) {
	stop := s.GetStopRow()
	if s.GetReversed() {
		return r.Start, len(r.Start) > 0 && (len(stop) == 0 || bytes.Compare(stop, r.Start) < 0)
	}
	return r.End, len(r.End) > 0 && (len(stop) == 0 || bytes.Compare(stop, r.End) >= 0)
}

// rowBefore is gohbase's approximation of the last row before another, as it knows no exclusive start.
func rowBefore(row []byte) []byte {
	n := len(row) - 1
	if row[n] == 0 {
		return row[:n]
	}
	out := append(bytes.Clone(row), bytes.Repeat([]byte{0xff}, 8)...)
	out[n]--
	return out
}

// handover keeps snapshots from one scanner of a scan to the next.
type handover struct {
	lease time.Duration
	most  int

	mu      sync.Mutex
	waiting map[leg][]*handed
	count   int
	closed  bool
}

type handed struct {
	snapshot *rowapi.Snapshot
	expires  *time.Timer
}

// give keeps a snapshot for the next leg, for as long as a scanner waits for its client.
func (h *handover) give(to leg, s *rowapi.Snapshot) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed || h.count >= h.most {
		s.Close()
		return
	}
	if h.waiting == nil {
		h.waiting = map[leg][]*handed{}
	}
	w := &handed{snapshot: s}
	w.expires = time.AfterFunc(h.lease, func() { h.expire(to, w) })
	h.waiting[to] = append(h.waiting[to], w)
	h.count++
}

// take returns the snapshot that has waited longest for a leg, or nil. It calls which only if any waits.
func (h *handover) take(which func() leg) *rowapi.Snapshot {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.count == 0 {
		return nil
	}
	l := which()
	if len(h.waiting[l]) == 0 {
		return nil
	}
	w := h.waiting[l][0]
	h.drop(l, w)
	w.expires.Stop()
	return w.snapshot
}

// drop removes one that waits, and reports whether it was there. The caller holds h.mu.
func (h *handover) drop(l leg, w *handed) bool {
	all := h.waiting[l]
	for i := range all {
		if all[i] == w {
			h.count--
			if h.waiting[l] = append(all[:i:i], all[i+1:]...); len(all) == 1 {
				delete(h.waiting, l)
			}
			return true
		}
	}
	return false
}

func (h *handover) expire(l leg, w *handed) {
	h.mu.Lock()
	mine := h.drop(l, w)
	h.mu.Unlock()
	if mine {
		w.snapshot.Close()
	}
}

// closeAll closes all snapshots, and those that are given later.
func (h *handover) closeAll() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for _, all := range h.waiting {
		for _, w := range all {
			w.expires.Stop()
			w.snapshot.Close()
		}
	}
	h.waiting, h.count = nil, 0
}
