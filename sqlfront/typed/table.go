package typed

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/attribute"
	"github.com/hbasekv/hbasekv/sqlfront/collation"
	"github.com/hbasekv/hbasekv/sqlfront/coltype"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/rowcodec"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Marker is the qualifier of a cell that each row has, with the value MarkerValue.
const Marker = ""

// MarkerValue is not empty, since HBase's clients take an empty value for a missing one.
var MarkerValue = []byte{1}

// Table is the declaration of a typed table. Its form in JSON is an on-disk format. It is immutable once it
// is in a catalog.
type Table struct {
	Columns []Column `json:"columns"`
	// Key are the columns of the primary key by their index in Columns, in the key's order.
	Key []int `json:"key"`
	// Retired are the qualifiers of dropped columns, which are not reused.
	Retired []string `json:"retired,omitempty"`
	Checks  []Check  `json:"checks,omitempty"`
	// Indexes are in the order of SortIndexes.
	Indexes []Index `json:"indexes,omitempty"`
	// UTF8 is rowcodec.Part.UTF8 of the primary key.
	UTF8 bool `json:"utf8,omitempty"`

	// Mapped is true for a table whose cells are in existing families, as each column says.
	Mapped bool `json:"mapped,omitempty"`
	// Separator ends the parts of a mapped key that have no fixed length and are not last; if empty, it is
	// X'00'.
	Separator []byte `json:"separator,omitempty"`
	// ForeignKeys are only shown.
	ForeignKeys []ForeignKey `json:"foreign_keys,omitempty"`

	key      *rowcodec.Key
	cells    []codec // of Columns
	inOrder  []int   // see InOrder
	families []string
	// qualifiers are the qualifiers of all columns of a mapped table.
	qualifiers []kv.QualifierRange
	numbered   int   // see Numbered
	damage     error // see Of
	// padded, unique and cut belong to an IndexKey: which texts compare as if spaces followed them; whether
	// entries without NULL end before the row; and as much of a value as a part holds, and whether it may
	// hold less than a value.
	padded []bool
	unique bool
	cut    func(part int, v value.Value) (value.Value, bool)
	// ofCells is true for CellsOf.
	ofCells bool
}

// Column is a column of a typed table.
type Column struct {
	Name string `json:"name"`
	// Qualifier is the qualifier of the column's cells if it is not Name, as after a renaming.
	Qualifier string `json:"qualifier,omitempty"`
	// Entry is the column's entry in HBASE_COLUMNS of a mapped table: see Place.
	Entry string       `json:"entry,omitempty"`
	Type  coltype.Type `json:"type"`
	// Earlier are the column's former types, the newest first, in whose forms cells may still be.
	Earlier []coltype.Type `json:"earlier,omitempty"`
	// Absent is the cell that rows without one are read as having, because they are older than the column. It
	// is nil for NULL. If it is not nil, NULL is stored as a cell.
	Absent        []byte   `json:"absent,omitzero"`
	NotNull       bool     `json:"not_null,omitempty"`
	Default       *Default `json:"default,omitempty"` // nil if none was declared
	OnUpdate      bool     `json:"on_update,omitempty"`
	AutoIncrement bool     `json:"auto_increment,omitempty"`
	// Generated is nil if the column is not generated.
	Generated *Generated `json:"generated,omitempty"`
	// Hidden marks the key of a table for which none was declared. It has no name.
	Hidden  bool   `json:"hidden,omitempty"`
	Comment string `json:"comment,omitempty"`

	// From Entry: the index in Table.Families, the cells' qualifier, and the values' form.
	family    int
	qualifier string
	encoding  rowcodec.Encoding
}

// HiddenKey is the key of a table for which none was declared: it numbers the rows in the order in which they
// are inserted.
func HiddenKey() Column {
	return Column{Type: coltype.Type{Base: coltype.BigInt, Length: 20, Unsigned: true}, NotNull: true, AutoIncrement: true, Hidden: true}
}

// Check is a CHECK constraint: a condition that must not be false for any row.
type Check struct {
	Name        string `json:"name"`
	Text        string `json:"text"` // between the parentheses
	NotEnforced bool   `json:"not_enforced,omitempty"`
}

// Default is DEFAULT of a column: NULL, the statement's time, an expression or a literal.
type Default struct {
	Null  bool `json:"null,omitempty"`
	Clock bool `json:"clock,omitempty"` // CURRENT_TIMESTAMP
	// Expr is the expression between the parentheses, empty if the default is not an expression.
	Expr string `json:"expr,omitempty"`
	// Text is the literal's value as text, which the column's type converts; it is base64 in JSON, since it
	// may be binary.
	Text []byte `json:"text,omitempty"`
}

