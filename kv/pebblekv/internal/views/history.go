package views

import (
	"bytes"
	"slices"

	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/overlay"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/rowlock"
)

// history is what the commits since the oldest view of a writer have written. What takes too much
// memory is forgotten, and a check that would need it reports a conflict. views.mu guards it.
type history struct {
	tuning  *Tuning
	changed map[rowlock.ID]uint64 // the clock of the last commit that wrote the row
	commits []*Commit             // in their order
	loads   []*Commit             // those with loaded, in their order
	bytes   int64                 // of the writes that are kept
	// forgotten is the clock of the last commit that was forgotten for its
	// memory.
	forgotten uint64
}

// Commit is what one commit wrote. It is never changed.
type Commit struct {
	Clock uint64
	rows  []rowlock.ID
	one   [1]rowlock.ID // memory of the first
	// Writes is kept while a transaction is open whose reads are checked; then
	// bytes is its size. It gives way to extent.
	Writes *overlay.Writes
	bytes  int64
	// Extent is the stretch of keys, in each key space, that was written in.
	Extent []cellkey.Span
	// Loaded is what stands for the rows of a large bulk load, or nil.
	loaded *rowlock.Set
}

func (h *history) init(t *Tuning) { h.tuning, h.changed = t, map[rowlock.ID]uint64{} }

// add remembers a commit, with keys also what it wrote within its rows.
func (h *history) add(clock uint64, rows []rowlock.ID, own *overlay.Overlay, keys bool) {
	c := &Commit{Clock: clock}
	c.rows = append(c.one[:0], rows...)
	for _, id := range rows {
		h.changed[id] = clock
	}
	if keys {
		c.Writes, c.bytes = own.Writes(), own.Bytes()
		h.bytes += c.bytes
	}
	h.commits = append(h.commits, c)
	h.bound()
}

// bound gives up what is too much.
func (h *history) bound() {
	if h.bytes > h.tuning.HistoryBytes {
		for i, c := range h.commits {
			if c.Writes != nil {
				h.bytes -= c.bytes
				h.commits[i] = &Commit{Clock: c.Clock, rows: c.rows, Extent: extents(c.Writes)}
			}
		}
	}
	if len(h.changed) > h.tuning.HistoryRows {
		h.forgotten = h.commits[len(h.commits)-1].Clock
		h.forget(h.forgotten)
	}
}

// extents are the first and last key of the writes in each key space.
func extents(all *overlay.Writes) []cellkey.Span {
	var out []cellkey.Span
	all.Ascend(nil, func(w overlay.Write) bool {
		n := len(out)
		if n == 0 || !cellkey.SameSpace(out[n-1].Lower, w.Key) {
			out = append(out, cellkey.Span{Lower: w.Key})
			n++
		}
		out[n-1].Upper = w.Key
		return true
	})
	for i := range out {
		out[i].Lower = bytes.Clone(out[i].Lower) // away from the values beside it
		out[i].Upper = cellkey.Behind(out[i].Upper)
	}
	return out
}

func (h *history) changedSince(clock uint64, id rowlock.ID) bool {
	return clock < h.forgotten || len(h.changed) > 0 && h.changed[id] > clock ||
		len(h.loads) > 0 && h.loadedSince(clock, id)
}

// since are the commits after the clock; false where some are forgotten.
func (h *history) since(clock uint64) ([]*Commit, bool) {
	i := len(h.commits)
	for i > 0 && h.commits[i-1].Clock > clock {
		i--
	}
	return append([]*Commit(nil), h.commits[i:]...), clock >= h.forgotten
}

// forget drops the commits up to the clock.
func (h *history) forget(clock uint64) {
	n := 0
	for ; n < len(h.commits) && h.commits[n].Clock <= clock; n++ {
		c := h.commits[n]
		h.bytes -= c.bytes
		for _, id := range c.rows {
			if h.changed[id] == c.Clock {
				delete(h.changed, id)
			}
		}
	}
	h.loads = slices.DeleteFunc(h.loads, func(c *Commit) bool { return c.Clock <= clock })
	clear(h.commits[:n])
	if h.commits = h.commits[n:]; len(h.commits) == 0 {
		h.commits = nil
	}
}

// Loaded counts a bulk load as a commit, and remembers it while a writer has an
// older view.
func (vs *Views) Loaded(rows *rowlock.Set, extent []cellkey.Span) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	vs.advanceDurably()
	_ = vs.dropLookup() // a snapshot and idle iterators: nothing can be lost
	if len(vs.writing) > 0 {
		vs.history.addLoad(vs.clock.Load(), rows, extent)
	}
}

// addLoad remembers a bulk load.
func (h *history) addLoad(clock uint64, rows *rowlock.Set, extent []cellkey.Span) {
	c := &Commit{Clock: clock, Extent: extent}
	if exact, ok := rows.Exact(); ok {
		c.rows = exact
		for _, id := range c.rows {
			h.changed[id] = clock
		}
	} else {
		c.loaded = rows
		h.loads = append(h.loads, c)
	}
	h.commits = append(h.commits, c)
	h.bound()
}

// loadedSince reports whether a large load after the clock may have written the
// row.
func (h *history) loadedSince(clock uint64, id rowlock.ID) bool {
	return slices.ContainsFunc(h.loads, func(c *Commit) bool { return c.Clock > clock && c.loaded.MayHold(id) })
}
