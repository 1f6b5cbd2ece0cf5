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

// PartOf is the column of a part of the key, over the row k.
func (t *Table) PartOf(k expr.Node, part int) *Part { return &Part{k, t, part} }

func (p *Part) column() *Column { return &p.Table.Columns[p.Table.Key[p.Part]] }

// Eval is the value, which may refer to the row's bytes; NULL where the row is none of the table's.
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

// Type is the column's.
func (p *Part) Type() value.Type { return p.Table.Values(p.Table.Key[p.Part]) }

// AppendTo appends the column's name.
func (p *Part) AppendTo(dst []byte) []byte { return appendName(dst, p.column()) }

// Children is the row.
func (p *Part) Children() []expr.Node { return []expr.Node{p.X} }

// With is the part of another row.
func (p *Part) With(c []expr.Node) expr.Node { return &Part{c[0], p.Table, p.Part} }

// ReadRow sets the stored values of the key's columns, which may refer to the row's bytes. It is false where the row is none
// of the table's.
func (t *Table) ReadRow(row []byte, tuple []value.Value) bool { return t.key.ReadRow(row, tuple) }

// VectorKind is the kind of vectors of a column's values, Null for one of any values.
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

// CellShown is the value of a column's cell as a session sees it, which may refer to the cell's bytes; ok is false where
// these are none of the column's type.
func (t *Table) CellShown(env *expr.Env, column int, b []byte) (v value.Value, ok bool) {
	if v, ok = t.cells[column].Read(b); !ok {
		return value.Value{}, false
	}
	return t.Shown(env, column, v), true
}

// warnUnreadable adds warning 1366 of a cell that CellShown does not read: it is NULL, in strict mode too, as what others have
// written is no fault of the statement's.
func (t *Table) warnUnreadable(env *expr.Env, column int, b []byte) {
	if env.Session == nil || env.Session.AddWarning == nil {
		return
	}
	c := &t.Columns[column]
	env.Session.AddWarning(uint16(mysqlerr.TruncatedWrongForField), "Incorrect "+c.Type.Base.String()+" value: "+
		string(value.Print(value.NewBytes(b)))+" for column '"+c.Name+"'")
}

// CellRead is the value of a column's cell as a session sees it, which may refer to the cell's bytes: NULL where there is
// none, and, with a warning, where these are none of the column's type.
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

// Exactly is a constant as the column holds it, where the column's values compare with it as they
// do with that: of the same kind, and not changed by the conversion. env gives one in which what
// would warn fails.
func (p *Part) Exactly(env func() *function.Env, v value.Value) (value.Value, bool) {
	converter := p.Table.Converter(p.Table.Key[p.Part])
	switch {
	case v.Kind() == value.Int && converter.Holds(v.Int()):
		return v, true
	case !p.Comparable(v):
		return v, false
	}
	in := env()
	held, err := converter.Convert(&coltype.Writing{Env: in, Row: 1}, v)
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

// shownAlike is a stored value as a session sees it; false where others may be seen so, or in another order: of TIMESTAMP in
// time zones whose clocks are put back.
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

// Member is the value of a column of ENUM or SET that is a number; false where none is, or it is none that is whole.
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

// Cut is as much of a value as the key has of the column's values, and whether it may have less than a value: then
// rows of other values are among those of this one.
func (p *Part) Cut(v value.Value) (value.Value, bool) {
	if p.Table.cut == nil {
		return v, false
	}
	return p.Table.cut(p.Part, v)
}

// Nullable reports whether NULL can be in the key, as it is in an index.
func (p *Part) Nullable() bool { return p.Table.cut != nil && !p.column().Hidden }

// HoldsStrings reports whether the column's values are texts or bytes of any length.
func (p *Part) HoldsStrings() bool {
	base := p.column().Type.Base
	return base.IsText() || base.IsBytes()
}

// Comparable reports whether values of the column compare with a constant as values of one kind.
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
		return v.Kind() == of.Kind || v.Kind() == value.Text // which compares as one, see Exactly
	default:
		return v.Kind() == of.Kind
	}
}

// KeyLen is the number of the key's columns.
func (t *Table) KeyLen() int { return len(t.Key) }

// KeySorted is how many columns of the key, from the first, sort rows as their values do.
func (t *Table) KeySorted() int { return t.key.Sorted() }

// RowsEqual is the span of the rows whose first columns of the key have these values.
func (t *Table) RowsEqual(first []value.Value) rowcodec.Span {
	if t.unique && len(first) == t.OneLen() && !slices.ContainsFunc(first, value.Value.IsNull) {
		first = append(slices.Clip(first), noRow)
	}
	return t.key.Equal(first)
}

// noRow is behind the columns of an entry of a unique index, where none of these is NULL.
var noRow = value.NewBytes(nil)

// OneLen is of how many columns of the key, from the first, no two rows have the same values, if none is NULL.
func (t *Table) OneLen() int {
	if t.unique {
		return len(t.Key) - 1
	}
	return len(t.Key)
}

// AppendOne appends the row of values of the first OneLen columns of the key, in its order, of which none is NULL, as
// coltype.Column.Convert gave them.
func (t *Table) AppendOne(dst []byte, tuple []value.Value) ([]byte, error) {
	if t.unique {
		tuple = append(slices.Clip(tuple), noRow)
	}
	return t.key.AppendRow(dst, tuple)
}

// RowsBetween is the span of the rows whose first columns of the key have these values, and whose next
// one is within bounds.
func (t *Table) RowsBetween(first []value.Value, low, high rowcodec.Bound) rowcodec.Span {
	return t.key.Between(first, low, high)
}

// RowsStarting is the span of the rows whose first columns of the key have these values, and whose
// next one is a text that begins with another one.
func (t *Table) RowsStarting(first []value.Value, text []byte) rowcodec.Span {
	return t.key.StartsWith(first, text)
}

// Sorts reports whether rows with the same values of the key's columns before this one are in the order
// of this one, of ENUM and SET by their numbers, or else their texts.
func (p *Part) Sorts(numbers bool) bool {
	return p.Part < p.Table.KeySorted() && numbers == p.column().Type.Base.HasMembers()
}
