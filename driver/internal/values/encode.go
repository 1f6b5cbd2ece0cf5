package values

import (
	"database/sql/driver"
	"slices"
	"unsafe"

	"github.com/hbasekv/hbasekv/sqlfront"
	"github.com/hbasekv/hbasekv/sqlfront/answers"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Encoder makes driver values of the rows of one result. The next row reuses
// the memory of their bytes, and of the slice headers that the driver values
// refer to, so that a row of a scan allocates nothing for them. database/sql
// allows that for sql.RawBytes and for a sql.Scanner; for all other
// destinations it copies.
type Encoder struct {
	columns [][]byte // what the columns' driver values refer to
	buf     []byte   // the bytes of the row
	// Columns tell values of BIT from other numbers; nil if there are none.
	Columns []sqlfront.Column
}

// smallRow and mediumRow are the memory of an encoder for few columns and bytes. It is allocated with
// the first row: reads that find no row allocate 0.3 kB of 1.6 less.
type (
	smallRow struct {
		columns [4][]byte
		buf     [rowBytes]byte
	}
	mediumRow struct {
		columns [8][]byte
		buf     [rowBytes]byte
	}
)

// rowBytes is the memory that an encoder begins with.
const rowBytes = 128

// Numbers makes driver values of integers. Their memory is never rewritten,
// because database/sql passes their interfaces on to the caller.
type Numbers struct {
	last []*int64 // of each column, often also that of the next row; or nil
	free []int64
	slab int // how many were last allocated
}

// maxInts is how many integers are allocated together.
const maxInts = 64

// Encode writes a row into dest, which has as many columns. The bytes are valid
// until the next call.
func (e *Encoder) Encode(dest []driver.Value, row []value.Value, n *Numbers) {
	if len(e.columns) < len(dest) {
		e.grow(len(dest))
	}
	e.buf = e.buf[:0]
	e.makeRoom(row)
	for i := range dest {
		switch v := &row[i]; v.Kind() {
		case value.Bytes, value.Text, value.JSON:
			dest[i] = e.bytes(i, append(e.buf, v.Raw()...))
		case value.Int:
			dest[i] = n.Box(i, v.Int())
		case value.Null:
			dest[i] = nil
		case value.Uint:
			if e.Columns != nil && e.Columns[i].Type.IsBit() {
				dest[i] = e.bytes(i, value.AppendBits(e.buf, e.Columns[i].Type.Length, v.Uint()))
			} else {
				dest[i] = v.Uint()
			}
		case value.Float:
			dest[i] = v.Float()
		default:
			dest[i] = e.bytes(i, v.AppendText(e.buf))
		}
	}
}

// makeRoom grows the buffer to what a row with large values needs: growing it
// value by value takes several times as long.
func (e *Encoder) makeRoom(row []value.Value) {
	size, large := 0, false
	for i := range row {
		n := len(row[i].Raw())
		size += n
		large = large || n > FewCopied
	}
	if large {
		e.buf = slices.Grow(e.buf, size+numberText*len(row))
	}
}

// numberText is roughly the length of a number or a time as text.
const numberText = 32

// FewCopied is the length up to which copying a value costs almost nothing.
const FewCopied = 1 << 10

// EncodeCell is Encode for a row that is a cell. It does not copy a large
// value.
func (e *Encoder) EncodeCell(dest []driver.Value, places []answers.Place, c *answers.Cell, n *Numbers) {
	if len(e.columns) < len(dest) {
		e.grow(len(dest))
	}
	e.buf = e.buf[:0]
	for i := range dest {
		switch places[i] {
		case answers.InRow:
			dest[i] = e.bytes(i, append(e.buf, c.Row...))
		case answers.InQualifier:
			dest[i] = e.bytes(i, append(e.buf, c.Qualifier...))
		case answers.InTimestamp:
			dest[i] = n.Box(i, c.Timestamp)
		default:
			switch {
			case c.Value == nil:
				dest[i] = nil
			case len(c.Value) >= answers.LargeValue:
				e.columns[i] = c.Value
				dest[i] = Box(&e.columns[i])
			default:
				dest[i] = e.bytes(i, append(e.buf, c.Value...))
			}
		}
	}
}

// grow makes room for n columns.
func (e *Encoder) grow(n int) {
	var buf []byte
	switch {
	case n <= len(smallRow{}.columns):
		row := &smallRow{}
		e.columns, buf = row.columns[:], row.buf[:0]
	case n <= len(mediumRow{}.columns):
		row := &mediumRow{}
		e.columns, buf = row.columns[:], row.buf[:0]
	default:
		e.columns, buf = make([][]byte, n), make([]byte, 0, rowBytes)
	}
	if e.buf == nil {
		e.buf = buf
	}
}

// bytes sets the row's buffer to appended, and returns the value that was
// appended to it. The value has no spare capacity, and is not nil if it is
// empty.
func (e *Encoder) bytes(column int, appended []byte) driver.Value {
	start, end := len(e.buf), len(appended)
	e.buf = appended
	e.columns[column] = appended[start:end:end]
	return Box(&e.columns[column])
}

// Box returns the value of a column.
func (n *Numbers) Box(column int, i int64) driver.Value {
	for column >= len(n.last) {
		n.last = append(n.last, nil)
	}
	if last := n.last[column]; last != nil && *last == i {
		return Box(last)
	}
	if len(n.free) == 0 {
		n.slab = min(max(2*n.slab, 1), maxInts)
		n.free = make([]int64, n.slab)
	}
	p := &n.free[0]
	*p, n.free, n.last[column] = i, n.free[1:], p
	return Box(p)
}

// Box makes an interface of what p points to without the allocation and the
// copy that a conversion would need.
func Box[T []byte | int64](p *T) driver.Value {
	v := boxedBytes
	if _, ok := any(p).(*int64); ok {
		v = boxedInt
	}
	(*[2]unsafe.Pointer)(unsafe.Pointer(&v))[1] = unsafe.Pointer(p)
	return v
}

// Interfaces whose types Box takes.
var boxedBytes, boxedInt = driver.Value([]byte{}), driver.Value(int64(0))
