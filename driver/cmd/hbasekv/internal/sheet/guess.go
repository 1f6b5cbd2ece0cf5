package sheet

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// kinds is a set of types that a column's values may have.
type kinds uint8

const (
	integer kinds = 1 << iota
	unsigned
	decimal
	double
	date
	datetime
	boolean
	numbers   = integer | unsigned | decimal | double
	temporals = date | datetime
	all       = numbers | temporals | boolean
)

// Guess is what the values of a column have in common. The zero Guess has seen no value.
type Guess struct {
	seen bool
	not  kinds // types that do not fit some value

	digits, scale int // the maximum before and after the point
	fraction      int // the maximum digits of seconds
	zulu, local   bool
	characters    int // the maximum
	binary        bool
}

// See adds a value.
func (g *Guess) See(value string) {
	g.seen = true
	g.measure(value)
	if g.not&numbers != numbers {
		g.number(value)
	}
	if g.not&temporals != temporals {
		g.temporal(value)
	}
	if g.not&boolean == 0 && !isBoolean(value) {
		g.not |= boolean
	}
}

func (g *Guess) measure(value string) {
	if len(value) <= g.characters && g.not == all && g.binary {
		return
	}
	g.binary = g.binary || !utf8.ValidString(value)
	if len(value) > g.characters {
		g.characters = max(g.characters, utf8.RuneCountInString(value))
	}
}

func isBoolean(value string) bool {
	switch value {
	case "true", "false", "True", "False", "TRUE", "FALSE":
		return true
	}
	return false
}

// number rules out the types of numbers that do not fit a value. A value that does not read
// back as it is written, such as a number with leading zeros, is not a number.
func (g *Guess) number(value string) {
	n, ok := readNumber(value)
	if !ok {
		g.not |= numbers
		return
	}
	g.digits, g.scale = max(g.digits, n.digits), max(g.scale, n.scale)
	switch {
	case n.exponent:
		g.not |= integer | unsigned | decimal
	case n.scale > 0:
		g.not |= integer | unsigned
	default:
		g.not |= n.wide(value)
	}
	if n.digits+n.scale > exactDigits {
		g.not |= double
	}
}

// exactDigits is the number of digits of a decimal number that every double preserves.
const exactDigits = 15

// temporal rules out dates and times that do not fit a value. A date among times is midnight.
func (g *Guess) temporal(value string) {
	t, ok := readTime(value)
	switch {
	case !ok:
		g.not |= temporals
	case t.timed:
		g.not |= date
		g.fraction = max(g.fraction, t.fraction)
		g.zulu, g.local = g.zulu || t.zulu, g.local || !t.zulu
	default:
		g.local = true
	}
	if g.zulu && g.local {
		g.not |= datetime
	}
}

// Type is the type with which a view shows a column.
type Type struct {
	kind kinds // one kind, or 0 for texts and bytes
	// length is the characters of a text, the digits of a DECIMAL or of a fraction of a
	// second; 0 for a text without a limit.
	length, scale int
	zulu          bool // times end with Z
	binary        bool // bytes that are not text
}

// wholeDigits is the minimum number of digits of a DECIMAL before the point, for numbers that
// are loaded later.
const wholeDigits = 15

// The limits of DECIMAL.
const (
	maxDigits = 65
	maxScale  = 30
)

// Type is the narrowest type that fits all values: text if there are none.
func (g *Guess) Type() Type {
	may := func(k kinds) bool { return g.seen && g.not&k == 0 }
	whole := max(g.digits, wholeDigits)
	switch {
	case may(integer):
		return Type{kind: integer}
	case may(unsigned):
		return Type{kind: unsigned}
	case may(decimal) && g.scale <= maxScale && whole+g.scale <= maxDigits:
		return Type{kind: decimal, length: whole + g.scale, scale: g.scale}
	case may(double):
		return Type{kind: double}
	case may(date):
		return Type{kind: date}
	case may(datetime):
		return Type{kind: datetime, length: min(g.fraction, 6), zulu: g.zulu}
	case may(boolean):
		return Type{kind: boolean}
	case g.binary:
		return Type{binary: true}
	}
	for _, n := range []int{255, 2000, 16_000} {
		if g.characters <= n {
			return Type{length: n}
		}
	}
	return Type{}
}

// Cast is the SQL expression that converts bytes to the type.
func (t Type) Cast(bytes string) string {
	switch t.kind {
	case integer:
		return "CAST(" + bytes + " AS SIGNED)"
	case unsigned:
		return "CAST(" + bytes + " AS UNSIGNED)"
	case decimal:
		return fmt.Sprintf("CAST(%s AS DECIMAL(%d, %d))", bytes, t.length, t.scale)
	case double:
		return "CAST(" + bytes + " AS DOUBLE)"
	case date:
		return "CAST(" + bytes + " AS DATE)"
	case datetime:
		if t.zulu {
			bytes = "TRIM(TRAILING 'Z' FROM " + bytes + ")"
		}
		return fmt.Sprintf("CAST(%s AS DATETIME(%d))", bytes, t.length)
	case boolean:
		return "CAST(" + bytes + " AS CHAR(5)) = 'true'"
	}
	switch {
	case t.binary:
		return bytes
	case t.length == 0:
		return "CAST(" + bytes + " AS CHAR)"
	}
	return fmt.Sprintf("CAST(%s AS CHAR(%d))", bytes, t.length)
}

// Seen reports whether there was any value.
func (g *Guess) Seen() bool { return g.seen }

// Fits reports whether a view's column, with its type as in SHOW COLUMNS, can show all values.
func (g *Guess) Fits(column string) bool {
	t, kind := g.Type(), g.Type().kind
	base, length, scale := typeOf(column)
	switch base {
	case "bigint":
		return kind == integer || kind == unsigned && strings.HasSuffix(column, "unsigned")
	case "decimal":
		return kind&(integer|unsigned|decimal) != 0 && g.scale <= scale && g.digits <= length-scale
	case "double":
		return kind&numbers != 0
	case "date":
		return kind == date
	case "datetime":
		return kind&temporals != 0 && t.length <= length
	case "int", "tinyint":
		return kind == boolean
	case "varchar", "char":
		return !t.binary && g.characters <= length
	}
	return true
}

// typeOf parses a type such as decimal(17,2).
func typeOf(column string) (base string, length, scale int) {
	base, rest, _ := strings.Cut(column, "(")
	numbers, _, _ := strings.Cut(rest, ")")
	first, second, _ := strings.Cut(numbers, ",")
	length, _ = strconv.Atoi(first)
	scale, _ = strconv.Atoi(strings.TrimSpace(second))
	return base, length, scale
}
