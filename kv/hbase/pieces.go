package hbase

import (
	"bytes"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
)

// piece is a part of a scan that is read in the same way: whole rows, or cells
// of one row.
type piece struct {
	rows partition.RowRange
	// one is true for a single row, rows.Start.
	one bool
	// from and to are the first and the last wanted qualifier of the row; a nil to
	// is open.
	from, to []byte
	// column is true if from and to are the same column.
	column bool
	// times are the wanted timestamps of the single column.
	times kv.TimeRange
	// exact is the range against which the cells are checked; nil if the server
	// returns no others.
	exact *kv.Range
	// anyVersion is true if versions must be counted after exact.
	anyVersion bool
}

// bounds returns the piece's rows, with bounds that HBase accepts.
func (p *piece) bounds() partition.RowRange {
	if p.one && len(p.rows.Start) == maxRow {
		return partition.RowRange{Start: p.rows.Start, End: above(p.rows.Start)}
	}
	return p.rows
}

// maxRow and maxQualifier are HBase's maximum lengths, in bytes.
const (
	maxRow       = 32767
	maxQualifier = 65535
)

// piecesOf returns the parts of a scan in ascending order.
func piecesOf(s *kv.Scan, t *kv.Table) []piece {
	var out []piece
	ranges := s.Ranges
	if ranges == nil {
		ranges = []kv.Range{{}}
	}
	for i := range ranges {
		out = appendPieces(out, &ranges[i])
	}
	return restrict(out, s, t)
}

// appendPieces divides a range into the rest of a row, whole rows, and the
// beginning of a row.
func appendPieces(out []piece, r *kv.Range) []piece {
	first, last := within(r.Start), within(r.End)
	if first && last && bytes.Equal(r.Start.Row, r.End.Row) {
		return append(out, partOfRow(r, r.Start.Row))
	}
	whole := partition.RowRange{Start: edge(r.Start), End: edge(r.End)}
	if first {
		out = append(out, partOfRow(r, r.Start.Row))
		whole.Start = following(r.Start.Row)
	}
	if last {
		whole.End = r.End.Row
	}
	if whole.End == nil || bytes.Compare(whole.Start, whole.End) < 0 {
		out = append(out, wholeRows(whole))
	}
	if last {
		out = append(out, partOfRow(r, r.End.Row))
	}
	return out
}

// within reports whether a position is inside a row.
func within(p kv.Position) bool { return p.Depth >= kv.DepthColumn }

// edge returns the first row after a position between rows; nil is open.
func edge(p kv.Position) []byte {
	switch {
	case p.Depth == kv.DepthNone:
		return nil
	case p.After:
		return following(p.Row)
	}
	return p.Row
}

// following returns the least row above another.
func following(row []byte) []byte { return append(slices.Clip(row), 0) }

func wholeRows(r partition.RowRange) piece {
	p := piece{rows: r}
	p.one = len(r.End) == len(r.Start)+1 && r.End[len(r.End)-1] == 0 && bytes.HasPrefix(r.End, r.Start)
	return p
}

// partOfRow returns the part of a range that is in a row at one of its ends.
func partOfRow(r *kv.Range, row []byte) piece {
	p := piece{rows: partition.RowRange{Start: row, End: following(row)}, one: true, exact: r}
	startHere, endHere := within(r.Start) && bytes.Equal(r.Start.Row, row), within(r.End) && bytes.Equal(r.End.Row, row)
	if startHere {
		p.from = r.Start.Qualifier
	}
	if endHere {
		p.to = slices.Clip(append([]byte{}, r.End.Qualifier...))
	}
	p.column = startHere && endHere && bytes.Equal(p.from, p.to)
	if p.column {
		p.times = timesBetween(r.Start, r.End)
	}
	p.anyVersion = !p.column && (startHere && r.Start.Depth == kv.DepthCell || endHere && r.End.Depth == kv.DepthCell)
	return p
}

// timesBetween returns the timestamps between two positions in one column.
func timesBetween(start, end kv.Position) kv.TimeRange {
	t := allTimes
	if start.Depth == kv.DepthCell {
		t.Max = start.Timestamp
		if start.After {
			t.Max--
		}
		t.Bounded = true
	}
	if end.Depth == kv.DepthCell {
		t.Min = end.Timestamp
		if !end.After {
			t.Min++
		}
		t.Bounded = true
	}
	return t
}

