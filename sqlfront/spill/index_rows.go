package spill

import (
	"math/bits"
	"unsafe"

	"github.com/hbasekv/hbasekv/sqlfront/spill/rowmem"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// keptRows has rows by their numbers, in the order of arrival, each preceded by its key, in memory
// without pointers.
type keptRows struct {
	stores []*rowmem.Store // rows are added to the last one
	places []rowPlace
	hashes []uint32 // of the keys
	kinds  kindSet
}

// rowPlace is the place of a row: a store, and its place there.
type rowPlace struct{ store, at uint32 }

// indexedSize is about the memory of a row without its cells and its key's bytes.
const indexedSize = int(unsafe.Sizeof(rowPlace{})+unsafe.Sizeof(uint32(0))+unsafe.Sizeof(link{})) +
	3*int(unsafe.Sizeof(rowmem.Slot(0)))

// add adds a copy of a row, whose first value is its key, and returns its size in bytes.
func (k *keptRows) add(row []value.Value) int {
	if k.stores == nil {
		k.stores = []*rowmem.Store{{}}
	}
	last := len(k.stores) - 1
	at, size := k.stores[last].Add(row)
	k.places = append(k.places, rowPlace{uint32(last), at})
	k.hashes = append(k.hashes, rowmem.KeyHash(row[0].Raw()))
	k.kinds.note(row[1:])
	return size + indexedSize
}

// full reports whether no further row can be numbered.
func (k *keptRows) full() bool { return k.stores[len(k.stores)-1].Full() }

// take moves the rows of another one to k.
func (k *keptRows) take(other *keptRows) {
	before := uint32(len(k.stores))
	k.stores = append(k.stores, other.stores...)
	for _, p := range other.places {
		k.places = append(k.places, rowPlace{p.store + before, p.at})
	}
	k.hashes = append(k.hashes, other.hashes...)
	k.kinds.union(other.kinds)
}

// Len is the number of rows in memory, of an Index that has not spilled.
func (k *keptRows) Len() int { return len(k.places) }

// cell returns a value of a row and the store that has its bytes; the key is value 0.
func (k *keptRows) cell(i int32, at int) (*rowmem.Store, *value.Packed) {
	p := k.places[i]
	s := k.stores[p.store]
	return s, s.Cell(p.at, at)
}

func (k *keptRows) key(i int32) []byte {
	s, p := k.cell(i, 0)
	return s.Raw(p)
}

// AppendRow appends one of the rows in memory, by its number in the order of arrival. Its bytes are
// valid until Close.
func (k *keptRows) AppendRow(dst []value.Value, i int32) []value.Value {
	s, p := k.cell(i, 0)
	if p.Mark == rowmem.RowEnds {
		return dst
	}
	return s.AppendRow(dst, k.places[i].at+1)
}

// Value is a column of such a row.
func (k *keptRows) Value(i int32, column int) value.Value {
	s, p := k.cell(i, 1+column)
	return s.Unpack(p)
}

// Fill sets a vector to a column of such rows, with NULL for the number -1.
func (k *keptRows) Fill(v *value.Vector, column int, rows []int32) {
	for to, i := range rows {
		if i < 0 {
			v.SetNull(int32(to))
			continue
		}
		s, p := k.cell(i, 1+column)
		switch kind := p.Kind(); {
		case kind == value.Bytes && v.Kind == value.Bytes:
			v.Bytes[to] = s.Raw(p)
		case kind == value.Int && v.Kind == value.Int:
			v.Ints[to] = int64(p.Number)
		default:
			v.Set(int32(to), s.Unpack(p))
		}
	}
}

// KindOf is the kind of all values of a column that are not NULL; Null if there are several kinds or
// none.
func (k *keptRows) KindOf(column int) value.Kind { return k.kinds.of(column) }

// kindSet has the kinds of the values of each column, a bit for each kind.
type kindSet []uint16

func (k *kindSet) note(row []value.Value) {
	for len(*k) < len(row) {
		*k = append(*k, 0)
	}
	for i := range row {
		(*k)[i] |= 1 << row[i].Kind()
	}
}

func (k *kindSet) union(other kindSet) {
	for len(*k) < len(other) {
		*k = append(*k, 0)
	}
	for i, kinds := range other {
		(*k)[i] |= kinds
	}
}

// of returns the only kind of a column besides NULL, otherwise Null.
func (k kindSet) of(column int) value.Kind {
	if column >= len(k) {
		return value.Null
	}
	some := k[column] &^ (1 << value.Null)
	if bits.OnesCount16(some) != 1 {
		return value.Null
	}
	return value.Kind(bits.TrailingZeros16(some))
}
