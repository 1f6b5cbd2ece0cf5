package driver

import (
	"bytes"
	"database/sql/driver"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// encoder makes driver values of the rows of one result. The bytes that it
// hands out are its own copies, never written again and with no capacity
// behind them, because sql.RawBytes and sql.Scanner receive them as they are;
// the bytes of several rows share one allocation. A value that was in the same
// column a few rows before, such as the K and Q of neighbouring cells, is
// handed out again instead of being copied.
type encoder struct {
	slab   []byte
	size   int      // of the last slab
	recent []recent // by column; nil up to the second row, as many results have one
	rows   int
}

// recent holds some of the values that a column had lately.
type recent struct {
	bytes  [recentBytes]driver.Value // []byte each, or nil
	number driver.Value              // int64, uint64 or nil
}

const (
	// recentBytes is a power of two, enough for the qualifiers of usual rows.
	recentBytes = 8
	// maxRecent is the longest value worth comparing and keeping, in bytes.
	maxRecent = 64

	minSlab = 256
	maxSlab = 16 << 10
)

var noBytes driver.Value = []byte{}

// encode writes a row into dest, which has as many columns.
func (e *encoder) encode(dest []driver.Value, row []value.Value) {
	if e.rows++; e.rows == 1 {
		for i := range dest {
			dest[i] = e.value(nil, row[i])
		}
		return
	}
	if e.recent == nil {
		e.recent = make([]recent, len(dest))
	}
	for i := range dest {
		dest[i] = e.value(&e.recent[i], row[i])
	}
}

// value makes one value; r may be nil.
func (e *encoder) value(r *recent, v value.Value) driver.Value {
	switch v.Kind() {
	case value.Null:
		return nil
	case value.Int:
		return r.int(v.Int())
	case value.Uint:
		return r.uint(v.Uint())
	case value.Float:
		return v.Float()
	case value.Text, value.Bytes, value.JSON:
		return e.bytes(r, v.Raw())
	}
	var buf [80]byte
	return e.bytes(r, v.AppendText(buf[:0]))
}

func (r *recent) int(i int64) driver.Value {
	if r == nil {
		return i
	}
	if last, ok := r.number.(int64); !ok || last != i {
		r.number = i
	}
	return r.number
}

func (r *recent) uint(u uint64) driver.Value {
	if r == nil {
		return u
	}
	if last, ok := r.number.(uint64); !ok || last != u {
		r.number = u
	}
	return r.number
}

func (e *encoder) bytes(r *recent, b []byte) driver.Value {
	switch {
	case len(b) == 0:
		return noBytes
	case r == nil || len(b) > maxRecent:
		return e.copy(b)
	}
	kept := &r.bytes[slot(b)]
	if last, ok := (*kept).([]byte); ok && bytes.Equal(last, b) {
		return *kept
	}
	*kept = e.copy(b)
	return *kept
}

// slot is where recent keeps b, which is not empty. Neighbours that differ in
// their last byte, or are that byte alone, have different slots.
func slot(b []byte) uint {
	return (uint(len(b))*4 + uint(b[0])*2 + uint(b[len(b)-1])) % recentBytes
}

// copy copies b behind what the slab holds. What would waste much of a slab
// has an allocation of its own.
func (e *encoder) copy(b []byte) []byte {
	if len(b) > maxSlab/4 {
		return append(make([]byte, 0, len(b)), b...)
	}
	if cap(e.slab)-len(e.slab) < len(b) {
		e.size = min(max(2*e.size, minSlab), maxSlab)
		e.slab = make([]byte, 0, max(e.size, len(b)))
	}
	start := len(e.slab)
	e.slab = append(e.slab, b...)
	return e.slab[start:len(e.slab):len(e.slab)]
}
