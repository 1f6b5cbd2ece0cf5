package read

import (
	"bytes"
	"math"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
)

// sliceMerge steps over the slices of time of one partition as if they were one
// key space, the first slice's: targets and keys are in that. A row's cells are in
// several slices, and no cell is in two. The key is valid until the next step.
//
// Slices of older times have none of the newest versions of a column: a slice is
// opened and sought only when its newest possible version comes next.
type sliceMerge struct {
	open  func(*slicePart) error
	space keyspace.ID
	parts []slicePart
	heap  []*slicePart // those that are at a key, the nearest first

	key      []byte
	target   []byte // buffer
	sought   []byte // the same, for a change of direction
	bounds   []byte // the keys of waiting parts
	column   int    // the length of the last target's column, or -1
	backward bool
	// Going forward, each part is at its first key from floor on, the target of
	// the last seek; or, if stepped since then, from the current key on; if prefix
	// is set, within the floor's row.
	placed, prefix, stepped bool
	floor                   []byte
	failed                  error
}

// slicePart is one slice, with its leaf's place among the table's.
type slicePart struct {
	layers
	it     iterator // nil until the part is sought
	key    []byte
	space  keyspace.ID
	leaf   int
	pooled bool
	atKey  bool
	// newest is the newest wanted timestamp in the slice. waits means that the
	// part has not been sought: key is then the first one that it can have.
	newest int64
	waits  bool
}

func (m *sliceMerge) add(t *kv.Table, slice, leaf int, r kv.TimeRange) {
	p := slicePart{space: keyspace.Of(t).Spaces[leaf], leaf: leaf, newest: newestIn(t, slice, r.Max)}
	m.parts = append(m.parts, p)
}

// newestIn returns the newest timestamp in the slice that is not above most. A
// slice may have timestamps of both signs.
func newestIn(t *kv.Table, slice int, most int64) int64 {
	lower, upper, open := t.Partitioning.SliceBounds(slice)
	if open {
		upper = math.MaxInt64
	} else {
		upper--
	}
	if lower <= most {
		return min(upper, most)
	}
	return min(-lower, most)
}

// inPart returns a target in the key space of a part. The end of the space becomes
// the end of the part's.
func (m *sliceMerge) inPart(p *slicePart, target []byte) []byte {
	m.target = respaced(m.target[:0], target, m.space, p.space)
	return m.target
}

// respaced appends a key, or the end of its space, moved from one key space to another.
func respaced(dst, key []byte, from, to keyspace.ID) []byte {
	id, _ := cellkey.Space(key)
	return cellkey.AppendAs(dst, key, to+(id-from))
}

func (m *sliceMerge) seekGE(target []byte, prefix bool) []byte {
	keep := m.keeps(target, prefix)
	m.backward, m.placed, m.prefix, m.stepped = false, true, prefix, false
	m.floor = append(m.floor[:0], target...)
	m.heap = m.heap[:0]
	m.prepareBounds(target)
	for i := range m.parts {
		p := &m.parts[i]
		stays := keep && (!p.atKey || !p.waits && bytes.Compare(cellkey.Suffix(p.key), cellkey.Suffix(target)) >= 0)
		if !stays && !m.wait(p, target) {
			m.seek(p, target)
		}
		if !m.take(p) {
			return nil
		}
	}
	return m.settle()
}

// seek moves the part to its first key at or after the target.
func (m *sliceMerge) seek(p *slicePart, target []byte) {
	p.waits = false
	if !m.opened(p) {
		m.place(p, nil)
		return
	}
	m.place(p, p.it.seekGE(m.inPart(p, target), m.prefix))
}

// opened opens the part, and reports whether that succeeded.
func (m *sliceMerge) opened(p *slicePart) bool {
	if p.it == nil {
		m.failed = m.open(p)
	}
	return m.failed == nil
}

// prepareBounds finds out whether a target is in a column, and if so makes room
// for a key of each part. Parts that wait for the last target get new keys.
func (m *sliceMerge) prepareBounds(target []byte) {
	if m.column = cellkey.ColumnLen(target); m.column < 0 {
		return
	}
	m.bounds = m.bounds[:0]
	if n := len(m.parts) * (m.column + cellkey.TimestampLen); cap(m.bounds) < n {
		m.bounds = make([]byte, 0, n)
	}
}

// wait defers the seek for a target in a column if the part has no version for a
// while after the target.
func (m *sliceMerge) wait(p *slicePart, target []byte) bool {
	if m.column < 0 {
		return false
	}
	n := len(m.bounds)
	all := cellkey.AppendTimestamp(append(m.bounds, target[:m.column]...), p.newest)
	if bytes.Compare(all[n:], target) <= 0 {
		return false
	}
	m.bounds = all
	p.key, p.waits, p.atKey = all[n:], true, true
	return true
}

