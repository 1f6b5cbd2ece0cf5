package read

import (
	"bytes"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/overlay"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/views"
)

// iterator steps over stored keys, like Pebble's internal iterators. Each layer of a stream is
// one, on top of another: what is stored, a transaction's own writes over it, slices of time
// merged, and in front what has been read ahead or kept.
//
// Each step returns the key that it leads to, or nil at the end and on an error. The key and its
// value are valid until the next step. A step after one in the other direction leads to the
// neighbour of the current key.
type iterator interface {
	// seekGE goes to the first key at or after the target; if inRow is set, only
	// to a key in the target's row.
	seekGE(target []byte, inRow bool) []byte
	// seekLT goes to the last key before the target.
	seekLT(target []byte) []byte
	next() []byte
	prev() []byte
	// value returns the stored value at the current key.
	value() ([]byte, error)
	// err returns the error that ended the iteration; nil at the end.
	err() error
	// counted returns the number of keys met so far, and of seeks.
	counted() (cells, seeks int64)
}

// stored iterates over what is stored.
type stored struct {
	it *pebble.Iterator // nil before the layers are opened
	// rewritten is set if keys may have many values to step over.
	rewritten *views.Rewritten
	inRow     bool // it was sought by its row
	seekBuf   []byte

	cells, seeks int64
}

func (s *stored) at(ok bool) []byte {
	if !ok {
		return nil
	}
	s.cells++
	return s.it.Key()
}

func (s *stored) seekGE(target []byte, inRow bool) []byte {
	s.seeks++
	s.inRow = inRow
	if inRow {
		return s.at(s.it.SeekPrefixGE(target))
	}
	return s.at(s.it.SeekGE(target))
}

func (s *stored) seekLT(target []byte) []byte {
	s.seeks++
	return s.at(s.it.SeekLT(target))
}

// next steps off the key, past its overwritten values.
func (s *stored) next() []byte {
	if s.rewritten != nil && s.rewritten.Often(s.it.Key()) {
		return s.seekBehind()
	}
	if !s.it.Next() {
		return nil
	}
	s.cells++
	return s.it.Key()
}

func (s *stored) seekBehind() []byte { return s.seekGE(s.behind(), s.inRow) }

// behind returns the first key that may follow the current one.
func (s *stored) behind() []byte {
	s.seekBuf = append(append(s.seekBuf[:0], s.it.Key()...), 0)
	return s.seekBuf
}

func (s *stored) prev() []byte { return s.at(s.it.Prev()) }

func (s *stored) value() ([]byte, error) {
	v, err := s.it.ValueAndErr()
	if err != nil {
		return nil, faultfs.DiskError(err)
	}
	return v, nil
}

func (s *stored) err() error {
	if err := s.it.Error(); err != nil {
		return faultfs.DiskError(err)
	}
	return nil
}

func (s *stored) counted() (cells, seeks int64) { return s.cells, s.seeks }

// merged merges a transaction's own writes with what is stored. Each side is at its first key that
// has not been passed in the direction of the last step.
type merged struct {
	base     *stored
	own      *overlay.Iter
	baseKey  []byte
	ownOK    bool
	atOwn    bool // the current key is an own write's
	backward bool
	inRow    bool // it was sought by its row
	key      []byte
	seekBuf  []byte
	cells    int64
	// row is a key of the sought row; lower and upper bound what is stored; nil is open.
	row, lower, upper []byte
	// deleted are the spans in which everything stored is deleted.
	deleted []cellkey.Span
}

func (m *merged) seekGE(target []byte, inRow bool) []byte {
	if m.inRow = inRow; inRow {
		m.row = append(m.row[:0], target...)
	}
	m.backward = false
	m.atBase(m.base.seekGE(target, inRow))
	m.ownOK = m.own.Seek(target)
	return m.settle()
}

func (m *merged) seekLT(target []byte) []byte {
	m.backward, m.inRow = true, false
	m.atBase(m.base.seekLT(target))
	m.ownOK = m.own.SeekLT(target)
	return m.settle()
}

func (m *merged) next() []byte {
	if m.backward {
		m.seekBuf = append(append(m.seekBuf[:0], m.key...), 0)
		return m.seekGE(m.seekBuf, false)
	}
	m.advance()
	return m.settle()
}

