package coltype

import (
	"strings"
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Values is the type of the values of a column of the type, as in a result's metadata. Its Name is MySQL's if
// the kind does not imply it: TINYINT, UNSIGNED INT, FLOAT, YEAR, TIMESTAMP, BIT, ENUM, CHAR, LONGTEXT.
//
// BIT and YEAR are Uint: as a string, BIT(n) is the (n+7)/8 bytes of the number (value.AppendBits), and YEAR
// has four digits. ENUM and SET are Text; they sort, and convert to numbers, by [Type.Ordinal].
func (t Type) Values(nullable bool) value.Type {
	out := value.Type{Kind: t.kind(), Nullable: nullable, Length: t.displayLength(), Decimals: t.Decimals, Name: t.name()}
	if t.Base == Decimal {
		out.Digits = t.Length
	}
	if out.Kind == value.Text {
		out.Collated = value.Collated{Collation: t.By(), Derivation: value.Implicit}
		if t.Charset != "utf8mb4" {
			out.Charset = t.Charset
		}
	}
	return out
}

func (t Type) kind() value.Kind {
	if t.Base.IsInteger() && t.Unsigned {
		return value.Uint
	}
	return kinds[t.Base]
}

var kinds = [...]value.Kind{TinyInt: value.Int, SmallInt: value.Int, MediumInt: value.Int, Int: value.Int,
	BigInt: value.Int, Bit: value.Uint, Decimal: value.Decimal, Float: value.Float, Double: value.Float, Date: value.Date,
	Time: value.Time, DateTime: value.DateTime, Timestamp: value.DateTime, Year: value.Uint, Char: value.Text,
	VarChar: value.Text, Binary: value.Bytes, VarBinary: value.Bytes, TinyText: value.Text, Text: value.Text,
	MediumText: value.Text, LongText: value.Text, TinyBlob: value.Bytes, Blob: value.Bytes, MediumBlob: value.Bytes,
	LongBlob: value.Bytes, Enum: value.Text, Set: value.Text, JSON: value.JSON}

// name is MySQL's name of the type if value.Type would give another one by its kind, as in go-sql-driver.
func (t Type) name() string {
	switch t.Base {
	case BigInt, Double, Decimal, Date, Time, DateTime, VarChar, VarBinary, JSON:
		return ""
	}
	name := strings.ToUpper(t.Base.String())
	if t.Unsigned && t.Base.IsInteger() {
		return "UNSIGNED " + name
	}
	return name
}

// displayLength is the maximum number of bytes or display characters.
func (t Type) displayLength() int {
	switch {
	case t.Base == Decimal:
		return decimalWidth(t.Length, t.Decimals, t.Unsigned)
	case t.Base.IsInteger() || t.Base == Bit || t.Base == Year || t.IsFixed():
		return t.Length
	case t.Base == Float:
		return 12
	case t.Base == Double:
		return 22
	case t.Base == Date:
		return 10
	case t.Base == Time:
		return withFraction(10, t.Decimals)
	case t.Base == DateTime || t.Base == Timestamp:
		return withFraction(19, t.Decimals)
	}
	return t.Characters()
}

func decimalWidth(digits, scale int, unsigned bool) int {
	if scale > 0 {
		digits++
	}
	if !unsigned {
		digits++
	}
	return digits
}

func withFraction(width, digits int) int {
	if digits > 0 {
		return width + 1 + digits
	}
	return width
}

// Shown is a value that the column holds, as statements of a session with that time zone see it.
func (t Type) Shown(v value.Value, zone *time.Location) value.Value {
	if t.Base != Timestamp || v.IsNull() {
		return v
	}
	return inZone(v, zone)
}
