package filter

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Flags of java.util.regex.Pattern.
const (
	RegexUnixLines       = 1
	RegexCaseInsensitive = 2
	RegexComments        = 4
	RegexMultiline       = 8
	RegexLiteral         = 16
	RegexDotAll          = 32
	RegexUnicodeCase     = 64
	RegexCanonEq         = 128
)

// RegexStringComparator matches, as Equal, values in which a regular expression finds a match.
type RegexStringComparator struct {
	expr    *regexp.Regexp
	decode  func([]byte) []byte
	pattern string
}

// NewRegexStringComparator parses an expression like Java, with Java's flags; HBase's default is
// RegexDotAll. charset is Java's name of the encoding of stored bytes; empty means UTF-8.
//
// The error is ErrRegex, which names the part, for what RE2
// (https://github.com/google/re2/wiki/Syntax) does not support or does differently: back references,
// lookahead and lookbehind, possessive and atomic parts, operations between character classes,
// matching by lines. Word boundaries are those of ASCII, as since Java 19. An expression that Java
// also refuses is ErrInvalid.
func NewRegexStringComparator(pattern string, flags int, charset string) (*RegexStringComparator, error) {
	decode, err := decoder(charset)
	if err != nil {
		return nil, err
	}
	text, err := translate(pattern, flags)
	if err != nil {
		return nil, err
	}
	expr, err := regexp.Compile(text)
	if err != nil {
		return nil, fmt.Errorf("%w: %q: %w", ErrRegex, pattern, err)
	}
	return &RegexStringComparator{expr, decode, pattern}, nil
}

// Compare implements Comparator.
func (c *RegexStringComparator) Compare(stored []byte) int {
	return matching(c.expr.Match(c.decode(stored)))
}

// Operand implements Comparator.
func (c *RegexStringComparator) Operand() []byte { return []byte(c.pattern) }

// decoder returns a function that converts stored bytes to UTF-8.
func decoder(charset string) (func([]byte) []byte, error) {
	switch strings.ToUpper(charset) {
	case "", "UTF-8", "UTF8":
		return func(b []byte) []byte { return b }, nil
	case "ISO-8859-1", "ISO8859_1", "LATIN1":
		return func(b []byte) []byte { return recode(b, 0x100) }, nil
	case "US-ASCII", "ASCII":
		return func(b []byte) []byte { return recode(b, 0x80) }, nil
	}
	return nil, fmt.Errorf("%w: the character set %s", ErrRegex, charset)
}

// recode converts each byte to a character; bytes from the limit on are invalid.
func recode(b []byte, limit rune) []byte {
	out := make([]byte, 0, len(b)+8)
	for _, c := range b {
		if r := rune(c); r < limit {
			out = utf8.AppendRune(out, r)
		} else {
			out = utf8.AppendRune(out, utf8.RuneError)
		}
	}
	return out
}

// refused are flags with effects that RE2 does not support.
var refused = []struct {
	flag int
	what string
}{
	{RegexComments, "COMMENTS"}, {RegexMultiline, "MULTILINE"}, {RegexCanonEq, "CANON_EQ"},
	{256, "UNICODE_CHARACTER_CLASS"}, {^511, "an unknown flag"},
}

func checkFlags(flags int) error {
	for _, r := range refused {
		if flags&r.flag != 0 {
			return fmt.Errorf("%w: the flag %s", ErrRegex, r.what)
		}
	}
	if flags&RegexUnicodeCase != 0 && flags&RegexCaseInsensitive != 0 {
		return fmt.Errorf("%w: the flags CASE_INSENSITIVE and UNICODE_CASE together", ErrRegex)
	}
	return nil
}
