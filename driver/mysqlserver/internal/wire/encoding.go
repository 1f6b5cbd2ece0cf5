package wire

import (
	"sync"
	"unicode/utf8"

	"github.com/hbasekv/hbasekv/sqlfront/recode"
)

// Encoding is a single-byte character set whose first 128 characters are ASCII. A nil one
// is UTF-8, which is not converted.
type Encoding struct {
	upper [128]rune // of the bytes from 128 on
	bytes map[rune]byte
}

// lost is added to a byte that is not a character of its set: encoding the text again
// yields the same byte.
const lost = 0xf700

var Encodings = sync.OnceValue(func() map[string]*Encoding {
	out := map[string]*Encoding{}
	for _, name := range recode.Singles() {
		out[name] = newEncoding(recode.Find(name))
	}
	return out
})

func newEncoding(set *recode.Set) *Encoding {
	e := &Encoding{bytes: map[rune]byte{}}
	for i := range e.upper {
		b := byte(utf8.RuneSelf + i)
		r, _ := set.Next([]byte{b})
		if r < 0 {
			r = lost + rune(b)
		}
		e.upper[i], e.bytes[r] = r, b
	}
	return e
}

// IsASCII reports whether a text is the same in every character set.
func IsASCII[T string | []byte](text T) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Decode converts a text from the character set to UTF-8.
func (e *Encoding) Decode(text []byte) []byte {
	if e == nil || IsASCII(text) {
		return text
	}
	out := make([]byte, 0, len(text)+len(text)/2)
	for _, b := range text {
		if b < utf8.RuneSelf {
			out = append(out, b)
		} else {
			out = utf8.AppendRune(out, e.upper[b-utf8.RuneSelf])
		}
	}
	return out
}

// Encode converts a text from UTF-8 to the character set. A character that it lacks
// becomes ?, and bytes that are not UTF-8 stay.
func (e *Encoding) Encode(text []byte) []byte {
	if e == nil || IsASCII(text) {
		return text
	}
	out := make([]byte, 0, len(text))
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		b, known := e.bytes[r]
		switch {
		case r < utf8.RuneSelf || r == utf8.RuneError && n == 1:
			b = text[0]
		case !known:
			b = '?'
		}
		out, text = append(out, b), text[n:]
	}
	return out
}

// EncodeString is Encode for a string.
func (e *Encoding) EncodeString(text string) string {
	if e == nil || IsASCII(text) {
		return text
	}
	return string(e.Encode([]byte(text)))
}
