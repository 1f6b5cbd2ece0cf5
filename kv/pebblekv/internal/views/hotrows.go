package views

import (
	"bytes"
	"sync/atomic"

	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/rowlock"
)

// hotRows keeps the newest versions of rows that took many seeks to read: of
// columns that are updated often, whose older versions lie between those that
// most readers want. Bigtable has such a scan cache above its blocks.
//
// A kept row stands for the store at the clock of the view that it was read in, and at those behind
// it up to the next commit of the row. A commit marks the row outdated before it becomes visible.
type hotRows struct {
	Any   atomic.Bool // a row has been wanted
	most  int64       // bytes
	bytes atomic.Int64
	// changed is the clock of the last change that does not tell its rows.
	changed atomic.Uint64
	slots   [1 << hotBits]HotSlot // by the hash of the row
}

// HotSlot is of the rows that share a hash.
type HotSlot struct {
	row     atomic.Pointer[HotRow]
	changed atomic.Uint64 // the clock of the last commit that wrote one
	Wanted  atomic.Bool   // one was read with many seeks
}

// HotRow is the newest version of each column of a row. It never changes.
type HotRow struct {
	Key   []byte // up to the end of the row
	Clock uint64
	Since int64 // columns whose newest version is older are missing
	Cells []Entry
	Size  int64
}

const (
	hotBits = 12
	// hotShare is the part of the block cache's size that kept rows may take in
	// addition to it, a single one no more than maxHotRow.
	hotShare  = 8
	MaxHotRow = 16 << 10
	// HotOverhead is about what a kept row or cell takes beside its bytes.
	HotOverhead = 64
)

func (h *hotRows) init(cacheBytes int64) { h.most = cacheBytes / hotShare }

func (h *hotRows) Slot(row uint64) *HotSlot { return &h.slots[row>>(64-hotBits)] }

// willChange says that the commit which gets the clock writes the rows. Nobody
// can see it yet.
func (h *hotRows) willChange(clock uint64, rows []rowlock.ID) {
	for i := range rows {
		h.Slot(rows[i][0]).changed.Store(clock)
	}
}

// willChangeAll says that the change which gets the clock is of any rows.
func (h *hotRows) willChangeAll(clock uint64) {
	h.changed.Store(clock)
	h.forget()
}

// forget lets go of all rows.
func (h *hotRows) forget() {
	for i := range h.slots {
		if s := &h.slots[i]; s.row.Load() != nil { // most are empty, and to swap takes 30 times as long
			h.put(s, nil)
		}
	}
}

// put replaces what the slot keeps.
func (h *hotRows) put(s *HotSlot, r *HotRow) {
	if r != nil {
		h.bytes.Add(r.Size)
	}
	if old := s.row.Swap(r); old != nil {
		h.bytes.Add(-old.Size)
	}
}

// Outdated reports whether a row may have been written since the clock.
func (h *hotRows) Outdated(s *HotSlot, clock uint64) bool {
	return max(s.changed.Load(), h.changed.Load()) > clock
}

// Get is the row as it is in the view, for a reader of what is not older than
// since, or nil. The key begins with the row's.
func (h *hotRows) Get(s *HotSlot, key []byte, v *View, since int64) *HotRow {
	r := s.row.Load() // before outdated looks
	if r == nil || r.Clock > v.Clock || r.Since > since || !bytes.HasPrefix(key, r.Key) || h.Outdated(s, r.Clock) {
		return nil
	}
	return r
}

// Keep takes in a row that has been read whole.
func (h *hotRows) Keep(s *HotSlot, r *HotRow) {
	if old := s.row.Load(); old != nil && old.Clock > r.Clock {
		return
	}
	if h.bytes.Load()+r.Size > h.most {
		h.forget()
	}
	h.put(s, r)
}

// Kept are the sizes of the rows that are kept, by key, what they are counted as
// and how much that may be.
func (h *hotRows) Kept() (rows map[string]int64, bytes, most int64) {
	rows = map[string]int64{}
	for i := range h.slots {
		if r := h.slots[i].row.Load(); r != nil {
			rows[string(r.Key)] = r.Size
		}
	}
	return rows, h.bytes.Load(), h.most
}

// SameSlot reports whether only one of two rows can be kept.
func (h *hotRows) SameSlot(a, b rowlock.ID) bool { return h.Slot(a[0]) == h.Slot(b[0]) }

// Entry is a stored key and, where the scan needs it, its value.
type Entry struct{ Key, Value []byte }
