package mysqlserver

import (
	"sync"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// encoding is a character set of single bytes, of which the first 128 are ASCII. A nil one
// is UTF-8, and what is left as it is.
type encoding struct {
	upper [128]rune // of the bytes from 128 on
	bytes map[rune]byte
}

// lost stands in a text for a byte that is no character of its set: the byte itself comes
// back where the text does.
const lost = 0xf700

// charmaps are the character sets that texts are converted from and to, by MySQL's names.
var charmaps = map[string]*charmap.Charmap{
	"ascii": nil, "latin1": charmap.Windows1252, "latin2": charmap.ISO8859_2, "latin5": charmap.ISO8859_9,
	"latin7": charmap.ISO8859_13, "greek": charmap.ISO8859_7, "hebrew": charmap.ISO8859_8, "cp1250": charmap.Windows1250,
	"cp1251": charmap.Windows1251, "cp1256": charmap.Windows1256, "cp1257": charmap.Windows1257,
	"cp850": charmap.CodePage850, "cp852": charmap.CodePage852, "cp866": charmap.CodePage866,
	"koi8r": charmap.KOI8R, "koi8u": charmap.KOI8U, "macroman": charmap.Macintosh,
}

var encodings = sync.OnceValue(func() map[string]*encoding {
	out := map[string]*encoding{}
	for name, set := range charmaps {
		out[name] = newEncoding(set)
	}
	return out
})

func newEncoding(set *charmap.Charmap) *encoding {
	e := &encoding{bytes: map[rune]byte{}}
	for i := range e.upper {
		b := byte(utf8.RuneSelf + i)
		r := rune(utf8.RuneError)
		if set != nil {
			r = set.DecodeByte(b)
		}
		switch {
		case r != utf8.RuneError:
		case set != nil && b < 0xa0: // a control character, as MySQL has it
			r = rune(b)
		default:
			r = lost + rune(b)
		}
		e.upper[i], e.bytes[r] = r, b
	}
	return e
}

// ascii reports whether a text is the same in each character set.
func ascii[T string | []byte](text T) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// decode is a text of the character set as UTF-8.
func (e *encoding) decode(text []byte) []byte {
	if e == nil || ascii(text) {
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

// encode is a text of UTF-8 in the character set. What it has no character for is ?, and
// bytes that are no UTF-8 stay.
func (e *encoding) encode(text []byte) []byte {
	if e == nil || ascii(text) {
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

// encodeString is encode of a string.
func (e *encoding) encodeString(text string) string {
	if e == nil || ascii(text) {
		return text
	}
	return string(e.encode([]byte(text)))
}

// convert is a text of a column as the client has it.
func (w *wireColumn) convert(text []byte) []byte {
	if w.from == nil && w.to == nil {
		return text
	}
	return w.to.encode(w.from.decode(text))
}
