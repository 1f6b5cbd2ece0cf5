package index

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sort"

	"github.com/hbasekv/hbasekv/kv"
)

// table is a table with indexes.
type table struct {
	*kv.Table
	rows    unit // indexes whose entries come from several columns of a row
	columns unit // indexes whose entries come from one column each
}

// unit is what indexes of a table read together: some columns of a row, or one column.
type unit struct {
	*kv.Table
	indexes []one
	single  bool            // each part is one column
	wanted  map[string]bool // the columns, unless single
	ranges  []kv.QualifierRange
}

// one is an index of a table.
type one struct {
	kv.Index
	Entries
	table *kv.Table // the table of entries
}

func newTable(c *kv.Catalog, t *kv.Table, maker Maker) (*table, error) {
	out := &table{Table: t}
	out.rows = unit{Table: t, wanted: map[string]bool{}}
	out.columns = unit{Table: t, single: true}
	for i := range t.Indexes {
		o, err := newOne(c, t, i, maker)
		if err != nil {
			return nil, err
		}
		out.unitOf(o).add(*o)
	}
	return out, nil
}

func newOne(c *kv.Catalog, t *kv.Table, index int, maker Maker) (*one, error) {
	e, err := maker(t, index)
	if err != nil {
		return nil, err
	}
	entries := c.TableByID(t.Indexes[index].Entries)
	if entries == nil {
		return nil, kv.ErrCatalogChanged
	}
	return &one{t.Indexes[index], e, entries}, nil
}

// unitOf returns the unit of an index.
func (t *table) unitOf(o *one) *unit {
	if o.Qualifiers() == nil {
		return &t.columns
	}
	return &t.rows
}

// alone returns a unit of one index of a table.
func alone(t *kv.Table, o *one) *unit {
	u := &unit{Table: t, single: o.Qualifiers() == nil, wanted: map[string]bool{}}
	u.add(*o)
	return u
}

func (u *unit) add(o one) {
	u.indexes = append(u.indexes, o)
	for _, q := range o.Qualifiers() {
		if !u.wanted[string(q)] {
			u.wanted[string(q)] = true
			u.ranges = append(u.ranges, only(q))
		}
	}
	slices.SortFunc(u.ranges, func(a, b kv.QualifierRange) int { return bytes.Compare(a.Start, b.Start) })
}

// wants reports whether a column has or affects entries.
func (u *unit) wants(qualifier []byte) bool {
	return len(u.indexes) > 0 && (u.single || u.wanted[string(qualifier)])
}

// only returns the range of one column.
func only(qualifier []byte) kv.QualifierRange {
	return kv.QualifierRange{Start: qualifier, End: append(slices.Clone(qualifier), 0)}
}

// rowOnly returns the range of one row.
func rowOnly(row []byte) kv.Range {
	at := kv.Position{Row: row, Depth: kv.DepthRow}
	end := at
	end.After = true
	return kv.Range{Start: at, End: end}
}

// read reads the cells from which entries come, as the transaction sees them: of a row, or of one
// column.
func (u *unit) read(ctx context.Context, txn kv.Txn, row, qualifier []byte) (cells []kv.Cell, err error) {
	scan := kv.Scan{Ranges: []kv.Range{rowOnly(row)}, Qualifiers: u.ranges, MaxVersions: 1, NeedValue: true}
	if u.single {
		scan.Qualifiers = []kv.QualifierRange{only(qualifier)}
	}
	cursor, err := txn.Scan(ctx, []*kv.Table{u.Table}, &scan)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, release(cursor)) }()
	for cursor.Next() {
		value, err := cursor.Value()
		if err != nil {
			return nil, err
		}
		cells = append(cells, copied(cursor.Cell(), value))
	}
	return cells, cursor.Err()
}

// release ends a cursor, which must not be used any more: others may get its memory.
func release(cursor kv.Cursor) error {
	if r, ok := cursor.(kv.Releaser); ok {
		return r.Release()
	}
	return cursor.Close()
}

// copied returns a copy of a cell, without its row.
func copied(c *kv.Cell, value []byte) kv.Cell {
	buf, n := append(append(make([]byte, 0, len(c.Qualifier)+len(value)), c.Qualifier...), value...), len(c.Qualifier)
	out := kv.Cell{Qualifier: buf[:n:n], Timestamp: c.Timestamp}
	if value != nil {
		out.Value = buf[n:]
	}
	return out
}

// entries returns the entries of a row, or of a column, in each index, sorted.
func (u *unit) entries(row []byte, cells []kv.Cell) ([][]Entry, error) {
	out := make([][]Entry, len(u.indexes))
	for i := range u.indexes {
		of, err := u.indexes[i].of(row, cells)
		if err != nil {
			return nil, err
		}
		out[i] = of
	}
	return out, nil
}

// of returns the entries of a row, or of a column. In a table whose cells do not expire they have
// one timestamp, so that an unchanged entry is not written again.
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
	}
	if len(out) > 1 {
		slices.SortFunc(out, func(a, b Entry) int { return compare(&a, &b) })
	}
	return out, nil
}

// chosen returns the cells of some columns; both are sorted. It does not copy them if all are wanted.
func chosen(cells []kv.Cell, wanted [][]byte) []kv.Cell {
	out := func(c kv.Cell) bool {
		i := sort.Search(len(wanted), func(i int) bool { return bytes.Compare(wanted[i], c.Qualifier) >= 0 })
		return i == len(wanted) || !bytes.Equal(wanted[i], c.Qualifier)
	}
	if !slices.ContainsFunc(cells, out) {
		return cells
	}
	return slices.DeleteFunc(slices.Clone(cells), out)
}
