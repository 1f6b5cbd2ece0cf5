package constrain

import (
	"bytes"
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/constrain/interval"
)

// step is a function of strings.
type step interface {
	// preimage appends spans with all strings for which the function's value is in the span.
	preimage(out []interval.TextSpan, s interval.TextSpan) []interval.TextSpan
}

// anyText is the span of all strings.
var anyText = interval.TextSpan{Hi: interval.Text{End: true}}

// sources has all strings for which the key's functions have a value in the set. If there are too many spans,
// it is all strings.
func (k *key) sources(s interval.Texts) interval.Texts {
	for _, step := range slices.Backward(k.steps) {
		if s.All() || s.Empty() {
			break
		}
		out := make([]interval.TextSpan, 0, len(s))
		for _, each := range s {
			if out = step.preimage(out, each); len(out) > maxSpans {
				return nil
			}
		}
		s = interval.Normalize(out)
	}
	return s
}

// onlyString is the string in a span of one string.
func onlyString(s interval.TextSpan) (b []byte, ok bool) {
	if s.Lo.Bytes == nil || s.Lo.After || s.Hi.End {
		return nil, false
	}
	return s.Lo.Bytes, s.Hi.Compare(interval.AfterText(s.Lo.Bytes)) == 0
}

// only is the span of one string.
func only(b []byte) interval.TextSpan {
	return interval.TextSpan{Lo: interval.BeforeText(b), Hi: interval.AfterText(b)}
}

// beginning is the span of the strings that begin with b.
func beginning(b []byte) interval.TextSpan {
	return interval.TextSpan{Lo: interval.BeforeText(b), Hi: interval.Successor(b)}
}

// firstBytes is the function to the first n bytes.
type firstBytes int

func (n firstBytes) preimage(out []interval.TextSpan, s interval.TextSpan) []interval.TextSpan {
	return append(out, interval.TextSpan{Lo: n.cut(s.Lo), Hi: n.cut(s.Hi)})
}

// cut is the cut before the strings whose first n bytes are after c.
func (n firstBytes) cut(c interval.Text) interval.Text {
	switch {
	case c.End || len(c.Bytes) < int(n) || len(c.Bytes) == int(n) && !c.After:
		return c
	case len(c.Bytes) > int(n):
		return interval.Successor(c.Bytes[:n])
	}
	return interval.Successor(c.Bytes)
}

// resized is a string truncated to n bytes, or padded with zero bytes.
type resized int

func (n resized) preimage(out []interval.TextSpan, s interval.TextSpan) []interval.TextSpan {
	if len(s.Lo.Bytes) > int(n) {
		s.Lo.Bytes = s.Lo.Bytes[:n]
	}
	if s.Lo.Bytes != nil {
		s.Lo = interval.BeforeText(bytes.TrimRight(s.Lo.Bytes, "\x00"))
	}
	s.Hi = firstBytes(n).cut(s.Hi)
	return append(out, s)
}

// reversed is a string with its bytes in reverse.
type reversed struct{}

func (reversed) preimage(out []interval.TextSpan, s interval.TextSpan) []interval.TextSpan {
	b, ok := onlyString(s)
	if !ok {
		return append(out, anyText)
	}
	b = bytes.Clone(b)
	slices.Reverse(b)
	return append(out, only(interval.NotNil(b)))
}

// behindFirst is a string without its first byte.
type behindFirst struct{}

func (behindFirst) preimage(out []interval.TextSpan, s interval.TextSpan) []interval.TextSpan {
	if s.Lo.Compare(interval.BeforeText(nil)) <= 0 {
		out = append(out, only([]byte{}))
	}
	for first := range 256 {
		front := []byte{byte(first)}
		out = append(out, interval.TextSpan{Lo: s.Lo.Behind(front), Hi: s.Hi.Behind(front)})
	}
	return out
}

// behindFront is a string with a prefix of n bytes that is computed from it.
type behindFront int

func (n behindFront) preimage(out []interval.TextSpan, s interval.TextSpan) []interval.TextSpan {
	switch b, ok := onlyString(s); {
	case !ok:
		return append(out, anyText)
	case len(b) >= int(n):
		return append(out, only(b[n:]))
	}
	return out
}

// framed is a string between two constants.
type framed struct{ front, behind []byte }

func (f framed) preimage(out []interval.TextSpan, s interval.TextSpan) []interval.TextSpan {
	b, one := onlyString(s)
	rest, front := bytes.CutPrefix(b, f.front)
	rest, behind := bytes.CutSuffix(rest, f.behind)
	switch {
	case one && front && behind:
		return append(out, only(interval.NotNil(rest)))
	case one:
		return out
	}
	s = interval.TextSpan{Lo: f.unframed(s.Lo), Hi: f.unframed(s.Hi)}
	if len(f.behind) > 0 {
		s.Lo = interval.Text{} // with what follows, a string before the cut may be after it
	}
	return append(out, s)
}

// unframed is the cut between the strings that are before c once the front is prepended, and the others.
func (f framed) unframed(c interval.Text) interval.Text {
	common := min(len(c.Bytes), len(f.front))
	switch order := bytes.Compare(f.front[:common], c.Bytes[:common]); {
	case c.End || order < 0:
		return interval.Text{End: true}
	case order > 0 || len(c.Bytes) < len(f.front) || len(c.Bytes) == len(f.front) && !c.After:
		return interval.Text{}
	}
	return interval.Text{Bytes: interval.NotNil(c.Bytes[len(f.front):]), After: c.After}
}

// firstParts is the beginning of a string up to an occurrence of the separator, or the whole string.
type firstParts []byte

// maxEnds bounds the ends of a string that are considered one by one.
const maxEnds = 64

func (separator firstParts) preimage(out []interval.TextSpan, s interval.TextSpan) []interval.TextSpan {
	if b, ok := onlyString(s); ok {
		return append(out, s, beginning(slices.Concat(b, separator)))
	}
	// The parts are a prefix of the string, so the string is after them, not before.
	out = append(out, s)
	if len(s.Hi.Bytes) > maxEnds {
		return append(out, interval.TextSpan{Lo: s.Lo, Hi: interval.Text{End: true}})
	}
	for i := range len(s.Hi.Bytes) + 1 {
		out = append(out, beginning(slices.Concat(s.Hi.Bytes[:i], separator)))
	}
	return out
}