func (m *merged) prev() []byte {
	if !m.backward {
		m.seekBuf = append(m.seekBuf[:0], m.key...)
		return m.seekLT(m.seekBuf)
	}
	m.advance()
	return m.settle()
}

// advance moves the sides that are at the current key.
func (m *merged) advance() {
	both := m.atOwn && m.baseKey != nil && bytes.Equal(m.baseKey, m.own.Write().Key)
	if m.atOwn {
		m.stepOwn()
	}
	if both || !m.atOwn {
		m.stepBase()
	}
}

func (m *merged) stepOwn() {
	if m.backward {
		m.ownOK = m.own.Prev()
	} else {
		m.ownOK = m.own.Next()
	}
}

func (m *merged) stepBase() {
	if m.backward {
		m.atBase(m.base.prev())
	} else {
		m.atBase(m.base.next())
	}
}

// atBase notes the key that the stored side has reached, and moves that side past a deleted span.
func (m *merged) atBase(key []byte) {
	for key != nil && len(m.deleted) > 0 {
		sp := overlay.SpanOver(m.deleted, key)
		switch {
		case sp == nil:
			m.baseKey = key
			return
		case m.backward:
			key = m.base.seekLT(sp.Lower)
		case m.inRow && !sameRow(sp.Upper, m.row):
			key = nil
		default:
			key = m.base.seekGE(sp.Upper, m.inRow)
		}
	}
	m.baseKey = key
}

// settle makes the nearer side current, skipping own deletions, but not those beyond the end: a
// transaction that deletes 100,000 columns in random key order would skip half of them each time
// (benchmark DeleteColumns).
func (m *merged) settle() []byte {
	for m.ownFirst() {
		w := m.own.Write()
		if m.baseKey == nil && m.isOver(w.Key) {
			m.ownOK = false
			break
		}
		if m.atOwn = true; !w.Deleted {
			m.cells++
			m.key = w.Key
			return m.key
		}
		m.advance()
	}
	if m.atOwn, m.key = false, m.baseKey; m.key != nil {
		m.cells++
	}
	return m.key
}

// isOver reports whether a key is beyond the end.
func (m *merged) isOver(key []byte) bool {
	switch {
	case m.inRow:
		return !sameRow(key, m.row)
	case m.backward:
		return m.lower != nil && bytes.Compare(key, m.lower) < 0
	}
	return m.upper != nil && bytes.Compare(key, m.upper) >= 0
}

// ownFirst reports whether the own side is nearer or at the same key.
func (m *merged) ownFirst() bool {
	if !m.ownOK || m.baseKey == nil {
		return m.ownOK
	}
	c := bytes.Compare(m.own.Write().Key, m.baseKey)
	if m.backward {
		c = -c
	}
	return c <= 0
}

func (m *merged) value() ([]byte, error) {
	if m.atOwn {
		return m.own.Write().Value, nil
	}
	return m.base.value()
}

func (m *merged) err() error {
	if err := m.own.Err(); err != nil {
		return err
	}
	return m.base.err()
}

func (m *merged) counted() (cells, seeks int64) { return m.cells, m.base.seeks }

// layers are what is stored, and a transaction's own writes, if any.
type layers struct {
	stored stored
	merged merged
}

// open returns the iterator over both.
func (l *layers) open(it *pebble.Iterator, own *overlay.Writes, r *views.Rewritten) iterator {
	if l.stored.it = it; r.Any.Load() {
		l.stored.rewritten = r
	}
	if own == nil {
		return &l.stored
	}
	l.closeOwn() // if the stream is opened again
	l.merged = merged{base: &l.stored, own: own.Iter(), cells: l.merged.cells, deleted: own.Deleted()}
	return &l.merged
}

// closeOwn closes the iterator of own writes.
func (l *layers) closeOwn() {
	if l.merged.own != nil {
		l.merged.own.Close()
	}
}

// setBounds bounds both layers. The caller may reuse the bounds.
func (l *layers) setBounds(lower, upper []byte) {
	l.stored.it.SetBounds(lower, upper)
	if l.merged.own != nil {
		l.merged.lower, l.merged.upper = bytes.Clone(lower), bytes.Clone(upper)
		l.merged.own.SetBounds(lower, upper)
	}
}

// sameRow reports whether two seek keys are in the same row.
func sameRow(a, b []byte) bool {
	n := cellkey.RowLen(b)
	return n > 0 && bytes.HasPrefix(a, b[:n])
}
