package spill

import (
	"bytes"
	"cmp"
	"unsafe"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// sortedRow is a row, by its place in a store, which is also that in the order of arrival.
type sortedRow struct {
	brief uint64
	store uint32
	at    uint32
}

const sortedRowSize = int(unsafe.Sizeof(sortedRow{}))

// Key is a column that rows are sorted by.
type Key struct {
	Column int
	Desc   bool
}

// Keys are the keys of a sort, the first one first.
type Keys []Key

// Compare compares the keys of two rows: NULL comes first, or last where descending.
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

// ByColumns orders rows by so many columns from one on.
func ByColumns(first, count int) Keys {
	out := make(Keys, count)
	for i := range out {
		out[i].Column = first + i
	}
	return out
}

// comparer compares by the keys.
func (k Keys) comparer() comparer {
	if len(k) == 0 {
		return comparer{brief: brief{off: true}}
	}
	return comparer{keys: k, brief: brief{column: k[0].Column, desc: k[0].Desc, only: len(k) == 1}}
}

// Of is the order of two rows that have different values in the key's column.
func (k Key) Of(order int) int {
	if k.Desc {
		return -order
	}
	return order
}

// comparer orders rows. It is for one goroutine.
type comparer struct {
	keys   Keys
	brief  brief
	stores []*rowStore // of the rows, by their numbers
}

// own is a comparer for another goroutine.
func (c *comparer) own() comparer {
	return comparer{keys: c.keys, brief: c.brief, stores: c.stores}
}

// order orders rows of stores, 0 where they are alike.
func (c *comparer) order(x, y sortedRow) int {
	if order, ok := c.brief.tells(x.brief, y.brief); ok {
		return order
	}
	a, b := c.stores[x.store], c.stores[y.store]
	for _, k := range c.keys {
		if order := compareCells(a, a.cell(x.at, k.Column), b, b.cell(y.at, k.Column)); order != 0 {
			return k.Of(order)
		}
	}
	return 0
}

// byArrival is order of rows of one store, of those that are alike by their places.
func (c *comparer) byArrival(x, y sortedRow) int {
	return cmp.Or(c.order(x, y), cmp.Compare(x.at, y.at))
}

// compareCells is value.Order of two cells.
func compareCells(a *rowStore, x *value.Packed, b *rowStore, y *value.Packed) int {
	if kind := x.Kind(); kind == y.Kind() {
		switch kind {
		case value.Int:
			return cmp.Compare(int64(x.Number), int64(y.Number))
		case value.Bytes:
			return bytes.Compare(a.raw(x), b.raw(y))
		}
	}
	return value.Order(a.unpack(x), b.unpack(y))
}
