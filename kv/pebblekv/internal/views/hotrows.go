package views

import (
	"bytes"
	"sync/atomic"

	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/rowlock"
)

// hotRows keeps the newest versions of rows that took many seeks to read: rows with columns that
// are updated often, whose older versions lie between the versions that most readers want. Bigtable
// has such a scan cache above its block cache.
//
// A kept row is valid at the clock of the view in which it was read, and later up to the next
// commit that writes the row. A commit marks the row outdated before it becomes visible.
type hotRows struct {
	Any   atomic.Bool // some row has been wanted
	most  int64       // bytes
	bytes atomic.Int64
	// changed is the clock of the last change whose rows are not named.
	changed atomic.Uint64
	slots   [1 << hotBits]HotSlot // by the hash of the row
}

// HotSlot is the place of the rows that share a hash.
type HotSlot struct {
	row     atomic.Pointer[HotRow]
	changed atomic.Uint64 // the clock of the last commit that wrote one of them
	Wanted  atomic.Bool   // one of them took many seeks to read
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
	// hotShare is the part of the block cache's size that kept rows may take in addition to it. A
	// single row may take at most MaxHotRow.
	hotShare  = 8
	MaxHotRow = 16 << 10
	// HotOverhead is about how many bytes a kept row or cell takes besides its data.
	HotOverhead = 64
)

func (h *hotRows) init(cacheBytes int64) { h.most = cacheBytes / hotShare }

func (h *hotRows) Slot(row uint64) *HotSlot { return &h.slots[row>>(64-hotBits)] }

// willChange announces that the commit with the clock, which is not visible yet, writes the rows.
func (h *hotRows) willChange(clock uint64, rows []rowlock.ID) {
	for i := range rows {
		h.Slot(rows[i][0]).changed.Store(clock)
	}
}

// willChangeAll announces that the change with the clock may write any row.
func (h *hotRows) willChangeAll(clock uint64) {
	h.changed.Store(clock)
	h.forget()
}

// forget drops all rows.
func (h *hotRows) forget() {
	for i := range h.slots {
		if s := &h.slots[i]; s.row.Load() != nil { // most are empty, and a swap takes 30 times as long
			h.put(s, nil)
		}
	}
}

// put replaces the row in the slot.
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

// Get returns the row as of the view, for a reader that wants nothing older than since; nil if it
// is not kept. key must begin with the row's key.
func (h *hotRows) Get(s *HotSlot, key []byte, v *View, since int64) *HotRow {
	r := s.row.Load() // before Outdated looks
	if r == nil || r.Clock > v.Clock || r.Since > since || !bytes.HasPrefix(key, r.Key) || h.Outdated(s, r.Clock) {
		return nil
	}
	return r
}

// Keep stores a row that has been read completely.
func (h *hotRows) Keep(s *HotSlot, r *HotRow) {
	if old := s.row.Load(); old != nil && old.Clock > r.Clock {
		return
	}
	if h.bytes.Load()+r.Size > h.most {
		h.forget()
	}
	h.put(s, r)
}

// Kept returns the sizes of the kept rows by key, their total, and its limit.
func (h *hotRows) Kept() (rows map[string]int64, bytes, most int64) {
	rows = map[string]int64{}
	for i := range h.slots {
		if r := h.slots[i].row.Load(); r != nil {
			rows[string(r.Key)] = r.Size
		}
	}
	return rows, h.bytes.Load(), h.most
}

// SameSlot reports whether two rows share a slot, so that only one can be kept.
func (h *hotRows) SameSlot(a, b rowlock.ID) bool { return h.Slot(a[0]) == h.Slot(b[0]) }

// Entry is a stored key and, where the scan needs it, its value.
type Entry struct{ Key, Value []byte }
