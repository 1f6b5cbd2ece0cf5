package filter

import (
	"bytes"
	"fmt"
)

// maxNesting is how deep filters may be nested by parentheses and operators in a text.
const maxNesting = 100

// Parse parses a filter in the language of HBase's shell and Thrift server
// (https://hbase.apache.org/book.html#thrift.filter_language), as
//
//	PrefixFilter('row') AND (QualifierFilter(>=, 'binary:xyz') OR TimestampsFilter(123, 456))
//
// SKIP and WHILE bind closest, AND closer than OR. A quote in a text is written twice. The error is
// ErrUnknown for an unknown filter or comparator, ErrInvalid, with the position, for what cannot be
// parsed, or ErrRegex for an unsupported part of a regular expression.
func Parse(text []byte) (Filter, error) {
	p := parser{text: text}
	f, err := p.either()
	if err != nil {
		return nil, err
	}
	if p.space(); p.at < len(p.text) {
		return nil, p.wrong("the end of the filter")
	}
	return f, nil
}

type parser struct {
	text   []byte
	at     int
	nested int
}

// wrong returns an error that says what is expected at the current position.
func (p *parser) wrong(wanted string) error {
	rest := p.text[p.at:]
	return fmt.Errorf("%w: expected %s at byte %d, before %q", ErrInvalid, wanted, p.at, rest[:min(len(rest), 20)])
}

func (p *parser) space() {
	for p.at < len(p.text) && (p.text[p.at] == ' ' || p.text[p.at] == '\t') {
		p.at++
	}
}

// word skips a keyword that is followed by a space or a parenthesis, and reports whether it is there.
func (p *parser) word(keyword string) bool {
	p.space()
	rest, found := bytes.CutPrefix(p.text[p.at:], []byte(keyword))
	if !found || len(rest) == 0 || rest[0] != ' ' && rest[0] != '\t' && rest[0] != '(' {
		return false
	}
	p.at += len(keyword)
	return true
}

// sign skips a byte, and reports whether it is there.
func (p *parser) sign(b byte) bool {
	if p.space(); p.at == len(p.text) || p.text[p.at] != b {
		return false
	}
	p.at++
	return true
}

// either parses filters joined by OR.
func (p *parser) either() (Filter, error) {
	return p.joined("OR", true, func() (Filter, error) { return p.joined("AND", false, p.wrapped) })
}

// joined parses one or more filters with a keyword in between.
func (p *parser) joined(keyword string, one bool, read func() (Filter, error)) (Filter, error) {
	first, err := read()
	if err != nil || !p.word(keyword) {
		return first, err
	}
	list := FilterList{MustPassOne: one, Filters: []Filter{first}}
	for more := true; more; more = p.word(keyword) {
		next, err := read()
		if err != nil {
			return nil, err
		}
		list.Filters = append(list.Filters, next)
	}
	return list, nil
}

// wrapped parses a filter after SKIP or WHILE, one in parentheses, or a simple one.
func (p *parser) wrapped() (f Filter, err error) {
	if p.nested++; p.nested > maxNesting {
		return nil, fmt.Errorf("%w: it is nested more than %d levels deep", ErrInvalid, maxNesting)
	}
	defer func() { p.nested-- }()
	switch {
	case p.word("SKIP"):
		if f, err = p.wrapped(); err == nil {
			f = SkipFilter{f}
		}
	case p.word("WHILE"):
		if f, err = p.wrapped(); err == nil {
			f = WhileMatchFilter{f}
		}
	case p.sign('('):
		if f, err = p.either(); err == nil && !p.sign(')') {
			err = p.wrong("a closing parenthesis")
		}
	default:
		return p.simple()
	}
	return f, err
}

// simple parses a name with arguments.
func (p *parser) simple() (Filter, error) {
	start := p.at
	for p.at < len(p.text) && isLetter(p.text[p.at]) {
		p.at++
	}
	name := string(p.text[start:p.at])
	if name == "" {
		return nil, p.wrong("the name of a filter")
	}
	if !p.sign('(') {
		return nil, p.wrong("an opening parenthesis")
	}
	args := arguments{name: name}
	for !p.sign(')') {
		if p.sign(',') {
			continue
		}
		a, err := p.argument()
		if err != nil {
			return nil, err
		}
		args.all = append(args.all, a)
	}
	return args.filter()
}

func isLetter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }

// argument is a text, or a number, a boolean or an operator.
type argument struct {
	text   []byte
	quoted bool
}

func (p *parser) argument() (argument, error) {
	if p.sign('\'') {
		text, err := p.quoted()
		return argument{text, true}, err
	}
	start := p.at
	for p.at < len(p.text) && !bytes.ContainsRune([]byte(" ,)\t'"), rune(p.text[p.at])) {
		p.at++
	}
	if p.at == start {
		return argument{}, p.wrong("an argument or a closing parenthesis")
	}
	return argument{text: p.text[start:p.at]}, nil
}

// quoted reads a text up to its closing quote.
func (p *parser) quoted() ([]byte, error) {
	text := []byte{}
	for {
		n := bytes.IndexByte(p.text[p.at:], '\'')
		if n < 0 {
			p.at = len(p.text)
			return nil, p.wrong("a closing quote")
		}
		text = append(text, p.text[p.at:p.at+n]...)
		if p.at += n + 1; p.at == len(p.text) || p.text[p.at] != '\'' {
			return text, nil
		}
		text = append(text, '\'')
		p.at++
	}
}
