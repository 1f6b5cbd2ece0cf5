package text

import (
	"bytes"
	"unicode/utf8"

	"github.com/hbasekv/hbasekv/sqlfront/cancelcheck"
	"github.com/hbasekv/hbasekv/sqlfront/collation"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// patternUnits is the approximate cost of a byte of a long pattern.
const patternUnits = 4

// LikeMatch reports whether x matches the pattern; neither may be NULL. The meter may be nil if both are
// short. The error is cancellation.
func LikeMatch(x, pattern value.Value, escape rune, meter *cancelcheck.Meter) (bool, error) {
	p := likePart{escape: escape, meter: meter}
	switch {
	case x.Kind() == value.Bytes || pattern.Kind() == value.Bytes:
	default:
		p.next = value.JointCollation(x, pattern).Characters()
	}
	if n := len(pattern.Raw()); n > function.SmallValue {
		if err := meter.Step(patternUnits * n); err != nil {
			return false, err
		}
	}
	return p.matches(x.AsBytes(), pattern.AsBytes())
}

// likePart is a part of a pattern without unescaped percent signs.
type likePart struct {
	escape rune
	next   collation.Characters // as in search
	meter  *cancelcheck.Meter

	text []byte
	// floats says that percent signs precede it.
	floats bool
	// anys and escapes say whether it has underscores and escapes.
	anys, escapes bool
}

// matches takes the first position of each part of the pattern, which leaves most to the later parts. Only
// parts with underscores are compared at each position.
func (p *likePart) matches(s, pattern []byte) (bool, error) {
	for at, rest := 0, pattern; ; {
		rest = p.take(rest)
		var err error
		switch {
		case len(rest) > 0 && p.floats:
			at, err = p.find(s, at)
		case len(rest) > 0 || !p.floats:
			at, _ = p.endAt(s, at)
		case len(p.text) == 0:
			return true, nil
		default:
			at, err = p.atEnd(s, at)
		}
		if at < 0 || err != nil {
			return false, err
		}
		if len(rest) == 0 {
			return at == len(s), nil
		}
	}
}

// take sets p to the first part of the rest of the pattern.
func (p *likePart) take(rest []byte) (left []byte) {
	p.floats, p.anys, p.escapes = false, false, false
	i := 0
	for ; i < len(rest) && rest[i] == '%' && p.escape != '%'; i++ {
		p.floats = true
	}
	start := i
	for ; i < len(rest) && (rest[i] != '%' || p.escape == '%'); i++ {
		switch c := rest[i]; {
		case rune(c) == p.escape || c >= utf8.RuneSelf && p.escape >= utf8.RuneSelf:
			n := p.escapeAt(rest, i)
			p.escapes, p.anys = p.escapes || n > 0, p.anys || n == 0 && c == '_'
			i += n
		case c == '_':
			p.anys = true
		}
	}
	p.text = rest[start:i]
	return rest[i:]
}

// escapeAt is the length of the escape character if there is one at byte i of the text, and something follows
// it; otherwise 0.
func (p *likePart) escapeAt(text []byte, i int) int {
	switch {
	case text[i] < utf8.RuneSelf || p.next == nil:
		if rune(text[i]) == p.escape && i+1 < len(text) {
			return 1
		}
	case p.escape >= utf8.RuneSelf:
		if r, size := value.NextRune(text[i:]); r == p.escape && i+size < len(text) {
			return size
		}
	}
	return 0
}

// endAt is the end of the part if it begins at byte at of s, -1 if it does not, and the number of characters
// compared.
func (p *likePart) endAt(s []byte, at int) (end, compared int) {
	if p.next == nil && !p.anys && !p.escapes {
		if bytes.HasPrefix(s[at:], p.text) {
			return at + len(p.text), len(p.text)/8 + 1
		}
		return -1, len(p.text)/8 + 1
	}
	if p.next == nil {
		return p.endAtByte(s, at)
	}
	for i := 0; i < len(p.text); compared++ {
		if at >= len(s) {
			return -1, compared
		}
		size, fits := p.fits(s[at:], &i)
		if !fits {
			return -1, compared
		}
		at += size
	}
	return at, compared
}

// endAtByte is endAt for bytes.
func (p *likePart) endAtByte(s []byte, at int) (end, compared int) {
	for i := 0; i < len(p.text); i++ {
		c := p.text[i]
		any := c == '_'
		if rune(c) == p.escape && i+1 < len(p.text) {
			i++
			any, c = false, p.text[i]
		}
		if at >= len(s) || s[at] != c && !any {
			return -1, i
		}
		at++
	}
	return at, len(p.text)
}

// fits compares the first character of s with the part's at *i, and advances *i.
func (p *likePart) fits(s []byte, i *int) (size int, ok bool) {
	next := p.next
	c, size := next(s)
	if n := p.escapeAt(p.text, *i); n > 0 {
		*i += n
	} else if p.text[*i] == '_' {
		*i++
		return size, true
	}
	want, n := next(p.text[*i:])
	*i += n
	return size, c == want
}

// find is the end of the first occurrence of the part at or after byte from of s, -1 if there is none.
func (p *likePart) find(s []byte, from int) (end int, err error) {
	if !p.anys && (!p.escapes || len(s) > function.SmallValue) {
		part := search{part: p.literal(), next: p.next, meter: p.meter}
		_, end, err := part.find(s, from)
		return end, err
	}
	for at := from; ; {
		end, compared := p.endAt(s, at)
		if err := p.meter.Step(compared + 1); end >= 0 || at == len(s) || err != nil {
			return end, err
		}
		at += p.size(s[at:])
	}
}

func (p *likePart) size(s []byte) int {
	if p.next == nil {
		return 1
	}
	_, size := p.next(s)
	return size
}

// literal is the part without its escapes.
func (p *likePart) literal() []byte {
	if !p.escapes {
		return p.text
	}
	out := make([]byte, 0, len(p.text))
	for i := 0; i < len(p.text); {
		i += p.escapeAt(p.text, i)
		size := p.size(p.text[i:])
		out = append(out, p.text[i:i+size]...)
		i += size
	}
	return out
}

// atEnd is the end of s if the part ends there and begins at or after byte from, else -1.
func (p *likePart) atEnd(s []byte, from int) (end int, err error) {
	if p.next == nil && !p.anys && !p.escapes {
		if bytes.HasSuffix(s[from:], p.text) {
			return len(s), nil
		}
		return -1, nil
	}
	c := Chars{s[from:], p.next == nil}
	skip := c.Count() - p.count()
	if skip < 0 {
		return -1, nil
	}
	if err := p.meter.Step(len(s) - from + len(p.text)); err != nil {
		return -1, err
	}
	end, compared := p.endAt(s, from+c.Offset(skip))
	return end, p.meter.Step(compared)
}

// count is the number of characters that the part matches.
func (p *likePart) count() int64 {
	n := int64(0)
	for i := 0; i < len(p.text); n++ {
		i += p.escapeAt(p.text, i)
		i += p.size(p.text[i:])
	}
	return n
}
