// Package collation is MySQL's collations of UTF-8 text: which texts compare equal, and which come first
// (https://dev.mysql.com/doc/refman/8.4/en/charset-unicode-sets.html).
//
// As in MySQL, and unlike in the Unicode Collation Algorithm itself, texts are not normalized, there are no
// contractions (several characters with a common weight), and punctuation is not ignored.
package collation

import (
	"bytes"
	"strings"
)

// Collation is a supported collation. The zero Collation is the default for texts.
type Collation uint8

// The supported collations.
const (
	General     Collation = iota // utf8mb4_general_ci
	Bin                          // utf8mb4_bin
	Unicode                      // utf8mb4_unicode_ci
	Unicode520                   // utf8mb4_unicode_520_ci
	AccentsNot                   // utf8mb4_0900_ai_ci
	Accents                      // utf8mb4_0900_as_ci
	AccentsCase                  // utf8mb4_0900_as_cs
	Bin0900                      // utf8mb4_0900_bin
	count
)

// properties are what is known of a collation.
type properties struct {
	name string
	// spaces says that texts compare as if spaces followed them (PAD SPACE).
	spaces bool
	// bytes says that the order is that of the bytes.
	bytes bool
	// levels is the number of levels of a table's weights that count.
	levels int
	table  func() *table
}

var all = [count]properties{
	General:     {name: "utf8mb4_general_ci", spaces: true},
	Bin:         {name: "utf8mb4_bin", spaces: true, bytes: true},
	Unicode:     {name: "utf8mb4_unicode_ci", spaces: true, levels: 1, table: table400},
	Unicode520:  {name: "utf8mb4_unicode_520_ci", spaces: true, levels: 1, table: table520},
	AccentsNot:  {name: "utf8mb4_0900_ai_ci", levels: 1, table: table900},
	Accents:     {name: "utf8mb4_0900_as_ci", levels: 2, table: table900},
	AccentsCase: {name: "utf8mb4_0900_as_cs", levels: 3, table: table900},
	Bin0900:     {name: "utf8mb4_0900_bin", bytes: true},
}

// Named is the collation of that name, ignoring case; names in utf8 (utf8mb3) are accepted too, since its
// characters have the same weights.
func Named(name string) (Collation, bool) {
	name = strings.ToLower(name)
	for _, short := range []string{"utf8_", "utf8mb3_"} {
		if rest, ok := strings.CutPrefix(name, short); ok && !strings.HasPrefix(rest, "0900_") {
			name = "utf8mb4_" + rest
		}
	}
	for c := range all {
		if all[c].name == name {
			return Collation(c), true
		}
	}
	return 0, false
}

// String is MySQL's name.
func (c Collation) String() string { return all[c].name }

// PadsSpaces reports whether trailing spaces make no difference (PAD SPACE).
func (c Collation) PadsSpaces() bool { return all[c].spaces }

// IsBinary reports whether texts compare by their bytes, as in the collations that end in _bin.
func (c Collation) IsBinary() bool { return all[c].bytes }

// TellsCase reports whether the collation is case-sensitive.
func (c Collation) TellsCase() bool { return all[c].bytes || all[c].levels > 2 }

// Compare orders two texts: below 0 if a comes first, 0 if they are equal. Invalid UTF-8 comes after all
// characters.
func (c Collation) Compare(a, b []byte) int {
	p := &all[c]
	switch {
	case p.table != nil:
		order, _ := p.compareLevels(a, b, nil)
		return order
	case p.bytes && p.spaces:
		return comparePadded(a, b)
	case p.bytes:
		return bytes.Compare(a, b)
	}
	return compareGeneral(a, b)
}

// CompareLong is Compare for long texts in a collation with levels. It regularly calls step with the number
// of weights compared since the last call, and returns its error.
func (c Collation) CompareLong(a, b []byte, step func(weights int) error) (order int, err error) {
	return all[c].compareLevels(a, b, step)
}

// AppendKey appends bytes that are the same exactly for texts which compare equal.
func (c Collation) AppendKey(dst, text []byte) []byte {
	p := &all[c]
	switch {
	case p.table != nil:
		return p.appendLevels(dst, text)
	case p.bytes && p.spaces:
		return append(dst, bytes.TrimRight(text, " ")...)
	case p.bytes:
		return append(dst, text...)
	}
	return appendGeneral(dst, text)
}

// AppendWeights appends the weights of a text, as in MySQL's WEIGHT_STRING: two bytes each, with a zero
// between the levels; for utf8mb4_bin the numbers of the characters in three bytes.
func (c Collation) AppendWeights(dst, text []byte) []byte {
	p := &all[c]
	switch {
	case p.table != nil:
		unpadded := *p
		unpadded.spaces = false
		return unpadded.appendLevels(dst, text)
	case p.bytes && !p.spaces:
		return append(dst, text...)
	}
	next := c.Characters()
	for len(text) > 0 {
		code, size := next(text)
		if p.bytes {
			dst = append(dst, byte(code>>16))
		}
		dst = append(dst, byte(code>>8), byte(code))
		text = text[size:]
	}
	return dst
}

// Characters compares single characters, for LIKE and searches for a part of a text.
type Characters func(text []byte) (code rune, size int)

// Characters returns a function to a number that is the same for characters which are equal in LIKE, and the
// size of the first character of a text in bytes.
func (c Collation) Characters() Characters {
	p := &all[c]
	switch {
	case p.table != nil:
		return p.table().likeOn(p.levels)
	case p.bytes:
		return codePoint
	}
	return NextWeight
}

// OneByOne reports whether texts are equal if their characters are, one by one.
func (c Collation) OneByOne() bool { return all[c].table == nil }

// comparePadded compares bytes as if spaces followed the shorter text.
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

// EqualUnpadded reports whether two texts are equal including their trailing spaces, as FIND_IN_SET and
// LOCATE compare.
func (c Collation) EqualUnpadded(a, b []byte) bool {
	p := &all[c]
	switch {
	case p.bytes:
		return bytes.Equal(a, b)
	case p.table != nil:
		unpadded := *p
		unpadded.spaces = false
		order, _ := unpadded.compareLevels(a, b, nil)
		return order == 0
	}
	return equalGeneral(a, b)
}
