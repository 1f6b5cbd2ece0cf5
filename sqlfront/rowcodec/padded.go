package rowcodec

import (
	"encoding/binary"
	"unicode/utf8"

	"github.com/hbasekv/hbasekv/sqlfront/collation"
)

// runs are the bytes that take the place of spaces in the weights of a collation that pads texts with them.
//
// What follows a run of spaces decides whether the text sorts before or after one that ends there. So the rest
// of a text begins, in this order, with a weight less than that of a space; with less and the number of spaces
// that such a weight follows, of which fewer sort first; with end, which is also that of spaces at the end of a
// text; with more and the inverted number of spaces before a greater weight, of which fewer sort last; with one
// if it is a single space; or with a greater weight.
type runs struct{ less, end, more, one byte }

func runsFrom(first byte) runs { return runs{first, first + 1, first + 2, first + 3} }

func (r *runs) append(dst []byte, spaces int, thenLess bool) []byte {
	switch {
	case thenLess:
		return appendVaruint(append(dst, r.less), uint64(spaces), false)
	case spaces == 1:
		return append(dst, r.one)
	}
	return appendVaruint(append(dst, r.more), uint64(spaces), true)
}

// size is the number of bytes of a run that begins with less or more; 0 if it is not whole.
func (r *runs) size(row []byte) int {
	_, size := readVaruint(row[1:], row[0] == r.more)
	return min(size, 1) + size
}

// firstSign is runs.less among characters and bytes. It makes runs.one a space, so that words with one between
// them stay as they are. The four control characters from escape on, which are rare in texts, follow an escape.
const (
	firstSign = ' ' - 3
	escape    = firstSign - 1
)

// padded is the weights of utf8mb4_general_ci, characters in UTF-8, of which an invalid one weighs more than
// any; and of utf8mb4_bin, bytes.
type padded struct {
	runs
	// next is the weight of a text's first character, and the character's number of bytes.
	next func(text []byte) (weight rune, size int)
	// plain is the last byte that stands for itself, but for its case if folds is true.
	plain byte
	folds bool
}

func nextByte(text []byte) (weight rune, size int) { return rune(text[0]), 1 }

func (p padded) append(dst, text []byte) []byte {
	for spaces := 0; len(text) > 0; {
		if spaces == 0 {
			if dst, text = p.appendPlain(dst, text); len(text) == 0 {
				break
			}
		}
		weight, size := p.next(text)
		if text = text[size:]; weight == ' ' {
			spaces++
			continue
		}
		if spaces > 0 {
			dst, spaces = p.runs.append(dst, spaces, weight < ' '), 0
		}
		dst = p.appendWeight(dst, weight)
	}
	return append(dst, p.end)
}

// appendPlain appends the weights of plain characters with single spaces between them, as many texts are, at a
// fraction of the time (BenchmarkWeights). rest is what follows them.
func (p *padded) appendPlain(dst, text []byte) (longer, rest []byte) {
	n := 0
	for n < len(text) && (p.isPlain(text[n]) || text[n] == ' ' && n+1 < len(text) && p.isPlain(text[n+1])) {
		n++
	}
	start := len(dst)
	if dst = append(dst, text[:n]...); p.folds {
		upper(dst[start:])
	}
	return dst, text[n:]
}

func (p *padded) isPlain(c byte) bool { return c > ' ' && c <= p.plain }

// upper replaces small letters of ASCII by the capital ones, which are their weights.
func upper(b []byte) {
	for i, c := range b {
		if c >= 'a' && c <= 'z' {
			b[i] = c - 'a' + 'A'
		}
	}
}

func (p *padded) appendWeight(dst []byte, weight rune) []byte {
	switch {
	case weight >= escape && weight < ' ':
		return append(dst, escape, byte(weight))
	case weight < utf8.RuneSelf || !p.folds:
		return append(dst, byte(weight))
	case weight > utf8.MaxRune:
		return append(dst, 0xff, byte(weight-utf8.MaxRune))
	}
	return utf8.AppendRune(dst, weight)
}

func (p padded) begin(dst, text []byte) []byte {
	dst = p.append(dst, text)
	return dst[:len(dst)-1]
}

func (p padded) size(row []byte) int {
	for at := 0; at < len(row); at++ {
		switch c := row[at]; {
		case c >= p.one || c < escape:
		case c == p.end:
			return at + 1
		case c == escape:
			at++
		default:
			size := p.runs.size(row[at:])
			if size == 0 {
				return -1
			}
			at += size - 1
		}
	}
	return -1
}

// paddedPairs is the weights of a collation that pads texts with spaces and has a table of weights: two bytes
// each. Those greater than that of a space are moved up, so that first bytes are free for runs below them.
// Weights of characters that are not in the table are greater than the others, and stay.
type paddedPairs struct {
	runs
	by           collation.Collation
	space, moved uint16
}

// leastUnlisted is less than all weights of characters that are not in a table, of which the first ones begin
// with FB and the second ones have this bit; there is room below it.
const leastUnlisted = 0x8000

func newPaddedPairs(by collation.Collation) paddedPairs {
	space := by.AppendWeights(nil, []byte(" "))
	runs := runsFrom(space[0] + 1)
	return paddedPairs{runs: runs, by: by, space: binary.BigEndian.Uint16(space), moved: uint16(runs.one+1-space[0]) << 8}
}

// append writes over the weights that it has read, which nothing takes more bytes than, but for the end.
func (p paddedPairs) append(dst, text []byte) []byte {
	start, spaces := len(dst), 0
	dst = p.by.AppendWeights(dst, text)
	rest := dst[start:]
	for dst = dst[:start]; len(rest) >= 2; rest = rest[2:] {
		weight := binary.BigEndian.Uint16(rest)
		if weight == p.space {
			spaces++
			continue
		}
		if spaces > 0 {
			dst, spaces = p.runs.append(dst, spaces, weight < p.space), 0
		}
		if weight > p.space && weight < leastUnlisted {
			weight += p.moved
		}
		dst = append(dst, byte(weight>>8), byte(weight))
	}
	return append(dst, p.end)
}

func (p paddedPairs) begin(dst, text []byte) []byte {
	dst = p.append(dst, text)
	return dst[:len(dst)-1]
}

func (p paddedPairs) size(row []byte) int {
	for at := 0; at < len(row); {
		switch c := row[at]; {
		case c < p.less || c > p.one:
			at += 2
		case c == p.one:
			at++
		case c == p.end:
			return at + 1
		default:
			size := p.runs.size(row[at:])
			if size == 0 {
				return -1
			}
			at += size
		}
	}
	return -1
}
