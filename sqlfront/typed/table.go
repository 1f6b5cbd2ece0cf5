package typed

import (
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

// Marker is the qualifier of the cell that each row has, with the value MarkerValue.
const Marker = ""

// MarkerValue is not empty: an empty value is what HBase's clients take for none.
var MarkerValue = []byte{1}

// Table is what was declared of a typed table. Its form in JSON is an on-disk format. It is
// immutable once it is of a catalog.
type Table struct {
	Columns []Column `json:"columns"`
	// Key are the columns of the primary key by their places in Columns, in the key's order.
	Key []int `json:"key"`
	// Retired are the qualifiers of columns that were dropped, which no other column gets.
	Retired []string `json:"retired,omitempty"`
	Checks  []Check  `json:"checks,omitempty"`
	// Indexes are in the order of SortIndexes.
	Indexes []Index `json:"indexes,omitempty"`

	// Mapped is true of a table whose cells are in families that exist, where each column says.
	Mapped bool `json:"mapped,omitempty"`
	// Separator ends the parts of a mapped key that have no fixed length and are not last; X'00'
	// where it is empty.
	Separator []byte `json:"separator,omitempty"`
	// ForeignKeys are shown, and nothing else.
	ForeignKeys []ForeignKey `json:"foreign_keys,omitempty"`

	key      *rowcodec.Key
	cells    []codec // of Columns
	families []string
	// qualifiers are those of all columns of a mapped table.
	qualifiers []kv.QualifierRange
	numbered   int   // see Numbered
	damage     error // see Of
	// padded, unique and cut are of an IndexKey: which texts compare as if spaces followed them, whether the entries without
	// NULL end before the row, and as much of a value as a part has, and whether it may have less than a value.
	padded []bool
	unique bool
	cut    func(part int, v value.Value) (value.Value, bool)
	// ofCells is true of CellsOf.
	ofCells bool
}

// Column is a column of a typed table.
type Column struct {
	Name string `json:"name"`
	// Qualifier is that of the column's cells where it is not Name, as after a renaming.
	Qualifier string `json:"qualifier,omitempty"`
	// Entry is that of HBASE_COLUMNS, of a mapped table: see Place.
	Entry string       `json:"entry,omitempty"`
	Type  coltype.Type `json:"type"`
	// Earlier are types that the column had, the newest first, in whose forms cells may still be.
	Earlier []coltype.Type `json:"earlier,omitempty"`
	// Absent is the cell that rows without one are read as having: those that were there before
	// the column was added. It is nil for NULL. Where it is not, NULL is a cell.
	Absent        []byte   `json:"absent,omitzero"`
	NotNull       bool     `json:"not_null,omitempty"`
	Default       *Default `json:"default,omitempty"` // nil where none was declared
	OnUpdate      bool     `json:"on_update,omitempty"`
	AutoIncrement bool     `json:"auto_increment,omitempty"`
	// Generated is nil for a column that is not generated.
	Generated *Generated `json:"generated,omitempty"`
	// Hidden is the key of a table for which none was declared. It has no name.
	Hidden  bool   `json:"hidden,omitempty"`
	Comment string `json:"comment,omitempty"`

	// What Entry says: the place in Table.Families, the cells' qualifier, and the values' form.
	family    int
	qualifier string
	encoding  rowcodec.Encoding
}

// HiddenKey is the key of a table for which none was declared: it numbers the rows as they are
// inserted.
func HiddenKey() Column {
	return Column{Type: coltype.Type{Base: coltype.BigInt, Length: 20, Unsigned: true}, NotNull: true, AutoIncrement: true, Hidden: true}
}

// Check is a CHECK constraint: a condition that is not false of any row.
type Check struct {
	Name        string `json:"name"`
	Text        string `json:"text"` // what stood in the parentheses
	NotEnforced bool   `json:"not_enforced,omitempty"`
}

// Default is DEFAULT of a column: NULL, the statement's time, an expression or a literal.
type Default struct {
	Null  bool `json:"null,omitempty"`
	Clock bool `json:"clock,omitempty"` // CURRENT_TIMESTAMP
	// Expr is what stood in the parentheses, empty where it is no expression.
	Expr string `json:"expr,omitempty"`
	// Text is the literal's value as text, which the column's type converts; in base64 in JSON, as
	// it may be binary.
	Text []byte `json:"text,omitempty"`
}

// Of is the typed table whose rows are in a family; it has one. The error tells that the descriptor is
// damaged, or of a later version. An index that the store has not, which could not be built, is none of the
// table's.
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

// Declared is Of a family whose indexes the store is yet to be given. It is always the same one.
func Declared(family *kv.Table) (*Table, error) {
	t := attribute.Read[Table](schema.Of(family).Typed)
	if t.damage != nil {
		return nil, fmt.Errorf("the typed table %s.%s cannot be read: %w", family.Database, family.Group, t.damage)
	}
	return t, nil
}

// OfView is the typed table that is mapped onto the families of a group, as which a store keeps it. The
// error is that of Of, or 1356 where the store cannot read what it has kept.
func OfView(v *kv.View) (*Table, error) {
	if v.Damage != "" {
		return nil, mysqlerr.New(mysqlerr.ViewInvalid, "Table '%s.%s' cannot be read: %s; DROP TABLE takes it away", v.Database,
			v.Name, v.Damage)
	}
	return Of(schema.Descriptor(v))
}

// UnmarshalJSON reads a table and makes it ready to be used. What is wrong with it is the error of Of.
func (t *Table) UnmarshalJSON(data []byte) error {
	type plain Table
	if t.damage = json.Unmarshal(data, (*plain)(t)); t.damage == nil {
		t.Columns = slices.Clone(t.Columns) // of its length: it stays with the catalog
		t.damage = t.Settle()
	}
	return nil
}

// Settle makes a table that has its columns and its key ready to be used. Its error is 1235 where no
// key can be of a column's type.
func (t *Table) Settle() (err error) {
	if err := t.settlePlaces(); err != nil {
		return err
	}
	parts := make([]rowcodec.Part, len(t.Key))
	for i, at := range t.Key {
		if at < 0 || at >= len(t.Columns) {
			return fmt.Errorf("the primary key is of column %d of %d", at+1, len(t.Columns))
		}
		c := &t.Columns[at]
		parts[i] = rowcodec.Part{Name: c.Name, Type: c.Type, Encoding: c.encoding}
	}
	if t.key, err = rowcodec.NewKey(parts, t.Separator); err != nil {
		return err
	}
	t.numbered = slices.IndexFunc(t.Columns, func(c Column) bool { return c.AutoIncrement })
	t.cells = make([]codec, len(t.Columns))
	for i := range t.Columns {
		if t.cells[i], err = codecOf(&t.Columns[i]); err != nil {
			return err
		}
	}
	return nil
}

// Column is the place of the column of that name, in any case; -1 where there is none.
func (t *Table) Column(name string) int {
	return slices.IndexFunc(t.Columns, func(c Column) bool { return !c.Hidden && strings.EqualFold(c.Name, name) })
}

// Numbered is the place of the column to which the table's counter gives values, which is the first
// of the key: the one that is AUTO_INCREMENT, or the hidden key. It is -1 where there is none.
func (t *Table) Numbered() int { return t.numbered }

// AutoIncrement is Numbered without the hidden key.
func (t *Table) AutoIncrement() int {
	if t.numbered < 0 || t.Columns[t.numbered].Hidden {
		return -1
	}
	return t.numbered
}

// Number is the number that a row of the store has in the numbered column, 0 for one below 1; false
// where the row is none of the table's.
func (t *Table) Number(row []byte) (n uint64, ok bool) {
	tuple := make([]value.Value, len(t.Key))
	if !t.key.ReadRow(row, tuple) {
		return 0, false
	}
	return AsNumber(tuple[0]), true
}

// HasRow reports whether a row of the store has a key of the table's form.
func (t *Table) HasRow(row []byte) bool { return t.key.ReadRow(row, make([]value.Value, len(t.Key))) }

// AsNumber is a value as a counter has it, 0 where it is below 1.
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

// KeyPart is the place of a column in the primary key, -1 of another.
func (t *Table) KeyPart(column int) int { return slices.Index(t.Key, column) }

// HasCell reports whether the values of a column are in cells: those of a key's columns are in
// the row, unless it has only what they are compared by, and those of virtual ones nowhere.
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

// CellName is the qualifier of the column's cells, which nobody may write.
func (t *Table) CellName(column int) []byte { return t.cells[column].name }

// Values is what is known of a column's values. Texts of keys are compared as their bytes are,
// without padding, where their collation compares bytes: so do the rows.
func (t *Table) Values(column int) value.Type {
	c := &t.Columns[column]
	out := c.Type.Values(!c.NotNull || t.Mapped && t.KeyPart(column) < 0) // other programs leave cells out
	if t.comparesBytes(column) {
		out.Collation = collation.Bin0900
	}
	if t.cells != nil {
		out.Members = t.cells[column].members
	}
	return out
}

// comparesBytes reports whether a column is a text of the key that is compared by its bytes.
func (t *Table) comparesBytes(column int) bool {
	typ := &t.Columns[column].Type
	return t.KeyPart(column) >= 0 && typ.Base.IsText() && typ.By().IsBinary() && !(t.padded != nil && t.padded[column])
}

// Converter makes values those of the column.
func (c *Column) Converter() coltype.Column {
	return coltype.NewColumn(c.Name, c.Type, c.NotNull)
}

// Converter makes values those of the column at a place. Nobody writes it.
func (t *Table) Converter(column int) *coltype.Column { return &t.cells[column].converter }

// AppendRow appends the row, in HBase's sense, of the values of all columns.
func (t *Table) AppendRow(dst []byte, values []value.Value) ([]byte, error) {
	var few [fewParts]value.Value
	tuple := few[:0]
	for _, at := range t.Key {
		tuple = append(tuple, values[at])
	}
	return t.key.AppendRow(dst, tuple)
}

// AppendCell appends the value of a column's cell, which is not NULL.
func (t *Table) AppendCell(dst []byte, column int, v value.Value) ([]byte, error) {
	return t.cells[column].Append(dst, v)
}

// OfCell is the column whose cells have a qualifier in a family, which is one of Families; -1 where
// none has.
func (t *Table) OfCell(family int, qualifier []byte) int {
	for i := range t.Columns {
		if t.HasCell(i) && t.Columns[i].family == family && t.Columns[i].CellQualifier() == string(qualifier) {
			return i
		}
	}
	return -1
}

// IsMarker reports whether a cell of a qualifier says that a row is there. Of a mapped table no cell does
// but those of its columns.
func (t *Table) IsMarker(qualifier []byte) bool { return !t.Mapped && string(qualifier) == Marker }

// Stored are the values of all columns of a row, with what the store has of it: the row in HBase's
// sense, and the values of the columns' cells, nil for none. They refer to these bytes.
func (t *Table) Stored(row []byte, cells [][]byte) ([]value.Value, error) {
	var few [fewParts]value.Value
	tuple := append(few[:0], make([]value.Value, len(t.Key))...)
	if !t.key.ReadRow(row, tuple) {
		return nil, fmt.Errorf("the row %x is none of the typed table's", row)
	}
	out := make([]value.Value, len(t.Columns))
	for part, at := range t.Key {
		out[at] = tuple[part]
	}
	for i := range out {
		if t.HasCell(i) && cells[i] != nil {
			out[i], _ = t.cells[i].Read(cells[i]) // NULL where it cannot be read, as for who selects it
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
