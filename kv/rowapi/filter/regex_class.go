package filter

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// class translates a character class, after its opening bracket.
func (t *translator) class() error {
	var members strings.Builder
	negated := t.skip("^")
	for first := true; ; first = false {
		if t.rest == "" {
			return t.invalid("a character class is not closed")
		}
		if !first && t.skip("]") {
			break
		}
		if err := t.member(&members); err != nil {
			return err
		}
	}
	if t.out.WriteByte('['); negated {
		t.out.WriteByte('^')
	}
	t.out.WriteString(members.String() + "]")
	return t.quantifier()
}

// member translates a character, a range or a set in a class.
func (t *translator) member(members *strings.Builder) error {
	switch {
	case strings.HasPrefix(t.rest, "&&"), strings.HasPrefix(t.rest, "["):
		return t.refuse("an operation between character classes")
	case strings.HasPrefix(t.rest, `\`) && len(t.rest) > 1:
		t.next()
		set, err := t.set()
		if err != nil {
			return err
		}
		if strings.HasPrefix(set, "^") {
			return t.refuse("a negated set in a character class")
		}
		if set != "" {
			members.WriteString(set)
			return nil
		}
		t.rest = `\` + t.rest
	}
	return t.span(members)
}

// span translates a character or a range of them.
func (t *translator) span(members *strings.Builder) error {
	from, err := t.classCharacter()
	if err != nil {
		return err
	}
	to := from
	if strings.HasPrefix(t.rest, "-") && !strings.HasPrefix(t.rest, "-]") {
		if strings.HasPrefix(t.rest, "-[") || strings.HasPrefix(t.rest, "-&&") {
			return t.refuse("an operation between character classes")
		}
		t.next()
		if to, err = t.classCharacter(); err != nil {
			return err
		}
		if to < from {
			return t.invalid("a range of characters descends")
		}
	}
	writeSpan(members, from, to)
	if t.insensitive() {
		writeOtherCase(members, from, to, 'a', 'z', -0x20)
		writeOtherCase(members, from, to, 'A', 'Z', 0x20)
	}
	return nil
}

func writeSpan(members *strings.Builder, from, to rune) {
	fmt.Fprintf(members, `\x{%x}-\x{%x}`, from, to)
}

// writeOtherCase writes the letters of a range in the other case.
func writeOtherCase(members *strings.Builder, from, to, first, last, shift rune) {
	if from, to = max(from, first), min(to, last); from <= to {
		writeSpan(members, from+shift, to+shift)
	}
}

// classCharacter parses one character in a class.
func (t *translator) classCharacter() (rune, error) {
	if t.rest == "" {
		return 0, t.invalid("a character class is not closed")
	}
	r := t.next()
	if r != '\\' {
		return r, nil
	}
	if t.rest == "" {
		return 0, t.invalid("it ends with a backslash")
	}
	if strings.IndexByte("QEpPdDwWsShHvV", t.rest[0]) >= 0 || t.rest[0] >= '1' && t.rest[0] <= '9' {
		return utf8.RuneError, t.refuse(`\%c in a character class`, t.rest[0])
	}
	return t.character()
}
