package text

import (
	"unicode/utf8"
	"unsafe"

	"github.com/hbasekv/hbasekv/sqlfront/cancelcheck"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Chars is a string as characters: bytes of a binary string, UTF-8 characters of a text, in which each
// invalid byte is a character.
type Chars struct {
	B      []byte
	Binary bool
}

func charsOf(v value.Value) Chars { return Chars{v.AsBytes(), v.Kind() == value.Bytes} }

// Count is the number of characters.
func (c Chars) Count() int64 {
	if c.Binary {
		return int64(len(c.B))
	}
	// Not utf8.RuneCount, which copies the bytes.
	return int64(utf8.RuneCountInString(unsafe.String(unsafe.SliceData(c.B), len(c.B))))
}

// Offset is the position in bytes of the n-th character, from 0, or the end.
func (c Chars) Offset(n int64) int {
	switch {
	case n <= 0:
		return 0
	case n >= int64(len(c.B)):
		return len(c.B)
	case c.Binary:
		return int(n)
	}
	at := 0
	for ; n > 0 && at < len(c.B); n-- {
		_, size := utf8.DecodeRune(c.B[at:])
		at += size
	}
	return at
}

// slice is length characters from the character start on, counting from 0.
func (c Chars) slice(start, length int64) []byte {
	if start < 0 || length <= 0 {
		return nil
	}
	rest := Chars{c.B[c.Offset(start):], c.Binary}
	return rest.B[:rest.Offset(length)]
}

// each calls f with the bytes of each character.
func (c Chars) each(f func(char []byte)) {
	for b := c.B; len(b) > 0; {
		size := 1
		if !c.Binary {
			_, size = utf8.DecodeRune(b)
		}
		f(b[:size])
		b = b[size:]
	}
}

// parts calls f with one part after the other, each of at most cancelcheck.Stride bytes, without splitting
// characters.
func (c Chars) parts(meter *cancelcheck.Meter, f func(part Chars)) error {
	for b := c.B; len(b) > 0; {
		n := min(len(b), cancelcheck.Stride)
		for back := 0; n < len(b) && !utf8.RuneStart(b[n]) && back < utf8.UTFMax && !c.Binary; back++ {
			n--
		}
		f(Chars{b[:n], c.Binary})
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

// IsASCII reports whether all bytes of a text are ASCII.
func IsASCII[T string | []byte](text T) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Latin1 turns each byte into the character with its number, so that a regular expression over characters
// matches bytes.
func Latin1(b []byte) []byte {
	if IsASCII(b) {
		return b
	}
	out := make([]byte, 0, 2*len(b))
	for _, c := range b {
		out = utf8.AppendRune(out, rune(c))
	}
	return out
}
