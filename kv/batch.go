package kv

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
	buf   []byte
	bytes int // of the cells, some of which are in buffers before buf
}

// Bounds of a Batch: the bytes with which it is full, and those that it keeps
// while nobody uses it.
const (
	fullBatch = 64 << 10
	keptBatch = 2 * fullBatch
)

// Full reports whether the batch has so many bytes that it should be read
// before it gets more.
func (b *Batch) Full() bool { return b.bytes >= fullBatch }

// Reset empties the batch, to be filled again.
func (b *Batch) Reset() { b.Cells, b.buf, b.bytes = b.Cells[:0], b.buf[:0], 0 }

// Release empties the batch for some time: it keeps little memory.
func (b *Batch) Release() {
	b.Reset()
	if cap(b.buf) > keptBatch {
		*b = Batch{}
	}
}

// Add appends a copy of a cell.
func (b *Batch) Add(family int, row, qualifier []byte, timestamp int64, value []byte) {
	buf := b.room(len(row) + len(qualifier) + len(value))
	r := copy(buf, row)
	q := r + copy(buf[r:], qualifier)
	v := q + copy(buf[q:], value)
	if len(b.Cells) == cap(b.Cells) {
		b.grow()
	}
	b.Cells = b.Cells[:len(b.Cells)+1]
	c := &b.Cells[len(b.Cells)-1]
	c.Family, c.Timestamp = family, timestamp
	c.Row, c.Qualifier, c.Value = buf[:r:r], buf[r:q:q], buf[q:v:v]
	if value == nil {
		c.Value = nil
	}
}

// room is n more bytes of the buffer, never nil: that would be null.
func (b *Batch) room(n int) []byte {
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
