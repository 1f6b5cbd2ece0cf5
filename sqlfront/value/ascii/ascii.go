// Package ascii tells the digits and the spaces of texts that numbers, dates and times are read from
// ([SkipDigits], [SkipSpace]).
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
