package regex

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"github.com/hbasekv/hbasekv/sqlfront/cancelcheck"
	"github.com/hbasekv/hbasekv/sqlfront/function/text"
)

// matches finds the matches of a pattern in a text, one after the other.
type matches struct {
	*compiled
	text  []byte
	plain bool // the text has the same characters as the pattern
	at    int  // the byte from which on the next one is searched
	meter *cancelcheck.Meter
}

func (c *compiled) matches(subject []byte, at int, meter *cancelcheck.Meter) *matches {
	return &matches{c, subject, !c.binary || text.IsASCII(subject), at, meter}
}

// next is the position of the next match, as start and end in bytes, followed by those of each group, -1 for
// one that does not take part; nil if there is no match. A match may be empty, also directly after another.
func (m *matches) next() ([]int, error) {
	if m.at > len(m.text) {
		return nil, nil
	}
	at, err := m.find()
	if at == nil || err != nil {
		return nil, err
	}
	if m.at = at[1]; at[0] == at[1] {
		m.at += max(m.sizeAt(at[1]), 1)
	}
	return at, nil
}

// nth is the n-th match from here on; the first one if n is less than 1.
func (m *matches) nth(n int64) ([]int, error) {
	at, err := m.next()
	for ; n > 1 && at != nil && err == nil; n-- {
		at, err = m.next()
	}
	return at, err
}

// find is the first match from m.at on. Assertions about the character before a match (\b, ^) refer to the
// preceding character of the text, which is therefore searched too.
func (m *matches) find() (at []int, err error) {
	re, from := m.re, 0
	if m.at > 0 {
		if re, err = m.fromSecond(); err != nil {
			return nil, err
		}
		from = m.at - m.sizeBefore(m.at)
	}
	if at, err = m.search(re, m.text[from:]); at == nil || err != nil {
		return nil, err
	}
	if m.at > 0 {
		at = at[2:]
	}
	for i := range at {
		if at[i] >= 0 {
			at[i] += from
		}
	}
	return at, nil
}

// search checks the context on the way if the text is long, see match.
func (m *matches) search(re *regexp.Regexp, text []byte) ([]int, error) {
	if m.plain && len(text)*m.size <= wholeMatch {
		return re.FindSubmatchIndex(text), m.meter.Step(len(text) * min(m.size, 16))
	}
	r := regexpReader{compiled: m.compiled, rest: text, meter: m.meter}
	at := re.FindReaderSubmatchIndex(&r)
	return at, r.err
}

// fromSecond is the pattern as the first group of one that skips the first character of a text, and as many
// others as precede the match.
func (c *compiled) fromSecond() (*regexp.Regexp, error) {
	if c.behind == nil {
		tree, err := syntax.Parse(c.text, syntax.Perl)
		if err == nil {
			c.behind, err = regexp.Compile(`\A(?s:.)(?s:.*?)(` + tree.String() + `)`)
		}
		if err != nil {
			return nil, wrongRegexp(strings.TrimPrefix(err.Error(), "error parsing regexp: "))
		}
	}
	return c.behind, nil
}

// sizeAt is the size of the character at a byte of the text, 0 at the end; sizeBefore is that of the one
// before.
func (m *matches) sizeAt(at int) int {
	if m.binary {
		return min(1, len(m.text)-at)
	}
	_, size := utf8.DecodeRune(m.text[at:])
	return size
}

func (m *matches) sizeBefore(at int) int {
	if m.binary {
		return 1
	}
	_, size := utf8.DecodeLastRune(m.text[:at])
	return size
}
