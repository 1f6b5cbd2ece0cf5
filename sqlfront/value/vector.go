package value

import "slices"

// Vector is a column of values. If they are all Int, Float or Bytes, they are in a slice of their own,
// otherwise in Values. Elements that have not been set are undefined.
type Vector struct {
	// Kind is Int, Float or Bytes; Null for values of any kind.
	Kind   Kind
	Ints   []int64
	Floats []float64
	Bytes  [][]byte // nil is NULL
	Values []Value
	// Nulls says which Ints or Floats are NULL; it is nil if none is.
	Nulls []bool
	// Codes, if not nil, are numbers from 0 on, less than the number of values: values with the same code are
	// identical.
	Codes []int32

	nulls []bool // the memory of Nulls
}

// Start makes the vector one of n values of a kind, which must then be set.
func (v *Vector) Start(kind Kind, n int) {
	v.Kind, v.Nulls, v.Codes = kind, nil, nil
	switch kind {
	case Int:
		v.Ints = resize(v.Ints, n)
	case Float:
		v.Floats = resize(v.Floats, n)
	case Bytes:
		v.Bytes = resize(v.Bytes, n)
	default:
		v.Kind, v.Values = Null, resize(v.Values, n)
	}
}

// resize is a slice of n elements, with spare capacity if it has to be allocated.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, max(n, 2*cap(s)))
	}
	return s[:n]
}

// Len is the number of elements.
func (v *Vector) Len() int {
	switch v.Kind {
	case Int:
		return len(v.Ints)
	case Float:
		return len(v.Floats)
	case Bytes:
		return len(v.Bytes)
	}
	return len(v.Values)
}

// IsNull reports whether the value at i is NULL.
func (v *Vector) IsNull(i int32) bool {
	switch v.Kind {
	case Bytes:
		return v.Bytes[i] == nil
	case Null:
		return v.Values[i].IsNull()
	}
	return v.Nulls != nil && v.Nulls[i]
}

// SetNull makes the value at i NULL.
func (v *Vector) SetNull(i int32) {
	switch v.Kind {
	case Bytes:
		v.Bytes[i] = nil
	case Null:
		v.Values[i] = Value{}
	default:
		v.Nullable()[i] = true
	}
}

// Nullable is Nulls, allocated with all false if it was nil.
func (v *Vector) Nullable() []bool {
	if v.Nulls == nil {
		v.nulls = resize(v.nulls, v.Len())
		clear(v.nulls)
		v.Nulls = v.nulls
	}
	return v.Nulls
}

// At is the value at i; its bytes are the vector's.
func (v *Vector) At(i int32) Value {
	switch {
	case v.Kind == Null:
		return v.Values[i]
	case v.IsNull(i):
		return Value{}
	case v.Kind == Bytes:
		return NewBytes(v.Bytes[i])
	case v.Kind == Int:
		return NewInt(v.Ints[i])
	}
	return NewFloat(v.Floats[i])
}

// Slice is the n values from an index on, in the same memory, which must not be written.
func (v *Vector) Slice(from int32, n int) (out Vector) {
	end := int(from) + n
	switch out.Kind = v.Kind; v.Kind {
	case Bytes:
		out.Bytes = v.Bytes[from:end]
	case Int:
		out.Ints = v.Ints[from:end]
	case Float:
		out.Floats = v.Floats[from:end]
	default:
		out.Values = v.Values[from:end]
	}
	if v.Nulls != nil {
		out.Nulls = v.Nulls[from:end]
	}
	if v.Codes != nil && !slices.ContainsFunc(v.Codes[from:end], func(code int32) bool { return int(code) >= n }) {
		out.Codes = v.Codes[from:end]
	}
	return out
}

// Set sets the value at i: one of the vector's kind, or NULL. It returns false for any other value.
func (v *Vector) Set(i int32, x Value) bool {
	switch {
	case v.Kind == Null:
		v.Values[i] = x
		return true
	case x.kind == Null:
		v.SetNull(i)
		return true
	case x.kind != v.Kind:
		return false
	}
	switch v.Kind {
	case Bytes:
		if v.Bytes[i] = x.Raw(); x.p == nil {
			v.Bytes[i] = []byte{}
		}
		return true
	case Int:
		v.Ints[i] = int64(x.n)
	case Float:
		if x.aux != 0 {
			return false
		}
		v.Floats[i] = x.Float()
	}
	if v.Nulls != nil {
		v.Nulls[i] = false
	}
	return true
}

// Gather sets the values from an index on to those of another vector at the rows, and to NULL for row -1.
func (v *Vector) Gather(place int, of *Vector, rows []int32) {
	for at, i := range rows {
		switch at += place; {
		case i < 0:
			v.SetNull(int32(at))
		case of.Kind == Bytes:
			v.Bytes[at] = of.Bytes[i]
		default:
			v.Set(int32(at), of.At(i))
		}
	}
}
