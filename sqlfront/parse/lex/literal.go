package lex

import (
	"strings"
	"unicode/utf8"
)

// quoted adds a string or a quoted name whose token starts at start and whose
// quote is at quote.
func (l *lexer) quoted(kind Kind, start, quote int) {
	q := l.sql[quote]
	for i := quote + 1; ; {
		end := indexFrom(l.sql, i, q)
		if q != '`' && kind != Quoted && !l.modes.NoBackslashEscapes {
			i = l.passEscapes(i, end)
		}
		switch {
		case end == len(l.sql):
			l.bad(start, end, "the closing "+string(q))
			return
		case i > end: // it is escaped
		case l.at(end+1) == q:
			i = end + 2
		default:
			l.checkQuoted(kind, start, quote, end)
			return
		}
	}
}

// passEscapes returns the end of the last escape that begins in [i, end), or i.
func (l *lexer) passEscapes(i, end int) int {
	for i < end {
		escape := indexFrom(l.sql[:end], i, '\\')
		if escape == end {
			break
		}
		i = escape + 2
	}
	return i
}

// indexFrom is the index of c in s from i on, or len(s).
func indexFrom(s string, i int, c byte) int {
	if n := strings.IndexByte(s[min(i, len(s)):], c); n >= 0 {
		return i + n
	}
	return len(s)
}

func (l *lexer) checkQuoted(kind Kind, start, quote, end int) {
	body := l.sql[quote+1 : end]
	switch {
	case kind != Quoted:
	case body == "":
		l.bad(start, end+1, "a name")
		return
	case strings.IndexByte(body, 0) >= 0 || !utf8.ValidString(body):
		l.bad(start, end+1, "a name in UTF-8 without NUL")
		return
	}
	l.add(kind, start, end+1).N = quote
}

// digits adds a token that starts with a digit: a number, 0x00, 0b01, or a name such as 1t.
func (l *lexer) digits(start int) {
	i := start
	for isDigit(l.at(i)) {
		i++
	}
	nameEnd := l.nameEnd(i)
	if l.afterDot() {
		l.add(Word, start, nameEnd)
		return
	}
	if l.prefixed(start, nameEnd) {
		return
	}
	switch {
	case l.at(i) == '.', l.exponentEnd(i) > i:
		l.float(start)
	case nameEnd > i:
		l.name(start, nameEnd)
	default:
		l.add(Int, start, i)
	}
}

// prefixed adds 0x00 and 0b01; with a capital X or B, or other digits, they are
// names.
func (l *lexer) prefixed(start, end int) bool {
	text := l.sql[start:end]
	if len(text) < 3 || text[0] != '0' {
		return false
	}
	switch {
	case text[1] == 'x' && allBytes(text[2:], isHexDigit):
		l.add(Hex, start, end)
	case text[1] == 'b' && allBytes(text[2:], isBitDigit):
		l.add(Bit, start, end)
	default:
		return false
	}
	return true
}

// float adds a number with a point or an exponent. start is at a digit or the
// point.
func (l *lexer) float(start int) {
	i := start
	for isDigit(l.at(i)) {
		i++
	}
	if l.at(i) == '.' {
		i++
		for isDigit(l.at(i)) {
			i++
		}
	}
	l.add(Float, start, max(i, l.exponentEnd(i)))
}

// exponentEnd is the end of an exponent at i, or i.
func (l *lexer) exponentEnd(i int) int {
	if c := l.at(i); c != 'e' && c != 'E' {
		return i
	}
	j := i + 1
	if c := l.at(j); c == '+' || c == '-' {
		j++
	}
	if !isDigit(l.at(j)) {
		return i
	}
	for isDigit(l.at(j)) {
		j++
	}
	return j
}

// nameEnd is the end of the name bytes from i on.
func (l *lexer) nameEnd(i int) int {
	for i < len(l.sql) && (isNameByte(l.sql[i]) || isDigit(l.sql[i])) {
		i++
	}
	return i
}

// name adds an unquoted name.
func (l *lexer) name(start, end int) {
	if !utf8.ValidString(l.sql[start:end]) {
		l.bad(start, end, "a name in UTF-8")
		return
	}
	l.add(Word, start, end)
}

