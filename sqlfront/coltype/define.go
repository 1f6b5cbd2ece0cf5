package coltype

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hbasekv/hbasekv/sqlfront/charset"
	"github.com/hbasekv/hbasekv/sqlfront/collation"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// MySQL's limits of lengths.
const (
	maxWidth      = 255   // for a display width, and for CHAR and BINARY
	maxVarBytes   = 65535 // for VARCHAR and VARBINARY
	maxBits       = 64
	maxFraction   = 6
	maxFloat      = 24 // bits, above which FLOAT(p) is a DOUBLE
	maxDouble     = 53
	maxMembers    = 65535
	maxSetMembers = 64
	maxMember     = 255 // characters
)

// Of is the type in a column's definition, in a table with the inherited character set and collation. Its
// errors are MySQL's: 1063, 1064, 1074, 1097, 1115, 1253, 1273, 1291, 1367, 1425, 1426, 1427, 1439, 1818,
// 3505, and 1235 for spatial types and unsupported collations.
func Of(def *ast.ColumnDef, inherited schema.Text) (Type, error) {
	d := definition{ColumnDef: def}
	if err := d.Base.UnmarshalText([]byte(def.Type)); err != nil {
		return Type{}, mysqlerr.UnsupportedAt(strings.ToUpper(def.Type)+" columns", def.Offset)
	}
	for _, step := range []func() error{d.attributes, d.length, d.members} {
		if err := step(); err != nil {
			return Type{}, err
		}
	}
	if err := d.characters(inherited); err != nil {
		return Type{}, err
	}
	return d.Type, d.characterLength()
}

// definition is a type while it is being built.
type definition struct {
	*ast.ColumnDef
	Type
}

func (d *definition) attributes() error {
	switch {
	case (d.ColumnDef.Unsigned || d.ColumnDef.Zerofill) && !d.Base.IsNumber() && d.Base != Year:
		return d.syntax("UNSIGNED and ZEROFILL are for numbers")
	case (d.ColumnDef.Charset != "" || d.Collate != "") && !d.Base.HasCharset():
		return d.syntax("CHARACTER SET and COLLATE are for CHAR, VARCHAR, TEXT, ENUM and SET")
	}
	d.Type.Unsigned = d.ColumnDef.Unsigned || d.ColumnDef.Zerofill
	d.Type.Zerofill = d.ColumnDef.Zerofill
	return nil
}

func (d *definition) syntax(reason string) error {
	return mysqlerr.New(mysqlerr.Parse, "You have an error in your SQL syntax: column '%s' is %s, and %s", d.Name,
		strings.ToUpper(d.ColumnDef.Type), reason)
}

// length reads the parentheses after the type, except for types whose limit depends on the character set.
func (d *definition) length() error {
	length, decimals := d.ColumnDef.Length, d.ColumnDef.Decimals
	switch {
	case decimals >= 0 && d.Base != Decimal && !d.Base.IsFloat():
		return d.syntax("that has no number of decimals")
	case length > math.MaxUint32:
		return d.tooWide(math.MaxUint32)
	}
	switch {
	case d.Base.IsInteger():
		return d.integer(max(length, 0))
	case d.Base == Bit:
		return d.width(max(length, 0), 1, maxBits)
	case d.Base == Decimal:
		return d.decimal(length, decimals)
	case d.Base.IsFloat():
		return d.float(length, decimals)
	case d.Base.HasFraction():
		return d.fraction(length)
	case d.Base == Year:
		return d.year(length)
	case d.Base == VarChar || d.Base == VarBinary:
		if length < 0 {
			return d.syntax("that needs a length in parentheses")
		}
	case d.Base == Date, d.Base == JSON, d.Base == Enum, d.Base == Set,
		d.Base.IsLarge() && d.Base != Text && d.Base != Blob:
		if length >= 0 {
			return d.syntax("that has no length")
		}
	}
	return nil
}

// width is a length with its default and limit; 0 stands for the default.
func (d *definition) width(given, usual, most int) error {
	if given > most {
		return d.tooWide(most)
	}
	if given == 0 {
		given = usual
	}
	d.Type.Length = given
	return nil
}

