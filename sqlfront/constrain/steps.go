package constrain

import (
	"bytes"
	"slices"
)

// step is a function of strings.
type step interface {
	// preimage appends spans that hold all strings of which the function gives one in the
	// span.
	preimage(out []span[text], s span[text]) []span[text]
}

// anyText is the span of all strings.
var anyText = span[text]{hi: text{end: true}}

// sources are the strings for which the key's functions give one of the set, or more. Of
// too many spans all strings are left.
func (k *key) sources(s set[text]) set[text] {
	for _, step := range slices.Backward(k.steps) {
		if s.all() || s.empty() {
			break
		}
		out := make([]span[text], 0, len(s))
		for _, each := range s {
			if out = step.preimage(out, each); len(out) > maxSpans {
				return nil
			}
		}
		s = normalize(out)
	}
	return s
}

// onlyString is the string that a span holds, where that is one.
func onlyString(s span[text]) (b []byte, ok bool) {
	if s.lo.b == nil || s.lo.after || s.hi.end {
		return nil, false
	}
	return s.lo.b, s.hi.compare(afterText(s.lo.b)) == 0
}

// only is the span of one string.
func only(b []byte) span[text] { return span[text]{beforeText(b), afterText(b)} }

// beginning is the span of the strings that begin with b.
func beginning(b []byte) span[text] { return span[text]{beforeText(b), successor(b)} }

// behind is the cut with b in front of it.
func (c text) behind(b []byte) text {
	switch {
	case c.end:
		return successor(b)
	case c.b == nil:
		return beforeText(b)
	}
	return text{b: append(b[:len(b):len(b)], c.b...), after: c.after}
}

// firstBytes are as many of the first bytes.
type firstBytes int

func (n firstBytes) preimage(out []span[text], s span[text]) []span[text] {
	return append(out, span[text]{n.cut(s.lo), n.cut(s.hi)})
}

// cut is the cut before the strings whose first n bytes come behind c: none of these is
// longer than n.
func (n firstBytes) cut(c text) text {
	switch {
	case c.end || len(c.b) < int(n) || len(c.b) == int(n) && !c.after:
		return c
	case len(c.b) > int(n):
		return successor(c.b[:n])
	}
	return successor(c.b)
}

// resized is a string cut to so many bytes, or filled up with zero bytes.
type resized int

func (n resized) preimage(out []span[text], s span[text]) []span[text] {
	if len(s.lo.b) > int(n) {
		s.lo.b = s.lo.b[:n]
	}
	if s.lo.b != nil {
		s.lo = beforeText(bytes.TrimRight(s.lo.b, "\x00"))
	}
	s.hi = firstBytes(n).cut(s.hi)
	return append(out, s)
}

// reversed is the bytes from the last to the first.
type reversed struct{}

func (reversed) preimage(out []span[text], s span[text]) []span[text] {
	b, ok := onlyString(s)
	if !ok {
		return append(out, anyText)
	}
	b = bytes.Clone(b)
	slices.Reverse(b)
	return append(out, only(notNil(b)))
}

// behindFirst is what stands behind the first byte.
type behindFirst struct{}

func (behindFirst) preimage(out []span[text], s span[text]) []span[text] {
	if s.lo.compare(beforeText(nil)) <= 0 {
		out = append(out, only([]byte{}))
	}
	for first := range 256 {
		front := []byte{byte(first)}
		out = append(out, span[text]{s.lo.behind(front), s.hi.behind(front)})
	}
	return out
}

// behindFront is a string with so many bytes in front of it that follow from it.
type behindFront int

func (n behindFront) preimage(out []span[text], s span[text]) []span[text] {
	switch b, ok := onlyString(s); {
	case !ok:
		return append(out, anyText)
	case len(b) >= int(n):
		return append(out, only(b[n:]))
	}
	return out
}

// framed is a string between two others.
type framed struct{ front, behind []byte }

func (f framed) preimage(out []span[text], s span[text]) []span[text] {
	b, one := onlyString(s)
	rest, front := bytes.CutPrefix(b, f.front)
	rest, behind := bytes.CutSuffix(rest, f.behind)
	switch {
	case one && front && behind:
		return append(out, only(notNil(rest)))
	case one:
		return out
	}
	s = span[text]{f.unframed(s.lo), f.unframed(s.hi)}
	if len(f.behind) > 0 {
		s.lo = text{} // a string before the cut may come behind it with what follows
	}
	return append(out, s)
}

// unframed is the cut between the strings that come before c with the front before them,
// and the others.
func (f framed) unframed(c text) text {
	common := min(len(c.b), len(f.front))
	switch order := bytes.Compare(f.front[:common], c.b[:common]); {
	case c.end || order < 0:
		return text{end: true}
	case order > 0 || len(c.b) < len(f.front) || len(c.b) == len(f.front) && !c.after:
		return text{}
	}
	return text{b: notNil(c.b[len(f.front):]), after: c.after}
}

// firstParts are the parts before one of the separators, or the whole string.
type firstParts []byte

// maxEnds is how many ends of a string are considered each by itself.
const maxEnds = 64

func (separator firstParts) preimage(out []span[text], s span[text]) []span[text] {
	if b, ok := onlyString(s); ok {
		return append(out, s, beginning(slices.Concat(b, separator)))
	}
	// The parts are a beginning of the string: it comes behind them, and not before.
	out = append(out, s)
	if len(s.hi.b) > maxEnds {
		return append(out, span[text]{s.lo, text{end: true}})
	}
	for i := range len(s.hi.b) + 1 {
		out = append(out, beginning(slices.Concat(s.hi.b[:i], separator)))
	}
	return out
}
