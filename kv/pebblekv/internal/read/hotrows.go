package read

import (
	"bytes"
	"math"
	"slices"
	"sync/atomic"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/rowlock"
)

// hotRows keeps the newest versions of rows that took many seeks to read: of
// columns that are updated often, whose older versions lie between those that
// most readers want. Bigtable has such a scan cache above its blocks.
//
// A kept row stands for the store at the clock of the view that it was read in,
// and at those behind it up to the next commit of the row. A commit says so
// before it can be seen, so that whoever may see it finds the row outdated.
type hotRows struct {
	any   atomic.Bool // a row has been wanted
	most  int64       // bytes
	bytes atomic.Int64
	// changed is the clock of the last change that does not tell its rows.
	changed atomic.Uint64
	slots   [1 << hotBits]hotSlot // by the hash of the row
}

// hotSlot is of the rows that share a hash.
type hotSlot struct {
	row     atomic.Pointer[hotRow]
	changed atomic.Uint64 // the clock of the last commit that wrote one
	wanted  atomic.Bool   // one was read with many seeks
}

// hotRow is the newest version of each column of a row. It never changes.
type hotRow struct {
	key   []byte // up to the end of the row
	clock uint64
	since int64 // columns whose newest version is older are missing
	cells []aheadCell
	size  int64
}

const (
	hotBits = 12
	// hotShare is the part of the block cache's size that kept rows may take in
	// addition to it, a single one no more than maxHotRow.
	hotShare  = 8
	maxHotRow = 16 << 10
	// hotOverhead is about what a kept row or cell takes beside its bytes.
	hotOverhead = 64
)

func (h *hotRows) init(cacheBytes int64) { h.most = cacheBytes / hotShare }

func (h *hotRows) slot(row uint64) *hotSlot { return &h.slots[row>>(64-hotBits)] }

// willChange says that the commit which gets the clock writes the rows. Nobody
// can see it yet.
func (h *hotRows) willChange(clock uint64, rows []rowlock.ID) {
	for i := range rows {
		h.slot(rows[i][0]).changed.Store(clock)
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
func (h *hotRows) put(s *hotSlot, r *hotRow) {
	if r != nil {
		h.bytes.Add(r.size)
	}
	if old := s.row.Swap(r); old != nil {
		h.bytes.Add(-old.size)
	}
}

// outdated reports whether a row may have been written since the clock.
func (h *hotRows) outdated(s *hotSlot, clock uint64) bool {
	return max(s.changed.Load(), h.changed.Load()) > clock
}

// get is the row as it is in the view, for a reader of what is not older than
// since, or nil. The key begins with the row's.
func (h *hotRows) get(s *hotSlot, key []byte, v *View, since int64) *hotRow {
	r := s.row.Load() // before outdated looks
	if r == nil || r.clock > v.Clock || r.since > since || !bytes.HasPrefix(key, r.key) || h.outdated(s, r.clock) {
		return nil
	}
	return r
}

// keep takes in a row that has been read whole.
func (h *hotRows) keep(s *hotSlot, r *hotRow) {
	if old := s.row.Load(); old != nil && old.clock > r.clock {
		return
	}
	if h.bytes.Load()+r.size > h.most {
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
			rows[string(r.key)] = r.size
		}
	}
	return rows, h.bytes.Load(), h.most
}

// SameSlot reports whether only one of two rows can be kept.
func (h *hotRows) SameSlot(a, b rowlock.ID) bool { return h.slot(a[0]) == h.slot(b[0]) }

// hotReading is a stream's reading of one row.
type hotReading struct {
	slot  *hotSlot // nil while no row has been wanted
	whole bool     // all columns and values are read
	// row is what has been read, where the row is to be kept.
	row   *hotRow
	ahead ahead // of the row that is kept
}

// startHot begins to read a row, and reports whether it is kept.
func (s *stream) startHot() bool {
	c := s.c
	if !s.mayBeHot() || len(s.spans) != 1 || !s.spans[0].OneRow {
		return false
	}
	h, sp := &c.view.engine.Hot, &s.spans[0]
	c.hot.whole = c.scan.Qualifiers == nil && c.scan.NeedValue && !c.scan.FirstPerRow && sp.WholeRow()
	if !h.any.Load() {
		return false
	}
	slot := s.hotSlot()
	if r := h.get(slot, sp.Lower, c.view, s.oldest()); r != nil {
		c.hot = hotReading{ahead: ahead{stream: s, cells: r.cells, at: -1, whole: true}}
		s.it, s.check = &c.hot.ahead, true
		return true
	}
	if c.hot.slot = slot; c.hot.whole && slot.wanted.Load() && !h.outdated(slot, c.view.Clock) {
		c.hot.row = &hotRow{key: bytes.Clone(sp.Lower), clock: c.view.Clock, since: s.oldest()}
	}
	return false
}

// hotSlot is that of the row that is read: commits find it by its rowID.
func (s *stream) hotSlot() *hotSlot {
	lower, e := s.spans[0].Lower, s.c.view.engine
	var unescaped []byte
	row, _ := cellkey.Row(&unescaped, lower)
	return e.Hot.slot(e.Hash.FirstHalf(s.c.tables[s.family], row))
}

// mayBeHot reports whether the scan is of the newest versions in one row of one
// table. In a range that begins within a column other versions are the newest.
// What a transaction has written or has to tell of its reads is not kept.
func (s *stream) mayBeHot() bool {
	c, scan := s.c, s.c.scan
	return s.newest == 1 && len(scan.Ranges) == 1 && len(c.tables) == 1 && !scan.Reverse && !scan.Time.Bounded &&
		c.own == nil && c.reads == nil && WithinRow(&scan.Ranges[0]) && scan.Ranges[0].Start.Depth < kv.DepthCell
}

// oldest is from which timestamp on a row of the newest versions is read.
func (s *stream) oldest() int64 {
	if s.time.Bounded {
		return s.time.Min
	}
	return math.MinInt64
}

// add takes up the cell that the stream stands at, unless that is too much.
func (r *hotReading) add(s *stream) {
	value, err := s.it.value()
	if err != nil {
		r.row = nil
		return
	}
	both := slices.Concat(s.key, value)
	key := slices.Clip(both[:len(s.key)])
	r.row.cells = append(r.row.cells, aheadCell{key, both[len(key):]})
	if r.row.size += int64(len(key) + len(value) + hotOverhead); r.row.size > maxHotRow {
		r.row = nil
	}
}

// stopHot keeps the row that the stream has read, or wants it next time where
// it took many seeks.
func (s *stream) stopHot() {
	r, h := &s.c.hot, &s.c.view.engine.Hot
	if r.row != nil && s.ended && s.c.err == nil && s.it.err() == nil {
		r.row.size += int64(len(r.row.key) + hotOverhead)
		h.keep(r.slot, r.row)
	} else if _, seeks := s.it.counted(); seeks >= s.c.tuning.HotSeeks {
		if r.slot == nil {
			r.slot = s.hotSlot()
		}
		r.slot.wanted.Store(true)
		h.any.Store(true)
	}
	*r = hotReading{}
}
