package regex

import (
	"bytes"
	"io"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/hbasekv/hbasekv/sqlfront/cancelcheck"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/function/text"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// The limits of a pattern. Go's own is 128 MiB of instructions, each of which is a step for each character of
// a text.
const (
	maxPattern  = 64 << 10 // bytes of text
	maxProgram  = 100_000  // instructions
	maxClasses  = 1000     // \p{..} in the text, each of which can be a thousand ranges
	keptRegexps = 16       // patterns of a statement that are kept compiled
	keptProgram = 200_000  // instructions of all of them
)

// wholeMatch is the maximum number of steps that are run at once, about 30 ms if all instructions are busy.
// Longer texts go through a reader that checks the context, which takes three times as long as regexp.Match
// on short texts.
const wholeMatch = 4 << 20

// compiled is a compiled pattern.
type compiled struct {
	pattern []byte
	binary  bool
	flags   string
	re      *regexp.Regexp
	size    int    // the approximate number of instructions
	text    string // the pattern in Go's syntax
	behind  *regexp.Regexp
}

func (c *compiled) is(pattern []byte, binary bool, flags string) bool {
	return c.binary == binary && c.flags == flags && bytes.Equal(c.pattern, pattern)
}

type regexpKey struct {
	pattern string
	binary  bool
	flags   string // Go's
}

// caseFlag is Go's flag for a pattern that ignores case.
const caseFlag = "i"

// caseFlags are the flags of a pattern without flags of its own.
func caseFlags(x, pattern value.Value) string {
	binary := x.Kind() == value.Bytes || pattern.Kind() == value.Bytes
	if binary || value.JointCollation(x, pattern).TellsCase() {
		return ""
	}
	return caseFlag
}

// regexps are the most recently used patterns of a statement.
type regexps struct {
	last *compiled
	kept *simplelru.LRU[regexpKey, *compiled]
	size int
}

// Match reports whether x has a match of the pattern, in the syntax of Go's regexp package; neither may be
// NULL. If either is a binary string, a character of the pattern is one byte, and case matters. The error is
// 1139 for an invalid regular expression, or cancellation.
func Match(env *function.Env, x, pattern value.Value) (bool, error) {
	c, err := regexpOf(env, x, pattern, caseFlags(x, pattern))
	if err != nil {
		return false, err
	}
	return c.match(x.AsBytes(), env.Meter())
}

// regexpOf is the compiled pattern for a text, over bytes if either is binary.
func regexpOf(env *function.Env, x, pattern value.Value, flags string) (*compiled, error) {
	return regexpFor(env, pattern.AsBytes(), x.Kind() == value.Bytes || pattern.Kind() == value.Bytes, flags)
}

// patterns are the statement's compiled patterns.
func patterns(env *function.Env) *regexps {
	r, ok := env.Compiled.(*regexps)
	if !ok {
		r = &regexps{}
		r.kept, _ = simplelru.NewLRU(keptRegexps, func(_ regexpKey, c *compiled) { r.size -= c.size }) // the limit is positive
		env.Compiled = r
	}
	return r
}

// regexpFor compiles a pattern, or returns a cached one.
func regexpFor(env *function.Env, pattern []byte, binary bool, flags string) (*compiled, error) {
	r := patterns(env)
	if r.last != nil && r.last.is(pattern, binary, flags) {
		return r.last, nil
	}
	if len(pattern) > maxPattern {
		return nil, wrongRegexp("expression too large")
	}
	key := regexpKey{string(pattern), binary, flags}
	c, ok := r.kept.Get(key)
	if !ok {
		var err error
		if c, err = compile(key); err != nil {
			return nil, err
		}
		r.kept.Add(key, c)
		for r.size += c.size; r.size > keptProgram; {
			r.kept.RemoveOldest()
		}
		if err := env.Step(32 * c.size); err != nil {
			return nil, err
		}
	}
	r.last = c
	return c, nil
}

func compile(key regexpKey) (*compiled, error) {
	if strings.Count(key.pattern, `\p`)+strings.Count(key.pattern, `\P`) > maxClasses {
		return nil, wrongRegexp("expression too large")
	}
	source := key.pattern
	if key.binary {
		source = string(text.Latin1([]byte(source)))
	}
	source, ok := collatingElements(strings.NewReplacer("[[:<:]]", `\b`, "[[:>:]]", `\b`).Replace(source))
	if !ok {
		return nil, wrongRegexp("invalid collating element")
	}
	if key.flags != "" {
		source = "(?" + key.flags + ")" + source
	}
	tree, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return nil, wrongRegexp(strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	size := programSize(tree)
	if size > maxProgram {
		return nil, wrongRegexp("expression too large")
	}
	re, err := regexp.Compile(source)
	if err != nil {
		return nil, wrongRegexp(strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	return &compiled{pattern: []byte(key.pattern), binary: key.binary, flags: key.flags, re: re, size: size, text: source}, nil
}

func wrongRegexp(why string) error {
	return mysqlerr.New(mysqlerr.RegexpError, "Got error '%s' from regexp", why)
}

// programSize is the approximate number of instructions of an expression; the ranges of a class take memory
// too. Parse has refused nesting deeper than 1,000.
func programSize(re *syntax.Regexp) int {
	size := 2 + len(re.Rune)
	for _, sub := range re.Sub {
		size = min(size+programSize(sub), maxProgram+1)
	}
	if re.Op == syntax.OpRepeat {
		size *= max(re.Min, re.Max, 1)
	}
	return min(size, maxProgram+1)
}

// match reports whether the text has a match.
func (c *compiled) match(subject []byte, meter *cancelcheck.Meter) (bool, error) {
	if len(subject)*c.size <= wholeMatch {
		if c.binary {
			subject = text.Latin1(subject)
		}
		return c.re.Match(subject), meter.Step(len(subject) * min(c.size, 16))
	}
	return c.matchRead(subject, meter)
}

// matchRead is match that checks the context on the way.
func (c *compiled) matchRead(subject []byte, meter *cancelcheck.Meter) (bool, error) {
	r := regexpReader{compiled: c, rest: subject, meter: meter}
	if prefix, whole := c.re.LiteralPrefix(); c.starts(prefix) {
		at, err := text.FindBytes(subject, []byte(prefix), meter)
		if at < 0 || whole || err != nil {
			return at >= 0, err
		}
		r.rest = subject[at:]
	}
	matches := c.re.MatchReader(&r)
	return matches, r.err
}

// starts reports whether each match starts with the prefix, anywhere in the text: if the pattern is anchored
// it must be at the beginning.
func (c *compiled) starts(prefix string) bool {
	anchored := bytes.ContainsRune(c.pattern, '^') || bytes.Contains(c.pattern, []byte(`\A`))
	return prefix != "" && !anchored && (!c.binary || text.IsASCII(prefix))
}

// regexpReader returns the characters of a text, and its end as soon as the context is done.
type regexpReader struct {
	*compiled
	rest  []byte
	meter *cancelcheck.Meter
	err   error
}

// ReadRune is the next character, or byte of a binary string.
func (r *regexpReader) ReadRune() (c rune, size int, err error) {
	if r.err == nil {
		r.err = r.meter.Step(r.size)
	}
	if r.err != nil || len(r.rest) == 0 {
		return 0, 0, io.EOF
	}
	c, size = rune(r.rest[0]), 1
	if !r.binary {
		c, size = utf8.DecodeRune(r.rest)
	}
	r.rest = r.rest[size:]
	return c, size, nil
}
