package jsondoc

import (
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/hbasekv/hbasekv/sqlfront/function"
)

// Normal returns the text of a document in the form in which functions write it, see [value.NewJSON]. That is
// b itself if it has this form, which takes no longer than to see that b is valid. ok is false if b is not
// UTF-8, not a document, or nested deeper than documents may be.
func Normal(b []byte) (text []byte, ok bool) {
	s := normalScan{text: b}
	normal := s.value(0) && s.at == len(b)
	switch {
	case (s.wide || !normal) && !utf8.Valid(b):
		return nil, false
	case normal:
		return b, true
	}
	env := &function.Env{}
	doc, ok, err := parseJSON(env, b)
	if !ok || err != nil {
		return nil, false
	}
	w := jsonWriter{env: env}
	w.write(doc)
	return w.out, !w.tooLong()
}

// normalScan steps over the parts of a document. Its methods are false where the text is not as jsonWriter
// writes it.
type normalScan struct {
	text []byte
	at   int
	wide bool // there are bytes that are not ASCII
}

// value steps over a value that is within depth arrays and objects.
func (s *normalScan) value(depth int) bool {
	if s.at == len(s.text) {
		return false
	}
	switch s.text[s.at] {
	case '"':
		_, ok := s.string()
		return ok
	case '{':
		return depth < maxJSONDepth && s.object(depth+1)
	case '[':
		return depth < maxJSONDepth && s.array(depth+1)
	case 't':
		return s.passes("true")
	case 'f':
		return s.passes("false")
	case 'n':
		return s.passes("null")
	}
	return s.number()
}

func (s *normalScan) passes(word string) bool {
	end := s.at + len(word)
	if end > len(s.text) || string(s.text[s.at:end]) != word {
		return false
	}
	s.at = end
	return true
}

func (s *normalScan) one(c byte) bool {
	if s.at == len(s.text) || s.text[s.at] != c {
		return false
	}
	s.at++
	return true
}

func (s *normalScan) pair(a, b byte) bool {
	if s.at+1 >= len(s.text) || s.text[s.at] != a || s.text[s.at+1] != b {
		return false
	}
	s.at += 2
	return true
}

func (s *normalScan) array(depth int) bool {
	if s.pair('[', ']') {
		return true
	}
	s.at++
	for s.value(depth) {
		if !s.pair(',', ' ') {
			return s.one(']')
		}
	}
	return false
}

// object steps over an object whose names are in their order, each once.
func (s *normalScan) object(depth int) bool {
	if s.pair('{', '}') {
		return true
	}
	s.at++
	var last []byte
	for first := true; ; first = false {
		name, ok := s.name()
		if !ok || !first && compareKeys(last, name) >= 0 || !s.pair(':', ' ') || !s.value(depth) {
			return false
		}
		if last = name; !s.pair(',', ' ') {
			return s.one('}')
		}
	}
}

// name steps over a string and returns it, with its escapes resolved.
func (s *normalScan) name() (name []byte, ok bool) {
	start := s.at
	escaped, ok := s.string()
	switch {
	case !ok:
		return nil, false
	case escaped:
		return []byte(gjson.ParseBytes(s.text[start:s.at]).String()), true
	}
	return s.text[start+1 : s.at-1], true
}

// string steps over a string.
func (s *normalScan) string() (escaped, ok bool) {
	if !s.one('"') {
		return false, false
	}
	text := s.text
	for at := s.at; at < len(text); at++ {
		c := text[at]
		if isPlain[c] {
			continue
		}
		switch {
		case c == '"':
			s.at = at + 1
			return escaped, true
		case c == '\\':
			size := escapeLength(text[at:])
			if escaped = true; size == 0 {
				return false, false
			}
			at += size - 1
		case c < ' ':
			return false, false
		default:
			s.wide = true
		}
	}
	return false, false
}

// isPlain is true for the bytes of ASCII that a string has as they are.
var isPlain = func() (plain [256]bool) {
	for c := byte(' '); c < utf8.RuneSelf; c++ {
		plain[c] = c != '"' && c != '\\'
	}
	return plain
}()

// escapeLength is the length of an escape: of a control character by its letter, if it has one, or else by its
// number. It is 0 for others.
func escapeLength(text []byte) int {
	if len(text) < 2 {
		return 0
	}
	switch text[1] {
	case '"', '\\', 'b', 'f', 'n', 'r', 't':
		return len(`\n`)
	case 'u':
		return numberedLength(text)
	}
	return 0
}

func numberedLength(text []byte) int {
	if len(text) < len(`\u0000`) || string(text[2:4]) != "00" || text[4] != '0' && text[4] != '1' {
		return 0
	}
	low := strings.IndexByte(hexDigits, text[5])
	if low < 0 || strings.IndexByte(shortEscapes, (text[4]-'0')<<4|byte(low)) >= 0 {
		return 0
	}
	return len(`\u0000`)
}

// The digits of numbers that are certainly as numberText makes them: so many fit into 64 bits, and so few are the
// shortest ones of their double.
const (
	mostIntegerDigits  = 18
	mostFractionDigits = 15
)

// number steps over a number that numberText leaves as it is.
func (s *normalScan) number() bool {
	start, text := s.at, s.text[s.at:]
	first := 0
	if text[0] == '-' {
		first = 1
	}
	end := passDigits(text, first)
	whole := end - first
	short := whole == 1 || whole > 1 && whole <= mostIntegerDigits && text[first] != '0'
	if end < len(text) && text[end] == '.' {
		point := end
		end = passDigits(text, point+1)
		short = short && end-first-1 <= mostFractionDigits && isShortest(text[first], text[point+1:end])
	}
	if s.at += end; short && (end == len(text) || text[end]|0x20 != 'e') {
		return true
	}
	for s.at < len(s.text) && isNumberByte(s.text[s.at]) {
		s.at++
	}
	word := s.text[start:s.at]
	return gjson.ValidBytes(word) && numberText(word) == string(word)
}

// passDigits is the position after the digits at a position.
func passDigits(text []byte, at int) int {
	for at < len(text) && text[at] >= '0' && text[at] <= '9' {
		at++
	}
	return at
}

// isShortest reports whether a fraction has no zeros at its end, other than that of an integral double; first is
// the first digit of the number.
func isShortest(first byte, fraction []byte) bool {
	n := len(fraction)
	return n > 0 && (fraction[n-1] != '0' || n == 1 && first != '0')
}

func isNumberByte(c byte) bool {
	return c >= '0' && c <= '9' || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E'
}