func (d *definition) tooWide(most int) error {
	return mysqlerr.New(mysqlerr.TooBigDisplayWidth, "Display width out of range for column '%s' (max = %d)", d.Name, most)
}

func (d *definition) integer(given int) error {
	usual := map[Base]int{TinyInt: 4, SmallInt: 6, MediumInt: 9, Int: 11, BigInt: 20}[d.Base]
	if d.Type.Unsigned && d.Base != BigInt {
		usual--
	}
	return d.width(given, usual, maxWidth)
}

func (d *definition) decimal(digits, scale int) error {
	digits, scale = max(digits, 0), max(scale, 0)
	switch {
	case scale > value.MaxScale:
		return d.tooBigScale(scale)
	case digits > value.MaxDigits:
		return mysqlerr.New(mysqlerr.TooBigPrecision, "Too big precision %d specified for column '%s'. Maximum is %d", digits,
			d.Name, value.MaxDigits)
	}
	if digits == 0 {
		digits = 10
	}
	d.Type.Length, d.Type.Decimals = digits, scale
	return d.enoughDigits()
}

func (d *definition) tooBigScale(scale int) error {
	return mysqlerr.New(mysqlerr.TooBigScale, "Too big scale %d specified for column '%s'. Maximum is %d", scale, d.Name,
		value.MaxScale)
}

func (d *definition) enoughDigits() error {
	if d.Type.Length < d.Type.Decimals {
		return mysqlerr.New(mysqlerr.MBiggerThanD,
			"For float(M,D), double(M,D) or decimal(M,D), M must be >= D (column '%s')", d.Name)
	}
	return nil
}

// float reads FLOAT(p), whose p only chooses between the types, and (M,D).
func (d *definition) float(length, decimals int) error {
	switch {
	case decimals < 0 && length > maxDouble, d.Base == Double && decimals < 0 && length >= 0:
		return mysqlerr.New(mysqlerr.WrongFieldSpec, "Incorrect column specifier for column '%s'", d.Name)
	case decimals < 0:
		if length > maxFloat {
			d.Base = Double
		}
		return nil
	case decimals > value.MaxScale:
		return d.tooBigScale(decimals)
	case length > maxWidth:
		return d.tooWide(maxWidth)
	}
	d.Type.Length, d.Type.Decimals = length, decimals
	return d.enoughDigits()
}

func (d *definition) fraction(digits int) error {
	if digits > maxFraction {
		return mysqlerr.New(mysqlerr.TooBigPrecision, "Too big precision %d specified for column '%s'. Maximum is %d", digits,
			d.Name, maxFraction)
	}
	d.Type.Decimals = max(digits, 0)
	return nil
}

const yearWidth = 4

func (d *definition) year(width int) error {
	if width > 0 && width != yearWidth {
		return mysqlerr.New(mysqlerr.InvalidYearLength, "Supports only YEAR or YEAR(4) column.")
	}
	d.Type.Length, d.Type.Unsigned, d.Type.Zerofill = yearWidth, false, false
	return nil
}

// members are the texts of ENUM and SET, without trailing spaces.
func (d *definition) members() error {
	if d.Base != Enum && d.Base != Set {
		return nil
	}
	kind, most := strings.ToUpper(d.Base.String()), maxMembers
	if d.Base == Set {
		most = maxSetMembers
	}
	if len(d.ColumnDef.Values) > most {
		return mysqlerr.New(mysqlerr.TooBigSet, "Too many strings for column %s and %s: there are %d, at most %d "+
			"are possible", d.Name, kind, len(d.ColumnDef.Values), most)
	}
	for _, text := range d.ColumnDef.Values {
		text = strings.TrimRight(text, " ")
		switch {
		case !utf8.ValidString(text):
			return mysqlerr.New(mysqlerr.InvalidCharacterString, "Invalid utf8mb4 character string: '%s'", text)
		case utf8.RuneCountInString(text) > maxMember:
			return mysqlerr.New(mysqlerr.TooLongMember, "Too long enumeration/set value for column %s.", d.Name)
		case d.Base == Set && strings.Contains(text, ","):
			return mysqlerr.New(mysqlerr.IllegalValueForType, "Illegal %s '%s' value found during parsing", d.Base, text)
		}
		d.Type.Members = append(d.Type.Members, text)
	}
	return nil
}

