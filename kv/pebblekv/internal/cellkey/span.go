package cellkey

import "bytes"

// Span is a range of keys [Lower, Upper) in one key space.
type Span struct {
	Lower, Upper []byte
	// OneRow means that all its keys are in one row.
	OneRow bool
}

// NewSpan returns the span between two keys of one space.
func NewSpan(lower, upper []byte) Span {
	n, _ := partEnd(lower, SpaceLen)
	oneRow := n > 0 && len(upper) >= n && bytes.Equal(lower[:n-1], upper[:n-1]) && upper[n-1] <= behindByte
	return Span{lower, upper, oneRow}
}

// WholeRow reports whether a span within a row is the whole row.
func (sp *Span) WholeRow() bool {
	return len(sp.Lower) == len(sp.Upper) && RowLen(sp.Lower) == len(sp.Lower)
}

// Unite joins neighbours for which join returns true, in place.
func Unite(spans []Span, join func(a, b Span) bool) []Span {
	out := spans[:0]
	for _, sp := range spans {
		if n := len(out); n > 0 && join(out[n-1], sp) {
			out[n-1] = Span{Lower: out[n-1].Lower, Upper: Later(out[n-1].Upper, sp.Upper)}
		} else {
			out = append(out, sp)
		}
	}
	clear(spans[len(out):])
	return out
}

// Behind returns the first key after this one.
func Behind(key []byte) []byte {
	return append(append(make([]byte, 0, len(key)+1), key...), 0)
}

// Later returns the greater of two keys.
func Later(a, b []byte) []byte {
	if bytes.Compare(a, b) < 0 {
		return b
	}
	return a
}

// Earlier returns the lesser of two keys.
func Earlier(a, b []byte) []byte {
	if bytes.Compare(a, b) > 0 {
		return b
	}
	return a
}
