package function

import (
	"unicode/utf8"
	"unsafe"

	"github.com/hbasekv/hbasekv/sqlfront/steps"
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
	// Not utf8.RuneCount, which copies the bytes.
	return int64(utf8.RuneCountInString(unsafe.String(unsafe.SliceData(c.b), len(c.b))))
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

// parts calls f with one part after the other, each of at most steps.Stride bytes
// and none in the middle of a character.
func (c chars) parts(meter *steps.Meter, f func(part chars)) error {
	for b := c.b; len(b) > 0; {
		n := min(len(b), steps.Stride)
		for back := 0; n < len(b) && !utf8.RuneStart(b[n]) && back < utf8.UTFMax && !c.binary; back++ {
			n--
		}
		f(chars{b[:n], c.binary})
		if err := meter.Step(n); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

// binaryPair reports whether two strings are compared by their bytes.
func binaryPair(a, b value.Value) bool {
	return a.Kind() == value.Bytes || b.Kind() == value.Bytes || value.JointCollation(a, b).IsBinary()
}
