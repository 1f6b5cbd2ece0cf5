package order

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Rows that come in the order of the first keys are sorted by the other ones within each group of
// rows that are alike in the first ones, and the groups are given one after the other: so LIMIT
// stops the reading, and memory is that of a group. FOR UPDATE locks the first row behind the last
// group that is given, which is fewer than a sort of all rows locks.

// SortedWithin sorts rows that come in the order of the first keys.
type SortedWithin struct {
	child       op.Input
	x           *op.Frame
	out         expr.Env
	first, rest []OrderItem
	limit       int64 // 0 is none
	// alike compares rows by the first keys, keys by the others.
	alike, keys spill.Keys
	// small are the rows of a group, as long as they are few, many all of a larger one, where
	// isLarge is set.
	small   smallGroup
	large   spill.LimitedSorter
	isLarge bool
	// Plain says that the child's rows are those of a scan, which may come in batches; wants is
	// how many are asked for.
	Plain bool
	wants int
	// ahead is the row behind the group, while isAhead is set.
	ahead   spill.RowBuffer
	isAhead bool
	ended   bool // the child gives no more
	given   int64
	peak    int64 // of many
	spilled bool
}

func NewSortedWithin(x *op.Frame, child op.Operator, by []OrderItem, leading int, limit int64) *SortedWithin {
	s := &SortedWithin{child: op.Input{Operator: child}, x: x, wants: 1, first: by[:leading], rest: by[leading:],
		limit: limit}
	s.alike, s.keys = sortKeysOf(s.first), sortKeysOf(s.rest)
	return s
}

func (s *SortedWithin) Env() *expr.Env { return &s.out }

func (s *SortedWithin) Next(int) (_ *kernel.Batch, err error) {
	for {
		if s.out.Row, err = s.nextOfGroup(); err != nil {
			return nil, err
		}
		if s.out.Row != nil {
			s.given++
			return op.OneRow, nil
		}
		if ok, err := s.readGroup(); !ok || err != nil {
			return nil, err
		}
	}
}

// nextOfGroup is the next row of the group that was read, nil behind the last.
func (s *SortedWithin) nextOfGroup() ([]value.Value, error) {
	if !s.isLarge {
		return s.small.Next(), nil
	}
	row, err := s.large.Next()
	if row == nil && err == nil {
		err = s.forget()
	}
	return row, err
}

// forget gives up a group of many rows.
func (s *SortedWithin) forget() error {
	if !s.isLarge {
		return nil
	}
	s.isLarge = false
	s.peak, s.spilled = max(s.peak, s.large.Peak()), s.spilled || s.large.Spilled()
	return s.large.Close()
}

// readGroup reads the next group, and reports whether there is one.
func (s *SortedWithin) readGroup() (bool, error) {
	s.small.reset()
	if err := s.Begin(); err != nil || s.small.len() == 0 {
		return false, err
	}
	for !s.isAhead && !s.ended {
		if err := s.readRow(); err != nil {
			return false, err
		}
	}
	if s.isLarge {
		return true, s.large.Sort()
	}
	s.small.sort(s.keys)
	return true, nil
}

// Begin puts the first row of a group into few.
func (s *SortedWithin) Begin() error {
	if s.isAhead {
		s.isAhead = false
		s.small.add(s.ahead.Row)
		return nil
	}
	if s.ended {
		return nil
	}
	row, err := s.child.Result(s.wants)
	if s.ended = row == nil; s.ended || err != nil {
		return err
	}
	s.small.add(row)
	return nil
}

// readRow adds the next row to its group, or keeps it where it is one of the next group.
func (s *SortedWithin) readRow() error {
	row, err := s.child.Result(s.wants)
	switch {
	case err != nil:
		return err
	case row == nil:
		s.ended = true
		return nil
	case s.alike.Compare(row, s.small.first()) != 0:
		s.isAhead = true
		s.ahead.Set(row)
		return nil
	}
	if err := s.add(row); err != nil {
		return err
	}
	return s.x.Tick()
}

func (s *SortedWithin) add(row []value.Value) error {
	if !s.isLarge && !s.small.full() {
		s.small.add(row)
		return nil
	}
	if !s.isLarge {
		if err := s.becomeLarge(); err != nil {
			return err
		}
	}
	return s.large.Add(row)
}

// becomeLarge goes over to a sort as of all rows, for a group of many of them. They are made of
// batches then.
func (s *SortedWithin) becomeLarge() error {
	left := s.limit
	if left > 0 {
		left = max(1, left-s.given)
	}
	s.isLarge, s.large = true, s.x.Stmt.Space.NewLimitedSorter(s.keys, left)
	if s.Plain {
		s.wants = op.AllRows
	}
	for _, b := range s.small.rows[:s.small.n] {
		if err := s.large.Add(b.Row); err != nil {
			return err
		}
	}
	return nil
}

func (s *SortedWithin) Close() error { return cmp.Or(s.child.Close(), s.forget()) }

func (s *SortedWithin) Step() *explain.Step {
	out := explain.NewStep("Sort", s.child.Step())
	if s.limit > 0 {
		out.Title = fmt.Sprintf("Sort, keeping %d rows", s.limit)
	}
	out.Add("by", printOrder(s.rest))
	out.Add("within", printOrder(s.first))
	if s.spilled || s.isLarge && s.large.Spilled() {
		out.AddSpilled()
	}
	out.Filesort, out.Memory = true, max(s.peak, s.small.peak)
	if s.isLarge {
		out.Memory = max(out.Memory, s.large.Peak())
	}
	out.Rows = s.given
	return out
}

// The bounds of a group that is sorted in memory which the next group uses again. A sorter for each
// group would allocate for each.
const (
	maxSmallRows  = 64
	maxSmallBytes = 64 << 10
)

// smallGroup are the few rows of a group.
type smallGroup struct {
	rows  []*spill.RowBuffer // the first n are of the group
	order []int              // of rows, where they are sorted
	n     int
	bytes int
	peak  int64
	given int
}

func (f *smallGroup) len() int { return f.n }

func (f *smallGroup) full() bool { return f.n == maxSmallRows || f.bytes >= maxSmallBytes }

// first is the row that was added first.
func (f *smallGroup) first() []value.Value { return f.rows[0].Row }

// add takes a copy of the row.
func (f *smallGroup) add(row []value.Value) {
	if f.n == len(f.rows) {
		f.rows = append(f.rows, &spill.RowBuffer{})
	}
	b := f.rows[f.n]
	b.Set(row)
	f.order = append(f.order, f.n)
	f.n++
	f.bytes += b.Size()
	f.peak = max(f.peak, int64(f.bytes))
}

// sort ends the adding. Rows that are alike stay in the order of their arrival.
func (f *smallGroup) sort(keys spill.Keys) {
	slices.SortStableFunc(f.order, func(a, b int) int { return keys.Compare(f.rows[a].Row, f.rows[b].Row) })
}

// Next is the next row in order, nil behind the last.
func (f *smallGroup) Next() []value.Value {
	if f.given == len(f.order) {
		return nil
	}
	f.given++
	return f.rows[f.order[f.given-1]].Row
}

func (f *smallGroup) reset() { f.n, f.bytes, f.given, f.order = 0, 0, 0, f.order[:0] }
