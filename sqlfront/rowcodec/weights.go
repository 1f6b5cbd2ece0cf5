package rowcodec

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"

	"github.com/hbasekv/hbasekv/sqlfront/collation"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// weightPart has the weights of a text's characters, with an unambiguous end.
func weightPart(p Part, last bool) part {
	w := newWeights(p)
	return part{Part: p, last: last, sorted: true, weighed: true,
		begin:  w.begin,
		append: func(dst []byte, v value.Value) ([]byte, error) { return w.append(dst, v.Raw()), nil },
		read:   func(row []byte) (value.Value, int) { return value.Value{}, w.size(row) }}
}

// redundant reports whether a part has weights in three bytes, of which UTF-8 has one for most characters.
func (p *Part) redundant() bool {
	return p.Encoding == Plain && !p.UTF8 && weighs(p.Type) && p.Type.By().Levels() == 0
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
	utf8  bool   // see Part.UTF8
}

func newWeights(p Part) *weights {
	w := &weights{by: p.Type.By()}
	switch {
	case !w.by.PadsSpaces():
	case w.by.IsBinary():
		w.space = []byte{' '}
	case w.by.Levels() == 0:
		w.utf8 = p.UTF8
		w.space = w.appendWeight(nil, ' ')
	default:
		w.space = w.by.AppendWeights(nil, []byte(" "))
	}
	return w
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
	for {
		if w.utf8 && spaces == 0 {
			dst, text = appendPlain(dst, text)
		}
		if len(text) == 0 {
			return append(append(dst, w.space...), thenEnd)
		}
		unit, size := w.next(buf[:0], text)
		text = text[size:]
		if bytes.Equal(unit, w.space) {
			spaces++
			continue
		}
		if spaces > 0 {
			dst = w.appendRun(append(dst, w.space...), spaces, bytes.Compare(unit, w.space) < 0)
			spaces = 0
		}
		dst = append(dst, unit...)
	}
}

// appendPlain appends the weights of ASCII characters up to a space, as many texts are: it takes a third of
// the time per character (BenchmarkWeights, 2026-11-29). rest is what follows them.
func appendPlain(dst, text []byte) (longer, rest []byte) {
	for len(text) > 0 && text[0] < utf8.RuneSelf && text[0] != ' ' {
		weight, _ := collation.NextWeight(text)
		dst, text = append(dst, byte(weight)), text[1:]
	}
	return dst, text
}

// appendRun appends the length of a run of spaces, after which the text goes on with less than a space or
// with more: a short run sorts farther from the end than a long one.
func (w *weights) appendRun(dst []byte, spaces int, less bool) []byte {
	switch {
	case w.utf8 && less:
		return appendVaruint(append(dst, thenLess), uint64(spaces), false)
	case w.utf8: // its first byte is above thenEnd, as lengths are below 2^32
		return appendVaruint(dst, uint64(spaces), true)
	case less:
		return binary.BigEndian.AppendUint32(append(dst, thenLess), uint32(spaces))
	}
	return binary.BigEndian.AppendUint32(append(dst, thenMore), ^uint32(spaces))
}

// runSize is the number of bytes of what follows a space: the end, or the length of a run. It is 0 if it is
// neither.
func (w *weights) runSize(row []byte) int {
	switch {
	case row[0] == thenEnd:
		return 1
	case w.utf8 && row[0] == thenLess:
		_, size := readVaruint(row[1:], false)
		return min(size, 1) + size
	case w.utf8:
		_, size := readVaruint(row, true)
		return size
	case row[0] == thenLess || row[0] == thenMore:
		return 5
	}
	return 0
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
	return w.appendWeight(buf, weight), size
}

// appendWeight appends the weight of a character; an invalid character weighs more than any.
func (w *weights) appendWeight(dst []byte, weight rune) []byte {
	switch {
	case weight > utf8.MaxRune:
		return append(dst, 0xff, byte(weight-utf8.MaxRune))
	case w.utf8:
		return utf8.AppendRune(dst, weight)
	}
	return append(dst, byte(weight>>16), byte(weight>>8), byte(weight))
}

// size is the number of bytes of a text in a row; negative if it does not end.
func (w *weights) size(row []byte) int {
	if !w.by.PadsSpaces() {
		return w.unpaddedSize(row)
	}
	for at := 0; at+len(w.space) < len(row); {
		if !bytes.HasPrefix(row[at:], w.space) {
			at += w.unit(row[at:])
			continue
		}
		at += len(w.space)
		size := w.runSize(row[at:])
		switch {
		case size == 0:
			return -1
		case row[at] == thenEnd:
			return at + size
		}
		at += size
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
	case w.utf8:
		_, size := utf8.DecodeRune(b)
		return size
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
