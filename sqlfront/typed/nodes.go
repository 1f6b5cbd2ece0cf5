package typed

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/collation"
	"github.com/hbasekv/hbasekv/sqlfront/coltype"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/rowcodec"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Part is a column of the primary key as an expression over the row.
type Part struct {
	X     expr.Node // the row
	Table *Table
	Part  int // of the key
}

// PartOf is the column for a part of the key, over the row k.
func (t *Table) PartOf(k expr.Node, part int) *Part { return &Part{k, t, part} }

func (p *Part) column() *Column { return &p.Table.Columns[p.Table.Key[p.Part]] }

// Eval is the value, which may refer to the row's bytes; NULL if the table does not have the row.
func (p *Part) Eval(env *expr.Env) (value.Value, error) {
	row, err := p.X.Eval(env)
	if err != nil || row.IsNull() {
		return value.Value{}, err
	}
	var few [4]value.Value
	tuple := few[:]
	if n := len(p.Table.Key); n > len(few) {
		tuple = make([]value.Value, n)
	}
	if !p.Table.key.ReadRow(row.Raw(), tuple[:len(p.Table.Key)]) {
		return value.Value{}, nil
	}
	return p.Table.Shown(env, p.Table.Key[p.Part], tuple[p.Part]), nil
}

// Type is the column's type.
func (p *Part) Type() value.Type { return p.Table.Values(p.Table.Key[p.Part]) }

// AppendTo appends the column's name.
func (p *Part) AppendTo(dst []byte) []byte { return appendName(dst, p.column()) }

// Children is the row.
func (p *Part) Children() []expr.Node { return []expr.Node{p.X} }

// With is the part over another row.
func (p *Part) With(c []expr.Node) expr.Node { return &Part{c[0], p.Table, p.Part} }

// ReadRow sets the stored values of the key's columns, which may refer to the row's bytes. It is false if the
// row is not one of the table's.
func (t *Table) ReadRow(row []byte, tuple []value.Value) bool { return t.key.ReadRow(row, tuple) }

// VectorKind is the kind of vectors of a column's values, Null for any kind.
func (c *Column) VectorKind() value.Kind {
	switch t := &c.Type; {
	case t.Base.IsInteger() && !t.Unsigned:
		return value.Int
	case t.Base == coltype.Double && !t.IsFixed():
		return value.Float
	case t.Base.IsBytes():
		return value.Bytes
	}
	return value.Null
}

// CellShown is the value of a column's cell as a session sees it, which may refer to the cell's bytes; ok is
// false if these are not a value of the column's type.
func (t *Table) CellShown(env *expr.Env, column int, b []byte) (v value.Value, ok bool) {
	if v, ok = t.cells[column].Read(b); !ok {
		return value.Value{}, false
	}
	return t.Shown(env, column, v), true
}

// warnUnreadable adds warning 1366 for a cell that CellShown cannot read. It reads as NULL even in strict
// mode: bytes that others have written are not the statement's fault.
func (t *Table) warnUnreadable(env *expr.Env, column int, b []byte) {
	if env.Session == nil || env.Session.AddWarning == nil {
		return
	}
	c := &t.Columns[column]
	env.Session.AddWarning(uint16(mysqlerr.TruncatedWrongForField), "Incorrect "+c.Type.Base.String()+" value: "+
		string(value.Print(value.NewBytes(b)))+" for column '"+c.Name+"'")
}

// CellRead is the value of a column's cell as a session sees it, which may refer to the cell's bytes: NULL if
// there is no cell and, with a warning, if its bytes are not a value of the column's type.
func (t *Table) CellRead(env *expr.Env, column int, b []byte) value.Value {
	if b == nil {
		return value.Value{}
	}
	v, ok := t.CellShown(env, column, b)
	if !ok {
		t.warnUnreadable(env, column, b)
	}
	return v
}

// Shown is a stored value of a column as a session sees it.
func (t *Table) Shown(env *expr.Env, column int, v value.Value) value.Value {
	switch {
	case v.Kind() == value.Text && t.comparesBytes(column):
		return v.WithCollation(collation.Bin0900)
	case env.Session == nil:
		return v
	}
	return t.Columns[column].Type.Shown(v, env.Session.Now.Location())
}

func appendName(dst []byte, c *Column) []byte {
	return append(append(append(dst, '`'), c.Name...), '`')
}

// Exactly is a constant as the column holds it, if comparing it gives the same results as comparing the
// constant: it is of the same kind, and the conversion does not change it. env returns an environment in
// which a conversion that would warn fails.
func (p *Part) Exactly(env func() *function.Env, v value.Value) (value.Value, bool) {
	converter := p.Table.Converter(p.Table.Key[p.Part])
	switch {
	case v.Kind() == value.Int && converter.Holds(v.Int()), converter.HoldsText(v):
		return v, true
	case !p.Comparable(v):
		return v, false
	}
	in := env()
	held, err := converter.Convert(&coltype.Writing{Env: in, Row: 1, Quiet: true}, v)
	if err != nil {
		return v, false
	}
	shown, ok := p.shownAlike(in, held)
	if !ok {
		return v, false
	}
	order, ok := value.Compare(shown, v)
	return held, ok && order == 0
}

