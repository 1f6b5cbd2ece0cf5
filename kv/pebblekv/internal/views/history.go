package views

import (
	"bytes"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/overlay"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/rowlock"
)

// history is what the commits since the oldest view of a writer have written. If it takes too much
// memory, the oldest is forgotten, and a check that would need it reports a conflict. Views.mu guards
// it.
type history struct {
	tuning  *Tuning
	changed map[rowlock.ID]uint64 // the clock of the last commit that wrote the row
	commits []*Commit             // in commit order
	loads   []*Commit             // those with loaded, in commit order
	bytes   int64                 // of the kept writes
	// forgotten is the clock of the last commit that was forgotten to save memory.
	forgotten uint64
}

// Commit is what one commit wrote. It is never changed.
type Commit struct {
	Clock uint64
	rows  []rowlock.ID
	one   [1]rowlock.ID // memory of the first
	// Writes is kept while a transaction whose reads are checked is open; then bytes is its size.
	// Extent replaces it.
	Writes *overlay.Writes
	bytes  int64
	// Extent is the written range of keys in each key space.
	Extent []cellkey.Span
	// loaded represents many rows, of a large bulk load or of deleted spans; nil if there are none.
	loaded *rowlock.Set
	// tables are the written tables; if empty, any may have been written.
	tables   []*kv.Table
	oneTable [1]*kv.Table // memory of the first
}

// Written is what a transaction commits.
type Written struct {
	Own    *overlay.Overlay
	Rows   []rowlock.ID // of cell writes
	Tables []*kv.Table
	// Deleted are the rows of deleted spans, settled; nil if there are none.
	Deleted *rowlock.Set
}

func (h *history) init(t *Tuning) { h.tuning, h.changed = t, map[rowlock.ID]uint64{} }

// add remembers a commit; if keys is set, also what it wrote within its rows.
func (h *history) add(clock uint64, w *Written, keys bool) {
	c := &Commit{Clock: clock}
	c.rows, c.tables = append(c.one[:0], w.Rows...), append(c.oneTable[:0], w.Tables...)
	if w.Deleted != nil {
		c.Extent = w.Own.Deleted()
		h.addSet(c, w.Deleted)
	}
	for _, id := range c.rows {
		h.changed[id] = clock
	}
	if keys {
		c.Writes, c.bytes = w.Own.Writes(), w.Own.Bytes()
		h.bytes += c.bytes
	}
	h.commits = append(h.commits, c)
	h.bound()
}

// addSet adds a set of rows to those of a commit.
func (h *history) addSet(c *Commit, rows *rowlock.Set) {
	if exact, ok := rows.Exact(); ok {
		c.rows = append(c.rows, exact...)
		return
	}
	c.loaded = rows
	h.loads = append(h.loads, c)
}

// bound drops what exceeds the limits.
func (h *history) bound() {
	if h.bytes > h.tuning.HistoryBytes {
		for i, c := range h.commits {
			if c.Writes != nil {
				h.bytes -= c.bytes
				less := &Commit{Clock: c.Clock, rows: c.rows, Extent: append(extents(c.Writes), c.Extent...), loaded: c.loaded, tables: c.tables}
				h.commits[i] = less
				if k := slices.Index(h.loads, c); k >= 0 {
					h.loads[k] = less
				}
			}
		}
	}
	if len(h.changed) > h.tuning.HistoryRows {
		h.forgotten = h.commits[len(h.commits)-1].Clock
		h.forget(h.forgotten)
	}
}

// extents returns the first and last key of the writes in each key space.
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
		out[i].Lower = bytes.Clone(out[i].Lower) // do not keep the values beside it alive
		out[i].Upper = cellkey.Behind(out[i].Upper)
	}
	return out
}

func (h *history) changedSince(clock uint64, id rowlock.ID) bool {
	return clock < h.forgotten || len(h.changed) > 0 && h.changed[id] > clock ||
		len(h.loads) > 0 && h.loadedSince(clock, id)
}

// since returns the commits after the clock; false if some are forgotten.
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

// Loaded counts ingested files as a commit of rows of tables, and remembers it while a writer has an
// older view.
func (vs *Views) Loaded(rows *rowlock.Set, tables []*kv.Table, extent []cellkey.Span) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	vs.advanceDurably()
	_ = vs.dropLookup() // a snapshot and idle iterators: nothing can be lost
	if len(vs.writing) > 0 {
		vs.history.addLoad(&Commit{Clock: vs.clock.Load(), Extent: extent, tables: slices.Clone(tables)}, rows)
	}
}

// addLoad remembers a commit of ingested files.
func (h *history) addLoad(c *Commit, rows *rowlock.Set) {
	h.addSet(c, rows)
	for _, id := range c.rows {
		h.changed[id] = c.Clock
	}
	h.commits = append(h.commits, c)
	h.bound()
}

// loadedSince reports whether a large load after the clock may have written the
// row.
func (h *history) loadedSince(clock uint64, id rowlock.ID) bool {
	return slices.ContainsFunc(h.loads, func(c *Commit) bool { return c.Clock > clock && c.loaded.MayHold(id) })
}

// wroteSince reports whether a commit after the clock may have written rows of the table, or of
// tables that share its row locks.
func (h *history) wroteSince(clock uint64, t *kv.Table) bool {
	if clock < h.forgotten {
		return true
	}
	for i := len(h.commits) - 1; i >= 0 && h.commits[i].Clock > clock; i-- {
		c := h.commits[i]
		if len(c.tables) == 0 || slices.ContainsFunc(c.tables, t.SharesRows) {
			return true
		}
	}
	return false
}
