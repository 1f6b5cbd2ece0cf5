package value

import "unicode"

// runeWeight is the weight of a character in utf8mb4_general_ci: that of its
// upper-case base letter.
func runeWeight(r rune) rune {
	if r > 0xFFFF {
		return unicode.ReplacementChar
	}
	return unicode.ToUpper(r)
}
