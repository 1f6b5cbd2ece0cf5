package kv

import (
	"slices"
	"unsafe"
)

// Batcher is a Cursor that returns many cells at a time.
type Batcher interface {
	// NextBatch replaces the cells of b by copies of the next ones, at most n. There may be
	// fewer than are left. If there are none it returns false, and Err returns the reason,
	// as for Next. There is then no current cell until the next call of Next.
	NextBatch(b *Batch, n int) bool
}

// Parts are parts of cells that a Batch may omit.
type Parts uint8

// The parts.
const (
	PartRow Parts = 1 << iota
	PartQualifier
	PartValue
	// PartValueBytes are the bytes of values; their lengths, and which are null, are still known.
	PartValueBytes
)

// Batch holds copies of cells, as columns of their parts. The cells and their bytes are
// valid until Reset, after which the memory is reused. The zero Batch is empty.
type Batch struct {
	// Shares lets cells share the bytes of rows and of qualifiers, which must then not be
	// written. Otherwise each cell has its own. It must not change while the batch has
	// cells.
	Shares bool
	// Unread are parts that nobody reads, so that they need not be determined: their
	// content is undefined. It must not change while the batch has cells.
	Unread Parts
	// NoteGaps asks readers to call SetGap. It must not change while the batch has cells.
	NoteGaps bool

	families    []int32
	rows        [][]byte
	qualifiers  [][]byte
	timestamps  []int64
	values      [][]byte
	codes       []int32
	names       *names      // nil until one is shared
	columns     *rowColumns // nil if the entries are cells
	len, room   int         // of the columns
	buf         []byte
	bytesBefore int // bytes of the cells that are not in buf
	large       slabs
	gaps        []Gap // of the first cells
}

// Bounds of a Batch: the bytes at which it is full, and those of values that it keeps while
// it is unused, and as many of everything else.
const (
	fullBatch = 64 << 10
	keptBatch = 2 * fullBatch
	keptRows  = 256 // with their columns
)

// LargeValue is the size in bytes from which a value in a Batch has memory of its own.
const LargeValue = 4 << 10

// Len returns the number of cells.
func (b *Batch) Len() int { return b.len }

// Cell returns the cell at i, without the Unread parts.
func (b *Batch) Cell(i int) Cell {
	c := Cell{Family: int(b.families[:b.len][i]), Row: b.rows[i], Qualifier: b.qualifiers[i], Timestamp: b.timestamps[i],
		Value: b.values[i]}
	if b.Unread&PartRow != 0 {
		c.Row = nil
	}
	if b.Unread&PartQualifier != 0 {
		c.Qualifier = nil
	}
	if b.Unread&PartValue != 0 {
		c.Value = nil
	}
	return c
}

// Families returns the families of the cells.
func (b *Batch) Families() []int32 { return b.families[:b.len] }

// Rows returns the rows of the cells.
func (b *Batch) Rows() [][]byte { return b.rows[:b.len] }

// Qualifiers returns the qualifiers of the cells.
func (b *Batch) Qualifiers() [][]byte { return b.qualifiers[:b.len] }

// QualifierCodes returns numbers of the cells' qualifiers, from 0 on: cells with the same
// number have the same qualifier. It returns nil if they are unknown, as with many
// different qualifiers.
func (b *Batch) QualifierCodes() []int32 {
	if !b.Shares || b.names == nil || b.names.many || len(b.names.all) == 0 {
		return nil
	}
	return b.codes[:b.len]
}

// LastQualifier returns the qualifier of the last cell.
func (b *Batch) LastQualifier() []byte { return b.qualifiers[b.len-1] }

// Timestamps returns the timestamps of the cells.
func (b *Batch) Timestamps() []int64 { return b.timestamps[:b.len] }

// Values returns the values of the cells, nil for null.
func (b *Batch) Values() [][]byte { return b.values[:b.len] }

// Full reports whether the batch has so many bytes that it should be read before more are added.
func (b *Batch) Full() bool { return b.bytesBefore+len(b.buf) >= fullBatch }

// Reset empties the batch, to be filled again.
func (b *Batch) Reset() {
	b.len, b.buf, b.bytesBefore, b.gaps = 0, b.buf[:0], 0, b.gaps[:0]
	if len(b.large.all) > 0 {
		b.large.reset()
	}
	if b.names != nil {
		b.names.reset()
	}
	if b.columns != nil {
		b.columns.reset()
	}
	if b.large.dropped {
		b.forget()
	}
}

// Release empties the batch and frees most of its memory, before a time without use.
func (b *Batch) Release() {
	b.Reset()
	if cap(b.buf) > keptBatch || b.columns != nil && b.room > keptRows {
		b.families, b.rows, b.qualifiers, b.timestamps, b.values, b.codes, b.room, b.buf = nil, nil, nil, nil, nil, nil, 0, nil
		if b.columns != nil {
			clear(b.columns.all)
		}
	}
	if len(b.large.all) > 0 {
		b.large.trim(0)
	}
	if b.large.dropped {
		b.forget()
	}
}

// forget drops references of former cells to dropped slabs.
func (b *Batch) forget() {
	clear(b.values)
	if b.columns != nil {
		b.columns.forget()
	}
	b.large.dropped = false
}

// Leave hands over the memory of a cell's large value: the batch does not reuse it. It may
// be called until other cells are added.
func (b *Batch) Leave(value []byte) { b.large.leave(value) }

