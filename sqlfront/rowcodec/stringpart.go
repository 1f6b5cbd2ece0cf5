package rowcodec

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"

	"github.com/hbasekv/hbasekv/sqlfront/collation"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// stringPart has the bytes of a text or binary string as they are if it is last. Otherwise zero bytes are
// escaped and two of them are the end, which sorts before any continuation.
//
// No row is empty in HBase: a text that is the whole key and is empty or begins with a zero byte is preceded
// by a zero byte, which keeps the order.
func stringPart(p Part, last, whole bool) part {
	read := stringReader(p.Type)
	unchanged := func(text []byte, size int) (value.Value, int) { // CHAR has no trailing spaces
		v, ok := read(text)
		return sized(v, ok && len(v.Raw()) == len(text), size)
	}
	out := part{Part: p, last: last, sorted: true}
	switch {
	case whole:
		out.begin, out.append, out.read = appendShielded, appendWhole, wholeReader(unchanged)
	case last:
		out.begin, out.append = appendBytes, appendRaw
		out.read = func(row []byte) (value.Value, int) { return unchanged(row, len(row)) }
	default:
		out.begin, out.append, out.read = appendEscaped, appendEnded, endedReader(unchanged)
	}
	return out
}

func appendBytes(dst, text []byte) []byte { return append(dst, text...) }

// appendWhole appends a text that is a whole key.
func appendWhole(dst []byte, v value.Value) ([]byte, error) {
	if len(v.Raw()) == 0 {
		return append(dst, 0), nil
	}
	return appendShielded(dst, v.Raw()), nil
}

func wholeReader(read func([]byte, int) (value.Value, int)) func([]byte) (value.Value, int) {
	return func(row []byte) (value.Value, int) {
		switch {
		case len(row) == 0 || row[0] == 0 && len(row) > 1 && row[1] != 0:
			return value.Value{}, -1
		case row[0] == 0:
			return read(row[1:], len(row))
		}
		return read(row, len(row))
	}
}

// appendEnded appends a text that another part follows.
func appendEnded(dst []byte, v value.Value) ([]byte, error) {
	return append(appendEscaped(dst, v.Raw()), 0, 0), nil
}

func endedReader(read func([]byte, int) (value.Value, int)) func([]byte) (value.Value, int) {
	return func(row []byte) (value.Value, int) {
		text, size := readEscaped(row)
		if size < 0 {
			return value.Value{}, -1
		}
		return read(text, size)
	}
}

// appendShielded appends a text that is a whole key; for an empty one nothing, with which all begin.
func appendShielded(dst, text []byte) []byte {
	if len(text) > 0 && text[0] == 0 {
		dst = append(dst, 0)
	}
	return append(dst, text...)
}

const escapedZero = 0xff

func appendEscaped(dst, text []byte) []byte {
	for {
		at := bytes.IndexByte(text, 0)
		if at < 0 {
			return append(dst, text...)
		}
		dst = append(append(dst, text[:at+1]...), escapedZero)
		text = text[at+1:]
	}
}

// readEscaped returns a text and its number of bytes including its end; negative if there is no end.
func readEscaped(row []byte) (text []byte, size int) {
	start := 0
	for at := 0; at+1 < len(row); at++ {
		if row[at] != 0 {
			continue
		}
		switch row[at+1] {
		case 0:
			if text == nil {
				return row[start:at:at], at + 2
			}
			return append(text, row[start:at]...), at + 2
		case escapedZero:
			text = append(text, row[start:at+1]...)
			at++
			start = at + 1
		default:
			return nil, -1
		}
	}
	return nil, -1
}

// weightPart has the weights of a text's characters, with an unambiguous end.
func weightPart(p Part, last bool) part {
	w := newWeights(p.Type.By())
	return part{Part: p, last: last, sorted: true, weighed: true,
		begin:  w.begin,
		append: func(dst []byte, v value.Value) ([]byte, error) { return w.append(dst, v.Raw()), nil },
		read:   func(row []byte) (value.Value, int) { return value.Value{}, w.size(row) }}
}

