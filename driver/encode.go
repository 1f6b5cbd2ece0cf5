package driver

import (
	"database/sql/driver"
	"unsafe"

	"github.com/hbasekv/hbasekv/sqlfront"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// encoder makes driver values of the rows of one result. Bytes are copied into
// memory that the next row takes again, and so are the slice headers that the
// driver values refer to: a row of a scan allocates nothing for them. That is
// within what database/sql promises of sql.RawBytes and what it asks of a
// sql.Scanner; for all other destinations it copies. Numbers are never written
// again: database/sql hands their interfaces on to the caller.
type encoder struct {
	columns []encoded
	buf     []byte  // the bytes of the row
	ints    []int64 // free ones
	slab    int     // how many were allocated last

	// Where there are few columns and bytes, they are here.
	inlineColumns [4]encoded
	inlineBuf     [160]byte
}

// encoded is what a column's driver values refer to.
type encoded struct {
	bytes []byte
	// number is the last int64, which is often that of the next row too, or nil.
	number *int64
}

// maxInts is how many integers are allocated together.
const maxInts = 64

// encode writes a row into dest, which has as many columns. The bytes are good
// until the next call.
func (e *encoder) encode(dest []driver.Value, row []value.Value) {
	if len(e.columns) < len(dest) {
		e.grow(len(dest))
	}
	e.buf = e.buf[:0]
	for i := range dest {
		switch v := &row[i]; v.Kind() {
		case value.Bytes, value.Text, value.JSON:
			dest[i] = e.bytes(i, append(e.buf, v.Raw()...))
		case value.Int:
			dest[i] = e.int(&e.columns[i], v.Int())
		case value.Null:
			dest[i] = nil
		case value.Uint:
			dest[i] = v.Uint()
		case value.Float:
			dest[i] = v.Float()
		default:
			dest[i] = e.bytes(i, v.AppendText(e.buf))
		}
	}
}

// encodeCell writes a row that is a cell. Its bytes are the cell's: they are
// good as long as those.
func (e *encoder) encodeCell(dest []driver.Value, columns []sqlfront.Place, c *sqlfront.Cell) {
	if len(e.columns) < len(dest) {
		e.grow(len(dest))
	}
	for i := range dest {
		switch columns[i] {
		case sqlfront.InRow:
			dest[i] = box(&c.Row)
		case sqlfront.InQualifier:
			dest[i] = box(&c.Qualifier)
		case sqlfront.InTimestamp:
			dest[i] = e.int(&e.columns[i], c.Timestamp)
		default:
			if dest[i] = nil; c.Value != nil {
				dest[i] = box(&c.Value)
			}
		}
	}
}

// grow makes room for n columns.
func (e *encoder) grow(n int) {
	e.columns = e.inlineColumns[:]
	if n > len(e.inlineColumns) {
		e.columns = make([]encoded, n)
	}
	if e.buf == nil {
		e.buf = e.inlineBuf[:0]
	}
}

// bytes takes up the row's buffer with a value appended, and gives the value.
// It has no capacity behind it, and is not nil where it is empty.
func (e *encoder) bytes(column int, appended []byte) driver.Value {
	start, end := len(e.buf), len(appended)
	e.buf = appended
	c := &e.columns[column]
	c.bytes = appended[start:end:end]
	return box(&c.bytes)
}

func (e *encoder) int(c *encoded, i int64) driver.Value {
	if c.number != nil && *c.number == i {
		return box(c.number)
	}
	if len(e.ints) == 0 {
		e.slab = min(max(2*e.slab, 1), maxInts)
		e.ints = make([]int64, e.slab)
	}
	e.ints[0] = i
	c.number, e.ints = &e.ints[0], e.ints[1:]
	return box(c.number)
}

// box makes an interface of what p points to without copying it, as the
// conversion would into an allocation of its own.
func box[T []byte | int64](p *T) driver.Value {
	v := boxedBytes
	if _, ok := any(p).(*int64); ok {
		v = boxedInt
	}
	(*[2]unsafe.Pointer)(unsafe.Pointer(&v))[1] = unsafe.Pointer(p)
	return v
}

// Interfaces to take the types of.
var boxedBytes, boxedInt = driver.Value([]byte{}), driver.Value(int64(0))
