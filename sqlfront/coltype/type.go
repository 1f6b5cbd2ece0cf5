// Package coltype is the declared types of typed tables' columns: MySQL's types with their limits
// (https://dev.mysql.com/doc/refman/5.7/en/data-types.html), how they are shown, and how values become a
// column's.
//
// The main types: [Type], made from a definition by [Of]; [Column], whose [Column.Convert] converts
// any value to one that the column holds, with MySQL's errors and warnings; [Writing], the statement for
// which it does so.
//
// A column holds values of the kind that [Type.Values] says. TIMESTAMP is held as a DateTime in UTC;
// [Type.Shown] converts it to a session's time zone.
package coltype

import (
	"fmt"
	"slices"
)

// Base is a type without its length and attributes.
type Base uint8

// The base types. The zero Base is no type.
const (
	TinyInt Base = iota + 1
	SmallInt
	MediumInt
	Int
	BigInt
	Bit
	Decimal
	Float
	Double
	Date
	Time
	DateTime
	Timestamp
	Year
	Char
	VarChar
	Binary
	VarBinary
	TinyText
	Text
	MediumText
	LongText
	TinyBlob
	Blob
	MediumBlob
	LongBlob
	Enum
	Set
	JSON
)

var baseNames = [...]string{TinyInt: "tinyint", SmallInt: "smallint", MediumInt: "mediumint", Int: "int",
	BigInt: "bigint", Bit: "bit", Decimal: "decimal", Float: "float", Double: "double", Date: "date", Time: "time",
	DateTime: "datetime", Timestamp: "timestamp", Year: "year", Char: "char", VarChar: "varchar", Binary: "binary",
	VarBinary: "varbinary", TinyText: "tinytext", Text: "text", MediumText: "mediumtext", LongText: "longtext",
	TinyBlob: "tinyblob", Blob: "blob", MediumBlob: "mediumblob", LongBlob: "longblob", Enum: "enum", Set: "set",
	JSON: "json"}

// String is MySQL's name in lower case, DATA_TYPE in information_schema.
func (b Base) String() string {
	if int(b) >= len(baseNames) {
		return ""
	}
	return baseNames[b]
}

// MarshalText is the form in the attributes of a descriptor.
func (b Base) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// UnmarshalText is the inverse of MarshalText. The error is for an unknown name.
func (b *Base) UnmarshalText(text []byte) error {
	at := slices.Index(baseNames[:], string(text))
	if at < int(TinyInt) {
		return fmt.Errorf("%q is not a column type", text)
	}
	*b = Base(at)
	return nil
}

// IsInteger reports whether the type is one of TINYINT to BIGINT.
func (b Base) IsInteger() bool { return b >= TinyInt && b <= BigInt }

// IsNumber reports whether the type is a number that can be UNSIGNED.
func (b Base) IsNumber() bool { return b.IsInteger() || b >= Decimal && b <= Double }

// IsFloat reports whether the type is FLOAT or DOUBLE.
func (b Base) IsFloat() bool { return b == Float || b == Double }

// HasFraction reports whether the type has fractional digits of a second.
func (b Base) HasFraction() bool { return b >= Time && b <= Timestamp }

// IsTemporal reports whether values are dates or times.
func (b Base) IsTemporal() bool { return b >= Date && b <= Timestamp }

// IsText reports whether values are strings of characters of any length.
func (b Base) IsText() bool { return b == Char || b == VarChar || b >= TinyText && b <= LongText }

// IsBytes reports whether values are strings of bytes.
func (b Base) IsBytes() bool { return b == Binary || b == VarBinary || b >= TinyBlob && b <= LongBlob }

// IsLarge reports whether the type is a TEXT or BLOB of any size, which can have neither defaults nor keys
// without a prefix length.
func (b Base) IsLarge() bool { return b >= TinyText && b <= LongBlob }

// HasMembers reports whether the type is ENUM or SET.
func (b Base) HasMembers() bool { return b == Enum || b == Set }

// HasCharset reports whether the type has a character set.
func (b Base) HasCharset() bool { return b.IsText() || b.HasMembers() }

// Type is a column's declared type. Its form in JSON is an on-disk format.
type Type struct {
	Base Base `json:"base"`
	// Length is the display width of integers and YEAR, the bits of BIT, the digits of DECIMAL and, if not 0,
	// of FLOAT and DOUBLE, the characters of CHAR and VARCHAR, and the bytes of BINARY and VARBINARY. Other
	// types have none.
	Length int `json:"length,omitempty"`
	// Decimals is the number of digits after the point of DECIMAL and, if Length is not 0, of FLOAT and
	// DOUBLE, and the number of fractional digits of TIME, DATETIME and TIMESTAMP.
	Decimals int  `json:"decimals,omitempty"`
	Unsigned bool `json:"unsigned,omitempty"`
	Zerofill bool `json:"zerofill,omitempty"`
	// Members are the members of ENUM and SET.
	Members []string `json:"members,omitempty"`
	// Charset and Collation are those of types with characters, by MySQL 5.7's names.
	Charset   string `json:"charset,omitempty"`
	Collation string `json:"collation,omitempty"`
}

// IsBool reports whether the type is TINYINT(1), for which BOOL stands.
func (t Type) IsBool() bool { return t.Base == TinyInt && t.Length == 1 && !t.Unsigned }

// IsFixed reports whether the type is a FLOAT or DOUBLE with declared digits.
func (t Type) IsFixed() bool { return t.Base.IsFloat() && t.Length > 0 }
