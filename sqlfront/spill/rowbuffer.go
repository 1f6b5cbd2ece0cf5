package spill

import "github.com/hbasekv/hbasekv/sqlfront/value"

// RowBuffer holds a copy of one row and is reused for the next one.
type RowBuffer struct {
	Row   []value.Value
	bytes []byte
}

// Set copies the row into the buffer and returns the copy, which is valid until the next Set.
func (b *RowBuffer) Set(row []value.Value) []value.Value {
	b.Row, b.bytes = b.Row[:0], b.bytes[:0]
	for _, v := range row {
		n := len(v.Raw())
		if cap(b.bytes)-len(b.bytes) < n {
			// The bytes kept so far stay valid, as values refer to them.
			b.bytes = make([]byte, 0, max(2*cap(b.bytes), n))
		}
		v, b.bytes = v.AppendClone(b.bytes)
		b.Row = append(b.Row, v)
	}
	return b.Row
}

// Size is about the memory that the buffer takes, in bytes.
func (b *RowBuffer) Size() int { return rowOverhead + len(b.Row)*valueSize + cap(b.bytes) }

// rowOverhead is what a kept row takes besides its values; valueSize is the size of a NULL.
const (
	rowOverhead = 40
	valueSize   = 48
)

// Size is about the memory that a copy of the row takes, in bytes.
func Size(row []value.Value) int {
	n := rowOverhead
	for _, v := range row {
		n += v.Size()
	}
	return n
}