// Of is the typed table whose rows are in a family; there must be one. The error says that the descriptor is
// damaged, or of a later version. An index that the store does not have, because it could not be built, is
// omitted.
func Of(family *kv.Table) (*Table, error) {
	t, err := Declared(family)
	missing := func(i Index) bool { return family.IndexNamed(i.Name) < 0 }
	if err != nil || !slices.ContainsFunc(t.Indexes, missing) {
		return t, err
	}
	of := *t
	of.Indexes = slices.DeleteFunc(slices.Clone(t.Indexes), missing)
	return &of, nil
}

// Declared is Of including indexes that the store does not have yet. The result is always the same pointer.
func Declared(family *kv.Table) (*Table, error) {
	t := attribute.Read[Table](schema.Of(family).Typed)
	if t.damage != nil {
		return nil, fmt.Errorf("the typed table %s.%s cannot be read: %w", family.Database, family.Group, t.damage)
	}
	return t, nil
}

// OfView is the typed table that is mapped onto the families of a group, which a store keeps as a view. The
// error is that of Of, or 1356 if the store cannot read what it has stored.
func OfView(v *kv.View) (*Table, error) {
	if v.Damage != "" {
		return nil, mysqlerr.New(mysqlerr.ViewInvalid, "Table '%s.%s' cannot be read: %s; DROP TABLE removes it", v.Database,
			v.Name, v.Damage)
	}
	return Of(schema.Descriptor(v))
}

// UnmarshalJSON reads a table and completes it. Of returns an error about its contents later.
func (t *Table) UnmarshalJSON(data []byte) error {
	type plain Table
	if t.damage = json.Unmarshal(data, (*plain)(t)); t.damage == nil {
		t.Columns = slices.Clone(t.Columns) // with the exact length: it stays in the catalog
		t.damage = t.Settle()
	}
	return nil
}

// Settle completes a table that has its columns and its key. The error is 1235 if a column's type cannot be
// in a key.
func (t *Table) Settle() (err error) {
	if err := t.settlePlaces(); err != nil {
		return err
	}
	parts := make([]rowcodec.Part, len(t.Key))
	for i, at := range t.Key {
		if at < 0 || at >= len(t.Columns) {
			return fmt.Errorf("the primary key has column %d, but the table has %d columns", at+1, len(t.Columns))
		}
		c := &t.Columns[at]
		parts[i] = rowcodec.Part{Name: c.Name, Type: c.Type, Encoding: c.encoding, UTF8: t.UTF8}
	}
	if t.key, err = rowcodec.NewKey(parts, t.Separator); err != nil {
		return err
	}
	t.numbered = slices.IndexFunc(t.Columns, func(c Column) bool { return c.AutoIncrement })
	t.cells, t.inOrder = make([]codec, len(t.Columns)), nil
	for i := range t.Columns {
		if t.cells[i], err = codecOf(&t.Columns[i]); err != nil {
			return err
		}
		if t.HasCell(i) {
			t.inOrder = append(t.inOrder, i)
		}
	}
	slices.SortStableFunc(t.inOrder, func(a, b int) int {
		return cmp.Or(cmp.Compare(t.FamilyOf(a), t.FamilyOf(b)), bytes.Compare(t.CellName(a), t.CellName(b)))
	})
	return nil
}

// InOrder are the columns with cells, in the order of a row's cells in the store.
func (t *Table) InOrder() []int { return t.inOrder }

// Column is the index of the column of that name, ignoring case; -1 if there is none.
func (t *Table) Column(name string) int {
	return slices.IndexFunc(t.Columns, func(c Column) bool { return !c.Hidden && strings.EqualFold(c.Name, name) })
}

// Numbered is the index of the column to which the table's counter gives values, which is the first of the
// key: the AUTO_INCREMENT column, or the hidden key. It is -1 if there is none.
func (t *Table) Numbered() int { return t.numbered }

// AutoIncrement is Numbered without the hidden key.
func (t *Table) AutoIncrement() int {
	if t.numbered < 0 || t.Columns[t.numbered].Hidden {
		return -1
	}
	return t.numbered
}

// Number is the value of a row's numbered column, 0 for one below 1; false if the row is not one of the
// table's.
func (t *Table) Number(row []byte) (n uint64, ok bool) {
	tuple := make([]value.Value, len(t.Key))
	if !t.key.ReadRow(row, tuple) {
		return 0, false
	}
	return AsNumber(tuple[0]), true
}

// HasRow reports whether a row of the store has a key in the table's form.
func (t *Table) HasRow(row []byte) bool { return t.key.ReadRow(row, make([]value.Value, len(t.Key))) }

// Redundant reports whether the rows have keys in an earlier form, ROW_FORMAT=REDUNDANT. Without it a
// declaration with the same columns has other keys.
func (t *Table) Redundant() bool { return t.key.Redundant() }

