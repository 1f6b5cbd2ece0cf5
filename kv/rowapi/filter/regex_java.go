package filter

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// translate converts a Java expression for RE2. Every part whose meaning depends on flags is
// written out, so that RE2 needs no flags.
func translate(pattern string, flags int) (string, error) {
	if err := checkFlags(flags); err != nil {
		return "", err
	}
	if !utf8.ValidString(pattern) {
		return "", fmt.Errorf("%w: the regular expression is not valid UTF-8", ErrInvalid)
	}
	t := translator{all: pattern, rest: pattern, flags: flags}
	if flags&RegexLiteral != 0 {
		for _, r := range pattern {
			t.literal(r)
		}
		return t.out.String(), nil
	}
	for t.rest != "" {
		if err := t.step(); err != nil {
			return "", err
		}
	}
	if len(t.outer) > 0 {
		return "", t.invalid("a parenthesis is not closed")
	}
	return t.out.String(), nil
}

type translator struct {
	all, rest string
	flags     int
	outer     []int // flags around the open groups
	out       strings.Builder
}

func (t *translator) refuse(what string, args ...any) error {
	return fmt.Errorf("%w: %s in %q", ErrRegex, fmt.Sprintf(what, args...), t.all)
}

func (t *translator) invalid(what string) error {
	return fmt.Errorf("%w: the regular expression %q: %s", ErrInvalid, t.all, what)
}

// next takes one character.
func (t *translator) next() rune {
	r, n := utf8.DecodeRuneInString(t.rest)
	t.rest = t.rest[n:]
	return r
}

// skip takes a text, if it is there.
func (t *translator) skip(text string) (found bool) {
	t.rest, found = strings.CutPrefix(t.rest, text)
	return found
}

// insensitive reports whether the case of ASCII letters is ignored.
func (t *translator) insensitive() bool { return t.flags&RegexCaseInsensitive != 0 }

// literal writes a character.
func (t *translator) literal(r rune) {
	if t.insensitive() && r < utf8.RuneSelf && isLetter(byte(r)) {
		fmt.Fprintf(&t.out, "[%c%c]", r|0x20, r&^0x20)
		return
	}
	t.out.WriteString(regexp.QuoteMeta(string(r)))
}

// terminators end lines for Java.
const terminators = `\n\r\x{85}\x{2028}\x{2029}`

// step translates the next part.
func (t *translator) step() error {
	switch r := t.next(); r {
	case '\\':
		return t.escape()
	case '[':
		return t.class()
	case '(':
		return t.group()
	case ')':
		if len(t.outer) == 0 {
			return t.invalid("a parenthesis is closed that was not opened")
		}
		t.flags, t.outer = t.outer[len(t.outer)-1], t.outer[:len(t.outer)-1]
		t.out.WriteByte(')')
		return t.quantifier()
	case '*', '+', '?', '{':
		if last := t.out.String(); last != "" && !strings.HasSuffix(last, "(") && !strings.HasSuffix(last, "|") {
			return t.refuse("a repeated repetition or a repeated anchor")
		}
		return t.invalid("there is nothing to repeat before " + string(r))
	case '|':
		t.out.WriteByte('|')
		return nil
	case '^':
		t.out.WriteString(`\A`)
		return nil
	case '$':
		return t.end()
	case '.':
		t.dot()
	default:
		t.literal(r)
	}
	return t.quantifier()
}

func (t *translator) dot() {
	switch {
	case t.flags&RegexDotAll != 0:
		t.out.WriteString("(?s:.)")
	case t.flags&RegexUnixLines != 0:
		t.out.WriteString(`[^\n]`)
	default:
		t.out.WriteString("[^" + terminators + "]")
	}
}

// end writes Java's $: the end, or before a line terminator at the end. The terminator becomes part of the
// match, so only the end of a group or an alternative may follow.
func (t *translator) end() error {
	lastAlternative := len(t.outer) == 0 && strings.HasPrefix(t.rest, "|")
	if !lastAlternative && strings.Trim(t.rest, ")") != "" {
		return t.refuse("a pattern after $")
	}
	if t.flags&RegexUnixLines != 0 {
		t.out.WriteString(`\n?\z`)
	} else {
		t.out.WriteString(`(?:\r\n|[` + terminators + `])?\z`)
	}
	return nil
}

