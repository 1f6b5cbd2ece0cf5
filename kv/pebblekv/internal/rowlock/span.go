package rowlock

import (
	"bytes"
	"context"
	"slices"
	"time"

	"github.com/hbasekv/hbasekv/kv"
)

// Row is a row to be locked.
type Row struct {
	ID ID
	// In is its namespace, and Key its bytes. They are unknown if In is zero; then no span lock covers
	// the row.
	In  ID
	Key []byte
	// ofSpan is true if the ID is a span's.
	ofSpan bool
}

// Span is a lock of all rows of a namespace from one to before another. Whoever wants one of the rows
// waits for the span's own lock, which has its own ID: so deadlocks are found as for rows.
type Span struct {
	owner    *Owner
	in, id   ID
	from, to []byte // nil if open
	// entered is true if the owner had no lock in the namespace before.
	entered bool
}

// In returns the namespace of the rows.
func (s *Span) In() ID { return s.in }

func (s *Span) holds(r *Row) bool {
	return s.in == r.In && bytes.Compare(r.Key, s.from) >= 0 && (s.to == nil || bytes.Compare(r.Key, s.to) < 0)
}

// TrySpan locks a span for the owner if nobody else has a lock in the namespace; otherwise it returns
// nil. It never waits. nil bounds are open.
func (lt *Table) TrySpan(o *Owner, in ID, from, to []byte) *Span {
	lt.mu.Lock()
	defer lt.mu.Unlock()
	return lt.trySpan(o, in, from, to)
}

// trySpan is TrySpan; mu is held.
func (lt *Table) trySpan(o *Owner, in ID, from, to []byte) *Span {
	if !lt.isAlone(o, in) {
		return nil
	}
	lt.numbered++
	// Practically no row has such a small hash.
	s := &Span{owner: o, in: in, id: ID{0, lt.numbered}, from: bytes.Clone(from), to: bytes.Clone(to)}
	s.entered = len(o.held) == 0 || !slices.Contains(o.spaces, in)
	lt.hold(o, s.id, in)
	lt.keep(s.id, lock{holder: o})
	lt.spans = append(lt.spans, s)
	return s
}

// isAlone reports whether no other owner has a lock in the namespace, and no gate is closed. mu is held.
func (lt *Table) isAlone(o *Owner, in ID) bool {
	for _, other := range lt.owners.all {
		if other != nil && other != o && (slices.Contains(other.spaces, in) || slices.Contains(other.spaces, ID{})) {
			return false
		}
	}
	return len(lt.gates) == 0
}

// Extend extends the lock of a span up to and including a row after it, unless another owner has a lock in the
// namespace, and reports whether it has. It never waits.
func (lt *Table) Extend(s *Span, row []byte) bool {
	lt.mu.Lock()
	defer lt.mu.Unlock()
	if s.to == nil {
		return true
	}
	if !lt.isAlone(s.owner, s.in) {
		return false
	}
	s.to = append(append(s.to[:0], row...), 0)
	return true
}

// ReleaseSpan releases the lock of a span, which must be the last that its owner has acquired.
func (lt *Table) ReleaseSpan(s *Span) {
	lt.mu.Lock()
	defer lt.mu.Unlock()
	lt.releaseSpan(s)
}

// releaseSpan is ReleaseSpan; mu is held.
func (lt *Table) releaseSpan(s *Span) {
	lt.spans = slices.DeleteFunc(lt.spans, func(other *Span) bool { return other == s })
	o := s.owner
	if o.held = o.held[:len(o.held)-1]; s.entered {
		o.spaces = o.spaces[:len(o.spaces)-1]
	}
	l := lt.lock(s.id)
	l.drop(o)
	lt.hand(&l, s.id)
	if len(o.held) == 0 {
		lt.owners.leave(o)
	}
}

// Escalate replaces the owner's row locks by locks of whole namespaces, in all of its namespaces or in
// none: it returns false if somebody else has a lock in one of them. It never waits. Rows for which
// others wait stay locked individually, too.
func (lt *Table) Escalate(o *Owner) bool {
	lt.mu.Lock()
	defer lt.mu.Unlock()
	before := len(o.held)
	for _, in := range slices.Clone(o.spaces) {
		whole := func(s *Span) bool { return s.owner == o && s.in == in && s.from == nil && s.to == nil }
		if slices.ContainsFunc(lt.spans, whole) {
			continue
		}
		if in == (ID{}) || lt.trySpan(o, in, nil, nil) == nil {
			for len(o.held) > before {
				lt.releaseSpan(lt.spans[len(lt.spans)-1])
			}
			return false
		}
	}
	kept := o.heldOne[:0]
	for i, id := range o.held {
		l := lt.lock(id)
		if i < before && l.more == nil && !lt.isSpan(id) {
			lt.locks.remove(id)
			continue
		}
		kept = append(kept, id)
	}
	lt.shrink(before)
	o.held = kept
	return true
}

// isSpan reports whether the ID is a span's. mu is held.
func (lt *Table) isSpan(id ID) bool { return id[0] == 0 && id[1] <= lt.numbered }

// spanOver returns a locked span that covers the row, nil for none. mu is held.
func (lt *Table) spanOver(r *Row) *Span {
	if r.ofSpan || r.In == (ID{}) {
		return nil
	}
	for _, s := range lt.spans {
		if s.holds(r) {
			return s
		}
	}
	return nil
}

// spansOver returns the span locks of other owners that reach into the extents. mu is held.
func (lt *Table) spansOver(o *Owner, extents Extents) (ids []ID) {
	for _, s := range lt.spans {
		if s.owner != o && slices.ContainsFunc(extents, s.reaches) {
			ids = append(ids, s.id)
		}
	}
	return ids
}

// releaseSpans removes the spans of an owner. mu is held.
func (lt *Table) releaseSpans(o *Owner) {
	if len(lt.spans) > 0 {
		lt.spans = slices.DeleteFunc(lt.spans, func(s *Span) bool { return s.owner == o })
	}
}

// acquireBeside is Acquire once the owner of a span has released it: it waits for the span's lock,
// which waiters share.
func (lt *Table) acquireBeside(
	ctx context.Context, s *Span, o *Owner, r Row, how kv.RowLock, timeout time.Duration, life context.Context,
) error {
	since := time.Now()
	end := kv.RowLock{Shared: true, NoWait: how.NoWait}
	if err := lt.Acquire(ctx, o, Row{ID: s.id, In: s.in, ofSpan: true}, end, timeout, life); err != nil {
		return err
	}
	return lt.Acquire(ctx, o, r, how, timeout-time.Since(since), life)
}
