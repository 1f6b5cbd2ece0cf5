package driver

import (
	"bytes"
	"database/sql/driver"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// encoder makes driver values of the rows that a connection gives. The bytes
// that it hands out are its own copies, never written again and with no
// capacity behind them, because sql.RawBytes and sql.Scanner receive them as
// they are; the bytes of several rows share one allocation. A value that was in
// the same column a few rows before, such as the K and Q of neighbouring cells,
// is handed out again instead of being copied. It outlives the results, so that
// those of one row cost little.
type encoder struct {
	// short has the bytes that recent may keep, long all others: what is kept
	// does not keep long values from being collected.
	short, long slab
	recent      []recent // of the first columns
}

// recent holds some of the values that a column had lately.
type recent struct {
	bytes  [recentBytes]driver.Value // []byte each, or nil
	number driver.Value              // int64, uint64 or nil
}

const (
	// recentBytes is a power of two, enough for the qualifiers of usual rows.
	recentBytes = 8
	// recentColumns bounds what an idle connection holds.
	recentColumns = 16
	// maxRecent is the longest value worth comparing and keeping, in bytes.
	maxRecent = 64

	minSlab  = 256
	maxShort = 1 << 10
	maxLong  = 16 << 10
)

var noBytes driver.Value = []byte{}

// encode writes a row into dest, which has as many columns.
func (e *encoder) encode(dest []driver.Value, row []value.Value) {
	known := min(len(dest), recentColumns)
	if len(e.recent) < known {
		e.recent = make([]recent, known)
	}
	for i := range known {
		dest[i] = e.value(&e.recent[i], &row[i])
	}
	for i := known; i < len(dest); i++ {
		dest[i] = e.value(nil, &row[i])
	}
}

// value makes one value; r may be nil. Strings and integers, which most values
// are, come first.
func (e *encoder) value(r *recent, v *value.Value) driver.Value {
	switch kind := v.Kind(); {
	case kind == value.Bytes || kind == value.Text:
		return e.bytes(r, v.Raw())
	case kind == value.Int:
		return r.int(v.Int())
	default:
		return e.other(r, v)
	}
}

func (e *encoder) other(r *recent, v *value.Value) driver.Value {
	switch v.Kind() {
	case value.Null:
		return nil
	case value.Uint:
		return r.uint(v.Uint())
	case value.Float:
		return v.Float()
	case value.JSON:
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
	case len(b) > maxRecent:
		return e.long.copy(b, maxLong)
	case r == nil:
		return e.short.copy(b, maxShort)
	}
	kept := &r.bytes[slot(b)]
	if last, ok := (*kept).([]byte); ok && bytes.Equal(last, b) {
		return *kept
	}
	*kept = e.short.copy(b, maxShort)
	return *kept
}

// slot is where recent keeps b, which is not empty. Neighbours that differ in
// their last byte, or are that byte alone, have different slots.
func slot(b []byte) uint {
	return (uint(len(b))*4 + uint(b[0])*2 + uint(b[len(b)-1])) % recentBytes
}

// slab is memory that is handed out in pieces, and how much was allocated last.
type slab struct {
	bytes []byte
	size  int
}

// copy copies b behind what the slab holds; slabs grow to most bytes. What
// would waste much of one has an allocation of its own.
func (s *slab) copy(b []byte, most int) []byte {
	if len(b) > most/4 {
		return append(make([]byte, 0, len(b)), b...)
	}
	if cap(s.bytes)-len(s.bytes) < len(b) {
		s.size = min(max(2*s.size, minSlab), most)
		s.bytes = make([]byte, 0, s.size)
	}
	start := len(s.bytes)
	s.bytes = append(s.bytes, b...)
	return s.bytes[start:len(s.bytes):len(s.bytes)]
}