// quantifier copies the quantifier of the previous part.
func (t *translator) quantifier() error {
	switch {
	case t.skip("*"), t.skip("+"), t.skip("?"):
		t.out.WriteByte(t.all[len(t.all)-len(t.rest)-1])
	case strings.HasPrefix(t.rest, "{"):
		n := strings.IndexByte(t.rest, '}')
		if n < 0 || !counts.MatchString(t.rest[:n+1]) {
			return t.invalid("a count of repetitions cannot be read")
		}
		t.out.WriteString(t.rest[:n+1])
		t.rest = t.rest[n+1:]
	default:
		return nil
	}
	switch {
	case t.skip("?"):
		t.out.WriteByte('?')
	case t.skip("+"):
		return t.refuse("a possessive repetition")
	}
	return nil
}

var counts = regexp.MustCompile(`^\{[0-9]{1,9}(,[0-9]{0,9})?\}$`)

// group opens a group, or changes flags.
func (t *translator) group() error {
	if !t.skip("?") {
		t.open("(")
		return nil
	}
	for prefix, what := range lookarounds {
		if t.skip(prefix) {
			return t.refuse("%s", what)
		}
	}
	if t.skip(":") {
		t.open("(?:")
		return nil
	}
	if t.skip("<") {
		n := strings.IndexByte(t.rest, '>')
		if n <= 0 || !groupName.MatchString(t.rest[:n]) {
			return t.invalid("the name of a group cannot be read")
		}
		t.open("(?P<" + t.rest[:n] + ">")
		t.rest = t.rest[n+1:]
		return nil
	}
	return t.inlineFlags()
}

var (
	groupName   = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9]*$`)
	lookarounds = map[string]string{"=": "looking ahead", "!": "looking ahead", "<=": "looking behind",
		"<!": "looking behind", ">": "an atomic group"}
	flagLetters = map[rune]int{'d': RegexUnixLines, 'i': RegexCaseInsensitive, 'x': RegexComments, 'm': RegexMultiline,
		's': RegexDotAll, 'u': RegexUnicodeCase, 'U': 256}
)

func (t *translator) open(how string) {
	t.outer = append(t.outer, t.flags)
	t.out.WriteString(how)
}

// inlineFlags parses (?i), (?i-s) and (?i:.
func (t *translator) inlineFlags() error {
	flags, off := t.flags, false
	for t.rest != "" {
		r := t.next()
		switch flag := flagLetters[r]; {
		case r == '-':
			off = true
		case r == ')', r == ':':
			if err := checkFlags(flags); err != nil {
				return err
			}
			if r == ':' {
				t.open("(?:")
			}
			t.flags = flags
			return nil
		case flag == 0:
			return t.invalid("a flag that is not known")
		case off:
			flags &^= flag
		default:
			flags |= flag
		}
	}
	return t.invalid("a parenthesis is not closed")
}

// escape translates what follows a backslash outside classes.
func (t *translator) escape() error {
	if t.rest == "" {
		return t.invalid("it ends with a backslash")
	}
	switch r := t.rest[0]; {
	case r >= '1' && r <= '9' || r == 'k':
		return t.refuse("a back reference")
	case r == 'Q':
		return t.quoted()
	case r == 'A' || r == 'z' || r == 'b' || r == 'B':
		if t.next(); strings.HasPrefix(t.rest, "{") {
			return t.refuse(`a boundary other than \b`)
		}
		t.out.WriteString(`\` + string(rune(r)))
		return nil
	case r == 'Z':
		t.next()
		return t.end()
	case strings.IndexByte("GRXN", r) >= 0:
		return t.refuse(`\%c`, r)
	}
	if set, err := t.set(); err != nil || set != "" {
		t.out.WriteString("[" + set + "]")
		if err != nil {
			return err
		}
		return t.quantifier()
	}
	r, err := t.character()
	if err != nil {
		return err
	}
	t.literal(r)
	return t.quantifier()
}

// quoted copies the text between \Q and \E literally.
func (t *translator) quoted() error {
	text, rest, _ := strings.Cut(t.rest[1:], `\E`)
	t.rest = rest
	for _, r := range text {
		t.literal(r)
	}
	if text == "" {
		return nil
	}
	return t.quantifier()
}

// sets are predefined classes, as members of a class.
var sets = map[byte]string{
	'd': `0-9`, 'D': `^0-9`, 'w': `0-9A-Za-z_`, 'W': `^0-9A-Za-z_`,
	's': `\t-\r `, 'S': `^\t-\r `, 'h': ` \t\x{a0}\x{1680}\x{180e}\x{2000}-\x{200a}\x{202f}\x{205f}\x{3000}`,
	'v': `\n-\r\x{85}\x{2028}\x{2029}`,
}

// set parses a predefined class or a property after a backslash; it returns an empty text if there is none.
// A set that begins with ^ is negated.
func (t *translator) set() (string, error) {
	r := t.rest[0]
	if set, ok := sets[r]; ok {
		t.next()
		return set, nil
	}
	switch r {
	case 'H', 'V':
		t.next()
		return "^" + sets[r|0x20], nil
	case 'p', 'P':
		t.next()
		return t.property(r == 'P')
	}
	return "", nil
}

// posix are Java's POSIX classes, for ASCII.
var posix = map[string]string{
	"Lower": "a-z", "Upper": "A-Z", "ASCII": `\x00-\x7f`, "Alpha": "A-Za-z", "Digit": "0-9", "Alnum": "0-9A-Za-z",
	"Punct": "!-/:-@\\[-`{-~", "Graph": "!-~", "Print": " -~", "Blank": ` \t`, "Cntrl": `\x00-\x1f\x7f`,
	"XDigit": "0-9A-Fa-f", "Space": `\t-\r `,
}

