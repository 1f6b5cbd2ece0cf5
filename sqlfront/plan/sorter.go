package plan

import (
	"container/heap"
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// sortKey is one key of a sort: a column of the sorted rows.
type sortKey struct {
	column int
	desc   bool
}

// maxTop is the longest LIMIT for which a sort keeps only the rows that the
// limit lets through.
const maxTop = 1 << 16

// sorter sorts rows, those that are alike in all keys in the order of their
// arrival. With a limit it keeps no more rows than that.
type sorter struct {
	x     *exec
	keys  []sortKey
	limit int64 // 0 is none
	rows  []sortedRow
	kept  arena
	seen  int64
	next  int
}

// sortedRow is a row with its place in the order of arrival. buffer holds the
// row's memory where it is used again for another row.
type sortedRow struct {
	row    []value.Value
	seq    int64
	buffer *rowBuffer
}

func (s *sorter) top() bool { return s.limit > 0 && s.limit <= maxTop }

// add takes a copy of the row.
func (s *sorter) add(row []value.Value) {
	s.seen++
	if !s.top() {
		s.rows = append(s.rows, sortedRow{row: s.kept.clone(row), seq: s.seen})
		return
	}
	if int64(len(s.rows)) < s.limit {
		b := &rowBuffer{}
		heap.Push(s, sortedRow{row: b.set(row), seq: s.seen, buffer: b})
		return
	}
	last := &s.rows[0]
	if s.compare(row, last.row) >= 0 {
		return
	}
	last.row, last.seq = last.buffer.set(row), s.seen
	heap.Fix(s, 0)
}

// sort ends the adding; rows come from take then.
func (s *sorter) sort() error {
	var err error
	slices.SortFunc(s.rows, func(a, b sortedRow) int {
		if err == nil {
			err = s.x.tick()
		}
		if err != nil {
			return 0
		}
		return s.order(a, b)
	})
	return err
}

// take is the next row in order, nil behind the last.
func (s *sorter) take() []value.Value {
	if s.next >= len(s.rows) {
		return nil
	}
	s.next++
	return s.rows[s.next-1].row
}

func (s *sorter) order(a, b sortedRow) int {
	if c := s.compare(a.row, b.row); c != 0 {
		return c
	}
	return int(a.seq - b.seq)
}

// compare compares the keys: NULL comes first, or last where descending.
func (s *sorter) compare(a, b []value.Value) int {
	for _, k := range s.keys {
		if c := value.Order(a[k.column], b[k.column]); c != 0 {
			if k.desc {
				return -c
			}
			return c
		}
	}
	return 0
}

// The methods of heap.Interface: the row that sorts last is on top.

func (s *sorter) Len() int           { return len(s.rows) }
func (s *sorter) Less(i, j int) bool { return s.order(s.rows[i], s.rows[j]) > 0 }
func (s *sorter) Swap(i, j int)      { s.rows[i], s.rows[j] = s.rows[j], s.rows[i] }
func (s *sorter) Push(row any)       { s.rows = append(s.rows, row.(sortedRow)) }

func (s *sorter) Pop() any {
	last := s.rows[len(s.rows)-1]
	s.rows = s.rows[:len(s.rows)-1]
	return last
}