// restrict reduces the pieces to what the scan's rows and partitions allow and
// HBase can store.
func restrict(pieces []piece, s *kv.Scan, t *kv.Table) []piece {
	allowed := []partition.RowRange{s.Rows}
	if s.Partitions != nil {
		allowed = nil
		for _, i := range s.Partitions {
			if r, some := s.Rows.Intersect(t.Partitioning.Bounds(i)); some {
				allowed = append(allowed, r)
			}
		}
	}
	var out []piece
	for _, p := range pieces {
		for _, a := range allowed {
			rows, some := p.rows.Intersect(a)
			if !some {
				continue
			}
			q := p
			if !p.one {
				q = wholeRows(rows)
			}
			if q.possible() {
				out = append(out, q)
			}
		}
	}
	return out
}

// possible reduces the piece to rows that HBase can store, and returns false if
// there are none.
func (p *piece) possible() bool {
	if p.one {
		return len(p.rows.Start) > 0 && len(p.rows.Start) <= maxRow
	}
	r := p.rows
	if len(r.Start) > maxRow || len(r.End) > maxRow {
		p.exact = &kv.Range{Start: atRow(r.Start), End: atRow(r.End)}
	}
	if len(r.Start) > maxRow {
		p.rows.Start = r.Start[:maxRow]
	}
	if len(r.End) > maxRow {
		p.rows.End = above(r.End[:maxRow])
	}
	return p.rows.End == nil || bytes.Compare(p.rows.Start, p.rows.End) < 0
}

// atRow returns the position before a row; nil is open.
func atRow(row []byte) kv.Position {
	if row == nil {
		return kv.Position{}
	}
	return kv.Position{Row: row, Depth: kv.DepthRow}
}

// above returns the least row above another that is not longer; nil if there is none.
func above(row []byte) []byte {
	next := slices.Clone(row)
	for i := len(next) - 1; i >= 0; i-- {
		if next[i]++; next[i] != 0 {
			return next[:i+1]
		}
	}
	return nil
}

// holds reports whether a range includes a cell.
func holds(r *kv.Range, c *cell) bool { return !before(c, r.Start, true) && before(c, r.End, false) }

// before reports whether a cell comes before a position. An open position comes
// before all cells as a start, and after all as an end.
func before(c *cell, p kv.Position, start bool) bool {
	n := 0
	if p.Depth == kv.DepthNone {
		return !start
	}
	n = bytes.Compare(c.row, p.Row)
	if n == 0 && p.Depth >= kv.DepthColumn {
		n = bytes.Compare(c.qualifier, p.Qualifier)
	}
	if n == 0 && p.Depth >= kv.DepthCell {
		switch {
		case c.timestamp > p.Timestamp:
			n = -1
		case c.timestamp < p.Timestamp:
			n = 1
		}
	}
	return n < 0 || n == 0 && p.After
}

// inQualifiers reports whether a scan wants a qualifier; nil ranges mean all.
func inQualifiers(ranges []kv.QualifierRange, q []byte) bool {
	if ranges == nil {
		return true
	}
	for _, r := range ranges {
		if bytes.Compare(q, r.Start) >= 0 && (r.End == nil || bytes.Compare(q, r.End) < 0) {
			return true
		}
	}
	return false
}

// reversePieces reverses pieces, except those of the same row, whose cells are
// sorted together.
func reversePieces(pieces []piece) {
	slices.Reverse(pieces)
	for i := 0; i < len(pieces); {
		j := i + 1
		for j < len(pieces) && sameRow(&pieces[i], &pieces[j]) {
			j++
		}
		slices.Reverse(pieces[i:j])
		i = j
	}
}

func sameRow(a, b *piece) bool { return a.one && b.one && bytes.Equal(a.rows.Start, b.rows.Start) }

// parted reports whether consecutive pieces are parts of one row.
func parted(pieces []piece) bool {
	for i := 1; i < len(pieces); i++ {
		if sameRow(&pieces[i-1], &pieces[i]) {
			return true
		}
	}
	return false
}