// word adds a name or keyword, or a literal that begins with letters.
func (l *lexer) word(start int) {
	end := l.nameEnd(start)
	text := l.sql[start:end]
	if quote := l.at(end); (quote == '\'' || quote == '"') && len(text) == 1 && !l.afterDot() {
		switch text[0] {
		case 'x', 'X':
			l.quotedDigits(Hex, start, end)
			return
		case 'b', 'B':
			l.quotedDigits(Bit, start, end)
			return
		case 'n', 'N':
			l.quoted(Introduced, start, end)
			return
		}
	}
	if text[0] == '_' && isCharset(text[1:]) && !l.afterDot() && l.introduced(start, end) {
		return
	}
	l.name(start, end)
}

// quotedDigits adds X'00' and b'01'.
func (l *lexer) quotedDigits(kind Kind, start, quote int) {
	if l.sql[quote] != '\'' {
		l.name(start, quote)
		return
	}
	length := strings.IndexByte(l.sql[quote+1:], '\'')
	if length < 0 {
		l.bad(start, len(l.sql), "the closing '")
		return
	}
	body, valid := l.sql[quote+1:quote+1+length], isBitDigit
	if kind == Hex {
		valid = isHexDigit
	}
	end := quote + length + 2
	switch {
	case !allBytes(body, valid):
		l.bad(start, end, "digits of the literal")
	case kind == Hex && len(body)%2 == 1:
		l.bad(start, end, "an even number of hexadecimal digits")
	default:
		l.add(kind, start, end)
	}
}

// introduced adds an introducer such as _utf8mb4 together with the literal after it, and is false if there is
// none.
func (l *lexer) introduced(start, end int) bool {
	i := end
	for isSpace(l.at(i)) {
		i++
	}
	switch c := l.at(i); {
	case c == '\'' || c == '"':
		l.quoted(Introduced, start, i)
		return true
	case (c == 'x' || c == 'X' || c == 'b' || c == 'B') && l.at(i+1) == '\'',
		c == '0' && (l.at(i+1) == 'x' || l.at(i+1) == 'b'):
		return l.introducedDigits(start, i)
	}
	return false
}

// introducedDigits adds _utf8 X'41'.
func (l *lexer) introducedDigits(start, i int) bool {
	before := len(l.toks)
	l.pos = i
	if isDigit(l.sql[i]) {
		l.digits(i)
	} else {
		l.word(i)
	}
	t := &l.toks[before]
	switch t.Kind {
	case Hex, Bit:
		t.Kind, t.N = Introduced, t.Start
	case Bad:
	default:
		l.toks = l.toks[:before]
		l.pos = start
		return false
	}
	t.Start = start
	return true
}

// variable adds @name; of @@name only the @@.
func (l *lexer) variable(start int) {
	c := l.at(start + 1)
	switch {
	case c == '@':
		l.add(Op, start, start+2)
	case c == '\'' || c == '"' || c == '`':
		l.quoted(UserVar, start, start+1)
	default:
		end := start + 1
		for end < len(l.sql) && (isNameByte(l.sql[end]) || isDigit(l.sql[end]) || l.sql[end] == '.') {
			end++
		}
		if end == start+1 || !utf8.ValidString(l.sql[start:end]) {
			l.bad(start, max(end, start+1), "the name of a variable")
			return
		}
		l.add(UserVar, start, end)
	}
}

// isCharset reports whether name is one of MySQL's character sets: any other word after an underscore is a
// name.
func isCharset(name string) bool {
	if name == "" || len(name) > len("utf8mb4")+1 {
		return false
	}
	return charsets[strings.ToLower(name)]
}

var charsets = map[string]bool{
	"armscii8": true, "ascii": true, "big5": true, "binary": true, "cp1250": true, "cp1251": true,
	"cp1256": true, "cp1257": true, "cp850": true, "cp852": true, "cp866": true, "cp932": true,
	"dec8": true, "eucjpms": true, "euckr": true, "gb18030": true, "gb2312": true, "gbk": true,
	"geostd8": true, "greek": true, "hebrew": true, "hp8": true, "keybcs2": true, "koi8r": true,
	"koi8u": true, "latin1": true, "latin2": true, "latin5": true, "latin7": true, "macce": true,
	"macroman": true, "sjis": true, "swe7": true, "tis620": true, "ucs2": true, "ujis": true,
	"utf16": true, "utf16le": true, "utf32": true, "utf8": true, "utf8mb3": true, "utf8mb4": true,
}
