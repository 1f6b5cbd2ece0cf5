package regex

import (
	"bytes"
	"unicode/utf8"

	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// evalRegexpReplace replaces all matches, or one: the result may be as long as max_allowed_packet, or as the
// text.
func evalRegexpReplace(env *function.Env, args []value.Value) (value.Value, error) {
	c, m, err := newRegexpCall(env, "regexp_replace", args, 3, false, 0)
	if err != nil {
		return value.Value{}, err
	}
	at, err := m.nth(c.occurrence)
	if at == nil || err != nil {
		return function.JointKind(m.text, args[:3]...), err
	}
	r := replacing{matches: m, by: args[2].AsBytes(), most: max(env.MaxPacket(), len(m.text))}
	for at != nil {
		if err := r.replace(at); err != nil {
			return value.Value{}, err
		}
		if c.occurrence != 0 {
			break
		}
		if at, err = m.next(); err != nil {
			return value.Value{}, err
		}
	}
	err = r.add(m.text[r.from:])
	return function.JointKind(r.out, args[:3]...), err
}

// replacing is a text in which matches are being replaced.
type replacing struct {
	*matches
	by   []byte
	from int // the text before it is in out
	out  []byte
	most int // bytes of out
}

// add appends a part of the result; the error is 3684 if that gets too long.
func (r *replacing) add(b []byte) error {
	if len(b) > r.most-len(r.out) {
		return mysqlerr.New(mysqlerr.RegexpBufferOverflow,
			"The result string is larger than the result buffer: regexp_replace() returns at most %d bytes (max_allowed_packet)",
			r.most)
	}
	r.out = append(r.out, b...)
	return r.meter.Step(len(b) + 1)
}

// replace appends the replacement for a match: $1 in it is the first group, ${name} the group of that name,
// $0 the match, and a backslash escapes the next character.
func (r *replacing) replace(at []int) error {
	err := r.add(r.text[r.from:at[0]])
	r.from = at[1]
	for by := r.by; len(by) > 0 && err == nil; {
		var size int
		switch by[0] {
		case '\\':
			_, size = utf8.DecodeRune(by[1:])
			err = r.add(by[1 : 1+size])
			size++
		case '$':
			size, err = r.addGroup(by, at)
		default:
			if size = bytes.IndexAny(by, `$\`); size < 0 {
				size = len(by)
			}
			err = r.add(by[:size])
		}
		by = by[size:]
	}
	return err
}

// addGroup appends the group whose name a replacement begins with, and returns the length of the name.
func (r *replacing) addGroup(by []byte, at []int) (size int, err error) {
	group, size, err := r.groupOf(by)
	if err != nil || at[2*group] < 0 {
		return size, err
	}
	return size, r.add(r.text[at[2*group]:at[2*group+1]])
}

// groupOf is the group that $ and digits name, as many of these as can name a group, or ${name}; the error is
// 3686 for a number and 3887 for a name that no group has.
func (r *replacing) groupOf(by []byte) (group, size int, err error) {
	size = 1
	for size < len(by) && by[size] >= '0' && by[size] <= '9' {
		next := 10*group + int(by[size]-'0')
		if next > r.re.NumSubexp() {
			break
		}
		group = next
		size++
	}
	switch {
	case size > 1:
		return group, size, nil
	case size < len(by) && by[size] >= '0' && by[size] <= '9':
		return 0, 0, mysqlerr.New(mysqlerr.RegexpIndexOutOfBounds,
			"Index out of bounds in regular expression search: the pattern has %d groups", r.re.NumSubexp())
	case size < len(by) && by[size] == '{':
		return r.namedGroup(by)
	}
	return 0, 0, wrongGroupName()
}

func (r *replacing) namedGroup(by []byte) (group, size int, err error) {
	const start = len("${")
	if size = bytes.IndexByte(by[:min(len(by), maxPattern)], '}'); size > start {
		group = r.re.SubexpIndex(string(by[start:size]))
	}
	if group < 1 {
		return 0, 0, wrongGroupName()
	}
	return group, size + 1, nil
}

func wrongGroupName() error {
	return mysqlerr.New(mysqlerr.RegexpInvalidGroupName, "A capture group has an invalid name: "+
		"in a replacement, $ must be followed by the number of a group, or by its name in braces; \\$ is a dollar sign")
}
