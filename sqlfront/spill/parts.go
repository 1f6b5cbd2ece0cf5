package spill

import (
	"cmp"
	"slices"
	"sort"

	"github.com/hbasekv/hbasekv/sqlfront/cancelcheck"
	"github.com/hbasekv/hbasekv/sqlfront/spill/rowmem"
)

// partsMerge merges sorted parts on several goroutines, each of which merges ranges of the result.
type partsMerge struct {
	by    rowmem.Comparer
	parts [][]rowmem.SortedRow
}

// place is a row of a part.
type place struct{ part, at int }

const (
	// mergedEach is the average number of ranges for each worker; sampled is the number of rows that
	// are sampled for each range to find its bounds.
	mergedEach = 4
	sampled    = 16
)

// Merge merges the rows of parts, each sorted in memory; equal rows are in the order of the parts. It
// replaces Add and Sort. The merge runs on so many goroutines, or if there is no memory for that, step
// by step in Next. Close the parts after this sorter. Its errors are those of [Space].
func (s *Sorter) Merge(parts []*Sorter, workers int) error {
	m := partsMerge{by: s.by.Own(), parts: make([][]rowmem.SortedRow, len(parts))}
	rows := 0
	for i, p := range parts {
		m.parts[i], m.by.Abbreviation = p.numbered(i), m.by.Abbreviation.With(p.by.Abbreviation)
		m.by.Stores = append(m.by.Stores, p.ownStore())
		rows += len(p.rows)
		s.kinds.union(p.kinds)
	}
	s.by = m.by.Own()
	s.account.Grow(rows * rowmem.SortedRowSize)
	if s.merged = s.account.Full(); s.merged {
		s.account.Release()
		return s.merge.startKept(m.parts, m.by)
	}
	s.rows = make([]rowmem.SortedRow, rows)
	cuts := m.cuts(rows, mergedEach*workers)
	return cancelcheck.Share(s.space.ctx, workers, len(cuts)-1, func(meter *cancelcheck.Meter, i int) error {
		return m.stretch(cuts[i], cuts[i+1], s.rows, meter)
	})
}

// numbered returns the rows of a part, marked with the number of its store.
func (s *Sorter) numbered(store int) []rowmem.SortedRow {
	for i := range s.rows {
		s.rows[i].Store = uint32(store)
	}
	return s.rows
}

// cuts divides the result into about n ranges of equal size: for each range it returns the number of
// rows of each part before it, and at the end the number of all.
func (m *partsMerge) cuts(rows, n int) [][]int {
	every := rows/(n*sampled) + 1
	var samples []place
	last := make([]int, len(m.parts))
	for i, p := range m.parts {
		for at := every - 1; at < len(p); at += every {
			samples = append(samples, place{i, at})
		}
		last[i] = len(p)
	}
	slices.SortFunc(samples, m.orderPlaces)
	out := [][]int{make([]int, len(m.parts))}
	for i := sampled; i < len(samples); i += sampled {
		out = append(out, m.before(samples[i]))
	}
	return append(out, last)
}

// orderPlaces compares rows, and equal ones by their places.
func (m *partsMerge) orderPlaces(a, b place) int {
	order := m.by.Order(m.parts[a.part][a.at], m.parts[b.part][b.at])
	return cmp.Or(order, cmp.Compare(a.part, b.part), cmp.Compare(a.at, b.at))
}

// before returns the number of rows of each part that come before a row.
func (m *partsMerge) before(of place) []int {
	out := make([]int, len(m.parts))
	for i, p := range m.parts {
		out[i] = sort.Search(len(p), func(at int) bool { return m.orderPlaces(place{i, at}, of) >= 0 })
	}
	return out
}

// stretch merges the rows between two cuts into their place in the result.
func (m *partsMerge) stretch(from, to []int, out []rowmem.SortedRow, meter *cancelcheck.Meter) error {
	parts := make([][]rowmem.SortedRow, len(m.parts))
	at, end := 0, 0
	for i, p := range m.parts {
		parts[i] = p[from[i]:to[i]]
		at, end = at+from[i], end+to[i]
	}
	if m.by.Abbreviation.TellAll() {
		return sortStretch(parts, out[at:end], meter)
	}
	return m.mergeStretch(parts, out[at:end], meter)
}

// sortStretch sorts rows whose abbreviations order them completely, which takes a third of the time of
// merging them.
func sortStretch(parts [][]rowmem.SortedRow, out []rowmem.SortedRow, meter *cancelcheck.Meter) error {
	all := out[:0]
	for _, p := range parts {
		all = append(all, p...)
	}
	sorted, err := sortByBytes(all, make([]rowmem.SortedRow, len(all)), meter)
	copy(out, sorted)
	return err
}

func (m *partsMerge) mergeStretch(parts [][]rowmem.SortedRow, out []rowmem.SortedRow, meter *cancelcheck.Meter) error {
	var run merge
	if err := run.startKept(parts, m.by); err != nil {
		return err
	}
	for at := 0; ; at++ {
		next, err := run.nextHead()
		if next == nil || err != nil {
			return err
		}
		out[at] = next.row
		if err := meter.Step(cancelcheck.Row); err != nil {
			return err
		}
	}
}
