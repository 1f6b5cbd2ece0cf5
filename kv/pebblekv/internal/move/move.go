// Package move moves cells between key spaces while they are read and written.
//
// A [Move] is copied in key order. Commits also write to the new places what has been copied
// ([Moves.MirrorSoFar], [MirrorRest]), and leave notes of what is being copied ([Note]).
package move

import (
	"bytes"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/layout"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/overlay"
)

// Move is a re-partitioning under way. Its mover copies the cells in key order. A commit also
// writes those of its cells that the mover has passed to their new key spaces, in the same
// batch; for the others it leaves a note.
type Move struct {
	Plan   *keyspace.Move
	parts  []cellkey.Span // to be copied: ascending and disjoint
	spans  []cellkey.Span // the same, with neighbours joined
	placer layout.Placer
	Done   chan struct{} // closed when the move is over

	// next is the first key of the spans that is not copied yet. It is only changed with the
	// lock of the commits held.
	next atomic.Pointer[[]byte]

	// Guarded by the lock of the commits.
	noting bool
	notes  []*overlay.Writes // commits since noting began, in commit order
	Failed error             // the reason why the move cannot be finished
}

func New(plan *keyspace.Move) *Move {
	m := &Move{Plan: plan, placer: *layout.NewPlacer(plan.Before, plan.After), Done: make(chan struct{})}
	for _, extents := range plan.Sources() {
		for _, e := range extents {
			lower, upper := cellkey.Extent(e)
			m.parts = append(m.parts, cellkey.Span{Lower: lower, Upper: upper})
		}
	}
	slices.SortFunc(m.parts, func(a, b cellkey.Span) int { return bytes.Compare(a.Lower, b.Lower) })
	adjoin := func(a, b cellkey.Span) bool { return bytes.Compare(b.Lower, a.Upper) <= 0 }
	m.spans = cellkey.Unite(slices.Clone(m.parts), adjoin)
	m.next.Store(&m.spans[0].Lower)
	return m
}

// Overtake notes that rows of the tables have been written without being named by a commit. The
// lock of the commits is held.
func (m *Move) Overtake() { m.Failed = ErrOvertaken }

// mirror adds to the batch the writes with keys in [from, to) that move.
func (m *Move) mirror(b *pebble.Batch, own *overlay.Writes, from, to []byte) (err error) {
	place := m.placer // a copy: it remembers the last row
	var key []byte
	own.Ascend(from, func(w overlay.Write) bool {
		if bytes.Compare(w.Key, to) >= 0 {
			return false
		}
		var how layout.Placing
		switch key, how = place.Key(key[:0], w.Key); {
		case how == layout.Stays, how == layout.Homeless && w.Deleted:
		case how == layout.Homeless:
			err = kv.ErrNoPartition
		case w.Deleted:
			err = b.Delete(key, nil)
		default:
			err = b.Set(key, w.Value, nil)
		}
		return err == nil
	})
	return err
}

// mirrored records how far a commit's batch has been mirrored for a move.
type mirrored struct {
	*Move
	to []byte
}

// Moves are the moves under way. They are changed together with the catalog, with the lock of
// the commits held. The zero value has none.
type Moves struct{ list atomic.Pointer[[]*Move] }

func (ms *Moves) All() []*Move {
	if p := ms.list.Load(); p != nil {
		return *p
	}
	return nil
}

// Of returns the moves under way of any of the tables.
func (ms *Moves) Of(tables []*kv.Table) (out []*Move) {
	for _, m := range ms.All() {
		if slices.ContainsFunc(tables, func(t *kv.Table) bool {
			return slices.ContainsFunc(m.Plan.Before, func(o *kv.Table) bool { return o.ID == t.ID })
		}) {
			out = append(out, m)
		}
	}
	return out
}

// Add adds a move. The lock of the commits is held.
func (ms *Moves) Add(m *Move) {
	list := append(slices.Clone(ms.All()), m)
	ms.list.Store(&list)
}

func (ms *Moves) Remove(m *Move) {
	list := slices.DeleteFunc(slices.Clone(ms.All()), func(o *Move) bool { return o == m })
	ms.list.Store(&list)
}

// MirrorSoFar mirrors the writes that the moves under way have passed. If that fails, MirrorRest
// fails too and marks the move as failed.
func (ms *Moves) MirrorSoFar(b *pebble.Batch, own *overlay.Overlay) (out []mirrored) {
	for _, m := range ms.All() {
		to := *m.next.Load()
		if err := m.mirror(b, own.Writes(), nil, to); err != nil {
			to = nil
		}
		out = append(out, mirrored{m, to})
	}
	return out
}

// MirrorRest mirrors what the moves have passed since. The lock of the commits is held.
func MirrorRest(b *pebble.Batch, own *overlay.Overlay, soFar []mirrored) {
	for _, m := range soFar {
		if m.Failed != nil {
			continue
		}
		if err := m.mirror(b, own.Writes(), m.to, *m.next.Load()); err != nil {
			m.Failed = fmt.Errorf("a row written during the move: %w", err)
		}
	}
}

// Note stores a commit's writes for the movers. The lock of the commits is held.
func Note(own *overlay.Overlay, soFar []mirrored) {
	for _, m := range soFar {
		if m.noting {
			m.notes = append(m.notes, own.Writes())
		}
	}
}
