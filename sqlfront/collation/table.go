package collation

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/binary"
	"io"
	"sync"
	"unicode/utf8"
)

//go:generate go run gen.go

// The weights of the characters with entries, as gen.go writes them: 11, 17 and 24 KB in a program, and 0.3
// to 1 MB of memory once a statement has used them.
var (
	//go:embed uca400.gz
	packed400 []byte
	//go:embed uca520.gz
	packed520 []byte
	//go:embed uca900.gz
	packed900 []byte
)

var (
	table400 = sync.OnceValue(func() *table { return unpack(packed400, 1, implicit400) })
	table520 = sync.OnceValue(func() *table { return unpack(packed520, 1, implicit520) })
	table900 = sync.OnceValue(func() *table { return unpack(packed900, 3, implicit900) })
)

const maxLevels = 3

// table is the weights of characters on up to three levels: the base character, accents, and case.
type table struct {
	// pages are the entries of 256 characters each, nil if all weights there follow from the characters'
	// numbers, as computed by implicit.
	pages    [(utf8.MaxRune + 1) >> 8]*[256]entry
	weights  []uint16
	implicit func(r rune) [2]uint16
	// ascii are the weights of characters with a single one on each level; 0 for others.
	ascii [maxLevels][utf8.RuneSelf]uint16
	likes [maxLevels]struct {
		once sync.Once
		of   *likeCodes
	}
}

// entry is the position of the weights of a character: those of its levels are adjacent.
type entry struct {
	at   int32
	n    [maxLevels]uint8
	here bool // otherwise they are implicit
}

// commonWeights are those of characters with implicit weights on the levels after the first.
var commonWeights = [maxLevels]uint16{1: 0x20, 2: 0x02}

// of returns the weights of a character on a level: those of its entry, or without an entry the first, which
// is not 0, and the second, which may be.
func (t *table) of(r rune, level int) (weights []uint16, first, second uint16) {
	if page := t.pages[r>>8]; page != nil && page[r&0xFF].here {
		e := &page[r&0xFF]
		at := int(e.at)
		for i := range level {
			at += int(e.n[i])
		}
		return t.weights[at : at+int(e.n[level])], 0, 0
	}
	if level > 0 {
		return nil, commonWeights[level], 0
	}
	both := t.implicit(r)
	return nil, both[0], both[1]
}

// appendOf appends the weights of a character on a level.
func (t *table) appendOf(dst []uint16, r rune, level int) []uint16 {
	weights, first, second := t.of(r, level)
	dst = append(dst, weights...)
	if first != 0 {
		dst = append(dst, first)
	}
	if second != 0 {
		dst = append(dst, second)
	}
	return dst
}

// set sets a character's weights on some levels.
func (t *table) set(r rune, levels [][]uint16) {
	page := t.pages[r>>8]
	if page == nil {
		page = new([256]entry)
		t.pages[r>>8] = page
	}
	e := entry{at: int32(len(t.weights)), here: true}
	for i, weights := range levels {
		e.n[i] = uint8(len(weights))
		t.weights = append(t.weights, weights...)
		if r < utf8.RuneSelf && len(weights) == 1 {
			t.ascii[i][r] = weights[0]
		}
	}
	page[r&0xFF] = e
}

// unpack reads what gen.go has packed: the characters, the number of weights of each on each level, and
// these, level by level, as differences to the previous ones.
func unpack(packed []byte, levels int, implicit func(rune) [2]uint16) *table {
	t := &table{implicit: implicit}
	r := newReader(packed)
	chars := make([]rune, r.next())
	last := int64(-1)
	for i := range chars {
		last += int64(r.next()) + 1
		chars[i] = rune(last)
	}
	weights := make([][][]uint16, len(chars))
	for i := range weights {
		weights[i] = make([][]uint16, levels)
		for level := range levels {
			weights[i][level] = make([]uint16, r.next())
		}
	}
	for level := range levels {
		last := int64(0)
		for i := range weights {
			for at := range weights[i][level] {
				last += r.signed()
				weights[i][level][at] = uint16(last)
			}
		}
	}
	for i, c := range chars {
		t.set(c, weights[i])
	}
	if levels == maxLevels {
		t.composeHangul()
	}
	return t
}

// reader reads numbers; the data is part of the program.
type reader struct{ b []byte }

func newReader(packed []byte) *reader {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		panic(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		panic(err)
	}
	return &reader{b}
}

func (r *reader) next() uint64 {
	n, size := binary.Uvarint(r.b)
	r.b = r.b[size:]
	return n
}

func (r *reader) signed() int64 {
	n, size := binary.Varint(r.b)
	r.b = r.b[size:]
	return n
}

// composeHangul sets the weights of Hangul syllables to those of their letters, with the third level one
// higher, as MySQL does.
func (t *table) composeHangul() {
	const (
		syllables, leading, vowels, trailing = 0xAC00, 0x1100, 0x1161, 0x11A7
		count, vowelCount, trailingCount     = 11172, 21, 28
	)
	for i := rune(0); i < count; i++ {
		letters := []rune{leading + i/(vowelCount*trailingCount), vowels + i/trailingCount%vowelCount}
		if i%trailingCount > 0 {
			letters = append(letters, trailing+i%trailingCount)
		}
		levels := make([][]uint16, maxLevels)
		for level := range levels {
			for _, letter := range letters {
				levels[level] = t.appendOf(levels[level], letter, level)
			}
		}
		for at := range levels[maxLevels-1] {
			levels[maxLevels-1][at]++
		}
		t.set(syllables+i, levels)
	}
}

// The weights of characters without entries: ideographs by their blocks, followed by unassigned ones.

func implicit400(r rune) [2]uint16 {
	if r > 0xFFFF {
		return [2]uint16{utf8.RuneError}
	}
	return implicit520(r)
}

func implicit520(r rune) [2]uint16 {
	switch {
	case r >= 0x3400 && r <= 0x4DB5:
		return byBlock(0xFB80, r)
	case r >= 0x4E00 && r <= 0x9FA5:
		return byBlock(0xFB40, r)
	}
	return byBlock(0xFBC0, r)
}

func implicit900(r rune) [2]uint16 {
	switch {
	case r >= 0x17000 && r <= 0x18AFF: // Tangut
		return [2]uint16{0xFB00, uint16(r-0x17000) | 0x8000}
	case r >= 0x3400 && r <= 0x4DB5, r >= 0x20000 && r <= 0x2A6D6, r >= 0x2A700 && r <= 0x2B734,
		r >= 0x2B740 && r <= 0x2B81D, r >= 0x2B820 && r <= 0x2CEA1:
		return byBlock(0xFB80, r)
	case r >= 0x4E00 && r <= 0x9FD5, r >= 0xFA0E && r <= 0xFA29:
		return byBlock(0xFB40, r)
	}
	return byBlock(0xFBC0, r)
}

func byBlock(base uint16, r rune) [2]uint16 {
	return [2]uint16{base + uint16(r>>15), uint16(r&0x7FFF) | 0x8000}
}