// keeps reports whether parts that are after the target, or have ended, need not
// be sought again.
func (m *sliceMerge) keeps(target []byte, prefix bool) bool {
	if !m.placed || m.backward || prefix != m.prefix || bytes.Compare(target, m.floor) < 0 ||
		prefix && !sameRow(target, m.floor) {
		return false
	}
	if !m.stepped {
		return true
	}
	// At the end the last key has been passed.
	c := bytes.Compare(target, m.key)
	return c > 0 || c == 0 && len(m.heap) > 0
}

func (m *sliceMerge) seekLT(target []byte) []byte {
	m.backward, m.placed = true, true
	m.heap = m.heap[:0]
	for i := range m.parts {
		p := &m.parts[i]
		p.waits = false
		if m.place(p, nil); m.opened(p) {
			m.place(p, p.it.seekLT(m.inPart(p, target)))
		}
		if !m.take(p) {
			return nil
		}
	}
	return m.settle()
}

func (m *sliceMerge) next() []byte {
	if m.backward {
		m.sought = append(append(m.sought[:0], m.key...), 0)
		return m.seekGE(m.sought, false)
	}
	return m.advance(iterator.next)
}

func (m *sliceMerge) prev() []byte {
	if !m.backward {
		m.sought = append(m.sought[:0], m.key...)
		return m.seekLT(m.sought)
	}
	return m.advance(iterator.prev)
}

// advance steps the part that is at the current key.
func (m *sliceMerge) advance(step func(iterator) []byte) []byte {
	if len(m.heap) == 0 {
		return nil
	}
	m.stepped = true
	p := m.heap[0]
	if m.place(p, step(p.it)); p.atKey {
		m.down(0)
		return m.give()
	}
	if m.fails(p) {
		return nil
	}
	m.drop()
	return m.give()
}

// drop removes the first part.
func (m *sliceMerge) drop() {
	n := len(m.heap) - 1
	m.heap[0] = m.heap[n]
	m.heap = m.heap[:n]
	m.down(0)
}

// place notes that a part has moved, to a key or to none. The key may be an own
// write in another space.
func (m *sliceMerge) place(p *slicePart, key []byte) {
	p.key, p.atKey = key, key != nil && (p.merged.own == nil || cellkey.IsIn(key, p.space))
}

// take adds a part that is at a key to the heap; false on its error.
func (m *sliceMerge) take(p *slicePart) bool {
	if p.atKey {
		m.heap = append(m.heap, p)
		return true
	}
	return !m.fails(p)
}

// fails reports whether a part without a key has failed; if so, the whole merge has.
func (m *sliceMerge) fails(p *slicePart) bool {
	if m.failed == nil && p.it != nil {
		m.failed = p.it.err()
	}
	if m.failed != nil {
		m.heap = m.heap[:0]
	}
	return m.failed != nil
}

func (m *sliceMerge) settle() []byte {
	for i := len(m.heap)/2 - 1; i >= 0; i-- {
		m.down(i)
	}
	return m.give()
}

// give makes the nearest part's key the current one, and seeks parts that
// waited for that.
func (m *sliceMerge) give() []byte {
	for len(m.heap) > 0 && m.heap[0].waits {
		p := m.heap[0]
		if m.seek(p, p.key); p.atKey {
			m.down(0)
		} else if m.fails(p) {
			return nil
		} else {
			m.drop()
		}
	}
	if len(m.heap) == 0 {
		return nil
	}
	m.key = cellkey.AppendAs(m.key[:0], m.heap[0].key, m.space)
	return m.key
}

func (m *sliceMerge) value() ([]byte, error) { return m.heap[0].it.value() }

func (m *sliceMerge) err() error { return m.failed }

func (m *sliceMerge) counted() (cells, seeks int64) {
	for i := range m.parts {
		if it := m.parts[i].it; it != nil {
			c, s := it.counted()
			cells, seeks = cells+c, seeks+s
		}
	}
	return cells, seeks
}

func (m *sliceMerge) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(m.heap) {
			return
		}
		if r := child + 1; r < len(m.heap) && m.nearer(m.heap[r], m.heap[child]) {
			child = r
		}
		if !m.nearer(m.heap[child], m.heap[i]) {
			return
		}
		m.heap[i], m.heap[child] = m.heap[child], m.heap[i]
		i = child
	}
}

func (m *sliceMerge) nearer(a, b *slicePart) bool {
	c := bytes.Compare(cellkey.Suffix(a.key), cellkey.Suffix(b.key))
	if m.backward {
		c = -c
	}
	return c < 0
}
