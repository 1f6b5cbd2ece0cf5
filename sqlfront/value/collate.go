package value

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// The collations of a Text, in its aux.
const (
	generalCI = iota
	binaryText
)

// WithBinaryCollation makes a Text compare by its bytes, with trailing spaces
// ignored, as utf8mb4_bin does. Other kinds are returned as they are.
func (v Value) WithBinaryCollation() Value {
	if v.kind == Text {
		v.aux = binaryText
	}
	return v
}

// IsCaseSensitive reports whether the value compares by its bytes.
func (v Value) IsCaseSensitive() bool {
	return v.kind == Bytes || v.kind == Text && v.aux == binaryText
}

func compareText(a, b Value) int {
	if a.aux == binaryText || b.aux == binaryText {
		return comparePadded(a.Raw(), b.Raw())
	}
	return CompareText(a.Raw(), b.Raw())
}

// comparePadded compares bytes as if the shorter went on with spaces.
func comparePadded(a, b []byte) int {
	n := min(len(a), len(b))
	if order := bytes.Compare(a[:n], b[:n]); order != 0 {
		return order
	}
	if len(a) > n {
		return compareWithSpaces(a[n:])
	}
	return -compareWithSpaces(b[n:])
}

func compareWithSpaces(rest []byte) int {
	for _, c := range rest {
		if c != ' ' {
			if c < ' ' {
				return -1
			}
			return 1
		}
	}
	return 0
}

// CompareText orders text by utf8mb4_general_ci: letters without regard to
// case and accents, trailing spaces ignored.
func CompareText(a, b []byte) int {
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

// NextWeight is the sorting weight of b's first character and how many bytes
// that takes. Bytes that are no UTF-8 weigh more than any character, each on
// its own.
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

// longText is a length in bytes from which growing step by step is a waste.
const longText = 1 << 10

// AppendWeights appends a string that is equal for texts which compare equal.
func AppendWeights(dst, b []byte) []byte {
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

// NextRune is utf8.DecodeRune that never confuses a broken byte with a
// character of the text.
func NextRune(b []byte) (rune, int) {
	r, size := utf8.DecodeRune(b)
	if r == utf8.RuneError && size <= 1 {
		return -2, 1
	}
	return r, size
}
