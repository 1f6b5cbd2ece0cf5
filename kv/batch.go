package kv

import (
	"slices"
	"unsafe"
)

// Batcher is a Cursor that gives many cells at a time.
type Batcher interface {
	// NextBatch steps over the next cells, at most n, and puts copies of them
	// into b in the place of those that it had. It may give fewer than there are;
	// where it gives none and reports false, Err says why, as for Next. There is no
	// current cell afterwards until the next call of Next.
	NextBatch(b *Batch, n int) bool
}

// Batch is cells in memory of its own. They and their bytes are valid until
// Reset, after which others take their place. The zero Batch is empty.
type Batch struct {
	Cells []Cell
	// SharesRows lets the cells of a row share its bytes, which nobody may write
	// then. Else the parts of a cell are its own.
	SharesRows bool

	buf   []byte
	bytes int // of the cells, some of which are in buffers before buf
	large slabs
}

// Bounds of a Batch: the bytes with which it is full, and those of values that
// it keeps while nobody uses it, as many again of all else.
const (
	fullBatch = 64 << 10
	keptBatch = 2 * fullBatch
)

// LargeValue is the size from which on a value in a Batch has memory of its own.
const LargeValue = 4 << 10

// Full reports whether the batch has so many bytes that it should be read
// before it gets more.
func (b *Batch) Full() bool { return b.bytes >= fullBatch }

// Reset empties the batch, to be filled again.
func (b *Batch) Reset() {
	b.Cells, b.buf, b.bytes = b.Cells[:0], b.buf[:0], 0
	b.large.reset()
	b.forget()
}

// Release empties the batch for some time: it keeps little memory.
func (b *Batch) Release() {
	b.Reset()
	if cap(b.buf) > keptBatch {
		b.Cells, b.buf = nil, nil
	}
	b.large.trim(0)
	b.forget()
}

// forget lets go of slabs that former cells still refer to.
func (b *Batch) forget() {
	if b.large.dropped {
		clear(b.Cells[:cap(b.Cells)])
		b.large.dropped = false
	}
}

// Leave leaves the memory of a cell's large value to those who look at it: the
// batch uses it no more. It may be called until other cells are added.
func (b *Batch) Leave(value []byte) { b.large.leave(value) }

// Add appends a copy of a cell.
func (b *Batch) Add(family int, row, qualifier []byte, timestamp int64, value []byte) {
	inBuf := value
	if len(value) >= LargeValue {
		inBuf = nil
	}
	buf := b.extend(len(row) + len(qualifier) + len(inBuf))
	r := copy(buf, row)
	c := b.next()
	c.Family, c.Timestamp, c.Row = family, timestamp, buf[:r:r]
	b.fill(c, buf[r:], qualifier, inBuf, value)
}

// AddInRow appends a copy of a cell that has the family and the row of the cell
// before, whose bytes it shares: the batch SharesRows.
func (b *Batch) AddInRow(qualifier []byte, timestamp int64, value []byte) {
	inBuf := value
	if len(value) >= LargeValue {
		inBuf = nil
	}
	buf := b.extend(len(qualifier) + len(inBuf))
	c := b.next()
	before := &b.Cells[len(b.Cells)-2]
	c.Family, c.Timestamp, c.Row = before.Family, timestamp, before.Row
	b.fill(c, buf, qualifier, inBuf, value)
}

// next is room for one more cell.
func (b *Batch) next() *Cell {
	if len(b.Cells) == cap(b.Cells) {
		b.grow()
	}
	b.Cells = b.Cells[:len(b.Cells)+1]
	return &b.Cells[len(b.Cells)-1]
}

// fill copies qualifier and value into buf, large values elsewhere.
func (b *Batch) fill(c *Cell, buf, qualifier, inBuf, value []byte) {
	q := copy(buf, qualifier)
	v := q + copy(buf[q:], inBuf)
	c.Qualifier, c.Value = buf[:q:q], buf[q:v:v]
	switch {
	case value == nil:
		c.Value = nil
	case len(value) >= LargeValue:
		c.Value = b.large.clone(value)
		b.bytes += len(value)
	}
}

// extend gives n more bytes of the buffer, never nil: that would be null.
func (b *Batch) extend(n int) []byte {
	start := len(b.buf)
	if b.buf == nil || cap(b.buf)-start < n {
		b.buf, start = make([]byte, 0, max(n, min(2*cap(b.buf), 2*fullBatch), 512)), 0 // the cells so far keep the old one
	}
	b.buf = b.buf[:start+n]
	b.bytes += n
	return b.buf[start:]
}

// grow makes room for more cells, where the bytes of those so far stay.
func (b *Batch) grow() {
	b.Cells = append(make([]Cell, 0, max(8, 4*cap(b.Cells))), b.Cells...)
}

// slabs are memory of large values, of one each. It is never cleared, which
// would take about as long as to fill it.
type slabs struct {
	all     [][]byte // those in use first
	used    int
	dropped bool // there were more
}

// clone copies a value into the slab that it fits best, or a new one. Slabs of
// more than a batch are left to values of more than a batch.
func (s *slabs) clone(value []byte) []byte {
	best := -1
	for i := s.used; i < len(s.all); i++ {
		n := cap(s.all[i])
		if n >= len(value) && (n <= keptBatch || len(value) > fullBatch) && (best < 0 || n < cap(s.all[best])) {
			best = i
		}
	}
	if best < 0 {
		best = len(s.all)
		s.all = append(s.all, nil)
	}
	s.all[best], s.all[s.used] = s.all[s.used], append(s.all[best][:0], value...)
	s.used++
	return s.all[s.used-1][:len(value):len(value)]
}

// reset makes all slabs free, and keeps a batch's worth and the largest.
func (s *slabs) reset() {
	s.used = 0
	if len(s.all) == 0 {
		return
	}
	largest := 0
	for i := range s.all {
		if cap(s.all[i]) > cap(s.all[largest]) {
			largest = i
		}
	}
	s.all[0], s.all[largest] = s.all[largest], s.all[0]
	s.trim(1)
}

// trim lets go of slabs behind the first few, where all take too much.
func (s *slabs) trim(first int) {
	size, kept := 0, s.all[:first]
	for _, b := range s.all[first:] {
		if size += cap(b); size > keptBatch {
			size -= cap(b)
			s.dropped = true
			continue
		}
		kept = append(kept, b)
	}
	clear(s.all[len(kept):])
	s.all = kept
}

// leave lets go of the slab that holds a value.
func (s *slabs) leave(value []byte) {
	for i, b := range s.all {
		if cap(b) > 0 && unsafe.SliceData(b) == unsafe.SliceData(value) {
			s.all = slices.Delete(s.all, i, i+1)
			s.dropped = true
			if i < s.used {
				s.used--
			}
			return
		}
	}
}
