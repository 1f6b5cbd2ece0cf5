package regex

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"github.com/hbasekv/hbasekv/sqlfront/cancelcheck"
	"github.com/hbasekv/hbasekv/sqlfront/function/text"
)

// matches finds the matches of a pattern in a text, one behind the other.
type matches struct {
	*compiled
	text  []byte
	plain bool // the characters of the text are those that the pattern has
	at    int  // the byte from which on the next one is looked for
	meter *cancelcheck.Meter
}

func (c *compiled) matches(subject []byte, at int, meter *cancelcheck.Meter) *matches {
	return &matches{c, subject, !c.binary || text.IsASCII(subject), at, meter}
}

// next is where the next match begins and ends, in bytes, and behind it the same of each group,
// -1 of one that has no part in it; nil where there is no match. A match may be empty, also
// right behind another.
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

// nth is the n-th match from here on; the first one where n is less than 1.
func (m *matches) nth(n int64) ([]int, error) {
	at, err := m.next()
	for ; n > 1 && at != nil && err == nil; n-- {
		at, err = m.next()
	}
	return at, err
}

// find is the first match from m.at on. What a pattern says of the place in front of a match
// (\b, ^) is about the character there, which is a part of what is searched.
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

// search looks at the context on the way where the text is long, see match.
func (m *matches) search(re *regexp.Regexp, text []byte) ([]int, error) {
	if m.plain && len(text)*m.size <= wholeMatch {
		return re.FindSubmatchIndex(text), m.meter.Step(len(text) * min(m.size, 16))
	}
	r := regexpReader{compiled: m.compiled, rest: text, meter: m.meter}
	at := re.FindReaderSubmatchIndex(&r)
	return at, r.err
}

// fromSecond is the pattern as the first group of one that passes over the first character of
// a text, and over as many others as there are in front of the match.
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

// sizeAt is the size of the character at a byte of the text, 0 at the end; sizeBefore that of
// the one in front.
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
