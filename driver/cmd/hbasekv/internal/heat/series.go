package heat

import (
	"cmp"
	"slices"
	"time"
)

// maxRanges is how many ranges a column has at most once it is over, the busiest ones.
const maxRanges = 256

// Amount is how much was asked of a range.
type Amount struct{ Reads, Writes, ReadBytes, WrittenBytes float64 }

func (a *Amount) add(b Amount) {
	a.Reads += b.Reads
	a.Writes += b.Writes
	a.ReadBytes += b.ReadBytes
	a.WrittenBytes += b.WrittenBytes
}

func (a *Amount) total() float64 { return a.Reads + a.Writes }

func (a Amount) times(f float64) Amount {
	return Amount{a.Reads * f, a.Writes * f, a.ReadBytes * f, a.WrittenBytes * f}
}

// series are columns of one width, the oldest first.
type series struct {
	step, kept time.Duration
	columns    []*column
}

// column is what was asked for within a step of time: cells while it goes on, kept once it is over.
type column struct {
	begin time.Time
	cells map[*Range]Amount
	kept  []cell
}

// cell is what was asked of one range, in little memory.
type cell struct {
	of     *Range
	amount [4]float32
}

// add adds to the column of a time, which is not before the newest one.
func (s *series) add(now time.Time, of *Range, load Amount) {
	c := s.at(now)
	a := c.cells[of]
	a.add(load)
	c.cells[of] = a
}

func (s *series) at(now time.Time) *column {
	begin := now.Truncate(s.step)
	if n := len(s.columns); n > 0 {
		newest := s.columns[n-1]
		if !newest.begin.Before(begin) {
			return newest
		}
		newest.settle()
	}
	c := &column{begin: begin, cells: map[*Range]Amount{}}
	s.columns = append(s.columns, c)
	return c
}

// trim drops what is too old.
func (s *series) trim(now time.Time) {
	oldest := now.Add(-s.kept)
	s.columns = slices.DeleteFunc(s.columns, func(c *column) bool { return c.begin.Before(oldest) })
}

// settle keeps the busiest ranges of a column to which nothing is added any more.
func (c *column) settle() {
	all := make([]*Range, 0, len(c.cells))
	for of := range c.cells {
		all = append(all, of)
	}
	if len(all) > maxRanges {
		slices.SortFunc(all, func(a, b *Range) int {
			x, y := c.cells[a], c.cells[b]
			return cmp.Compare(y.total(), x.total())
		})
		all = all[:maxRanges]
	}
	c.kept = make([]cell, len(all))
	for i, of := range all {
		a := c.cells[of]
		c.kept[i] = cell{of, [4]float32{float32(a.Reads), float32(a.Writes), float32(a.ReadBytes), float32(a.WrittenBytes)}}
	}
	c.cells = nil
}

// each calls fn with what the column has.
func (c *column) each(fn func(of *Range, a Amount)) {
	for of, a := range c.cells {
		fn(of, a)
	}
	for _, k := range c.kept {
		fn(k.of, Amount{float64(k.amount[0]), float64(k.amount[1]), float64(k.amount[2]), float64(k.amount[3])})
	}
}
