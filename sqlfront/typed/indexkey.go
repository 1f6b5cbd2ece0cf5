package typed

import (
	"slices"
	"unicode/utf8"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/coltype"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/rowcodec"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// IndexKey encodes the entries of an index as rows of HBase: the values of the index's columns, in bytes that
// sort as these do, with NULLs first, followed by the row of the table.
//
// In an index on cells the entry's cell has the qualifier of the cell that it stands for.
//
// In a unique index the row of the table is not in the entry's row, but in the qualifier of the entry's cell,
// unless a column is NULL: two rows that must not both exist have the same entry.
//
// Texts that are compared by weights, which is all that the entry's row has of them, are in the value of its
// cell.
type IndexKey struct {
	of    *Table
	index *Index // of the table
	// face has the columns of the index, followed by the row, as columns of a primary key, so that conditions
	// on them are spans of entries as conditions on a primary key are spans of rows.
	face *Table
	// ofCells says that entries are of cells, rather than of rows.
	ofCells bool
	// kept are the parts whose texts are in the values of entries, with their readers.
	kept []keptText
}

// IndexKey is the encoding of the n-th index. The error is 1235 if a column's type cannot be in a key.
func (t *Table) IndexKey(n int) (*IndexKey, error) {
	k := &IndexKey{of: t, index: &t.Indexes[n], face: &Table{}, ofCells: t.ofCells}
	var parts []rowcodec.Part
	for i, p := range k.index.Parts {
		c := t.Columns[p.Column]
		parts = append(parts, rowcodec.Part{Name: c.Name, Type: c.Type, Nullable: true,
			Padded: !t.comparesBytes(p.Column), UTF8: k.index.UTF8})
		k.face.Columns, k.face.Key = append(k.face.Columns, c), append(k.face.Key, i)
		k.face.padded = append(k.face.padded, !t.comparesBytes(p.Column))
		k.face.cells = append(k.face.cells, codec{converter: c.Converter()})
	}
	row := Column{Type: coltype.Type{Base: coltype.VarBinary, Length: maxRow}, NotNull: true, Hidden: true}
	k.face.Columns, k.face.Key = append(k.face.Columns, row), append(k.face.Key, len(parts))
	k.face.cells = append(k.face.cells, codec{converter: row.Converter()})
	parts = append(parts, rowcodec.Part{Type: row.Type})
	k.face.cut, k.face.unique = k.cut, k.index.Unique
	var err error
	if k.face.key, err = rowcodec.NewKey(parts, nil); err == nil {
		err = k.keepTexts()
	}
	return k, err
}

// maxRow is the maximum length of a row, in bytes.
const maxRow = 65535

// Row is the row of the table for an entry. It refers to the entry's bytes. The tuple is as for Read, and need
// not be set.
func (k *IndexKey) Row(entry, qualifier []byte, tuple []value.Value) (row []byte, ok bool) {
	if len(qualifier) > 0 && !k.ofCells {
		return qualifier, true
	}
	return k.Read(entry, qualifier, tuple)
}

// Width is the number of values that Read sets.
func (k *IndexKey) Width() int { return len(k.face.Key) }

// Read sets the values of the index's columns, and one more after them. Those that are not as the table has
// them must not be used (see Holds). It returns the row of the table for the entry, false if the entry is
// invalid. Both refer to the entry's bytes.
func (k *IndexKey) Read(entry, qualifier []byte, tuple []value.Value) (row []byte, ok bool) {
	if !k.face.key.ReadRow(entry, tuple) {
		return nil, false
	}
	if row = qualifier; len(row) == 0 || k.ofCells {
		row = tuple[len(tuple)-1].Raw()
	}
	if k.ofCells && row == nil {
		row = []byte{} // an empty one is a row, too
	}
	return row, len(row) > 0 || k.ofCells
}

// ReadFirst sets the values of the index's first columns as Read does, and returns the bytes of the entry
// with these.
func (k *IndexKey) ReadFirst(entry []byte, tuple []value.Value) (head []byte, ok bool) {
	rest, ok := k.face.key.ReadFirst(entry, tuple)
	return entry[:len(entry)-len(rest)], ok
}

// Behind is the first entry after all that begin with head.
func (k *IndexKey) Behind(head []byte) []byte { return rowcodec.After(head) }

// Holds reports whether entries have the exact values of a column of the index: in their rows or, if the
// index Keeps them, in their values. Prefixes are not exact, nor are FLOAT and DOUBLE, whose -0 becomes 0.
func (k *IndexKey) Holds(part int) bool {
	return k.Keeps(part) || k.Whole(part) && k.face.key.Recovered(part) && !k.face.Columns[part].Type.Base.IsFloat()
}

// Whole reports whether entries with the same values of the earlier columns of the index are grouped by the
// values of this one.
func (k *IndexKey) Whole(part int) bool { return k.index.Parts[part].Length == 0 }

// Sorts reports whether such entries are in the order of the values, or of the members' numbers.
func (k *IndexKey) Sorts(part int, numbers bool) bool {
	return k.Whole(part) && k.PartOf(nil, part).Sorts(numbers)
}

// fewParts is the number of columns in most indexes, plus the row.
const fewParts = 4

// Append appends the entry of a row with these values of all columns of the table. alone says that no other
// row may have the entry, and that the row of the table belongs into the qualifier.
func (k *IndexKey) Append(dst, row []byte, values []value.Value) (entry []byte, alone bool, err error) {
	var few [fewParts]value.Value
	tuple := append(few[:0], make([]value.Value, len(k.face.Key))...)
	alone = k.index.Unique
	for i, p := range k.index.Parts {
		tuple[i], _ = k.cut(i, values[p.Column])
		alone = alone && !tuple[i].IsNull()
	}
	if tuple[len(tuple)-1] = value.NewBytes(nil); !alone {
		tuple[len(tuple)-1] = value.NewBytes(row)
	}
	entry, err = k.face.key.AppendRow(dst, tuple)
	return entry, alone, err
}

// cut is as much of a value as a part of the index holds, and whether the part may hold less than a value.
func (k *IndexKey) cut(part int, v value.Value) (value.Value, bool) {
	if part >= len(k.index.Parts) {
		return v, false
	}
	n := k.index.Parts[part].Length
	return Prefix(v, n), n > 0
}

// Prefix is the first n characters of a text, or bytes of a binary string; all if n is 0.
func Prefix(v value.Value, n int) value.Value {
	if n == 0 || v.IsNull() {
		return v
	}
	b := v.Raw()
	if v.Kind() == value.Bytes {
		return value.NewBytes(b[:min(n, len(b))])
	}
	at := 0
	for ; n > 0 && at < len(b); n-- {
		_, size := utf8.DecodeRune(b[at:])
		at += size
	}
	return value.NewText(b[:at]).WithCollation(v.Collation())
}

// PartOf is a column of the index over the row k of an entry.
func (k *IndexKey) PartOf(entry expr.Node, part int) *Part { return k.face.PartOf(entry, part) }

// Columns are the table's columns in the index, by their index in Columns.
func (k *IndexKey) Columns() []int {
	out := make([]int, len(k.index.Parts))
	for i, p := range k.index.Parts {
		out[i] = p.Column
	}
	return out
}

// PartAt is the position of a table's column in the index, -1 if the index does not have it.
func (k *IndexKey) PartAt(column int) int {
	return slices.IndexFunc(k.index.Parts, func(p IndexPart) bool { return p.Column == column })
}

// Name is the name of the index.
func (k *IndexKey) Name() string { return k.index.Name }

// Unique reports whether the index is UNIQUE.
func (k *IndexKey) Unique() bool { return k.index.Unique }

// OfCells reports whether entries are of cells, whose qualifiers they have, rather than of rows.
func (k *IndexKey) OfCells() bool { return k.ofCells }

// EntryText is an entry of an index of the typed table whose rows are in a family, as MySQL's errors show it:
// its columns, separated by hyphens. A text of which the entry only has the weights is shown as dots.
func EntryText(family *kv.Table, index string, entry []byte) string {
	face, err := Of(family)
	if err != nil || face.Index(index) < 0 {
		return ""
	}
	k, err := face.IndexKey(face.Index(index))
	if err != nil {
		return ""
	}
	tuple := make([]value.Value, len(k.face.Key))
	k.face.key.ReadRow(entry, tuple)
	return k.face.keyText(tuple[:len(tuple)-1])
}

// RowText is a row as EntryText shows entries: the row itself if it does not belong to a typed table.
func RowText(family *kv.Table, row []byte) string {
	if schema.Of(family).Typed == nil {
		return string(row)
	}
	face, err := Of(family)
	if err != nil {
		return string(row)
	}
	tuple := make([]value.Value, len(face.Key))
	if !face.key.ReadRow(row, tuple) {
		return string(row)
	}
	return face.keyText(tuple)
}

func (t *Table) keyText(parts []value.Value) string {
	var out []byte
	for i, v := range parts {
		if i > 0 {
			out = append(out, '-')
		}
		if t.key.Recovered(i) {
			out = append(out, v.AsBytes()...)
		} else {
			out = append(out, "..."...)
		}
	}
	return string(out)
}
