package read

import (
	"bytes"
	"math"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/views"
)

// hotReading is the state of a stream that reads one row.
type hotReading struct {
	slot  *views.HotSlot // nil while no row is wanted
	whole bool           // all columns and values are read
	// row is what has been read, if the row is to be kept.
	row   *views.HotRow
	ahead ahead // over the kept row
}

// startHot begins to read the newest versions of a row, and reports whether they come from memory.
func (s *stream) startHot() bool {
	c := s.c
	if len(s.spans) != 1 || !s.oneRow || !s.mayBeHot() {
		return false
	}
	h, sp := &c.view.Engine.Hot, &s.spans[0]
	c.hot.whole = c.scan.Ranges[0].Start.Depth == kv.DepthRow && sp.WholeRow() &&
		c.scan.Qualifiers == nil && c.scan.NeedValue && !c.scan.FirstPerRow
	if !h.Any.Load() {
		return false
	}
	slot := s.hotSlot()
	if r := h.Get(slot, sp.Lower, c.view, s.oldest()); r != nil {
		c.hot = hotReading{ahead: ahead{stream: s, cells: r.Cells, at: -1, whole: true}}
		s.it, s.check = &c.hot.ahead, true
		return true
	}
	if c.hot.slot = slot; c.hot.whole && slot.Wanted.Load() && !h.Outdated(slot, c.view.Clock) {
		c.hot.row = &views.HotRow{Key: bytes.Clone(sp.Lower), Clock: c.view.Clock, Since: s.oldest()}
	}
	return false
}

// hotSlot returns the slot of the row that is read. Commits find it by the row's ID.
func (s *stream) hotSlot() *views.HotSlot {
	lower, e := s.spans[0].Lower, s.c.view.Engine
	var unescaped []byte
	row, _ := cellkey.Row(&unescaped, lower)
	return e.Hot.Slot(e.Hash.FirstHalf(s.c.tables[s.family], row))
}

// mayBeHot reports whether the scan, which is within one row, reads its newest versions in one
// table. In a range that begins within a column, other versions are the newest. Rows are not
// kept for transactions that have writes or whose reads are checked.
func (s *stream) mayBeHot() bool {
	c, scan := s.c, s.c.scan
	return len(scan.Ranges) == 1 && len(c.tables) == 1 && !scan.Reverse && !scan.Time.Bounded &&
		c.own == nil && c.reads == nil && scan.Ranges[0].Start.Depth < kv.DepthCell
}

// oldest returns the timestamp from which on newest versions are read.
func (s *stream) oldest() int64 {
	if s.time.Bounded {
		return s.time.Min
	}
	return math.MinInt64
}

// add adds the stream's current cell, unless the row becomes too large.
func (r *hotReading) add(s *stream) {
	value, err := s.it.value()
	if err != nil {
		r.row = nil
		return
	}
	both := slices.Concat(s.key, value)
	key := slices.Clip(both[:len(s.key)])
	r.row.Cells = append(r.row.Cells, views.Entry{Key: key, Value: both[len(key):]})
	if r.row.Size += int64(len(key) + len(value) + views.HotOverhead); r.row.Size > views.MaxHotRow {
		r.row = nil
	}
}

// stopHot keeps the row that the stream has read, or marks it as wanted if it took many seeks.
func (s *stream) stopHot() {
	r, h := &s.c.hot, &s.c.view.Engine.Hot
	if r.row != nil && s.ended && s.c.err == nil && s.it.err() == nil {
		r.row.Size += int64(len(r.row.Key) + views.HotOverhead)
		h.Keep(r.slot, r.row)
	} else if _, seeks := s.it.counted(); seeks >= s.c.tuning.HotSeeks {
		if r.slot == nil {
			r.slot = s.hotSlot()
		}
		r.slot.Wanted.Store(true)
		h.Any.Store(true)
	}
	*r = hotReading{}
}
