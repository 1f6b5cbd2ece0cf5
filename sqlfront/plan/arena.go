package plan

import "github.com/hbasekv/hbasekv/sqlfront/value"

// The sizes of an arena's slabs, in values and in bytes.
const (
	slabValues = 1024
	slabBytes  = 64 << 10
)

// arena keeps copies of rows in few allocations. The copies live as long as
// any of them is referred to.
type arena struct {
	values []value.Value
	bytes  []byte
}

// clone copies a row with its bytes.
func (a *arena) clone(row []value.Value) []value.Value {
	out := a.row(len(row))
	for i, v := range row {
		out[i] = a.keep(v)
	}
	return out
}

// row is an empty row of n NULLs.
func (a *arena) row(n int) []value.Value {
	if cap(a.values)-len(a.values) < n {
		a.values = make([]value.Value, 0, max(n, min(slabValues, 4*cap(a.values)+16)))
	}
	start := len(a.values)
	a.values = a.values[:start+n]
	return a.values[start : start+n : start+n]
}

// keep copies one value's bytes.
func (a *arena) keep(v value.Value) value.Value {
	n := len(v.Raw())
	if n == 0 {
		return v
	}
	if cap(a.bytes)-len(a.bytes) < n {
		if n > slabBytes/4 {
			v, _ = v.AppendClone(nil)
			return v
		}
		a.bytes = make([]byte, 0, max(n, min(slabBytes, 4*cap(a.bytes)+256)))
	}
	v, a.bytes = v.AppendClone(a.bytes)
	return v
}

// rowBuffer holds a copy of one row and is used again for the next one.
type rowBuffer struct {
	row   []value.Value
	bytes []byte
}

// set copies the row into the buffer; what the buffer held before is lost.
func (b *rowBuffer) set(row []value.Value) []value.Value {
	b.row, b.bytes = b.row[:0], b.bytes[:0]
	for _, v := range row {
		n := len(v.Raw())
		if cap(b.bytes)-len(b.bytes) < n {
			// The bytes kept so far stay where their values refer to.
			b.bytes = make([]byte, 0, max(2*cap(b.bytes), n))
		}
		v, b.bytes = v.AppendClone(b.bytes)
		b.row = append(b.row, v)
	}
	return b.row
}

// emptied is the arena with its last slabs to be used again. No copy that it
// gave is valid any more.
func (a *arena) emptied() arena { return arena{values: a.values[:0], bytes: a.bytes[:0]} }
