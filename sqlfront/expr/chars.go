package expr

import (
	"unicode/utf8"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// chars is a string seen as characters: bytes of a binary string, UTF-8
// characters of a text, where a byte that belongs to none is one of its own.
type chars struct {
	b      []byte
	binary bool
}

func charsOf(v value.Value) chars { return chars{v.AsBytes(), v.Kind() == value.Bytes} }

func (c chars) count() int64 {
	if c.binary {
		return int64(len(c.b))
	}
	return int64(utf8.RuneCount(c.b))
}

// offset is the position in bytes of the n-th character, from 0, or the end.
func (c chars) offset(n int64) int {
	switch {
	case n <= 0:
		return 0
	case n >= int64(len(c.b)):
		return len(c.b)
	case c.binary:
		return int(n)
	}
	at := 0
	for ; n > 0 && at < len(c.b); n-- {
		_, size := utf8.DecodeRune(c.b[at:])
		at += size
	}
	return at
}

// slice is length characters from the character start on, from 0.
func (c chars) slice(start, length int64) []byte {
	if start < 0 || length <= 0 {
		return nil
	}
	rest := chars{c.b[c.offset(start):], c.binary}
	return rest.b[:rest.offset(length)]
}

// each calls f with the bytes of each character.
func (c chars) each(f func(char []byte)) {
	for b := c.b; len(b) > 0; {
		size := 1
		if !c.binary {
			_, size = utf8.DecodeRune(b)
		}
		f(b[:size])
		b = b[size:]
	}
}

// equalAt reports whether part begins c at the byte at, and where it ends:
// bytes of binary strings, else characters of the same weight.
func equalAt(b, part []byte, at int, binary bool) (end int, ok bool) {
	for len(part) > 0 {
		if at >= len(b) {
			return 0, false
		}
		if binary {
			if b[at] != part[0] {
				return 0, false
			}
			at, part = at+1, part[1:]
			continue
		}
		x, n := value.NextWeight(b[at:])
		y, m := value.NextWeight(part)
		if x != y {
			return 0, false
		}
		at, part = at+n, part[m:]
	}
	return at, true
}

// find is the position in bytes of part in b at or behind from, or -1. As in
// MySQL only as many bytes match as part has, so that a letter with an accent is
// not found where there is one without.
func find(b, part []byte, from int, binary bool) int {
	for at := from; at+len(part) <= len(b); {
		if end, ok := equalAt(b, part, at, binary); ok && end == at+len(part) {
			return at
		}
		if at == len(b) {
			break
		}
		size := 1
		if !binary {
			_, size = utf8.DecodeRune(b[at:])
		}
		at += size
	}
	return -1
}

// binaryPair reports whether two strings are compared by their bytes.
func binaryPair(a, b value.Value) bool { return a.IsCaseSensitive() || b.IsCaseSensitive() }
