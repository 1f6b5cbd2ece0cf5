package filter

import "regexp"

// RegexStringComparator matches, as Equal, what a regular expression finds something in.
type RegexStringComparator struct {
	expr    *regexp.Regexp
	pattern string
}

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

// NewRegexStringComparator reads an expression as Java does, with Java's flags. charset is Java's name
// of what stored bytes are; empty is UTF-8. What means something else to RE2
// (https://github.com/google/re2/wiki/Syntax) than to Java is ErrRegex, and says what it is.
func NewRegexStringComparator(pattern string, flags int, charset string) (*RegexStringComparator, error) {
	return nil, ErrRegex
}
