package hbase

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
)

// op is one write of a transaction.
type op struct {
	n         int // number among the transaction's, from 0
	kind      opKind
	family    []byte
	qualifier []byte
	timestamp int64
	value     []byte
	ttl       int64 // of the cell, in ms; 0 for none
}

type opKind uint8

const (
	opPut opKind = iota
	opDeleteVersion
	opDeleteColumn
)

// ownRow is a row that a transaction has written, with these writes.
type ownRow struct {
	txn *txn
	row []byte
	ops []op
}

// is reports whether a piece is only of the row.
func (o *ownRow) is(p *piece) bool { return p.one && bytes.Equal(p.rows.Start, o.row) }

// apart divides the pieces that have the row together with others.
func (o *ownRow) apart(pieces []piece) []piece {
	var out []piece
	for _, p := range pieces {
		r := partition.RowRange{Start: o.row, End: following(o.row)}
		if _, some := p.rows.Intersect(r); p.one || !some {
			out = append(out, p)
			continue
		}
		for _, part := range []partition.RowRange{{Start: p.rows.Start, End: o.row}, r, {Start: r.End, End: p.rows.End}} {
			rows, some := p.rows.Intersect(part)
			if q := wholeRows(rows); some && q.possible() {
				out = append(out, q)
			}
		}
	}
	return out
}

// read returns the cells of the row that a cursor's scan wants, in its order.
func (o *ownRow) read(c *cursor) ([]kv.Cell, error) {
	base := *c.s
	base.Ranges = columnsOf(c.s.Ranges, o.row)
	base.Time, base.MaxVersions, base.FirstPerRow, base.Reverse, base.NeedValue = kv.TimeRange{}, 0, false, false, true
	server := &cursor{ctx: c.ctx, cluster: c.cluster, table: c.table, tables: c.tables, families: c.families, s: &base,
		pieces: piecesOf(&base, c.tables[0])}
	server.log = o.txn.log.begin(c.table, c.families, &base)
	defer server.Close()
	var cells []kv.Cell
	for server.Next() {
		cells = append(cells, server.out)
	}
	server.closeSource()
	c.did = addStats(c.did, server.did)
	if err := server.Err(); err != nil {
		return nil, err
	}
	return evaluate(applyOps(cells, o.row, c.families, o.ops), c.s), nil
}

// applyOps applies writes to the cells of a row, and sorts them.
func applyOps(cells []kv.Cell, row []byte, families [][]byte, ops []op) []kv.Cell {
	for _, w := range ops {
		i := slices.IndexFunc(families, func(f []byte) bool { return bytes.Equal(f, w.family) })
		if i < 0 {
			continue
		}
		cells = slices.DeleteFunc(cells, func(c kv.Cell) bool {
			return c.Family == i && bytes.Equal(c.Qualifier, w.qualifier) && (w.kind == opDeleteColumn || c.Timestamp == w.timestamp)
		})
		if w.kind == opPut {
			cells = append(cells, kv.Cell{Family: i, Row: row, Qualifier: w.qualifier, Timestamp: w.timestamp, Value: w.value})
		}
	}
	slices.SortFunc(cells, func(a, b kv.Cell) int {
		return cmp.Or(a.Family-b.Family, bytes.Compare(a.Qualifier, b.Qualifier), cmp.Compare(b.Timestamp, a.Timestamp))
	})
	return cells
}

// evaluate returns what a scan returns of the sorted cells of one row.
func evaluate(cells []kv.Cell, s *kv.Scan) []kv.Cell {
	var out []kv.Cell
	count := 0
	var last *kv.Cell
	for i := range cells {
		c := &cells[i]
		if !selects(s, c) {
			continue
		}
		if last == nil || last.Family != c.Family || !bytes.Equal(last.Qualifier, c.Qualifier) {
			count = 0
		}
		last = c
		if count++; s.MaxVersions == 0 || count <= s.MaxVersions {
			out = append(out, *c)
		}
	}
	return inOrder(out, s)
}

// selects reports whether a scan reads a cell.
func selects(s *kv.Scan, c *kv.Cell) bool {
	if s.Time.Bounded && (c.Timestamp < s.Time.Min || c.Timestamp > s.Time.Max) || !inQualifiers(s.Qualifiers, c.Qualifier) {
		return false
	}
	if s.Ranges == nil {
		return true
	}
	at := cell{row: c.Row, qualifier: c.Qualifier, timestamp: c.Timestamp}
	return slices.ContainsFunc(s.Ranges, func(r kv.Range) bool { return holds(&r, &at) })
}

// columnsOf returns the complete columns of a row that ranges touch, as ranges.
func columnsOf(ranges []kv.Range, row []byte) []kv.Range {
	whole := kv.Range{Start: atRow(row), End: kv.Position{Row: row, Depth: kv.DepthRow, After: true}}
	if ranges == nil {
		return []kv.Range{whole}
	}
	out := []kv.Range{}
	for _, r := range ranges {
		if !touchesRow(&r, row) {
			continue
		}
		next := whole
		if within(r.Start) && bytes.Equal(r.Start.Row, row) {
			next.Start = kv.Position{Row: row, Qualifier: r.Start.Qualifier, Depth: kv.DepthColumn}
		}
		if within(r.End) && bytes.Equal(r.End.Row, row) {
			next.End = kv.Position{Row: row, Qualifier: r.End.Qualifier, Depth: kv.DepthColumn, After: true}
		}
		if n := len(out); n > 0 && joins(out[n-1].End, next.Start) {
			out[n-1].End = next.End
			continue
		}
		out = append(out, next)
	}
	return out
}

// joins reports whether two ranges of columns overlap, of which the first ends at
// end, and the second, which starts later, at start.
func joins(end, start kv.Position) bool {
	return !within(end) || !within(start) || bytes.Compare(start.Qualifier, end.Qualifier) <= 0
}
