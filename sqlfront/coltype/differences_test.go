package coltype_test

import (
	"math"
	"regexp"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

const truncatedNote = "1265 Data truncated for column 'x' at row 1"

// answer is MariaDB's answer to a question, and ours.
type answer struct {
	question
	want, got string
}

// is reports whether the column's declaration begins with one of the types.
func (a answer) is(types ...string) bool {
	for _, t := range types {
		if strings.HasPrefix(a.declared, t) {
			return true
		}
	}
	return false
}

func (a answer) text() string { return strings.Trim(a.literal, "'") }

func (a answer) isText() bool { return a.value.Kind() == value.Text }

func (a answer) isNumber() bool { return a.value.Kind().IsNumber() }

// noted reports whether MariaDB adds one note more.
func (a answer) noted() bool {
	return strings.TrimSuffix(a.want, truncatedNote) == a.got ||
		strings.Replace(a.want, truncatedNote+" | ", "", 1) == a.got
}

// dateLike and clockLike match the start of a date and a time, exponent an exponent, fiveDigits five digits
// at the start.
var (
	dateLike   = regexp.MustCompile(`^[ \n]*\d+[-/.]\d+-\d+`)
	clockLike  = regexp.MustCompile(`^[ \n]*\d{1,3}:`)
	fiveDigits = regexp.MustCompile(`^[+ \n]*\d{5}(\D|$)`)
	exponent   = regexp.MustCompile(`\de[-\d]`)
)

// known are the differences between MySQL and MariaDB, and notes and warnings about rare values that are
// omitted here.
var known = []struct {
	what string
	is   func(a answer) bool
}{
	{"what is no text is cut, as in MySQL, and no question mark", func(a answer) bool {
		const incorrect = "1366 Incorrect string value"
		return strings.Contains(a.want, incorrect) && strings.Contains(a.got, incorrect) && strings.Contains(a.want, "3F")
	}},
	{"a text whose last character is cut is too long", func(a answer) bool {
		return a.is("TINYTEXT", "TEXT(10)") && strings.Contains(a.want, "Incorrect string value")
	}},
	{"a double that is too long for a text is not printed with fewer digits", func(a answer) bool {
		return a.value.Kind() == value.Float && a.is("CHAR", "VARCHAR", "BINARY", "VARBINARY")
	}},
	{"there is no note of spaces behind a number", func(a answer) bool {
		return a.isText() && strings.TrimRight(a.text(), " \n") != a.text() && a.noted()
	}},
	{"there is no note of the digits of a double", func(a answer) bool {
		return a.is("DECIMAL") && a.value.Kind() == value.Float && a.noted()
	}},
	{"there is one warning of a double that is out of range", func(a answer) bool {
		return a.want == a.got+" | 1264 Out of range value for column 'x' at row 1"
	}},
	{"there is no note of digits behind microseconds", func(a answer) bool {
		return a.is("TIME", "DATETIME") && a.noted() && strings.Contains(a.text(), ".")
	}},
	{"digits beyond those of any DECIMAL", func(a answer) bool {
		return a.is("DECIMAL") && len(strings.Trim(a.text(), "-0.")) > 50 && (a.noted() || a.isNumber())
	}},
	{"a whole number is not made of digits with two points", func(a answer) bool {
		return a.isText() && strings.Count(a.text(), ".") > 1 && (strings.Contains(a.declared, "INT") || a.is("YEAR"))
	}},
	{"a TIMESTAMP out of range is the zero date, as in MySQL", func(a answer) bool {
		const outOfRange = "1264 Out of range value"
		return a.is("TIMESTAMP") && strings.HasPrefix(a.want, "313937302D30312D3031") && strings.Contains(a.got, outOfRange)
	}},
	{"exponents beyond the digits of a number", func(a answer) bool {
		return strings.Contains(a.literal, "e-300") || strings.Contains(a.literal, "e290")
	}},
	{"a negative number with an exponent in a text is 0 without a sign", func(a answer) bool {
		unsigned := strings.Contains(a.declared, "UNSIGNED") || strings.Contains(a.declared, "ZEROFILL")
		return unsigned && a.isText() && exponent.MatchString(a.text()) && strings.HasPrefix(strings.TrimSpace(a.text()), "-")
	}},
	{"a time is rounded to a whole number, as in MySQL", func(a answer) bool {
		return a.value.Kind().IsTemporal() && strings.Contains(a.literal, ".") && strings.Contains(a.declared, "INT")
	}},
	{"a YEAR takes the year of a date, as in MySQL", func(a answer) bool {
		return a.is("YEAR") && a.value.Kind().IsTemporal()
	}},
	{"the bits of a SET beyond 64, and those of a negative number in a text", func(a answer) bool {
		return a.is("SET") && (strings.Contains(a.text(), "e20") || strings.HasPrefix(a.text(), "-"))
	}},
	{"a number that is no time is out of range, as in MySQL", func(a answer) bool {
		return a.is("TIME") && !a.is("TIMESTAMP") && a.isNumber() && len(a.text()) > 6
	}},
	{"the longest TIME has no fraction, as in MySQL", func(a answer) bool {
		return a.is("TIME") && !a.is("TIMESTAMP") &&
			(strings.Contains(a.literal, "838:59:59.") || strings.Contains(a.want, "3833383A35393A3539"))
	}},
	{"rounding gives no time 24:00:00", func(a answer) bool {
		return a.is("TIME") && strings.HasPrefix(a.want, "32343A30303A3030")
	}},
	{"a time has no plus sign, as in MySQL", func(a answer) bool {
		return a.is("TIME") && strings.HasPrefix(a.text(), "+")
	}},
	{"a time has no exponent", func(a answer) bool {
		return a.is("TIME") && a.isText() && exponent.MatchString(a.text())
	}},
	{"a day that is none as a time", func(a answer) bool {
		_, ok := value.ParseDateTime(a.value)
		return a.is("TIME") && !a.is("TIMESTAMP") && a.isText() && dateLike.MatchString(a.text()) && !ok
	}},
	{"a time of day as a date", func(a answer) bool {
		return a.is("DATE", "TIMESTAMP") && a.isText() && clockLike.MatchString(a.text())
	}},
	{"a number with a point as a date", func(a answer) bool {
		return a.is("DATE", "TIMESTAMP") && strings.Contains(a.text(), ".") &&
			!dateLike.MatchString(a.text()) && !a.value.Kind().IsTemporal()
	}},
	{"a double as a date has a fraction", func(a answer) bool {
		return a.is("DATE", "TIMESTAMP") && a.value.Kind() == value.Float
	}},
	{"the bits of a double beyond 64", func(a answer) bool { return a.is("BIT") && a.value.Kind() == value.Float }},
	{"five digits are no date", func(a answer) bool {
		return a.is("DATE", "TIMESTAMP") && a.isText() && fiveDigits.MatchString(a.text())
	}},
	{"a point or a comma behind a date", func(a answer) bool {
		return a.is("DATE", "TIMESTAMP") && a.isText() && strings.TrimRight(a.text(), ".,") != a.text()
	}},
	{"0, and a fraction of 1, as a date", func(a answer) bool {
		return a.is("DATE", "TIMESTAMP") && a.isNumber() && math.Abs(a.value.AsFloat()) < 1
	}},
	{"a moment is quoted with its own digits", func(a answer) bool {
		return a.value.Kind().IsTemporal() && strings.ReplaceAll(a.want, "00000'", "'") == a.got
	}},
	{"NULL is no present time", func(a answer) bool { return a.is("TIMESTAMP") && a.value.IsNull() }},
}

// difference names a known difference.
func difference(q question, want, got string) string {
	a := answer{q, want, got}
	for _, k := range known {
		if k.is(a) {
			return k.what
		}
	}
	return ""
}