// AsNumber is a value as a counter has it, 0 if it is below 1.
func AsNumber(v value.Value) uint64 {
	switch v.Kind() {
	case value.Int:
		return uint64(max(0, v.Int()))
	case value.Uint:
		return v.Uint()
	}
	switch f := v.AsFloat(); {
	case f >= math.MaxUint64:
		return math.MaxUint64
	case f >= 1:
		return uint64(f)
	}
	return 0
}

// HasHiddenKey reports whether no primary key was declared.
func (t *Table) HasHiddenKey() bool { return t.Columns[t.Key[0]].Hidden }

// KeyPart is the position of a column in the primary key, -1 for any other.
func (t *Table) KeyPart(column int) int { return slices.Index(t.Key, column) }

// HasCell reports whether the values of a column are in cells. Those of key columns are in the row, unless it
// has only their weights, and those of virtual columns are not stored.
func (t *Table) HasCell(column int) bool {
	if t.IsVirtual(column) {
		return false
	}
	part := t.KeyPart(column)
	return part < 0 || !t.key.Recovered(part)
}

// CellQualifier is the qualifier of the column's cells.
func (c *Column) CellQualifier() string {
	if c.Entry != "" {
		return c.qualifier
	}
	if c.Qualifier != "" {
		return c.Qualifier
	}
	return c.Name
}

// CellName is the qualifier of the column's cells, which must not be changed.
func (t *Table) CellName(column int) []byte { return t.cells[column].name }

// Values is the type of a column's values. Texts in keys are compared as their bytes, without padding, if
// their collation compares bytes, since the rows are compared like this.
func (t *Table) Values(column int) value.Type {
	c := &t.Columns[column]
	out := c.Type.Values(!c.NotNull || t.Mapped && t.KeyPart(column) < 0) // other programs omit cells
	if t.comparesBytes(column) {
		out.Collation = collation.Bin0900
	}
	if t.cells != nil {
		out.Members = t.cells[column].members
	}
	return out
}

// comparesBytes reports whether a column is a text in the key that is compared by its bytes.
func (t *Table) comparesBytes(column int) bool {
	typ := &t.Columns[column].Type
	return t.KeyPart(column) >= 0 && typ.Base.IsText() && typ.By().IsBinary() && !(t.padded != nil && t.padded[column])
}

// Converter converts values to the column's type.
func (c *Column) Converter() coltype.Column {
	return coltype.NewColumn(c.Name, c.Type, c.NotNull)
}

// Converter converts values to the type of a column. It must not be changed.
func (t *Table) Converter(column int) *coltype.Column { return &t.cells[column].converter }

// AppendRow appends the row key for the values of all columns.
func (t *Table) AppendRow(dst []byte, values []value.Value) ([]byte, error) {
	var few [fewParts]value.Value
	tuple := few[:0]
	for _, at := range t.Key {
		tuple = append(tuple, values[at])
	}
	return t.key.AppendRow(dst, tuple)
}

// AppendCell appends the value of a column's cell; v must not be NULL.
func (t *Table) AppendCell(dst []byte, column int, v value.Value) ([]byte, error) {
	return t.cells[column].Append(dst, v)
}

// OfCell is the column whose cells have the qualifier in the family, which is an index of Families; -1 for
// none.
func (t *Table) OfCell(family int, qualifier []byte) int {
	at, ok := slices.BinarySearchFunc(t.inOrder, qualifier, func(column int, q []byte) int {
		return cmp.Or(cmp.Compare(t.FamilyOf(column), family), bytes.Compare(t.CellName(column), q))
	})
	if !ok {
		return -1
	}
	return t.inOrder[at]
}

// IsMarker reports whether a cell with the qualifier shows that a row exists. In a mapped table only cells of
// its columns do.
func (t *Table) IsMarker(qualifier []byte) bool { return !t.Mapped && string(qualifier) == Marker }

// Stored are the values of all columns of a row, from its row key and the values of the columns' cells, nil
// for none. They refer to these bytes.
func (t *Table) Stored(row []byte, cells [][]byte) ([]value.Value, error) {
	var few [fewParts]value.Value
	tuple := append(few[:0], make([]value.Value, len(t.Key))...)
	if !t.key.ReadRow(row, tuple) {
		return nil, fmt.Errorf("the row %x is not a row of the typed table", row)
	}
	out := make([]value.Value, len(t.Columns))
	for part, at := range t.Key {
		out[at] = tuple[part]
	}
	for i := range out {
		if t.HasCell(i) && cells[i] != nil {
			out[i], _ = t.cells[i].Read(cells[i]) // NULL if it cannot be read, as in a SELECT
		}
	}
	return out, nil
}

// AllShown are the stored values of all columns as a session sees them.
func (t *Table) AllShown(env *expr.Env, stored []value.Value) []value.Value {
	out := make([]value.Value, len(stored))
	for i, v := range stored {
		out[i] = t.Shown(env, i, v)
	}
	return out
}
