package spill

import (
	"cmp"
	"container/heap"
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// TopN keeps in memory the first rows in an order, up to a number.
type TopN struct {
	keys    Keys
	most    int
	account Account
	rows    []firstRow // a heap: the row that sorts last is on top
	seen    int64
	next    int
}

// firstRow is a row with its place in the order of arrival, in memory that is reused for another
// row.
type firstRow struct {
	row    []value.Value
	seq    int64
	buffer *RowBuffer
}

// Full reports whether there is no memory for the rows.
func (f *TopN) Full() bool { return f.account.Full() }

// Key is the first key of the order.
func (f *TopN) Key() Key { return f.keys[0] }

// Add adds a copy of the row if it is one of the first so far.
func (f *TopN) Add(row []value.Value) {
	f.seen++
	if len(f.rows) < f.most {
		b := &RowBuffer{}
		heap.Push((*firstHeap)(f), firstRow{row: b.Set(row), seq: f.seen, buffer: b})
		f.account.Grow(b.Size())
		return
	}
	last := &f.rows[0]
	if f.keys.Compare(row, last.row) >= 0 {
		return
	}
	before := last.buffer.Size()
	last.row, last.seq = last.buffer.Set(row), f.seen
	f.account.Grow(last.buffer.Size() - before)
	heap.Fix((*firstHeap)(f), 0)
}

// Narrow keeps those rows of a batch that may be among the first, judged by the values of the first
// key.
func (f *TopN) Narrow(rows []int32, v *value.Vector) []int32 {
	if len(f.rows) < f.most {
		return rows
	}
	key := f.keys[0]
	last, alike, out := f.rows[0].row[key.Column], len(f.keys) > 1, rows[:0]
	if v.Kind == value.Int && v.Nulls == nil && last.Kind() == value.Int {
		most := last.Int()
		for _, i := range rows {
			if x := v.Ints[i]; x != most && x < most != key.Desc || x == most && alike {
				out = append(out, i)
			}
		}
		return out
	}
	for _, i := range rows {
		if order := key.Of(value.Order(v.At(i), last)); order < 0 || order == 0 && alike {
			out = append(out, i)
		}
	}
	return out
}

func (f *TopN) order(a, b firstRow) int {
	return cmp.Or(f.keys.Compare(a.row, b.row), cmp.Compare(a.seq, b.seq))
}

// inOrder ends the adding; then take returns the rows.
func (f *TopN) inOrder() { slices.SortFunc(f.rows, f.order) }

// byArrival puts the rows in the order of their arrival.
func (f *TopN) byArrival() {
	slices.SortFunc(f.rows, func(a, b firstRow) int { return cmp.Compare(a.seq, b.seq) })
}

func (f *TopN) take() []value.Value {
	if f.next >= len(f.rows) {
		return nil
	}
	f.next++
	return f.rows[f.next-1].row
}

// Close frees the rows.
func (f *TopN) Close() {
	f.rows = nil
	f.account.Release()
}

// firstHeap has the methods of heap.Interface.
type firstHeap TopN

func (h *firstHeap) Len() int           { return len(h.rows) }
func (h *firstHeap) Less(i, j int) bool { return (*TopN)(h).order(h.rows[i], h.rows[j]) > 0 }
func (h *firstHeap) Swap(i, j int)      { h.rows[i], h.rows[j] = h.rows[j], h.rows[i] }
func (h *firstHeap) Push(row any)       { h.rows = append(h.rows, row.(firstRow)) }

func (h *firstHeap) Pop() any {
	last := h.rows[len(h.rows)-1]
	h.rows = h.rows[:len(h.rows)-1]
	return last
}
