package spill

import (
	"cmp"
	"slices"
	"sort"

	"github.com/hbasekv/hbasekv/sqlfront/steps"
)

// partsMerge puts the rows of sorted parts in order, each stretch of the order by itself.
type partsMerge struct {
	parts   [][]sortedRow
	compare Compare
	brief   brief
}

// place is a row of a part.
type place struct{ part, at int }

const (
	// mergedEach is how many stretches a worker merges on the average, and sampled how
	// many rows are looked at for each.
	mergedEach = 4
	sampled    = 16
	// sortedRowSize is what a row takes beside its values.
	sortedRowSize = 40
)

// Merge has the sorter take the rows of others, each of which is sorted in memory; of rows
// that are alike those of earlier ones come first. It takes the place of Add and Sort.
// The rows are put in order by so many goroutines, or where there is no memory for that
// as they are asked for. The others are to be closed behind this one.
func (s *Sorter) Merge(parts []*Sorter, workers int) error {
	m := partsMerge{compare: s.compare, brief: s.brief, parts: make([][]sortedRow, len(parts))}
	rows := 0
	for i, p := range parts {
		m.parts[i], m.brief = p.rows, m.brief.with(p.brief)
		rows += len(p.rows)
		s.uniteKinds(p)
	}
	s.brief = m.brief
	s.account.Grow(rows * sortedRowSize)
	if s.merged = s.account.Full(); s.merged {
		s.account.Release()
		return s.merge.startKept(m.parts, m.compare, m.brief)
	}
	s.rows = make([]sortedRow, rows)
	cuts := m.cuts(rows, mergedEach*workers)
	return steps.Share(s.space.ctx, workers, len(cuts)-1, func(meter *steps.Meter, i int) error {
		return m.stretch(cuts[i], cuts[i+1], s.rows, meter)
	})
}

func (s *Sorter) uniteKinds(o *Sorter) {
	for len(s.kinds) < len(o.kinds) {
		s.kinds = append(s.kinds, 0)
	}
	for i, k := range o.kinds {
		s.kinds[i] |= k
	}
}

// cuts are how many rows of each part are in front of a stretch, of about n stretches of
// one size, and behind the last.
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
	slices.SortFunc(samples, m.order)
	out := [][]int{make([]int, len(m.parts))}
	for i := sampled; i < len(samples); i += sampled {
		out = append(out, m.before(samples[i]))
	}
	return append(out, last)
}

// order compares rows, of those that are alike by their places.
func (m *partsMerge) order(a, b place) int {
	x, y := &m.parts[a.part][a.at], &m.parts[b.part][b.at]
	return cmp.Or(m.brief.compare(x.row, y.row, x.brief, y.brief, m.compare),
		cmp.Compare(a.part, b.part), cmp.Compare(a.at, b.at))
}

// before is how many rows of each part come before a row.
func (m *partsMerge) before(of place) []int {
	out := make([]int, len(m.parts))
	for i, p := range m.parts {
		out[i] = sort.Search(len(p), func(at int) bool { return m.order(place{i, at}, of) >= 0 })
	}
	return out
}

// stretch merges the rows between two cuts, and puts them where they are of all.
func (m *partsMerge) stretch(from, to []int, out []sortedRow, meter *steps.Meter) error {
	parts := make([][]sortedRow, len(m.parts))
	at := 0
	for i, p := range m.parts {
		parts[i] = p[from[i]:to[i]]
		at += from[i]
	}
	var run merge
	if err := run.startKept(parts, m.compare, m.brief); err != nil {
		return err
	}
	for {
		row, err := run.next()
		if row == nil || err != nil {
			return err
		}
		out[at].row = row
		at++
		if err := meter.Step(rowUnits); err != nil {
			return err
		}
	}
}
