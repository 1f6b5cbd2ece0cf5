package cellkey

import (
	"bytes"

	"github.com/hbasekv/hbasekv/kv"
)

// Span is a stretch of keys [lower, upper) of one key space.
type Span struct {
	Lower, Upper []byte
	// OneRow tells that all its keys are of one row.
	OneRow bool
}

// NewSpan is the stretch between two keys of one space.
func NewSpan(lower, upper []byte) Span {
	n, _ := partEnd(lower, SpaceLen)
	oneRow := n > 0 && len(upper) >= n && bytes.Equal(lower[:n-1], upper[:n-1]) && upper[n-1] <= behindByte
	return Span{lower, upper, oneRow}
}

// WholeRow reports whether a span within a row is all of it.
func (sp *Span) WholeRow() bool {
	return len(sp.Lower) == len(sp.Upper) && RowLen(sp.Lower) == len(sp.Lower)
}

// Unite joins neighbours of which join says so.
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

// Behind is the first key behind this one.
func Behind(key []byte) []byte {
	return append(append(make([]byte, 0, len(key)+1), key...), 0)
}

// Later is the greater of two keys.
func Later(a, b []byte) []byte {
	if bytes.Compare(a, b) < 0 {
		return b
	}
	return a
}

// Earlier is the lesser of two keys.
func Earlier(a, b []byte) []byte {
	if bytes.Compare(a, b) > 0 {
		return b
	}
	return a
}

// PositionLen is room enough for the key of a position, but for bytes that
// need an escape.
func PositionLen(p kv.Position) int {
	return SpaceLen + len(p.Row) + len(p.Qualifier) + 2*terminatorLen + TimestampLen
}
