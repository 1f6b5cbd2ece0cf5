package rowcodec

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"

	"github.com/hbasekv/hbasekv/sqlfront/collation"
)

// redundant is the weights of a collation that pads texts with spaces, as stores of the formats 1 and 2 have
// them. A run of spaces is one of them, followed by whether the text goes on with less than a space and after
// how many, ends, or goes on with more. A weight of utf8mb4_general_ci has three bytes.
type redundant struct {
	by    collation.Collation
	space []byte // the weight of a space
}

func newRedundant(by collation.Collation) *redundant {
	r := &redundant{by: by}
	switch {
	case by.IsBinary():
		r.space = []byte{' '}
	case by.Levels() == 0:
		r.space = r.appendWeight(nil, ' ')
	default:
		r.space = by.AppendWeights(nil, []byte(" "))
	}
	return r
}

const (
	thenLess = 1
	thenEnd  = 2
	thenMore = 3
)

func (r *redundant) append(dst, text []byte) []byte {
	if r.by.Levels() > 0 {
		text = r.by.AppendWeights(nil, text)
	}
	var buf [utf8.UTFMax]byte
	spaces := 0
	for len(text) > 0 {
		unit, size := r.next(buf[:0], text)
		text = text[size:]
		if bytes.Equal(unit, r.space) {
			spaces++
			continue
		}
		if spaces > 0 {
			dst = r.appendRun(append(dst, r.space...), spaces, bytes.Compare(unit, r.space) < 0)
			spaces = 0
		}
		dst = append(dst, unit...)
	}
	return append(append(dst, r.space...), thenEnd)
}

// appendRun appends the length of a run of spaces, after which the text goes on with less than a space or
// with more: a short run sorts farther from the end than a long one.
func (r *redundant) appendRun(dst []byte, spaces int, less bool) []byte {
	if less {
		return binary.BigEndian.AppendUint32(append(dst, thenLess), uint32(spaces))
	}
	return binary.BigEndian.AppendUint32(append(dst, thenMore), ^uint32(spaces))
}

func (r *redundant) begin(dst, text []byte) []byte {
	text = bytes.TrimRight(text, " ")
	full := r.append(nil, text)
	return append(dst, full[:len(full)-len(r.space)-1]...)
}

// next returns the weight of the first character, as bytes that sort as it does, perhaps in buf, and how many
// bytes of the text it takes. The text of a collation with levels has been replaced by its weights.
func (r *redundant) next(buf, text []byte) (unit []byte, size int) {
	switch {
	case r.by.IsBinary():
		return text[:1], 1
	case r.by.Levels() > 0:
		return text[:2], 2
	}
	weight, size := collation.NextWeight(text)
	return r.appendWeight(buf, weight), size
}

// appendWeight appends the weight of a character; an invalid character weighs more than any.
func (r *redundant) appendWeight(dst []byte, weight rune) []byte {
	if weight > utf8.MaxRune {
		return append(dst, 0xff, byte(weight-utf8.MaxRune))
	}
	return append(dst, byte(weight>>16), byte(weight>>8), byte(weight))
}

func (r *redundant) size(row []byte) int {
	for at := 0; at+len(r.space) < len(row); {
		if !bytes.HasPrefix(row[at:], r.space) {
			at += r.unit(row[at:])
			continue
		}
		at += len(r.space)
		switch row[at] {
		case thenEnd:
			return at + 1
		case thenLess, thenMore:
			at += 5
		default:
			return -1
		}
	}
	return -1
}

// unit is the number of bytes of a weight.
func (r *redundant) unit(b []byte) int {
	switch {
	case r.by.IsBinary():
		return 1
	case r.by.Levels() > 0 || b[0] == 0xff:
		return 2
	}
	return 3
}
