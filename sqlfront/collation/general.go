package collation

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// compareGeneral orders text by utf8mb4_general_ci: case, accents and trailing spaces are ignored.
func compareGeneral(a, b []byte) int {
	for len(a) > 0 && len(b) > 0 {
		var x, y rune
		if a[0] < utf8.RuneSelf && b[0] < utf8.RuneSelf {
			x, y = rune(asciiUpper[a[0]]), rune(asciiUpper[b[0]])
			a, b = a[1:], b[1:]
		} else {
			var n, m int
			x, n = NextWeight(a)
			y, m = NextWeight(b)
			a, b = a[n:], b[m:]
		}
		if x != y {
			if x < y {
				return -1
			}
			return 1
		}
	}
	if len(a) > 0 {
		return compareWithSpaces(a)
	}
	return -compareWithSpaces(b)
}

var asciiUpper = func() (t [utf8.RuneSelf]byte) {
	for i := range t {
		t[i] = byte(i)
		if i >= 'a' && i <= 'z' {
			t[i] -= 'a' - 'A'
		}
	}
	return t
}()

// NextWeight is the weight of b's first character in utf8mb4_general_ci, and the size of the character in
// bytes. Each byte of invalid UTF-8 weighs more than any character.
func NextWeight(b []byte) (weight rune, size int) {
	if b[0] < utf8.RuneSelf {
		return rune(asciiUpper[b[0]]), 1
	}
	r, size := utf8.DecodeRune(b)
	if r == utf8.RuneError && size == 1 {
		return utf8.MaxRune + rune(b[0]), 1
	}
	return runeWeight(r), size
}

// longText is the length in bytes from which on growing step by step is wasteful.
const longText = 1 << 10

// appendGeneral appends bytes that are equal for texts which compare equal.
func appendGeneral(dst, b []byte) []byte {
	b = bytes.TrimRight(b, " ")
	if len(b) > longText {
		dst = slices.Grow(dst, len(b))
	}
	for len(b) > 0 {
		if b[0] < utf8.RuneSelf {
			dst, b = append(dst, asciiUpper[b[0]]), b[1:]
			continue
		}
		w, n := NextWeight(b)
		b = b[n:]
		if w > utf8.MaxRune {
			dst = append(dst, byte(w-utf8.MaxRune))
			continue
		}
		dst = utf8.AppendRune(dst, w)
	}
	return dst
}

// codePoint is the first character of b, for a binary collation of text; an invalid byte has a code of its
// own.
func codePoint(b []byte) (code rune, size int) {
	if b[0] < utf8.RuneSelf {
		return rune(b[0]), 1
	}
	if code, size = utf8.DecodeRune(b); code == utf8.RuneError && size == 1 {
		code = -1 - rune(b[0])
	}
	return code, size
}

func equalGeneral(a, b []byte) bool {
	for len(a) > 0 && len(b) > 0 {
		x, n := NextWeight(a)
		y, m := NextWeight(b)
		if x != y {
			return false
		}
		a, b = a[n:], b[m:]
	}
	return len(a) == len(b)
}
