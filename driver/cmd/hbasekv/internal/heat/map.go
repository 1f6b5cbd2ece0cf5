package heat

import (
	"bytes"
	"cmp"
	"slices"
	"sort"
	"time"
)

// Map is a part of the record. Cells[row][column] is what was asked of Rows[row] from Times[column] on.
type Map struct {
	Rows  []*Range
	Times []time.Time
	Step  time.Duration
	Cells [][]Amount
	// By are the callers of each row in the last minutes, as far as samples tell.
	By    [][]Share
	Begun time.Time // since when is recorded; zero where nothing is
}

// Question is what a Map is to be of.
type Question struct {
	From, To time.Time
	// MaxRows and MaxColumns bound the map: the least busy rows are left out, and columns are joined.
	MaxRows, MaxColumns int
	// Shows says which ranges may be in it: it is asked about whole partitions.
	Shows func(*Range) bool
}

// Map gives what is recorded of the ranges that the question lets be shown. It is by the minute where
// that goes back far enough, else by ten minutes. Its rows do not overlap within a partition: what was recorded of a
// range that has been cut since is spread evenly over its parts.
func (r *Recorder) Map(q Question) *Map {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := &r.fine
	if q.To.Sub(q.From) > fineKept || q.To.Add(-fineKept-Fine).After(q.From) {
		s = &r.coarse
	}
	m := &Map{Step: s.step, Begun: r.begun}
	for q.MaxColumns > 0 && int(q.To.Sub(q.From)/m.Step) > q.MaxColumns {
		m.Step *= 2
	}
	for at := q.From.Truncate(m.Step); at.Before(q.To); at = at.Add(m.Step) {
		m.Times = append(m.Times, at)
	}
	if len(m.Times) > 0 {
		m.fill(s, q)
	}
	for _, of := range m.Rows {
		m.By = append(m.By, of.callers())
	}
	return m
}

// callers are those of the part that the range is in.
func (r *Range) callers() []Share {
	if len(r.of.parts) == 0 {
		return nil
	}
	return r.of.parts[r.of.index(r.Start)].tally.shares()
}

// maxRowsOf is how many rows a map has of one partition.
const maxRowsOf = 64

// partition is one in a map.
type partition struct {
	cuts  [][]byte
	rows  []*Range
	cells [][]Amount
}

func (m *Map) fill(s *series, q Question) {
	all := m.busiest(s, q)
	m.each(s, func(_ int, of *Range, _ Amount) {
		if p := all[of.of]; p != nil {
			p.cut(of)
		}
	})
	for of, p := range all {
		p.begin(of.whole, len(m.Times))
	}
	m.each(s, func(column int, of *Range, a Amount) {
		if p := all[of.of]; p != nil {
			p.add(column, of, a)
		}
	})
	m.take(all, q.MaxRows)
}

// busiest are the partitions that may be shown of which most was asked, as many as the map may have rows.
func (m *Map) busiest(s *series, q Question) map[*spot]*partition {
	totals := map[*spot]float64{}
	m.each(s, func(_ int, of *Range, a Amount) { totals[of.of] += a.total() })
	shown := make([]*spot, 0, len(totals))
	for of := range totals {
		if q.Shows(of.whole) {
			shown = append(shown, of)
		}
	}
	if q.MaxRows > 0 && len(shown) > q.MaxRows {
		slices.SortFunc(shown, func(a, b *spot) int { return cmp.Compare(totals[b], totals[a]) })
		shown = shown[:q.MaxRows]
	}
	all := make(map[*spot]*partition, len(shown))
	for _, of := range shown {
		all[of] = &partition{}
	}
	return all
}

// each calls fn with what is recorded of the map's times, the newest first.
func (m *Map) each(s *series, fn func(column int, of *Range, a Amount)) {
	for _, c := range slices.Backward(s.columns) {
		at := int(c.begin.Sub(m.Times[0]) / m.Step)
		if !c.begin.Before(m.Times[0]) && at < len(m.Times) {
			c.each(func(of *Range, a Amount) { fn(at, of, a) })
		}
	}
}

// cut cuts the partition at the bounds of a range, as long as it has few.
func (p *partition) cut(of *Range) {
	whole := of.of.whole
	for _, at := range [][]byte{of.Start, of.End} {
		if len(p.cuts) >= maxRowsOf-1 || bytes.Equal(at, whole.Start) || bytes.Equal(at, whole.End) {
			continue
		}
		if i, found := slices.BinarySearchFunc(p.cuts, at, bytes.Compare); !found {
			p.cuts = slices.Insert(p.cuts, i, at)
		}
	}
}

// begin makes the rows, with nothing asked yet.
func (p *partition) begin(whole *Range, columns int) {
	start := whole.Start
	for _, at := range p.cuts {
		p.rows = append(p.rows, whole.between(start, at))
		start = at
	}
	p.rows = append(p.rows, whole.between(start, whole.End))
	p.cells = make([][]Amount, len(p.rows))
	for i := range p.cells {
		p.cells[i] = make([]Amount, columns)
	}
}

// add spreads what was asked of a range over the rows that it covers.
func (p *partition) add(column int, of *Range, a Amount) {
	from := indexIn(p.cuts, of.Start)
	to := len(p.cuts)
	if len(of.End) > 0 {
		to = sort.Search(len(p.cuts), func(i int) bool { return bytes.Compare(p.cuts[i], of.End) >= 0 })
	}
	to = max(from, to)
	for i := from; i <= to; i++ {
		p.cells[i][column].add(a.times(1 / float64(to-from+1)))
	}
}

// take makes the busiest rows the map's, in the order of keys.
func (m *Map) take(all map[*spot]*partition, most int) {
	cells, totals := map[*Range][]Amount{}, map[*Range]float64{}
	for _, p := range all {
		for i, of := range p.rows {
			for j := range p.cells[i] {
				totals[of] += p.cells[i][j].total()
			}
			cells[of] = p.cells[i]
			m.Rows = append(m.Rows, of)
		}
	}
	if most > 0 && len(m.Rows) > most {
		slices.SortFunc(m.Rows, func(a, b *Range) int { return cmp.Compare(totals[b], totals[a]) })
		m.Rows = m.Rows[:most]
	}
	slices.SortFunc(m.Rows, compareRanges)
	for _, of := range m.Rows {
		m.Cells = append(m.Cells, cells[of])
	}
}
