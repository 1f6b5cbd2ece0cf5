package sheet

import (
	"strconv"
	"strings"
	"time"
)

// number is the form of a number's text.
type number struct {
	digits, scale int // before and after the point
	exponent      bool
}

// readNumber reads -12, 0.50, .5 and 1.5e-07. An exponent must have a sign, or follow a
// decimal point, as programs print it: 12E4 may be the name of something.
func readNumber(text string) (n number, ok bool) {
	rest := strings.TrimPrefix(text, "-")
	whole := digitsOf(rest)
	if whole > 1 && rest[0] == '0' {
		return n, false
	}
	n.digits = whole
	rest = rest[whole:]
	if after, point := strings.CutPrefix(rest, "."); point {
		n.scale = digitsOf(after)
		rest = after[n.scale:]
		if n.scale == 0 {
			return n, false
		}
	}
	if n.digits+n.scale == 0 || text == "-0" {
		return n, false
	}
	if rest == "" {
		return n, true
	}
	n.exponent = true
	return n, exponent(rest, n.scale > 0) && finite(text)
}

func digitsOf(text string) int {
	n := 0
	for n < len(text) && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	return n
}

// exponent reports whether a text is e and a whole number.
func exponent(text string, point bool) bool {
	if text[0] != 'e' && text[0] != 'E' {
		return false
	}
	digits := strings.TrimLeft(text[1:], "+-")
	signs := len(text) - 1 - len(digits)
	return signs <= 1 && (signs == 1 || point) && digits != "" && digitsOf(digits) == len(digits)
}

func finite(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}

// wide are the integer types for which the number is too large.
func (n number) wide(text string) (not kinds) {
	if _, err := strconv.ParseInt(text, 10, 64); err != nil {
		not |= integer
	}
	if _, err := strconv.ParseUint(text, 10, 64); err != nil {
		not |= unsigned
	}
	return not
}

// moment is the form of a date's or a time's text.
type moment struct {
	timed    bool
	fraction int  // digits of the second
	zulu     bool // it ends with Z
}

// readTime reads 2006-01-02, 2006-01-02 15:04, with seconds, with a fraction of them, with a T
// instead of the space, and with Z at the end.
func readTime(text string) (m moment, ok bool) {
	const day = "2006-01-02"
	if len(text) < len(day) || text[0] < '1' || text[0] > '9' {
		return m, false
	}
	if _, err := time.Parse(day, text[:len(day)]); err != nil {
		return m, false
	}
	rest := text[len(day):]
	if rest == "" {
		return m, true
	}
	if rest[0] != ' ' && rest[0] != 'T' {
		return m, false
	}
	m.timed = true
	rest, m.zulu = strings.CutSuffix(rest[1:], "Z")
	rest, fraction, point := strings.Cut(rest, ".")
	if m.fraction = len(fraction); point && (m.fraction == 0 || m.fraction > 9 || digitsOf(fraction) < m.fraction) {
		return m, false
	}
	layout := time.TimeOnly
	if len(rest) == len("15:04") && !point {
		layout = "15:04"
	}
	_, err := time.Parse(layout, rest)
	return m, err == nil && len(rest) == len(layout)
}