// Add appends a copy of a cell.
func (b *Batch) Add(family int, row, qualifier []byte, timestamp int64, value []byte) {
	if b.columns != nil {
		b.addRow(family, row, qualifier, timestamp, value)
		return
	}
	if n := len(row) + len(qualifier); b.len == b.room || len(b.buf)+n+len(value) > cap(b.buf) {
		b.makeRoom(n, value)
	}
	b.families[b.len] = int32(family)
	if b.Unread&PartRow == 0 {
		b.rows[b.len] = b.clone(row)
	}
	b.add(qualifier, timestamp, value)
}

// AddInRow appends a copy of a cell in the family and row of the previous cell,
// whose bytes it shares. The batch must have Shares set.
func (b *Batch) AddInRow(qualifier []byte, timestamp int64, value []byte) {
	if b.columns != nil {
		b.AddToColumn(b.ColumnOf(qualifier), timestamp, value)
		return
	}
	if n := len(qualifier); b.len == b.room || len(b.buf)+n+len(value) > cap(b.buf) {
		b.makeRoom(n, value)
	}
	b.families[b.len] = b.families[b.len-1]
	if b.Unread&PartRow == 0 {
		b.rows[b.len] = b.rows[b.len-1]
	}
	b.add(qualifier, timestamp, value)
}

// add completes a cell whose family and row are set.
func (b *Batch) add(qualifier []byte, timestamp int64, value []byte) {
	i := b.len
	b.len++
	b.timestamps[i] = timestamp
	switch {
	case b.Unread&PartQualifier != 0:
	case b.Shares:
		b.qualifiers[i] = b.shared(i, qualifier)
	default:
		b.qualifiers[i] = b.clone(qualifier)
	}
	switch {
	case b.Unread&PartValue != 0:
	case value == nil:
		b.values[i] = nil
	case b.Unread&PartValueBytes != 0 && len(value) <= len(blank):
		b.values[i] = blank[:len(value):len(value)]
	case len(value) < LargeValue:
		b.values[i] = b.clone(value)
	default:
		b.values[i] = b.cloneLarge(value)
	}
}

// cloneLarge copies a value into memory of its own.
func (b *Batch) cloneLarge(value []byte) []byte {
	b.bytesBefore += len(value)
	return b.large.clone(value)
}

// shared returns a copy of the qualifier of the cell at i, shared with other cells that have it.
func (b *Batch) shared(i int, q []byte) []byte {
	if i >= len(b.codes) {
		b.growCodes()
	}
	n := b.names
	if n.many {
		return b.clone(q)
	}
	word := wordOf(q)
	at := n.find(word, q)
	code := n.codes[at]
	if code == 0 {
		if code = n.add(at); code == 0 {
			return b.clone(q)
		}
		n.all[code-1] = name{word, b.clone(q)}
	}
	b.codes[i] = int32(code) - 1
	return n.all[code-1].text
}

// growCodes makes room for the codes of all cells for which there is room.
func (b *Batch) growCodes() {
	if b.names == nil {
		b.names = new(names)
	}
	b.codes = append(make([]int32, 0, b.room), b.codes...)[:b.room]
}

// blank is the content of values whose bytes nobody reads.
var blank [LargeValue]byte

// Blank returns a value of n bytes that nobody reads; nil if n is 0 or too large.
func Blank(n int) []byte {
	if n <= 0 || n > len(blank) {
		return nil
	}
	return blank[:n:n]
}

// clone copies a part into the buffer, which has room for it. It never returns nil,
// which would be null.
func (b *Batch) clone(part []byte) []byte {
	start := len(b.buf)
	b.buf = append(b.buf, part...)
	return b.buf[start:len(b.buf):len(b.buf)]
}

// makeRoom makes room for one more cell, of which n bytes go to the buffer, and also the
// value unless it is large.
func (b *Batch) makeRoom(n int, value []byte) {
	if len(value) < LargeValue {
		n += len(value)
	}
	switch {
	case b.len < b.room:
	case b.columns != nil:
		b.growRows()
	default:
		b.grow()
	}
	if len(b.buf)+n > cap(b.buf) || b.buf == nil { // earlier cells keep the old one
		b.bytesBefore += len(b.buf)
		b.buf = make([]byte, 0, max(n, min(2*cap(b.buf), 2*fullBatch), 512))
	}
}

// grow makes room for more cells; the bytes of earlier ones stay. There is room for 16, 64,
// 256 and 1,024 cells, as many as readers ask for at a time.
func (b *Batch) grow() {
	room := max(16, 4*b.room)
	parts, times, families := make([][]byte, 3*room), make([]int64, room), make([]int32, room)
	copy(parts, b.rows)
	copy(parts[room:], b.qualifiers)
	copy(parts[2*room:], b.values)
	copy(times, b.timestamps)
	copy(families, b.families)
	b.rows, b.qualifiers, b.values = parts[:room:room], parts[room:2*room:2*room], parts[2*room:]
	b.timestamps, b.families, b.room = times, families, room
}

// slabs are memory for large values, one value in each. They are never cleared, which would
// take about as long as filling them.
type slabs struct {
	all     [][]byte // those in use first
	used    int
	dropped bool // some were dropped
}

// clone copies a value into the slab that fits best, or a new one. Slabs larger than a
// batch are only used for values larger than a batch.
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

// reset frees all slabs, and keeps as many as a batch needs and the largest.
func (s *slabs) reset() {
	s.used = 0
	largest := 0
	for i := range s.all {
		if cap(s.all[i]) > cap(s.all[largest]) {
			largest = i
		}
	}
	s.all[0], s.all[largest] = s.all[largest], s.all[0]
	s.trim(1)
}

// trim drops slabs after the first ones if all take too much memory.
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

// leave drops the slab that holds a value.
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