// property reads \p{Alpha}; others than those of ASCII depend on the version of Unicode.
func (t *translator) property(negated bool) (string, error) {
	name, rest, found := strings.Cut(strings.TrimPrefix(t.rest, "{"), "}")
	set := posix[name]
	if !found || !strings.HasPrefix(t.rest, "{") || set == "" || t.insensitive() && (name == "Lower" || name == "Upper") {
		return "", t.refuse("a Unicode property")
	}
	t.rest = rest
	if negated {
		set = "^" + set
	}
	return set, nil
}

// named are characters that have a letter.
var named = map[byte]rune{'t': '\t', 'n': '\n', 'r': '\r', 'f': '\f', 'a': '\a', 'e': 0x1b}

// character reads the character after a backslash.
func (t *translator) character() (rune, error) {
	b := t.rest[0]
	if r, ok := named[b]; ok {
		t.next()
		return r, nil
	}
	for _, form := range numbers {
		if m := form.expr.FindStringSubmatch(t.rest); m != nil {
			n, err := strconv.ParseInt(m[1], form.base, 32)
			if err != nil || n > utf8.MaxRune || n >= 0xd800 && n < 0xe000 {
				return 0, t.refuse("the character %s", m[0])
			}
			t.rest = t.rest[len(m[0]):]
			return rune(n), nil
		}
	}
	if isLetter(b) || b == '0' {
		return 0, t.refuse(`\%c`, b)
	}
	return t.next(), nil
}

var numbers = []struct {
	expr *regexp.Regexp
	base int
}{
	{regexp.MustCompile(`^x([0-9a-fA-F]{2})`), 16}, {regexp.MustCompile(`^x\{([0-9a-fA-F]+)\}`), 16},
	{regexp.MustCompile(`^u([0-9a-fA-F]{4})`), 16}, {regexp.MustCompile(`^0([0-3][0-7]{2}|[0-7]{1,2})`), 8},
}
