package exec

import (
	"cmp"
	"container/heap"
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// topRows keeps the rows that come first in an order.
type topRows struct {
	keys    spill.Keys
	most    int
	account spill.Account
	rows    []topRow // a heap: the row that sorts last is on top
	seen    int64
	next    int
}

// topRow is a row with its place in the order of arrival, in memory that is
// used again for another row.
type topRow struct {
	row    []value.Value
	seq    int64
	buffer *spill.RowBuffer
}

// add takes a copy of the row where it is one of the first so far.
func (t *topRows) add(row []value.Value) {
	t.seen++
	if len(t.rows) < t.most {
		b := &spill.RowBuffer{}
		heap.Push(t, topRow{row: b.Set(row), seq: t.seen, buffer: b})
		t.account.Grow(b.Size())
		return
	}
	last := &t.rows[0]
	if t.keys.Compare(row, last.row) >= 0 {
		return
	}
	before := last.buffer.Size()
	last.row, last.seq = last.buffer.Set(row), t.seen
	t.account.Grow(last.buffer.Size() - before)
	heap.Fix(t, 0)
}

// narrow leaves those rows of a batch that may be among the first, by the values of the
// first key. The last 100 of 300,000 cells by T take 40 ms of processor time so, and 54
// where each cell is made a row.
func (t *topRows) narrow(rows []int32, v *value.Vector) []int32 {
	if len(t.rows) < t.most {
		return rows
	}
	key := t.keys[0]
	last, alike, out := t.rows[0].row[key.Column], len(t.keys) > 1, rows[:0]
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

func (t *topRows) order(a, b topRow) int {
	return cmp.Or(t.keys.Compare(a.row, b.row), cmp.Compare(a.seq, b.seq))
}

// inOrder ends the adding; rows come from take then.
func (t *topRows) inOrder() { slices.SortFunc(t.rows, t.order) }

// byArrival puts the rows in the order of their arrival.
func (t *topRows) byArrival() {
	slices.SortFunc(t.rows, func(a, b topRow) int { return cmp.Compare(a.seq, b.seq) })
}

func (t *topRows) take() []value.Value {
	if t.next >= len(t.rows) {
		return nil
	}
	t.next++
	return t.rows[t.next-1].row
}

func (t *topRows) release() {
	t.rows = nil
	t.account.Release()
}

// The methods of heap.Interface.

func (t *topRows) Len() int           { return len(t.rows) }
func (t *topRows) Less(i, j int) bool { return t.order(t.rows[i], t.rows[j]) > 0 }
func (t *topRows) Swap(i, j int)      { t.rows[i], t.rows[j] = t.rows[j], t.rows[i] }
func (t *topRows) Push(row any)       { t.rows = append(t.rows, row.(topRow)) }

func (t *topRows) Pop() any {
	last := t.rows[len(t.rows)-1]
	t.rows = t.rows[:len(t.rows)-1]
	return last
}
