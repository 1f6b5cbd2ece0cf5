package spill

import (
	"slices"
	"sync"
	"unsafe"

	"github.com/hbasekv/hbasekv/sqlfront/cancelcheck"
	"github.com/hbasekv/hbasekv/sqlfront/spill/rowmem"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Each calls fn for each row that next returns, up to nil. Its error is that of next or of fn.
func Each(next func() ([]value.Value, error), fn func(row []value.Value) error) error {
	for {
		row, err := next()
		if row == nil || err != nil {
			return err
		}
		if err := fn(row); err != nil {
			return err
		}
	}
}

// Sorter sorts rows; equal ones stay in the order of their arrival. Call Add first, then Sort, then
// Next.
type Sorter struct {
	// Most is the number of rows that are read at most; 0 for all.
	Most int64
	// Hold keeps the rows in memory, which the caller limits.
	Hold bool

	by rowmem.Comparer // the first store is the sorter's own

	space   *Space
	account Account
	meter   cancelcheck.Meter
	rows    []rowmem.SortedRow
	row     []value.Value // the last one returned
	kinds   kindSet       // of the values of each column
	given   int

	file   *file
	runs   [][]run    // each is a list of pieces of the file
	mu     sync.Mutex // for AddRun
	write  writer
	merge  merge
	merged bool // the rows are those of other sorters, merged by Next
}

// Key and Keys are the sort keys of a Sorter.
type (
	Key  = rowmem.Key
	Keys = rowmem.Keys
)

// SortedSize is what a row of so many columns takes in a Sorter that keeps and merges it, besides
// the bytes of its strings.
func SortedSize(columns int) int64 {
	return int64(2*rowmem.SortedRowSize + columns*int(unsafe.Sizeof(value.Packed{})))
}

// NewSorter makes a Sorter, which costs almost nothing before the first Add.
func (s *Space) NewSorter(keys Keys) *Sorter {
	return &Sorter{by: keys.Comparer(), space: s, account: s.Account(), meter: cancelcheck.Meter{Ctx: s.ctx}}
}

// NewSorterOfPart makes a Sorter for a part of the rows, which keeps them in memory for the Merge
// of another one.
func (s *Space) NewSorterOfPart(keys Keys) *Sorter {
	out := s.NewSorter(keys)
	out.Hold = true
	return out
}

// Full reports whether there is no memory for more rows.
func (s *Sorter) Full() bool {
	return s.account.Full() || len(s.by.Stores) > 0 && s.by.Stores[0].Full()
}

// Kept reports whether all rows are in memory in order, after Sort or Merge. AppendRow then returns
// them.
func (s *Sorter) Kept() bool { return s.file == nil && !s.merged }

// AppendRow appends the row at a position to dst, if the rows are Kept; it returns nil after the
// last. The row's bytes are valid until Close.
func (s *Sorter) AppendRow(dst []value.Value, at int64) []value.Value {
	if at >= int64(len(s.rows)) {
		return nil
	}
	r := s.rows[at]
	return s.by.Stores[r.Store].AppendRow(dst, r.At)
}

// Value returns a column of the row at a position, if the rows are Kept; its bytes are valid until
// Close.
func (s *Sorter) Value(at int64, column int) value.Value {
	r := s.rows[at]
	return s.by.Stores[r.Store].Value(r.At, column)
}

// Alike reports whether two rows, by their positions, are equal in columns, if the rows are Kept.
func (s *Sorter) Alike(a, b int64, columns []int) bool {
	x, y := s.rows[a], s.rows[b]
	of, and := s.by.Stores[x.Store], s.by.Stores[y.Store]
	for _, c := range columns {
		if rowmem.CompareCells(of, of.Cell(x.At, c), and, and.Cell(y.At, c)) != 0 {
			return false
		}
	}
	return true
}

// Fill fills a vector with a column of the rows from a position on, if the rows are Kept.
func (s *Sorter) Fill(v *value.Vector, column int, from int64) {
	for i, r := range s.rows[from:][:v.Len()] {
		v.Set(int32(i), s.by.Stores[r.Store].Value(r.At, column))
	}
}

// KindOf is the kind of all values of a column that are not NULL; Null if there are several or
// none.
func (s *Sorter) KindOf(column int) value.Kind { return s.kinds.of(column) }

// Rows is the number of rows, if they are Kept.
func (s *Sorter) Rows() int64 { return int64(len(s.rows)) }

// Peak is the most memory used at any time, in bytes.
func (s *Sorter) Peak() int64 { return s.account.Peak() }

// Spilled reports whether rows are in temporary files.
func (s *Sorter) Spilled() bool { return s.file != nil }

// Add adds a copy of the row. Its errors are those of [Space].
func (s *Sorter) Add(row []value.Value) error {
	if len(s.rows) == cap(s.rows) {
		s.rows = slices.Grow(s.rows, max(len(s.rows), minRadix))
	}
	at, size := s.ownStore().Add(row)
	s.rows = append(s.rows, rowmem.SortedRow{Abbreviation: s.by.Abbreviation.Of(row), At: at})
	s.kinds.note(row)
	s.account.Grow(size + rowmem.SortedRowSize)
	if !s.Hold && s.Full() {
		if err := s.spill(); err != nil {
			return err
		}
	}
	return s.meter.Step(cancelcheck.Row)
}

func (s *Sorter) ownStore() *rowmem.Store {
	if s.by.Stores == nil {
		s.by.Stores = []*rowmem.Store{{}}
	}
	return s.by.Stores[0]
}

// Sort ends the adding. Its errors are those of [Space].
func (s *Sorter) Sort() error {
	if len(s.runs) == 0 {
		return s.sortRows()
	}
	if len(s.rows) > 0 {
		if err := s.spill(); err != nil {
			return err
		}
	}
	s.rows, s.by.Stores = nil, nil
	for len(s.runs) > s.space.fanIn() {
		if err := s.mergeAll(); err != nil {
			return err
		}
	}
	s.account.Grow(len(s.runs) * s.space.block())
	return s.merge.start(s.runs, s.space.block(), s.by)
}

// Next returns the next row in order, or nil after the last. Its errors are those of [Space].
func (s *Sorter) Next() ([]value.Value, error) {
	if s.file != nil || s.merged {
		if err := s.meter.Step(cancelcheck.Row); err != nil {
			return nil, err
		}
		return s.merge.next()
	}
	return s.nextKept(), nil
}

// nextKept returns the next of the rows in memory, or nil.
func (s *Sorter) nextKept() []value.Value {
	if s.given == len(s.rows) {
		return nil
	}
	s.given++
	if s.row == nil {
		s.row = []value.Value{} // not nil, even without columns
	}
	s.row = s.AppendRow(s.row[:0], int64(s.given-1))
	return s.row
}

// Close releases memory and temporary files. It may be called again. Its errors are those of
// [Space].
func (s *Sorter) Close() error {
	s.account.Release()
	s.rows, s.by.Stores, s.runs, s.write, s.merge = nil, nil, nil, writer{}, merge{}
	err := s.file.close()
	s.file = nil
	return err
}

func (s *Sorter) sortRows() (err error) {
	if s.by.Abbreviation.Off || len(s.rows) < minRadix || s.account.Full() {
		return cancelcheck.Sort(&s.meter, s.rows, s.by.ByArrival)
	}
	size := rowmem.SortedRowSize * len(s.rows)
	s.account.Grow(size)
	s.rows, err = sortByBytes(s.rows, make([]rowmem.SortedRow, len(s.rows)), &s.meter)
	s.account.Grow(-size)
	if err != nil {
		return err
	}
	return s.sortAlike(s.rows)
}

// spill writes the rows in memory as a sorted run.
func (s *Sorter) spill() (err error) {
	if _, err := s.madeFile(); err != nil {
		return err
	}
	if err := s.sortRows(); err != nil {
		return err
	}
	s.given = 0
	err = s.writeRun(s.file, func() ([]value.Value, error) { return s.nextKept(), nil })
	s.rows, s.given = s.rows[:0], 0
	s.by.Stores[0].Reset()
	s.account.Release()
	return err
}

// writeRun writes the rows that next returns as the last run.
func (s *Sorter) writeRun(f *file, next func() ([]value.Value, error)) error {
	r := s.write.begin(f)
	for s.Most == 0 || s.write.rows < s.Most {
		row, err := next()
		if err != nil {
			return err
		}
		if row == nil {
			break
		}
		if err := s.write.add(row); err != nil {
			return err
		}
		if err := s.meter.Step(cancelcheck.Row); err != nil {
			return err
		}
	}
	if err := s.write.finish(&r); err != nil {
		return err
	}
	s.runs = append(s.runs, []run{r})
	return nil
}

// AddRun adds rows that are sorted already, which need no memory here. It is safe for concurrent
// use, but not together with Add. Its errors are those of [Space].
func (s *Sorter) AddRun(next func() ([]value.Value, error)) error {
	to := pieceWriter{open: s.madeFile, block: s.space.block()}
	if err := Each(next, to.add); err != nil {
		return err
	}
	if err := to.end(); err != nil || len(to.pieces) == 0 {
		return err
	}
	s.mu.Lock()
	s.runs = append(s.runs, to.pieces)
	s.mu.Unlock()
	return nil
}

// madeFile returns the file, which it creates if needed.
func (s *Sorter) madeFile() (_ *file, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		s.file, err = s.space.createPart()
	}
	return s.file, err
}

// mergeAll merges adjacent runs into fewer ones, so that equal rows stay in their order.
func (s *Sorter) mergeAll() error {
	old, runs := s.file, s.runs
	into, err := s.space.create()
	if err != nil {
		return err
	}
	s.runs = nil
	for len(runs) > 0 {
		n := min(s.space.fanIn(), len(runs))
		if err := s.merge.start(runs[:n], s.space.block(), s.by); err != nil {
			return err
		}
		if err := s.writeRun(into, s.merge.next); err != nil {
			return err
		}
		runs = runs[n:]
		s.space.count(func(c *Counters) { c.Merges.Add(1) })
	}
	s.file = into
	return old.close()
}
