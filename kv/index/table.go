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
	rows    unit // its indexes whose entries come from several columns of a row
	columns unit // its indexes whose entries come from one column each
}

// unit is what indexes of a table read at once: some columns of a row, or one column.
type unit struct {
	*kv.Table
	indexes []one
	single  bool            // one column
	wanted  map[string]bool // the columns otherwise
	ranges  []kv.QualifierRange
}

// one is an index of a table.
type one struct {
	kv.Index
	Entries
	table *kv.Table // of the entries
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

// unitOf is the unit that an index belongs to.
func (t *table) unitOf(o *one) *unit {
	if o.Qualifiers() == nil {
		return &t.columns
	}
	return &t.rows
}

// alone is the unit of one index of a table.
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

// wants reports whether entries come from a column.
func (u *unit) wants(qualifier []byte) bool {
	return len(u.indexes) > 0 && (u.single || u.wanted[string(qualifier)])
}

// only is the range of one column.
func only(qualifier []byte) kv.QualifierRange {
	return kv.QualifierRange{Start: qualifier, End: append(slices.Clone(qualifier), 0)}
}

// rowOnly is the range of one row.
func rowOnly(row []byte) kv.Range {
	at := kv.Position{Row: row, Depth: kv.DepthRow}
	end := at
	end.After = true
	return kv.Range{Start: at, End: end}
}

// read reads the cells that entries come from, as the transaction sees them: of a row, or of the
// one column.
func (u *unit) read(ctx context.Context, txn kv.Txn, row, qualifier []byte) (cells []kv.Cell, err error) {
	scan := kv.Scan{Ranges: []kv.Range{rowOnly(row)}, Qualifiers: u.ranges, MaxVersions: 1, NeedValue: true}
	if u.single {
		scan.Qualifiers = []kv.QualifierRange{only(qualifier)}
	}
	cursor, err := txn.Scan(ctx, []*kv.Table{u.Table}, &scan)
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
	buf, n := append(append(make([]byte, 0, len(c.Qualifier)+len(value)), c.Qualifier...), value...), len(c.Qualifier)
	out := kv.Cell{Qualifier: buf[:n:n], Timestamp: c.Timestamp}
	if value != nil {
		out.Value = buf[n:]
	}
	return out
}

// entries are those of a row, or of a column, in each index, sorted.
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

// of are the entries of a row, or of a column. Those of a table whose cells do not expire have one
// timestamp, so that an entry which stays is not written again.
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

// chosen are the cells of some columns; both are sorted. Where all are, they are not copied.
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
