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

// If rows are ordered by the first keys, those with equal first keys are sorted by the others, and
// the groups are returned one after the other: so LIMIT stops the reading, and only a group is in
// memory. FOR UPDATE also locks the first row after the last group returned, but fewer rows than a
// sort of all rows.

// SortedWithin sorts rows that are ordered by the first keys.
type SortedWithin struct {
	child       op.Input
	x           *op.Frame
	out         expr.Env
	first, rest []OrderItem
	limit       int64 // 0 for none
	// alike compares rows by the first keys, keys by the others.
	alike, keys spill.Keys
	// small has the rows of a group as long as they are few; large has all of a larger group, if
	// isLarge is set.
	small   smallGroup
	large   spill.LimitedSorter
	isLarge bool
	// Plain says that the child's rows are those of a scan, which may come in batches; wants is the
	// number requested.
	Plain bool
	wants int
	// ahead is the row after the group, if isAhead is set.
	ahead   spill.RowBuffer
	isAhead bool
	ended   bool // the child has no more rows
	given   int64
	peak    int64 // of large
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

// nextOfGroup returns the next row of the group that was read, or nil after the last.
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

// forget closes a large group.
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

// Begin adds the first row of a group to small.
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

// readRow adds the next row to its group, or keeps it if it begins the next group.
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

// becomeLarge changes to a sorter for a group of many rows, which are then read in batches.
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

// The limits of a group that is sorted in memory and whose memory the next group reuses. A sorter
// for each group would allocate each time.
const (
	maxSmallRows  = 64
	maxSmallBytes = 64 << 10
)

// smallGroup has the few rows of a group.
type smallGroup struct {
	rows  []*spill.RowBuffer // the first n are of the group
	order []int              // indexes of rows, sorted
	n     int
	bytes int
	peak  int64
	given int
}

func (f *smallGroup) len() int { return f.n }

func (f *smallGroup) full() bool { return f.n == maxSmallRows || f.bytes >= maxSmallBytes }

// first returns the row that was added first.
func (f *smallGroup) first() []value.Value { return f.rows[0].Row }

// add adds a copy of the row.
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

// sort ends the adding. Equal rows stay in the order of arrival.
func (f *smallGroup) sort(keys spill.Keys) {
	slices.SortStableFunc(f.order, func(a, b int) int { return keys.Compare(f.rows[a].Row, f.rows[b].Row) })
}

// Next returns the next row in order, or nil after the last.
func (f *smallGroup) Next() []value.Value {
	if f.given == len(f.order) {
		return nil
	}
	f.given++
	return f.rows[f.order[f.given-1]].Row
}

func (f *smallGroup) reset() { f.n, f.bytes, f.given, f.order = 0, 0, 0, f.order[:0] }
