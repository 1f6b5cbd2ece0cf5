package pebblekv

import (
	"bytes"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/overlay"
)

// move is a re-partitioning under way. Its mover copies the cells in the order
// of their keys. A commit writes those of its cells that the mover has passed
// to their new key spaces too, in its own batch; of the others it leaves a note.
type move struct {
	plan   *kv.Move
	parts  []cellkey.Span // to be copied: ascending and disjoint
	spans  []cellkey.Span // the same, with neighbours joined
	placer placer
	done   chan struct{} // closed when the move is over

	// next is the first key of the spans that is not copied yet. It changes
	// under Store.commits alone.
	next atomic.Pointer[[]byte]

	// Guarded by Store.commits.
	noting bool
	notes  []*overlay.Writes // commits since noting began, in their order
	failed error             // why the move cannot be finished
}

func newMove(plan *kv.Move) *move {
	m := &move{plan: plan, placer: *newPlacer(plan.Before, plan.After), done: make(chan struct{})}
	for _, extents := range plan.Sources() {
		for _, e := range extents {
			lower, upper := cellkey.Extent(e)
			m.parts = append(m.parts, cellkey.Span{Lower: lower, Upper: upper})
		}
	}
	slices.SortFunc(m.parts, func(a, b cellkey.Span) int { return bytes.Compare(a.Lower, b.Lower) })
	m.spans = cellkey.Unite(slices.Clone(m.parts), func(a, b cellkey.Span) bool { return bytes.Compare(b.Lower, a.Upper) <= 0 })
	m.next.Store(&m.spans[0].Lower)
	return m
}

// moves are the moves under way. They change together with the catalog.
func (s *Store) moves() []*move {
	if p := s.moving.Load(); p != nil {
		return *p
	}
	return nil
}

// mirror adds to the batch the writes with keys in [from, to), as far as they
// move. It counts them.
func (m *move) mirror(b *pebble.Batch, own *overlay.Writes, from, to []byte) (n int, err error) {
	place := m.placer // of its own: it remembers the last row
	var key []byte
	own.Ascend(from, func(w overlay.Write) bool {
		if bytes.Compare(w.Key, to) >= 0 {
			return false
		}
		var how placing
		switch key, how = place.key(key[:0], w.Key); {
		case how == stays:
		case how == homeless && !w.Deleted:
			err = kv.ErrNoPartition
		case how == homeless:
		case w.Deleted:
			err = b.Delete(key, nil)
			n++
		default:
			err = b.Set(key, w.Value, nil)
			n++
		}
		return err == nil
	})
	return n, err
}

// placer finds where cells are in another layout.
type placer struct {
	tables map[kv.SpaceID]*kv.Table // in the new layout, by old key space
	// The row before, up to its end, and where it goes.
	row  []byte
	from kv.SpaceID
	to   kv.SpaceID
	how  placing
	buf  []byte
	// sliced is the row's table where it is cut by time, so that the row's cells
	// go to several places; partition is the row's.
	sliced    *kv.Table
	partition int
}

// placing is what becomes of a key.
type placing uint8

const (
	stays    placing = iota
	goes             // to another key space
	homeless         // no partition holds the row
)

func newPlacer(before, after []*kv.Table) *placer {
	p := &placer{tables: map[kv.SpaceID]*kv.Table{}}
	for i, t := range before {
		for _, id := range t.Spaces {
			p.tables[id] = after[i]
		}
	}
	return p
}

// key appends the new key of a cell where it goes to another key space.
func (p *placer) key(dst, old []byte) ([]byte, placing) {
	if n := len(p.row); n == 0 || !bytes.HasPrefix(old, p.row) {
		p.locate(old)
	}
	if p.sliced != nil {
		p.locateTime(cellkey.Timestamp(old))
	}
	if p.how != goes {
		return dst, p.how
	}
	return cellkey.AppendAs(dst, old, p.to), goes
}

// locate finds out about the key's row. What no table of before holds stays.
func (p *placer) locate(key []byte) {
	p.row, p.how, p.sliced = p.row[:0], stays, nil
	p.from, _ = cellkey.Space(key)
	row, end := cellkey.Row(&p.buf, key)
	t := p.tables[p.from]
	if t == nil || end < 0 {
		return
	}
	p.row = append(p.row, key[:end]...)
	i, ok := t.Partitioning.Locate(row)
	switch {
	case !ok:
		p.how = homeless
	case t.Partitioning.Slices() != nil:
		p.sliced, p.partition = t, i
	default:
		p.goTo(t.Spaces[i])
	}
}

// locateTime finds out where a version of the row goes.
func (p *placer) locateTime(ts int64) {
	if slice, ok := p.sliced.Partitioning.Slice(ts); ok {
		p.goTo(p.sliced.Space(p.partition, slice))
	} else {
		p.how = homeless
	}
}

func (p *placer) goTo(id kv.SpaceID) {
	if p.how, p.to = goes, id; id == p.from {
		p.how = stays
	}
}

// mirrored is how far a commit's batch has been mirrored for a move.
type mirrored struct {
	*move
	to []byte
}

// mirrorSoFar mirrors the writes that the moves under way have passed. Where
// that fails, mirrorRest meets the same and tells the move.
func (s *Store) mirrorSoFar(b *pebble.Batch, own *overlay.Overlay) (out []mirrored) {
	for _, m := range s.moves() {
		to := *m.next.Load()
		if _, err := m.mirror(b, own.Writes(), nil, to); err != nil {
			to = nil
		}
		out = append(out, mirrored{m, to})
	}
	return out
}

// mirrorRest mirrors what the moves have passed since. Store.commits is held.
func mirrorRest(b *pebble.Batch, own *overlay.Overlay, soFar []mirrored) {
	for _, m := range soFar {
		if m.failed != nil {
			continue
		}
		if _, err := m.mirror(b, own.Writes(), m.to, *m.next.Load()); err != nil {
			m.failed = fmt.Errorf("a row that was written meanwhile: %w", err)
		}
	}
}

// note remembers a commit for the movers. Store.commits is held.
func note(own *overlay.Overlay, soFar []mirrored) {
	for _, m := range soFar {
		if m.noting {
			m.notes = append(m.notes, own.Writes())
		}
	}
}