// duplicates refuses members that are equal in the column's collation.
func (d *definition) duplicates() error {
	by, seen := d.Type.By(), map[string]bool{}
	for _, text := range d.Type.Members {
		key := string(by.AppendKey(nil, []byte(text)))
		if seen[key] {
			return mysqlerr.New(mysqlerr.DuplicatedValueInType, "Column '%s' has duplicated value '%s' in %s", d.Name, text,
				strings.ToUpper(d.Base.String()))
		}
		seen[key] = true
	}
	return nil
}

// binaries are the types that replace text types with the character set binary.
var binaries = map[Base]Base{Char: Binary, VarChar: VarBinary, TinyText: TinyBlob, Text: Blob, MediumText: MediumBlob,
	LongText: LongBlob}

// characters sets the character set and the collation.
func (d *definition) characters(inherited schema.Text) error {
	if !d.Base.HasCharset() {
		return nil
	}
	text, err := charset.Declared(d.ColumnDef.Charset, d.Collate, inherited)
	if err != nil {
		return err
	}
	text = charset.Shown(text)
	if plain, ok := binaries[d.Base]; ok && text.Charset == charset.Binary {
		d.Base = plain
		return nil
	}
	if _, ok := collation.Named(text.Collation); !ok {
		return mysqlerr.UnsupportedAt("the collation "+text.Collation+" of column '"+d.Name+
			"'; columns can have utf8mb4 and utf8 with the collations of SHOW COLLATION WHERE Compiled = 'Yes'", d.Offset)
	}
	d.Type.Charset, d.Type.Collation = text.Charset, text.Collation
	return d.duplicates()
}

// characterLength sets the length of strings, which the character set limits.
func (d *definition) characterLength() error {
	switch d.Base {
	case Char, Binary:
		return d.stringLength(max(d.ColumnDef.Length, 0), maxWidth, d.ColumnDef.Length < 0)
	case VarChar, VarBinary:
		return d.stringLength(d.ColumnDef.Length, maxVarBytes/d.charBytes(), false)
	case Text, Blob:
		if d.ColumnDef.Length > 0 {
			d.Base = largeFor(d.Base, d.ColumnDef.Length*d.charBytes())
		}
	}
	return nil
}

func (d *definition) stringLength(given, most int, missing bool) error {
	if given > most {
		return mysqlerr.New(mysqlerr.TooBigField,
			"Column length too big for column '%s' (max = %d); use BLOB or TEXT instead", d.Name, most)
	}
	if missing {
		given = 1
	}
	d.Type.Length = given
	return nil
}

// largeFor is the smallest TEXT or BLOB for this many bytes.
func largeFor(b Base, bytes int) Base {
	smallest := b - 1 // TINYTEXT or TINYBLOB
	for at, most := range largeLimits {
		if bytes <= most {
			return smallest + Base(at)
		}
	}
	return smallest + Base(len(largeLimits)-1)
}

// largeLimits are the bytes of TINY, plain, MEDIUM and LONG.
var largeLimits = [...]int{1<<8 - 1, 1<<16 - 1, 1<<24 - 1, 1<<32 - 1}

// charBytes is the maximum size of a character in bytes; 1 for binary strings.
func (t Type) charBytes() int {
	if t.Charset == "" {
		return 1
	}
	sets := charset.All()
	at := slices.IndexFunc(sets, func(s charset.Set) bool { return s.Name == t.Charset })
	if at < 0 {
		return 1
	}
	return sets[at].MaxLen
}

// By is the collation by which the texts of the column compare.
func (t Type) By() collation.Collation {
	by, _ := collation.Named(t.Collation) // a definition has no others
	return by
}
