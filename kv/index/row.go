package index

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"
	"sort"

	"github.com/hbasekv/hbasekv/kv"
)

// want adds columns that entries come from.
func (t *table) want(qualifiers [][]byte) {
	if qualifiers == nil {
		t.wanted = nil
	}
	if t.wanted == nil {
		return
	}
	for _, q := range qualifiers {
		t.wanted[string(q)] = true
	}
}

// wants reports whether entries come from a column.
func (t *table) wants(qualifier []byte) bool { return t.wanted == nil || t.wanted[string(qualifier)] }

// ranges are those of a scan that reads some columns; nil is all.
func ranges(wanted map[string]bool) []kv.QualifierRange {
	if wanted == nil {
		return nil
	}
	out := []kv.QualifierRange{}
	for _, q := range slices.Sorted(maps.Keys(wanted)) {
		out = append(out, kv.QualifierRange{Start: []byte(q), End: append([]byte(q), 0)})
	}
	return out
}

// scan reads the newest versions of the columns that entries come from, in some rows.
func (t *table) scan(r ...kv.Range) *kv.Scan {
	return &kv.Scan{Ranges: r, Qualifiers: t.ranges, MaxVersions: 1, NeedValue: true}
}

// rowOnly is the range of one row.
func rowOnly(row []byte) kv.Range {
	return kv.Range{Start: kv.Position{Row: row, Depth: kv.DepthRow}, End: kv.Position{Row: row, Depth: kv.DepthRow, After: true}}
}

// read reads the cells of a row that entries come from, as the transaction sees it.
func (t *table) read(ctx context.Context, txn kv.Txn, row []byte) (cells []kv.Cell, err error) {
	cursor, err := txn.Scan(ctx, []*kv.Table{t.Table}, t.scan(rowOnly(row)))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, cursor.Close()) }()
	for cursor.Next() {
		value, err := cursor.Value()
		if err != nil {
			return nil, err
		}
		cells = append(cells, copied(cursor.Cell(), value))
	}
	return cells, cursor.Err()
}

// copied is a cell in memory of its own, without its row.
func copied(c *kv.Cell, value []byte) kv.Cell {
	return kv.Cell{Qualifier: append([]byte{}, c.Qualifier...), Timestamp: c.Timestamp, Value: bytes.Clone(value)}
}

// entries are those of a row in each index, sorted.
func (t *table) entries(row []byte, cells []kv.Cell) ([][]Entry, error) {
	out := make([][]Entry, len(t.indexes))
	for i := range t.indexes {
		of, err := t.indexes[i].of(row, cells)
		if err != nil {
			return nil, err
		}
		out[i] = of
	}
	return out, nil
}

// of are the entries of a row. Those of a table whose cells do not expire have one timestamp, so
// that an entry which stays is not written anew.
func (o *one) of(row []byte, cells []kv.Cell) ([]Entry, error) {
	if wanted := o.Qualifiers(); wanted != nil {
		cells = chosen(cells, wanted)
	}
	out, err := o.Append(nil, row, cells)
	if err != nil {
		return nil, err
	}
	for i := range out {
		if o.table.Retention.IsZero() {
			out[i].Timestamp = 0
		}
		if out[i].Value == nil {
			out[i].Value = []byte{}
		}
		if out[i].Qualifier == nil {
			out[i].Qualifier = []byte{}
		}
	}
	if len(out) > 1 {
		slices.SortFunc(out, func(a, b Entry) int { return compare(&a, &b) })
	}
	return out, nil
}

// chosen are the cells of some columns; both are sorted. Where all are, they are not copied.
func chosen(cells []kv.Cell, wanted [][]byte) []kv.Cell {
	in := func(c kv.Cell) bool {
		i := sort.Search(len(wanted), func(i int) bool { return bytes.Compare(wanted[i], c.Qualifier) >= 0 })
		return i < len(wanted) && bytes.Equal(wanted[i], c.Qualifier)
	}
	if !slices.ContainsFunc(cells, func(c kv.Cell) bool { return !in(c) }) {
		return cells
	}
	return slices.DeleteFunc(slices.Clone(cells), func(c kv.Cell) bool { return !in(c) })
}

// pending is a row that has been written since its entries were.
type pending struct {
	*table
	row []byte
	old [][]Entry // by index, what the entries' tables have
	// cells are those that entries come from as they are now, unless they must be read.
	cells []kv.Cell
	stale bool
}

// at is where a column is among the cells, or belongs.
func (p *pending) at(qualifier []byte) (i int, found bool) {
	return slices.BinarySearchFunc(p.cells, qualifier, func(c kv.Cell, q []byte) int { return bytes.Compare(c.Qualifier, q) })
}

// put tells the row of a cell that has been written.
func (p *pending) put(c *kv.Cell) {
	if p.stale = p.stale || p.expires; p.stale {
		return
	}
	i, found := p.at(c.Qualifier)
	switch {
	case !found:
		p.cells = slices.Insert(p.cells, i, copied(c, c.Value))
	case c.Timestamp >= p.cells[i].Timestamp:
		p.cells[i] = copied(c, c.Value)
	}
}

// removed tells the row of a column that has been deleted.
func (p *pending) removed(qualifier []byte) {
	if i, found := p.at(qualifier); found && !p.stale {
		p.cells = slices.Delete(p.cells, i, i+1)
	}
}

// removedVersion tells the row of a version that has been deleted: an older one may be the newest.
func (p *pending) removedVersion(qualifier []byte, timestamp int64) {
	i, found := p.at(qualifier)
	p.stale = p.stale || found && p.cells[i].Timestamp == timestamp
}