// weights is the bytes by which texts of a collation sort.
//
// For a collation without padding these are the weights, two bytes each, with zeros after each level. For one
// that pads texts with spaces, the characters after a run of spaces decide whether the text sorts before or
// after one that ends there. So a run of spaces is written as one of them, followed by whether the text goes
// on with less than a space and after how many, ends, or goes on with more.
type weights struct {
	by    collation.Collation
	space []byte // the weight of a space, if the collation pads with spaces
}

func newWeights(by collation.Collation) *weights {
	switch {
	case !by.PadsSpaces():
		return &weights{by: by}
	case by.IsBinary():
		return &weights{by, []byte{' '}}
	case by.Levels() == 0:
		return &weights{by, []byte{0, 0, ' '}}
	}
	return &weights{by, by.AppendWeights(nil, []byte(" "))}
}

const (
	thenLess = 1
	thenEnd  = 2
	thenMore = 3
)

func (w *weights) append(dst, text []byte) []byte {
	if !w.by.PadsSpaces() {
		return append(w.by.AppendKey(dst, text), 0, 0)
	}
	if w.by.Levels() > 0 && !w.by.IsBinary() {
		text = w.by.AppendWeights(nil, text)
	}
	var buf [2 * utf8.UTFMax]byte
	spaces := 0
	for len(text) > 0 {
		unit, size := w.next(buf[:0], text)
		text = text[size:]
		if bytes.Equal(unit, w.space) {
			spaces++
			continue
		}
		if spaces > 0 {
			dst = w.appendRun(dst, spaces, unit)
			spaces = 0
		}
		dst = append(dst, unit...)
	}
	return append(append(dst, w.space...), thenEnd)
}

// appendRun appends a run of spaces that a unit follows: a short run sorts farther from the end than a long
// one.
func (w *weights) appendRun(dst []byte, spaces int, next []byte) []byte {
	dst = append(dst, w.space...)
	if bytes.Compare(next, w.space) < 0 {
		return binary.BigEndian.AppendUint32(append(dst, thenLess), uint32(spaces))
	}
	return binary.BigEndian.AppendUint32(append(dst, thenMore), ^uint32(spaces))
}

// begin appends the bytes with which all texts begin that begin with text, and possibly others.
func (w *weights) begin(dst, text []byte) []byte {
	if !w.by.PadsSpaces() {
		if w.by.Levels() > 1 { // the second level comes after the first of the whole text
			return dst
		}
		return w.by.AppendKey(dst, text)
	}
	text = bytes.TrimRight(text, " ")
	full := w.append(nil, text)
	return append(dst, full[:len(full)-len(w.space)-1]...)
}

// next returns the weight of the first character, as bytes that sort as it does, perhaps in buf, and how many
// bytes of the text it takes. The text of a collation with levels has been replaced by its weights.
func (w *weights) next(buf, text []byte) (unit []byte, size int) {
	switch {
	case w.by.IsBinary():
		return text[:1], 1
	case w.by.Levels() > 0:
		return text[:2], 2
	}
	weight, size := collation.NextWeight(text)
	return appendWeight(buf, weight), size
}

// appendWeight appends a character's weight in three bytes; an invalid character weighs more than any.
func appendWeight(dst []byte, weight rune) []byte {
	if weight > utf8.MaxRune {
		return append(dst, 0xff, byte(weight-utf8.MaxRune))
	}
	return append(dst, byte(weight>>16), byte(weight>>8), byte(weight))
}

// size is the number of bytes of a text in a row; negative if it does not end.
func (w *weights) size(row []byte) int {
	if !w.by.PadsSpaces() {
		return w.unpaddedSize(row)
	}
	space := w.space
	for at := 0; at+len(space) < len(row); {
		if !bytes.HasPrefix(row[at:], space) {
			at += w.unit(row[at:])
			continue
		}
		switch at += len(space); row[at] {
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
func (w *weights) unit(b []byte) int {
	switch {
	case w.by.IsBinary():
		return 1
	case w.by.Levels() > 0 || b[0] == 0xff:
		return 2
	}
	return 3
}

func (w *weights) unpaddedSize(row []byte) int {
	level := 0
	for at := 0; at+2 <= len(row); at += 2 {
		if row[at] == 0 && row[at+1] == 0 {
			if level++; level == w.by.Levels() {
				return at + 2
			}
		}
	}
	return -1
}
