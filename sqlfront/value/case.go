package value

import (
	"unicode"
	"unicode/utf8"
)

// ToUpper appends the text in upper case, character by character, as MySQL
// does: no character becomes two.
func ToUpper(dst, b []byte) []byte { return mapRunes(dst, b, unicode.ToUpper) }

// ToLower appends the text in lower case.
func ToLower(dst, b []byte) []byte { return mapRunes(dst, b, unicode.ToLower) }

func mapRunes(dst, b []byte, f func(rune) rune) []byte {
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		if r == utf8.RuneError && size == 1 {
			dst = append(dst, b[0])
		} else {
			dst = utf8.AppendRune(dst, f(r))
		}
		b = b[size:]
	}
	return dst
}
