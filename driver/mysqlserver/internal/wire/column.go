package wire

import (
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Type is the number of a type.
type Type byte

// The types.
const (
	typeDecimal    Type = 0
	typeTiny       Type = 1
	typeShort      Type = 2
	typeLong       Type = 3
	typeFloat      Type = 4
	typeDouble     Type = 5
	typeNull       Type = 6
	typeTimestamp  Type = 7
	typeLongLong   Type = 8
	typeInt24      Type = 9
	typeDate       Type = 10
	typeTime       Type = 11
	typeDateTime   Type = 12
	typeYear       Type = 13
	typeVarChar    Type = 15
	typeBit        Type = 16
	typeJSON       Type = 245
	typeNewDecimal Type = 246
	typeEnum       Type = 247
	typeSet        Type = 248
	typeTinyBlob   Type = 249
	typeMediumBlob Type = 250
	typeLongBlob   Type = 251
	typeBlob       Type = 252
	TypeVarString  Type = 253
	TypeString     Type = 254
)

// Flags of a column.
const (
	FlagNotNull  = 0x0001
	flagPrimary  = 0x0002
	flagBlob     = 0x0010
	flagUnsigned = 0x0020
	flagBinary   = 0x0080
	flagEnum     = 0x0100
	flagNumbered = 0x0200 // AUTO_INCREMENT
	flagMoment   = 0x0400 // TIMESTAMP
	flagSet      = 0x0800
	flagNeeded   = 0x1000 // it has no default
	flagPartKey  = 0x4000
)

// Numbers of collations.
const (
	DefaultCollation = 45 // utf8mb4_general_ci
	utf8Collation    = 33
	BinaryCollation  = 63
)

// notFixed is the decimals of a type without fixed decimals.
const notFixed = 31

// Column is a column's type as it is sent to the client.
type Column struct {
	Type      Type
	Collation uint16
	Length    uint32
	Flags     uint16
	Decimals  byte
	// From and To are what texts are converted from and to; nil is UTF-8.
	From, To *Encoding
}

// BytesOfCharacter is the maximum length of a character, in bytes.
const BytesOfCharacter = 4

// Longest are the lengths of the types that are declared without one.
var Longest = map[string]uint32{
	"TINY": 1<<8 - 1, "": 1<<16 - 1, "MEDIUM": 1<<24 - 1, "LONG": 1<<32 - 1,
}

// OfTable adds the flags and the type that only a table's column has.
func (w *Column) OfTable(col *sqlfront.Column) {
	if col.Key {
		w.Flags |= flagPrimary | flagPartKey
	}
	if col.Numbered {
		w.Flags |= flagNumbered
	} else if !col.Type.Nullable && !col.Generated && !col.HasDefault {
		w.Flags |= flagNeeded
	}
	if col.Type.Kind.IsNumber() {
		w.Flags &^= flagBinary
	}
	w.Flags |= declaredFlags[col.Type.Name]
}

// declaredFlags are flags of tables' columns, by their types' names.
var declaredFlags = map[string]uint16{"ENUM": flagEnum, "SET": flagSet, "TIMESTAMP": flagMoment}

// declared are the types of tables' columns that expressions do not have, by their names.
var declared = map[string]Type{"TINYINT": typeTiny, "SMALLINT": typeShort, "MEDIUMINT": typeInt24, "INT": typeLong,
	"YEAR": typeYear, "BIT": typeBit, "FLOAT": typeFloat, "TIMESTAMP": typeTimestamp, "CHAR": TypeString, "BINARY": TypeString,
	"ENUM": TypeString, "SET": TypeString}

// NewColumn returns the wire form of a type.
func NewColumn(t value.Type) Column {
	w := Column{Collation: BinaryCollation, Flags: flagBinary, Length: uint32(t.Length)}
	switch t.Kind {
	case value.Int, value.Uint:
		typedInteger(&w, t)
	case value.Float:
		typedFloat(&w, t)
	case value.Decimal:
		w.Type, w.Decimals = typeNewDecimal, byte(max(t.Decimals, 0))
		w.Length = uint32(t.Precision() + 1) // the sign, and the point
		if w.Decimals > 0 {
			w.Length++
		}
	case value.Date:
		w.Type, w.Length = typeDate, 10
	case value.Time:
		w.Type, w.Length, w.Decimals = typeTime, 10+fraction(t), byte(t.Decimals)
	case value.DateTime:
		w.Type, w.Length, w.Decimals = typeDateTime, 19+fraction(t), byte(t.Decimals)
		if of, ok := declared[t.Name]; ok {
			w.Type = of
		}
	case value.JSON:
		w.Type, w.Length, w.Flags = typeJSON, Longest["LONG"], flagBinary|flagBlob
	case value.Null:
		w.Type, w.Length = typeNull, 0
	default:
		typedString(&w, t)
	}
	return w
}

func fraction(t value.Type) uint32 {
	if t.Decimals > 0 {
		return uint32(t.Decimals) + 1
	}
	return 0
}

func typedFloat(w *Column, t value.Type) {
	w.Type, w.Length, w.Decimals = typeDouble, 23, notFixed
	if of, ok := declared[t.Name]; ok {
		w.Type, w.Length = of, uint32(t.Length)
		if t.Decimals > 0 {
			w.Decimals = byte(t.Decimals)
		}
	}
}

func typedInteger(w *Column, t value.Type) {
	name, unsigned := strings.CutPrefix(t.Name, "UNSIGNED ")
	w.Type = typeLongLong
	if of, ok := declared[name]; ok {
		w.Type = of
	}
	if t.Kind == value.Uint || unsigned {
		w.Flags |= flagUnsigned
	}
	switch {
	case w.Length > 0:
	case w.Type == typeLong:
		w.Length = 11
	default:
		w.Length = 21
	}
}

func typedString(w *Column, t value.Type) {
	w.Type, w.Decimals = TypeVarString, notFixed
	characters := t.Kind == value.Text
	if characters {
		w.Collation, w.Flags = DefaultCollation, 0
	}
	name := strings.ToUpper(t.Name)
	large, ok := strings.CutSuffix(name, "BLOB")
	if !ok {
		large, ok = strings.CutSuffix(name, "TEXT")
	}
	if ok {
		w.Type, w.Decimals, w.Length = typeBlob, 0, Longest[large]
		w.Flags |= flagBlob
		return
	}
	switch {
	case t.Length <= 0:
		w.Length = Longest[""]
	case characters:
		w.Length = uint32(t.Length) * BytesOfCharacter
	}
	if of, ok := declared[name]; ok {
		w.Type, w.Decimals = of, 0
	}
	if t.Length > 0 && w.Flags&flagBinary != 0 {
		w.Decimals = 0
	}
}

// convert converts a column's text to the client's character set.
func (w *Column) convert(text []byte) []byte {
	if w.From == nil && w.To == nil {
		return text
	}
	return w.To.Encode(w.From.Decode(text))
}
