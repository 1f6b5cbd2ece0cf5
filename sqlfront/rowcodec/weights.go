package rowcodec

import (
	"encoding/binary"
	"unicode/utf8"

	"github.com/hbasekv/hbasekv/sqlfront/collation"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// weights is the bytes by which texts of a collation sort, of which none begins with those of another text.
type weights interface {
	append(dst, text []byte) []byte
	// begin appends the bytes with which all texts begin that begin with text, and possibly others.
	begin(dst, text []byte) []byte
	// size is the number of bytes of a text in a row; negative if it does not end.
	size(row []byte) int
}

// weightPart has the weights of a text's characters, with an unambiguous end.
func weightPart(p Part, last bool) part {
	w := weightsOf(p)
	return part{Part: p, last: last, sorted: true, weighed: true,
		begin:  w.begin,
		append: func(dst []byte, v value.Value) ([]byte, error) { return w.append(dst, v.Raw()), nil },
		read:   func(row []byte) (value.Value, int) { return value.Value{}, w.size(row) }}
}

func weightsOf(p Part) weights {
	by := p.Type.By()
	switch {
	case !by.PadsSpaces():
		return levels{by}
	case !p.UTF8:
		return newRedundant(by)
	case by.Levels() > 0:
		return newPaddedPairs(by)
	case by.IsBinary():
		return padded{runs: runsFrom(firstSign), plain: 0xff, next: nextByte}
	}
	return padded{runs: runsFrom(firstSign), plain: utf8.RuneSelf - 1, folds: true, next: collation.NextWeight}
}

// redundant reports whether a part has the weights of stores of the formats 1 and 2, where there are shorter
// ones.
func (p *part) redundant() bool { return p.weighed && !p.UTF8 && p.Type.By().PadsSpaces() }

// levels is the weights of a collation without padding: two bytes each, with zeros after each level.
type levels struct{ by collation.Collation }

func (l levels) append(dst, text []byte) []byte { return append(l.by.AppendKey(dst, text), 0, 0) }

func (l levels) begin(dst, text []byte) []byte {
	if l.by.Levels() > 1 { // the second level comes after the first of the whole text
		return dst
	}
	return l.by.AppendKey(dst, text)
}

func (l levels) size(row []byte) int {
	level := 0
	for at := 0; at+2 <= len(row); at += 2 {
		if binary.BigEndian.Uint16(row[at:]) != 0 {
			continue
		}
		if level++; level == l.by.Levels() {
			return at + 2
		}
	}
	return -1
}
