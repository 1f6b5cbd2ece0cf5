package rowmem

import (
	"bytes"
	"cmp"
	"unsafe"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// SortedRow is a row by its place in a store; places ascend in the order of arrival.
type SortedRow struct {
	Abbreviation uint64
	Store        uint32
	At           uint32
}

const SortedRowSize = int(unsafe.Sizeof(SortedRow{}))

// Key is a column that rows are sorted by.
type Key struct {
	Column int
	Desc   bool
}

// Keys are the keys of a sort, the first one first.
type Keys []Key

// Compare compares the keys of two rows. NULL comes first, or last if the key is descending.
func (k Keys) Compare(a, b []value.Value) int {
	for _, key := range k {
		if order := value.Order(a[key.Column], b[key.Column]); order != 0 {
			return key.Of(order)
		}
	}
	return 0
}

// ByFirst orders rows by their first value.
var ByFirst = Keys{{Column: 0}}

// ByColumns orders rows by count columns from the first on.
func ByColumns(first, count int) Keys {
	out := make(Keys, count)
	for i := range out {
		out[i].Column = first + i
	}
	return out
}

// Comparer returns a Comparer by the keys.
func (k Keys) Comparer() Comparer {
	if len(k) == 0 {
		return Comparer{Abbreviation: Abbreviation{Off: true}}
	}
	return Comparer{Keys: k, Abbreviation: Abbreviation{column: k[0].Column, desc: k[0].Desc, Only: len(k) == 1}}
}

// Of returns the order of two rows with different values in the key's column, from the order of the
// values.
func (k Key) Of(order int) int {
	if k.Desc {
		return -order
	}
	return order
}

// Comparer compares rows. It must not be used concurrently.
type Comparer struct {
	Keys         Keys
	Abbreviation Abbreviation
	Stores       []*Store // of the rows, by their numbers
}

// Own returns an equal Comparer for another goroutine.
func (c *Comparer) Own() Comparer {
	return Comparer{Keys: c.Keys, Abbreviation: c.Abbreviation, Stores: c.Stores}
}

// Order compares rows of stores; it is 0 if their keys are equal.
func (c *Comparer) Order(x, y SortedRow) int {
	if order, ok := c.Abbreviation.Tells(x.Abbreviation, y.Abbreviation); ok {
		return order
	}
	a, b := c.Stores[x.Store], c.Stores[y.Store]
	for _, k := range c.Keys {
		if order := CompareCells(a, a.Cell(x.At, k.Column), b, b.Cell(y.At, k.Column)); order != 0 {
			return k.Of(order)
		}
	}
	return 0
}

// ByArrival is Order for rows of one store, with rows of equal keys ordered by their places.
func (c *Comparer) ByArrival(x, y SortedRow) int {
	return cmp.Or(c.Order(x, y), cmp.Compare(x.At, y.At))
}

// CompareCells is value.Order for two packed values.
func CompareCells(a *Store, x *value.Packed, b *Store, y *value.Packed) int {
	if kind := x.Kind(); kind == y.Kind() {
		switch kind {
		case value.Int:
			return cmp.Compare(int64(x.Number), int64(y.Number))
		case value.Bytes:
			return bytes.Compare(a.Raw(x), b.Raw(y))
		}
	}
	return value.Order(a.Unpack(x), b.Unpack(y))
}