// shownAlike is a stored value as a session sees it; false if other values may look the same, or be ordered
// differently: TIMESTAMP in time zones that change their offset.
func (p *Part) shownAlike(env *function.Env, v value.Value) (value.Value, bool) {
	if p.column().Type.Base != coltype.Timestamp {
		return v, true
	}
	if env.Session == nil {
		return v, false
	}
	start, end := env.Session.Now.ZoneBounds()
	return p.column().Type.Shown(v, env.Session.Now.Location()), start.IsZero() && end.IsZero()
}

// Member is the value of an ENUM or SET column with this number; false if there is none, or the number is not
// an integer.
func (p *Part) Member(number value.Value) (value.Value, bool) {
	n := number.Uint()
	switch number.Kind() {
	case value.Int:
		if number.Int() < 0 {
			return value.Value{}, false
		}
	case value.Uint:
	default:
		return value.Value{}, false
	}
	return p.column().Type.Member(n)
}

// Cut is as much of a value as the key holds, and whether it may hold less than a value: rows of other values
// then share this key.
func (p *Part) Cut(v value.Value) (value.Value, bool) {
	if p.Table.cut == nil {
		return v, false
	}
	return p.Table.cut(p.Part, v)
}

// Nullable reports whether the key can contain NULL, as that of an index can.
func (p *Part) Nullable() bool { return p.Table.cut != nil && !p.column().Hidden }

// HoldsStrings reports whether the column's values are texts or bytes of any length.
func (p *Part) HoldsStrings() bool {
	base := p.column().Type.Base
	return base.IsText() || base.IsBytes()
}

// Comparable reports whether comparing the column's values with a constant compares values of one kind.
func (p *Part) Comparable(v value.Value) bool {
	isNumber := v.Kind() == value.Int || v.Kind() == value.Uint || v.Kind() == value.Decimal
	switch of := p.Type(); of.Kind {
	case value.JSON:
		return false
	case value.Int, value.Uint, value.Decimal:
		return isNumber
	case value.Float:
		return isNumber || v.Kind() == value.Float
	case value.Text:
		return v.Kind() == value.Text && v.Collation() == of.Collation
	case value.Bytes:
		return v.IsString()
	case value.Date, value.DateTime, value.Time:
		return v.Kind() == of.Kind || v.Kind() == value.Text // a text compares as one, see Exactly
	default:
		return v.Kind() == of.Kind
	}
}

// KeyLen is the number of the key's columns.
func (t *Table) KeyLen() int { return len(t.Key) }

// KeySorted is the number of columns of the key, from the first, by whose values rows are sorted.
func (t *Table) KeySorted() int { return t.key.Sorted() }

// RowsEqual is the span of the rows whose first columns of the key have these values.
func (t *Table) RowsEqual(first []value.Value) rowcodec.Span {
	if t.unique && len(first) == t.OneLen() && !slices.ContainsFunc(first, value.Value.IsNull) {
		first = append(slices.Clip(first), noRow)
	}
	return t.key.Equal(first)
}

// noRow follows the columns of an entry of a unique index, if none of these is NULL.
var noRow = value.NewBytes(nil)

// OneLen is the number of columns of the key, from the first, whose values are unique if none is NULL.
func (t *Table) OneLen() int {
	if t.unique {
		return len(t.Key) - 1
	}
	return len(t.Key)
}

// AppendOne appends the row with these values of the first OneLen columns of the key, in its order. None may
// be NULL, and all must be results of coltype.Column.Convert. It may write behind the end of tuple.
func (t *Table) AppendOne(dst []byte, tuple []value.Value) ([]byte, error) {
	if t.unique {
		tuple = append(tuple, noRow)
	}
	return t.key.AppendRow(dst, tuple)
}

// RowsBetween is the span of the rows whose first columns of the key have these values, and whose next one is
// within bounds.
func (t *Table) RowsBetween(first []value.Value, low, high rowcodec.Bound) rowcodec.Span {
	return t.key.Between(first, low, high)
}

// RowsStarting is the span of the rows whose first columns of the key have these values, and whose next one
// is a text that begins with text.
func (t *Table) RowsStarting(first []value.Value, text []byte) rowcodec.Span {
	return t.key.StartsWith(first, text)
}

// Sorts reports whether rows with the same values of the key's earlier columns are in the order of this one;
// for ENUM and SET, of their numbers or of their texts.
func (p *Part) Sorts(numbers bool) bool {
	return p.Part < p.Table.KeySorted() && numbers == p.column().Type.Base.HasMembers()
}
