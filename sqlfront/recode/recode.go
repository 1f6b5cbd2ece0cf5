package recode

import (
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"
)

// Set is a character set that texts are converted from and to.
type Set struct {
	Name, Collation string // MySQL's names of it and of its default collation
	// Unit is the least number of bytes that a part of a character has.
	Unit int
	// ASCII says that the bytes below 128 are ASCII, each a character, and are part of no other character.
	ASCII bool

	most   rune // the last character
	single *single
	next   func(b []byte) (rune, int)
	append func(dst []byte, r rune) []byte
}

// Find returns the character set of a name, in any case; nil if this package does not have it.
func Find(name string) *Set { return sets()[strings.ToLower(name)] }

// Next returns the first character of a text in the character set and its number of bytes; the character is
// negative if the bytes are not one. b is not empty.
func (s *Set) Next(b []byte) (rune, int) {
	if s.single != nil {
		return s.single.next(b[0]), 1
	}
	r, size := s.next(b)
	if r > s.most {
		return notThere, s.Unit
	}
	return r, size
}

// Append appends the bytes of a character; a question mark if the set does not have it.
func (s *Set) Append(dst []byte, r rune) []byte {
	if !s.has(r) {
		r = '?'
	}
	if s.single != nil {
		return append(dst, s.single.byteOf(r))
	}
	return s.append(dst, r)
}

// AppendText appends a character in UTF-8; a question mark if the set does not have it.
func (s *Set) AppendText(dst []byte, r rune) []byte {
	if !s.has(r) {
		r = '?'
	}
	return utf8.AppendRune(dst, r)
}

func (s *Set) has(r rune) bool {
	if r < utf8.RuneSelf || s.single == nil {
		return r >= 0 && r <= s.most
	}
	_, ok := s.single.bytes[r]
	return ok
}

// Single reports whether each character is one byte.
func (s *Set) Single() bool { return s.single != nil }

// Whole is b with zero bytes before it if its last part would otherwise be cut off.
func (s *Set) Whole(b []byte) []byte {
	if missing := -len(b) % s.Unit; missing != 0 {
		return append(make([]byte, s.Unit+missing, s.Unit+missing+len(b)), b...)
	}
	return b
}

// notThere is for bytes that are not a character.
const notThere = -1

var sets = sync.OnceValue(func() map[string]*Set {
	out := map[string]*Set{}
	for name, collation := range singles {
		out[name] = &Set{Name: name, Collation: name + "_" + collation, Unit: 1, ASCII: true, most: utf8.RuneSelf - 1,
			single: newSingle(name)}
	}
	for _, s := range []*Set{
		{Name: "utf8", Unit: 1, ASCII: true, most: basicPlane, next: nextUTF8, append: utf8.AppendRune},
		{Name: "utf8mb4", Unit: 1, ASCII: true, most: utf8.MaxRune, next: nextUTF8, append: utf8.AppendRune},
		{Name: "ucs2", Unit: 2, most: basicPlane, next: nextUTF16(bigEndian), append: appendUTF16(bigEndian)},
		{Name: "utf16", Unit: 2, most: utf8.MaxRune, next: nextUTF16(bigEndian), append: appendUTF16(bigEndian)},
		{Name: "utf16le", Unit: 2, most: utf8.MaxRune, next: nextUTF16(littleEndian), append: appendUTF16(littleEndian)},
		{Name: "utf32", Unit: 4, most: utf8.MaxRune, next: nextUTF32, append: appendUTF32},
	} {
		s.Collation = s.Name + "_general_ci"
		out[s.Name] = s
	}
	out["utf8mb3"] = out["utf8"]
	return out
})

// basicPlane is the last character that utf8 and ucs2 have.
const basicPlane = 0xFFFF

func nextUTF8(b []byte) (rune, int) {
	r, size := utf8.DecodeRune(b)
	if r == utf8.RuneError && size <= 1 {
		return notThere, 1
	}
	return r, size
}

// The places of the high and the low byte of two.
var (
	bigEndian    = [2]int{0, 1}
	littleEndian = [2]int{1, 0}
)

func unit(b []byte, order [2]int) rune { return rune(b[order[0]])<<8 | rune(b[order[1]]) }

func appendUnit(dst []byte, order [2]int, r rune) []byte {
	bytes := [2]byte{byte(r >> 8), byte(r)}
	return append(dst, bytes[order[0]], bytes[order[1]])
}

func nextUTF16(order [2]int) func(b []byte) (rune, int) {
	return func(b []byte) (rune, int) {
		if len(b) < 2 {
			return notThere, len(b)
		}
		r := unit(b, order)
		switch {
		case !utf16.IsSurrogate(r):
			return r, 2
		case len(b) < 4:
			return notThere, len(b)
		}
		if r = utf16.DecodeRune(r, unit(b[2:], order)); r == utf8.RuneError {
			return notThere, 2
		}
		return r, 4
	}
}

func appendUTF16(order [2]int) func(dst []byte, r rune) []byte {
	return func(dst []byte, r rune) []byte {
		if r <= 0xFFFF {
			return appendUnit(dst, order, r)
		}
		high, low := utf16.EncodeRune(r)
		return appendUnit(appendUnit(dst, order, high), order, low)
	}
}

func nextUTF32(b []byte) (rune, int) {
	if len(b) < 4 {
		return notThere, len(b)
	}
	n := uint32(unit(b, bigEndian))<<16 | uint32(unit(b[2:], bigEndian))
	if n > utf8.MaxRune || utf16.IsSurrogate(rune(n)) {
		return notThere, 4
	}
	return rune(n), 4
}

func appendUTF32(dst []byte, r rune) []byte {
	return appendUnit(appendUnit(dst, bigEndian, r>>16), bigEndian, r&0xFFFF)
}
