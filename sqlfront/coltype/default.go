package coltype

import (
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/value/calendar"
)

// Default is the literal of a DEFAULT clause as the column holds it. The error is 1101 if the type cannot
// have defaults, 1067 for NULL in a NOT NULL column and for a value that does not fit. The dates and the time
// zone are those of the declaring session.
func (c *Column) Default(w *Writing, literal value.Value) (value.Value, error) {
	if literal.IsNull() && !c.NotNull {
		return literal, nil
	}
	if c.Type.Base.IsLarge() || c.Type.Base == JSON {
		return value.Value{}, mysqlerr.New(mysqlerr.BlobCantHaveDefault,
			"BLOB, TEXT, GEOMETRY or JSON column '%s' can't have a default value", c.Name)
	}
	strict := Writing{Env: &function.Env{Strict: true, Session: w.Env.Session, Ctx: w.Env.Ctx}, Row: 1, Dates: w.Dates}
	v, err := c.Convert(&strict, literal)
	if mysqlerr.IsOne(err) {
		return v, mysqlerr.New(mysqlerr.InvalidDefault, "Invalid default value for '%s'", c.Name)
	}
	return v, err
}

// DefaultText is a default as COLUMN_DEFAULT shows it.
func (t Type) DefaultText(v value.Value) string {
	if t.Base == Bit && !v.IsNull() {
		return "b'" + bitDigits(v) + "'"
	}
	return v.String()
}

// CheckOnUpdate refuses ON UPDATE CURRENT_TIMESTAMP(digits) for a column that cannot have it (1294).
func (c *Column) CheckOnUpdate(digits int) error {
	if (c.Type.Base == Timestamp || c.Type.Base == DateTime) && c.Type.Decimals == digits {
		return nil
	}
	return mysqlerr.New(mysqlerr.InvalidOnUpdate, "Invalid ON UPDATE clause for '%s' column", c.Name)
}

// Implicit is the default of a type for a NOT NULL column without one: 0, the empty string, the zero date,
// the first member of an ENUM.
func (t Type) Implicit() value.Value {
	switch t.kind() {
	case value.Int:
		return value.NewInt(0)
	case value.Uint:
		return t.unsigned(0)
	case value.Float:
		return t.OfFloat(0)
	case value.Decimal:
		return value.NewDigits(0, 0, t.Decimals)
	case value.Date:
		return value.NewDate(calendar.Fields{})
	case value.Time:
		return value.NewTime(0, t.Decimals)
	case value.DateTime:
		return value.NewDateTime(calendar.Fields{}, t.Decimals)
	case value.JSON:
		return value.NewJSON([]byte("null"))
	case value.Text:
		if t.Base == Enum && len(t.Members) > 0 {
			return t.text([]byte(t.Members[0]))
		}
		return t.text(nil)
	}
	return value.NewBytes(make([]byte, t.padded()))
}
