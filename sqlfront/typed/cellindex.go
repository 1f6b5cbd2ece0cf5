package typed

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/index"
	"github.com/hbasekv/hbasekv/sqlfront/coltype"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// The indexes of the columns of a table of cells.
const (
	CellK = iota
	CellQ
	CellT
	CellV
)

// CellsOf is a column family as a table whose rows are the newest versions of its cells, with the family's
// indexes. Rows are not read and written through it.
func CellsOf(family *kv.Table) *Table {
	t := DeclaredCells(family)
	t.Indexes = slices.DeleteFunc(slices.Clone(t.Indexes), func(i Index) bool { return family.IndexNamed(i.Name) < 0 })
	return t
}

// IndexedCells is CellsOf for a family with indexes on its cells; otherwise nil.
func IndexedCells(family *kv.Table) *Table {
	if len(family.Indexes) == 0 || schema.Of(family).Typed != nil {
		return nil
	}
	return CellsOf(family)
}

// DeclaredCells is CellsOf including indexes that the store does not have yet.
func DeclaredCells(family *kv.Table) *Table {
	declared := schema.Of(family)
	names := declared.ColumnNames()
	t := &Table{ofCells: true, Key: []int{CellK, CellQ, CellT}, Indexes: declared.Indexes}
	for i, typ := range []coltype.Type{
		CellK: {Base: coltype.VarBinary, Length: family.MaxRow}, CellQ: {Base: coltype.VarBinary, Length: family.MaxQualifier},
		CellT: {Base: coltype.BigInt, Length: 20}, CellV: valueType(family.Value),
	} {
		t.Columns = append(t.Columns, Column{Name: names[i], Type: typ, NotNull: i != CellV || !family.Value.Nullable})
	}
	return t
}

// valueType is the type of V.
func valueType(v kv.ValueType) coltype.Type {
	base := coltype.VarBinary
	switch schema.KindOf(v) {
	case schema.Blob:
		base = coltype.Blob
	case schema.MediumBlob:
		base = coltype.MediumBlob
	case schema.LongBlob:
		base = coltype.LongBlob
	}
	return coltype.Type{Base: base, Length: v.Max}
}

// FaceOf is the table to which a family's indexes belong: the typed table whose rows it has, or that of its
// cells.
func FaceOf(family *kv.Table) (*Table, error) {
	if schema.Of(family).Typed != nil {
		return Of(family)
	}
	return CellsOf(family), nil
}

// cellEntries are the entries of an index on cells: each cell has one, whose cell has the same qualifier.
type cellEntries struct{ key *IndexKey }

// Qualifiers implements index.Entries.
func (e *cellEntries) Qualifiers() [][]byte { return nil }

// Append implements index.Entries.
func (e *cellEntries) Append(to []index.Entry, row []byte, cells []kv.Cell) ([]index.Entry, error) {
	for i := range cells {
		c := &cells[i]
		values := [...]value.Value{CellK: value.NewBytes(row), CellQ: value.NewBytes(c.Qualifier), CellT: value.NewInt(c.Timestamp), CellV: {}}
		if c.Value != nil {
			values[CellV] = value.NewBytes(c.Value)
		}
		entry, _, err := e.key.Append(nil, row, values[:])
		if err != nil {
			return to, err
		}
		to = append(to, index.Entry{Row: entry, Qualifier: bytes.Clone(c.Qualifier), Timestamp: c.Timestamp})
	}
	return to, nil
}

// BaseRow implements index.Entries.
func (e *cellEntries) BaseRow(row, qualifier []byte) ([]byte, error) {
	return e.key.baseRow(row, qualifier)
}

// baseRow is the row for an entry; the error is kv.ErrFormat if it is not a valid entry.
func (k *IndexKey) baseRow(entry, qualifier []byte) ([]byte, error) {
	if row, ok := k.Row(entry, qualifier, make([]value.Value, k.Width())); ok {
		return row, nil
	}
	return nil, fmt.Errorf("%w: %x is not an entry of the index %s", kv.ErrFormat, entry, k.Name())
}
