package coltype

import (
	"unicode/utf8"

	"github.com/hbasekv/hbasekv/sqlfront/collation"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Column is a column to which values are written. One from [NewColumn] converts faster.
type Column struct {
	Name    string
	Type    Type
	NotNull bool
	prepared
}

// prepared is what is computed once for a type.
type prepared struct {
	convert func(conversion, value.Value) (value.Value, error)
	by      collation.Collation
	low     int64  // of integers
	high    uint64 // of integers
	narrow  bool   // the character set has no characters of four bytes
}

// NewColumn makes a column with a type from Of.
func NewColumn(name string, t Type, notNull bool) Column {
	c := Column{Name: name, Type: t, NotNull: notNull, prepared: prepared{convert: converterOf(t.Base), by: t.By(),
		narrow: t.charBytes() < utf8.UTFMax}}
	if t.Base.IsInteger() {
		c.low, c.high = t.IntegerRange()
	}
	return c
}

// Holds reports whether the column is of signed integers and n is in range.
func (c *Column) Holds(n int64) bool {
	return c.Type.Base.IsInteger() && !c.Type.Unsigned && c.low <= n && (n < 0 || uint64(n) <= c.high)
}

// HoldsText reports whether the column is a VARCHAR that holds a text as it is, by its own collation.
func (c *Column) HoldsText(v value.Value) bool {
	if c.Type.Base != VarChar || v.Kind() != value.Text || v.Collation() != c.by {
		return false
	}
	b := v.Raw()
	return len(b) <= c.Type.Length && c.firstBad(b) < 0
}

// Writing is the statement for which values are converted.
type Writing struct {
	// Env says whether a value that does not fit is an error (Strict) or a warning, receives warnings and
	// notes, and has the session's time zone in Now.
	Env *function.Env
	// Row is the row's number in messages, from 1.
	Row   int
	Dates Dates
	// Quiet leaves out notes: the value is not stored.
	Quiet bool
}

// Dates is which invalid dates sql_mode allows; the zero Dates is MySQL's default
// (https://dev.mysql.com/doc/refman/5.7/en/sql-mode.html).
type Dates struct {
	Zero    bool // without NO_ZERO_DATE: 0000-00-00
	ZeroIn  bool // without NO_ZERO_IN_DATE: 2020-00-01
	Invalid bool // with ALLOW_INVALID_DATES: 2020-02-31
}

// Convert is a value of any kind as the column holds it: rounded, cut, padded and normalized as in MySQL. For
// a value that does not fit, the error is one of 1048, 1264, 1265, 1292, 1366, 1406 and 3140, or without
// strict mode there is a warning of the same number and the result is the nearest value that fits. NULL stays
// NULL if the column is nullable.
//
// The result may refer to v's bytes.
func (c *Column) Convert(w *Writing, v value.Value) (value.Value, error) {
	if v.IsNull() {
		return c.null(w)
	}
	if c.convert == nil {
		made := NewColumn(c.Name, c.Type, c.NotNull)
		c = &made
	}
	return c.convert(conversion{c, w}, v)
}

// null is NULL, or without strict mode the implicit default of the type.
func (c *Column) null(w *Writing) (value.Value, error) {
	if !c.NotNull {
		return value.Value{}, nil
	}
	err := w.Env.Warn(mysqlerr.BadNull, "Column '"+c.Name+"' cannot be null")
	return c.Type.Implicit(), err
}
