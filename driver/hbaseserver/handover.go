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

// Clients read a table by a scanner for each region, and say nowhere that these belong together. What they do say
// is the same but for the row to begin at, which is where the region before ends; and they say it on the same
// connection. By that the next scanner finds the snapshot of the one before.

// leg is a part of a scan that is to come: what a client says of it.
type leg struct {
	client *guard.Client
	table  rowapi.TableName
	scan   [sha256.Size]byte
	row    string // where it begins
}

// The fields of a Scan, of HBase 2, that differ between the legs of one scan.
const (
	scanReadPoint    = 20
	scanIncludeStart = 21
)

// part is what of a scan lies in one region.
type part struct {
	client *guard.Client
	region *tables.Region
	scan   *pb.Scan
}

// onward is the leg that follows on the part behind its region; false where none does, as of
// hbase:meta, of which there is no part.
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

// leg is that of the part itself.
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
		data = nil // text that is not UTF-8, which reading it has refused
	}
	return leg{p.client, p.region.Table.Name, sha256.Sum256(data), string(row)}
}

// beyond is the row at which a scan goes on behind a region; false where it ends there.
func beyond(s *pb.Scan, r *tables.Region) ([]byte, bool) {
	stop := s.GetStopRow()
	if s.GetReversed() {
		return r.Start, len(r.Start) > 0 && (len(stop) == 0 || bytes.Compare(stop, r.Start) < 0)
	}
	return r.End, len(r.End) > 0 && (len(stop) == 0 || bytes.Compare(stop, r.End) >= 0)
}

// rowBefore is what gohbase, which knows no exclusive start, takes for the last row before another.
func rowBefore(row []byte) []byte {
	n := len(row) - 1
	if row[n] == 0 {
		return row[:n]
	}
	out := append(bytes.Clone(row), bytes.Repeat([]byte{0xff}, 8)...)
	out[n]--
	return out
}

// handover keeps snapshots between the scanners of one scan.
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

// give keeps a snapshot for the leg that comes next, for as long as a scanner would wait for its client.
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

// take gives the snapshot that waits longest for a leg, nil for none. It asks which leg where any waits.
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

// drop forgets one that waits, and reports whether it did. h.mu is held.
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

// closeAll gives up all snapshots, and those that come.
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
