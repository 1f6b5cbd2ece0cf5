package coltype

import (
	"strconv"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// String is the type as MySQL 5.7 shows it, COLUMN_TYPE in information_schema: int(10) unsigned,
// enum('a','b').
func (t Type) String() string {
	text := t.Base.String()
	switch {
	case t.Base.HasMembers():
		return text + "(" + t.memberList() + ")"
	case t.Base == Decimal || t.IsFixed():
		text += "(" + strconv.Itoa(t.Length) + "," + strconv.Itoa(t.Decimals) + ")"
	case t.Base.HasFraction() && t.Decimals > 0:
		text += "(" + strconv.Itoa(t.Decimals) + ")"
	case t.showsLength():
		text += "(" + strconv.Itoa(t.Length) + ")"
	}
	if t.Unsigned {
		text += " unsigned"
	}
	if t.Zerofill {
		text += " zerofill"
	}
	return text
}

func (t Type) showsLength() bool {
	switch t.Base {
	case Bit, Year, Char, VarChar, Binary, VarBinary:
		return true
	}
	return t.Base.IsInteger()
}

// memberQuotes writes a member as MySQL does.
var memberQuotes = strings.NewReplacer(`'`, `''`, `\`, `\\`, "\n", `\n`, "\r", `\r`, "\x00", `\0`)

func (t Type) memberList() string {
	quoted := make([]string, len(t.Members))
	for i, text := range t.Members {
		quoted[i] = "'" + memberQuotes.Replace(text) + "'"
	}
	return strings.Join(quoted, ",")
}

// Facts are the columns of information_schema.COLUMNS that depend only on the type; NULL if the type has
// none.
type Facts struct {
	DataType, ColumnType                                    string
	Characters, Octets, Precision, Scale, DatetimePrecision value.Value
	Charset, Collation                                      value.Value
}

// Facts are the facts about the type in information_schema.
func (t Type) Facts() Facts {
	f := Facts{DataType: t.Base.String(), ColumnType: t.String()}
	switch {
	case t.Base.IsInteger():
		f.Precision, f.Scale = count(t.integerDigits()), count(0)
	case t.Base == Bit:
		f.Precision = count(t.Length)
	case t.Base == Decimal || t.IsFixed():
		f.Precision, f.Scale = count(t.Length), count(t.Decimals)
	case t.Base.IsFloat():
		f.Precision = count(map[Base]int{Float: 12, Double: 22}[t.Base])
	case t.Base.HasFraction():
		f.DatetimePrecision = count(t.Decimals)
	case t.Base.IsText() || t.Base.IsBytes() || t.Base.HasCharset():
		f.Characters, f.Octets = count(t.Characters()), count(t.Octets())
	}
	if t.Base.HasCharset() {
		f.Charset, f.Collation = value.NewString(t.Charset), value.NewString(t.Collation)
	}
	return f
}

func count(n int) value.Value { return value.NewUint(uint64(n)) }

// integerDigits is MySQL's precision of an integer type.
func (t Type) integerDigits() int {
	if t.Base == BigInt && t.Unsigned {
		return 20
	}
	return map[Base]int{TinyInt: 3, SmallInt: 5, MediumInt: 7, Int: 10, BigInt: 19}[t.Base]
}

// Characters is the maximum length of a text or binary string, in characters, as MySQL counts: for TEXT its
// bytes. It is 0 for other types.
func (t Type) Characters() int {
	switch {
	case t.Base.IsLarge():
		return t.largest()
	case t.Base == Enum:
		return longest(t.Members)
	case t.Base == Set:
		n := max(len(t.Members)-1, 0) // commas
		for _, text := range t.Members {
			n += len([]rune(text))
		}
		return n
	case t.Base.IsText() || t.Base.IsBytes():
		return t.Length
	}
	return 0
}

func longest(members []string) (n int) {
	for _, text := range members {
		n = max(n, len([]rune(text)))
	}
	return n
}

// Octets is the maximum length of a text or binary string in bytes, 0 for other types.
func (t Type) Octets() int {
	if t.Base.IsLarge() {
		return t.largest()
	}
	return t.Characters() * t.charBytes()
}

// largest is the maximum length of a TEXT or BLOB, in bytes.
func (t Type) largest() int {
	if t.Base <= LongText {
		return largeLimits[t.Base-TinyText]
	}
	return largeLimits[t.Base-TinyBlob]
}
