// Package ascii tells the digits and the spaces of texts that numbers, dates and times are read from
// ([SkipDigits], [SkipSpace]), and compares names without regard to the case of ASCII letters ([EqualFold]).
package ascii

// IsDigit reports whether a byte is a digit.
func IsDigit(c byte) bool { return c >= '0' && c <= '9' }

// IsSpace reports whether a byte is a space according to C's isspace.
func IsSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// SkipDigits is the index after the digits that start at i.
func SkipDigits(b []byte, i int) int {
	for i < len(b) && IsDigit(b[i]) {
		i++
	}
	return i
}

// SkipSpace is the index after the spaces at the beginning.
func SkipSpace(b []byte) int {
	i := 0
	for i < len(b) && IsSpace(b[i]) {
		i++
	}
	return i
}

// OnlySpace reports whether b has only spaces.
func OnlySpace(b []byte) bool { return SkipSpace(b) == len(b) }

// EqualFold reports whether two texts are equal but for the case of ASCII letters.
func EqualFold(a string, b []byte) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		if lower(a[i]) != lower(b[i]) {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
