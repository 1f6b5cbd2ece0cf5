package lookup

import (
	"cmp"
	"errors"
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
)

const (
	// entryCells is about how many cells of a scan cost as much as reading an entry and comparing its row with
	// those of another index.
	entryCells = 4
	// mostMet is the maximum number of entries whose rows are kept to be compared.
	mostMet = 100_000
)

// intersected returns the span of the fewest entries, and those whose entries cost less than the rows that they
// save, if the values of different columns are independent. read is the cost of reading the entries if there
// are several, in cells, and left the number of rows.
func (f *finding) intersected(rows float64) (out []*span, read, left float64) {
	sorted := make([]*span, len(f.spans))
	for i := range f.spans {
		sorted[i] = &f.spans[i]
	}
	slices.SortStableFunc(sorted, func(a, b *span) int { return cmp.Compare(a.estimate, b.estimate) })
	out, left = sorted[:1:1], float64(sorted[0].estimate)
	for _, s := range sorted[1:] {
		n := float64(s.estimate)
		kept, cost := left*min(1, n/max(1, rows)), entryCells*n
		if len(out) == 1 {
			cost += entryCells * left
		}
		pays := f.forced() || left <= mostMet && cost+kept*cellsPerRow < left*cellsPerRow
		if pays && s.narrows(out) {
			out, left, read = append(out, s), kept, read+cost
		}
	}
	return out, read, left
}

// narrows reports whether the span has a condition on a column on which no other one has any.
func (s *span) narrows(others []*span) bool {
	told := map[int]bool{}
	for _, o := range others {
		o.Way.eachColumn(func(column int) { told[column] = true })
	}
	narrows := false
	s.Way.eachColumn(func(column int) { narrows = narrows || !told[column] })
	return narrows
}

// eachColumn calls fn with the table's columns that the condition reads.
func (w *Way) eachColumn(fn func(column int)) {
	columns := w.Key.Columns()
	expr.Walk(w.Where, func(n expr.Node) bool {
		if p, ok := n.(*typed.Part); ok && p.Part < len(columns) {
			fn(columns[p.Part])
		}
		return true
	})
}

// meeting returns the rows with entries in all spans; more says that they are too many to be looked up.
func (f *finding) meeting(spans []*span) (rows []place, more bool, err error) {
	if len(spans) == 1 {
		return spans[0].rows(f.x, most)
	}
	rows, more, err = spans[0].rows(f.x, mostMet)
	for _, s := range spans[1:] {
		if more || err != nil {
			return nil, more, err
		}
		rows, err = s.meet(f.x, rows)
	}
	return rows, len(rows) > most, err
}

// meet returns those of some rows that have an entry in the span.
func (s *span) meet(x *op.Frame, rows []place) (out []place, err error) {
	left := make(map[placeID]place, len(rows))
	for _, at := range rows {
		left[s.idOf(at.row, at.qualifier)] = at
	}
	e := entries{x: x, of: s.Way, scan: *s.scan()}
	if err := e.open(); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, e.close()) }()
	for len(left) > 0 {
		row, err := e.next()
		if row == nil || err != nil {
			return out, err
		}
		key := s.idOf(row, e.cursor.Cell().Qualifier)
		if at, ok := left[key]; ok {
			out = append(out, at)
			delete(left, key)
		}
	}
	return out, nil
}

// placeID identifies a row, or a cell.
type placeID struct{ row, qualifier string }

// idOf returns the row of an entry. Only the entry of a cell has the cell's qualifier.
func (w *Way) idOf(row, qualifier []byte) placeID {
	if w.Key.OfCells() {
		return placeID{string(row), string(qualifier)}
	}
	return placeID{row: string(row)}
}

// Union is a condition with OR, each part of which leads to entries of an index, or is on the row alone.
type Union struct{ Parts []Part }

// Part is an operand of OR.
type Part struct {
	// Ways are the indexes to whose entries it leads.
	Ways []Way
	// OnRow, if not nil, is the part itself, over a row of one column, the row.
	OnRow expr.Node
}

// united is the union of the rows that the parts of a Union lead to.
type united struct {
	*finding
	spans []*span
	onRow []expr.Node
}

// united returns the condition to be one of the rows that a Union leads to, nil if there is none with fewer rows
// than are otherwise left, or a scan costs less.
func (f *finding) united(left float64) (expr.Node, error) {
	for i := range f.Unions {
		u := united{finding: f}
		if ok, err := u.find(f.Unions[i].Parts); !ok || err != nil {
			return nil, err
		}
		if known, err := u.known(left); known != nil || err != nil {
			return known, err
		}
	}
	return nil, nil
}

// find finds the span of each part; ok is false if one has none.
func (u *united) find(parts []Part) (ok bool, err error) {
	for i := range parts {
		if p := &parts[i]; p.OnRow != nil {
			u.onRow = append(u.onRow, p.OnRow)
			continue
		}
		s, err := u.spanOf(parts[i].Ways)
		if s == nil || err != nil {
			return false, err
		}
		if !s.Contradiction {
			u.spans = append(u.spans, s)
		}
	}
	return len(u.spans) > 0, nil
}

// spanOf returns the span of a part: one without rows, or that of the fewest entries; nil if there is none.
func (u *united) spanOf(ways []Way) (best *span, err error) {
	for i := range ways {
		s, err := ways[i].span(u.x)
		switch {
		case err != nil:
			return nil, err
		case s.Contradiction:
			return &s, nil
		case s.Ranges == nil:
			continue
		}
		if len(ways) > 1 && u.x.Context.Estimator != nil {
			if s.estimate, err = entriesIn(u.x, &s); err != nil {
				return nil, err
			}
		}
		if best == nil || s.estimate < best.estimate {
			best = &s
		}
	}
	return best, nil
}

// known returns the condition, nil if a scan costs less.
func (u *united) known(left float64) (expr.Node, error) {
	rows, more, err := u.rows(few)
	if more && err == nil {
		if pays, err := u.pays(left); !pays || err != nil {
			return nil, err
		}
		rows, more, err = u.rows(most)
	}
	if more || err != nil {
		return nil, err
	}
	u.note(u.spans, scan.United)
	out := u.found(rows)
	if len(u.onRow) > 0 {
		or := &expr.Or{List: []expr.Node{out}}
		for _, n := range u.onRow {
			or.List = append(or.List, over(n, u.K))
		}
		out = or
	}
	return out, nil
}

// rows returns the distinct rows of all spans, at most so many of each.
func (u *united) rows(atMost int) (all []place, more bool, err error) {
	seen := map[placeID]bool{}
	for _, s := range u.spans {
		rows, more, err := s.rows(u.x, atMost)
		if more || err != nil {
			return nil, more, err
		}
		for _, at := range rows {
			if id := s.idOf(at.row, at.qualifier); !seen[id] {
				seen[id] = true
				all = append(all, at)
			}
		}
	}
	return all, len(all) > atMost, nil
}

// pays reports whether looking up the rows is estimated to cost less than a scan, and than looking up others.
func (u *united) pays(left float64) (bool, error) {
	if u.x.Context.Estimator == nil {
		return false, nil
	}
	rows := int64(0)
	for _, s := range u.spans {
		n, err := entriesIn(u.x, s)
		if err != nil {
			return false, err
		}
		rows += n
	}
	e, err := u.table()
	return float64(rows) <= left && rows <= most && rows*cellsPerRow <= e.Stored, err
}
