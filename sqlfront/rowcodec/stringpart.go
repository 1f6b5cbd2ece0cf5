package rowcodec

import (
	"bytes"

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
