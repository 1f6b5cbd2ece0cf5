package aggregate

import (
	"bytes"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// minMaxAcc is MIN (sign -1) and MAX (sign 1).
type minMaxAcc struct {
	sign   int
	best   value.Value
	buf    []byte
	memory *held
}

func (e *minMaxAcc) keepIn(m *held) { e.memory = m }

func (e *minMaxAcc) add(_ *expr.Env, args []value.Value) error {
	e.take(args[0])
	return nil
}

func (e *minMaxAcc) take(v value.Value) {
	if !beats(e.sign, v, e.best) {
		return
	}
	before := cap(e.buf)
	if n := len(v.Raw()); n > 0 && before == 0 {
		e.buf = e.memory.memory.short(n)
	}
	e.best, e.buf = v.AppendClone(e.buf[:0])
	if cap(e.buf) != before {
		e.memory.grow(cap(e.buf) - before)
	}
}

// beats reports whether a value that is not NULL is greater than the best so far, or less if sign
// is -1.
func beats(sign int, v, best value.Value) bool {
	switch best.Kind() {
	case value.Null:
		return true
	case value.Int:
		if v.Kind() == value.Int {
			return v.Int() != best.Int() && v.Int() > best.Int() == (sign > 0)
		}
	}
	order, _ := value.Compare(v, best)
	return order*sign > 0
}

func (e *minMaxAcc) combine(other accumulator) error {
	if best := other.(*minMaxAcc).best; !best.IsNull() {
		e.take(best)
	}
	return nil
}

// addVectors adds the first of the least or greatest values.
func (e *minMaxAcc) addVectors(args []*value.Vector, rows []int32) bool {
	if best := bestOf(e.sign, args[0], rows); best >= 0 {
		e.take(args[0].At(best))
	}
	return true
}

func (e *minMaxAcc) result() (value.Value, error) { return e.best.Clone(), nil }

// bestOf returns the first row with the least or greatest value, or -1 if all are NULL.
func bestOf(sign int, v *value.Vector, rows []int32) int32 {
	if v.Kind == value.Int && v.Nulls == nil {
		return bestInt(sign, v.Ints, rows)
	}
	best := int32(-1)
	for _, i := range rows {
		if !v.IsNull(i) && (best < 0 || Better(sign, v, i, best)) {
			best = i
		}
	}
	return best
}

// bestInt is bestOf for integers, as one loop.
func bestInt(sign int, ints []int64, rows []int32) int32 {
	if len(rows) == 0 {
		return -1
	}
	at := rows[0]
	best := ints[at]
	for _, i := range rows[1:] {
		if x := ints[i]; x != best && x > best == (sign > 0) {
			at, best = i, x
		}
	}
	return at
}

// Better reports whether the value at i is greater than that at j, or less if sign is -1. Neither
// may be NULL.
func Better(sign int, v *value.Vector, i, j int32) bool {
	switch v.Kind {
	case value.Int:
		return v.Ints[i] != v.Ints[j] && (v.Ints[i] > v.Ints[j]) == (sign > 0)
	case value.Bytes:
		return bytes.Compare(v.Bytes[i], v.Bytes[j])*sign > 0
	}
	order, _ := value.Compare(v.At(i), v.At(j))
	return order*sign > 0
}
