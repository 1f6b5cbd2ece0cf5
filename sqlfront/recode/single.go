package recode

import (
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// singles are the character sets of single bytes with the default collations.
var singles = map[string]string{
	"ascii": "general_ci", "latin1": "swedish_ci", "latin2": "general_ci", "latin5": "turkish_ci",
	"latin7": "general_ci", "greek": "general_ci", "hebrew": "general_ci", "cp1250": "general_ci",
	"cp1251": "general_ci", "cp1256": "general_ci", "cp1257": "general_ci", "cp850": "general_ci",
	"cp852": "general_ci", "cp866": "general_ci", "koi8r": "general_ci", "koi8u": "general_ci",
	"macroman": "general_ci", "tis620": "thai_ci",
}

// charmaps have the characters of these except those of ASCII.
var charmaps = map[string]*charmap.Charmap{
	"latin1": charmap.Windows1252, "latin2": charmap.ISO8859_2, "latin5": charmap.ISO8859_9,
	"latin7": charmap.ISO8859_13, "greek": charmap.ISO8859_7, "hebrew": charmap.ISO8859_8, "cp1250": charmap.Windows1250,
	"cp1251": charmap.Windows1251, "cp1256": charmap.Windows1256, "cp1257": charmap.Windows1257,
	"cp850": charmap.CodePage850, "cp852": charmap.CodePage852, "cp866": charmap.CodePage866,
	"koi8r": charmap.KOI8R, "koi8u": charmap.KOI8U, "macroman": charmap.Macintosh, "tis620": charmap.Windows874,
}

// single is a character set of single bytes, of which the first 128 are ASCII.
type single struct {
	upper [128]rune // of the bytes from 128 on
	bytes map[rune]byte
}

func newSingle(name string) *single {
	s := &single{bytes: map[rune]byte{}}
	for i := range s.upper {
		b := byte(utf8.RuneSelf + i)
		r := upperRune(name, b)
		if s.upper[i] = r; r != notThere {
			s.bytes[r] = b
		}
	}
	return s
}

// differing are the characters of bytes for which MySQL differs from the charmaps.
var differing = map[string]map[byte]rune{
	"greek":  {0xa1: 0x2bd, 0xa2: 0x2bc, 0xa4: notThere, 0xa5: notThere, 0xaa: notThere},
	"hebrew": {0xaf: 0x203e},
	"cp1256": {0x8a: notThere, 0x8f: notThere, 0x98: notThere, 0x9a: notThere, 0x9f: notThere, 0xaa: notThere,
		0xc0: notThere, 0xff: notThere},
	"cp866": {0xfc: 0x207f, 0xfd: 0xb2},
	"koi8u": {0x95: 0x2022, 0xae: 0x255d, 0xbe: 0x256c},
	"tis620": {0x80: 0x80, 0x85: 0x85, 0x91: 0x91, 0x92: 0x92, 0x93: 0x93, 0x94: 0x94, 0x95: 0x95, 0x96: 0x96,
		0x97: 0x97, 0xa0: notThere},
}

// withControls are the character sets in which the bytes below 0xa0 that the charmap has no character for are
// the control characters of their numbers.
var withControls = map[string]bool{"latin1": true, "latin2": true, "latin7": true, "greek": true, "hebrew": true,
	"tis620": true}

// upperRune is the character of a byte from 128 on.
func upperRune(name string, b byte) rune {
	if r, ok := differing[name][b]; ok {
		return r
	}
	r := rune(utf8.RuneError)
	if set := charmaps[name]; set != nil {
		r = set.DecodeByte(b)
	}
	switch {
	case r != utf8.RuneError:
		return r
	case b < 0xa0 && withControls[name]:
		return rune(b)
	}
	return notThere
}

func (s *single) next(b byte) rune {
	if b < utf8.RuneSelf {
		return rune(b)
	}
	return s.upper[b-utf8.RuneSelf]
}

// byteOf is the byte of a character that the set has.
func (s *single) byteOf(r rune) byte {
	if r < utf8.RuneSelf {
		return byte(r)
	}
	return s.bytes[r]
}

// Singles are the names of the character sets of single bytes.
func Singles() []string {
	var names []string
	for name := range singles {
		names = append(names, name)
	}
	return names
}
