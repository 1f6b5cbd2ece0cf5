package parse

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/hbasekv/hbasekv/sqlfront/steps"
)

// serverVersion is the version that /*!50725 ... */ comments are compared
// with: this driver answers as MySQL 5.7.25.
const serverVersion = 50725

// lexer cuts a text into tokens as MySQL does in its default sql_mode. What it
// cannot read becomes a tokBad, which is an error only if the parser gets
// there.
type lexer struct {
	sql    string
	pos    int
	toks   []token
	params int
	// literals counts the literal tokens.
	literals int32
	whys     []string // what was expected in place of the bad tokens, or empty
	open     []int    // indexes of opening parentheses that are not closed yet
	// versions are the executed comments /*! ... */; inVersion is true inside
	// the last of them.
	versions  []span
	inVersion bool
	inHint    bool
	// meter counts tokens; err is its context's, which ends the list.
	meter steps.Meter
	err   error
}

// span is a part of the text, [start, end) in bytes.
type span struct{ start, end int }

func newLexer(sql string) *lexer {
	return &lexer{sql: sql, toks: make([]token, 0, len(sql)/5+4)}
}

// tokenUnits is about what a token costs, to find and to read.
const tokenUnits = 64

// run fills toks; the last is tokEOF, unless err ended them.
func (l *lexer) run() {
	for start := 0; l.next(); start = l.pos {
		if l.err = l.meter.Step(tokenUnits + l.pos - start); l.err != nil {
			return
		}
	}
}

// next adds one token, and is false at the end.
func (l *lexer) next() bool {
	if !l.skipSpace() {
		return false
	}
	if l.pos >= len(l.sql) {
		l.finish()
		return false
	}
	start := l.pos
	switch c := l.sql[start]; {
	case c == '\'' || c == '"':
		l.quoted(tokString, start, start)
	case c == '`':
		l.quoted(tokQuoted, start, start)
	case isDigit(c):
		l.digits(start)
	case c == '.' && isDigit(l.at(start+1)) && !l.afterName():
		l.float(start)
	case c == '@':
		l.variable(start)
	case isNameByte(c):
		l.word(start)
	default:
		l.punctuation(start)
	}
	return true
}

func (l *lexer) finish() {
	if l.inVersion {
		l.bad(len(l.sql), len(l.sql), "*/")
	}
	l.add(tokEOF, len(l.sql), len(l.sql))
}

func (l *lexer) at(i int) byte {
	if i < len(l.sql) {
		return l.sql[i]
	}
	return 0
}

func (l *lexer) add(kind tokenKind, start, end int) *token {
	l.toks = append(l.toks, token{kind: kind, start: start, end: end, n: -1, slot: l.literals})
	if kind.hasSlot() {
		l.literals++
	}
	l.pos = end
	return &l.toks[len(l.toks)-1]
}

func (l *lexer) bad(start, end int, why string) {
	l.add(tokBad, start, end).n = len(l.whys)
	l.whys = append(l.whys, why)
}

// afterName is true directly behind a name, where .5 is a column's name.
func (l *lexer) afterName() bool {
	if len(l.toks) == 0 {
		return false
	}
	last := l.toks[len(l.toks)-1]
	return last.end == l.pos && (last.kind == tokWord || last.kind == tokQuoted)
}

// afterDot is true directly behind the dot of a qualified name.
func (l *lexer) afterDot() bool {
	if len(l.toks) == 0 {
		return false
	}
	last := l.toks[len(l.toks)-1]
	return last.kind == tokOp && last.end == l.pos && l.sql[last.start] == '.'
}

// skipSpace passes space and comments. It is false where it ended the token
// list because a comment does not end.
func (l *lexer) skipSpace() bool {
	for l.pos < len(l.sql) {
		switch c := l.sql[l.pos]; {
		case isSpace(c):
			l.pos++
		case c == '#', c == '-' && l.at(l.pos+1) == '-' && l.endsDashes(l.pos+2):
			l.skipLine()
		case c == '/' && l.at(l.pos+1) == '*':
			if done, ok := l.comment(); !ok {
				return false
			} else if done {
				return true
			}
		case c == '*' && l.at(l.pos+1) == '/' && (l.inVersion || l.inHint):
			if l.inHint {
				return true
			}
			l.inVersion = false
			l.pos += 2
			l.versions[len(l.versions)-1].end = l.pos
		default:
			return true
		}
	}
	return true
}

// endsDashes is true where -- starts a comment: MySQL wants space behind it
// (https://dev.mysql.com/doc/refman/5.7/en/ansi-diff-comments.html).
func (l *lexer) endsDashes(i int) bool {
	return i >= len(l.sql) || isSpace(l.sql[i]) || l.sql[i] < ' '
}

func (l *lexer) skipLine() {
	end := strings.IndexByte(l.sql[l.pos:], '\n')
	if end < 0 {
		l.pos = len(l.sql)
		return
	}
	l.pos += end + 1
}

// comment reads what begins with /*. done is true where a token begins here;
// ok is false where the comment does not end.
func (l *lexer) comment() (done, ok bool) {
	switch l.at(l.pos + 2) {
	case '!':
		if l.enterVersion() {
			return false, true
		}
	case '+':
		if l.afterVerb() {
			return true, true
		}
	}
	end := l.commentEnd(l.pos)
	if end < 0 {
		l.bad(l.pos, len(l.sql), "*/ at the end of the comment")
		l.add(tokEOF, len(l.sql), len(l.sql))
		return false, false
	}
	if l.misplaced(l.sql[l.pos:end]) {
		l.bad(l.pos, end, "the hint directly behind SELECT, INSERT, REPLACE, UPDATE or DELETE")
	}
	l.pos = end
	return false, true
}

var versionHint = regexp.MustCompile(`(?is)^/\*\+.*\b(VERSIONS|TIMERANGE)\s*\(`)

// misplaced is true of a comment that would choose versions if it stood where
// hints stand: to pass over it would change other versions than were meant.
func (l *lexer) misplaced(comment string) bool {
	return comment[2] == '+' && versionHint.MatchString(comment)
}

// commentEnd is the end of the comment that starts at start, or -1. A version
// comment that is skipped may hold comments.
func (l *lexer) commentEnd(start int) int {
	nests := l.sql[start+2:] != "" && l.sql[start+2] == '!'
	for i, depth := start+2, 1; i+1 < len(l.sql); i++ {
		switch {
		case l.sql[i] == '*' && l.sql[i+1] == '/':
			i++
			if depth--; depth == 0 {
				return i + 1
			}
		case nests && l.sql[i] == '/' && l.sql[i+1] == '*':
			i++
			depth++
		}
	}
	return -1
}

// enterVersion passes /*! or /*!50000 where the text behind it is executed.
func (l *lexer) enterVersion() bool {
	if l.inVersion {
		return false
	}
	i, version := l.pos+3, 0
	for i < len(l.sql) && i < l.pos+9 && isDigit(l.sql[i]) {
		version = version*10 + int(l.sql[i]-'0')
		i++
	}
	switch i - l.pos - 3 {
	case 0, 5, 6:
	default:
		i, version = l.pos+3, 0
	}
	if version > serverVersion {
		return false
	}
	l.versions = append(l.versions, span{l.pos, len(l.sql)})
	l.pos, l.inVersion = i, true
	return true
}

// afterVerb is true directly behind a word that takes optimizer hints
// (https://dev.mysql.com/doc/refman/5.7/en/optimizer-hints.html).
func (l *lexer) afterVerb() bool {
	if len(l.toks) == 0 || l.inHint {
		return false
	}
	last := l.toks[len(l.toks)-1]
	if last.kind != tokWord {
		return false
	}
	for _, verb := range []string{"SELECT", "INSERT", "REPLACE", "UPDATE", "DELETE"} {
		if wordIs(l.sql[last.start:last.end], verb) {
			return true
		}
	}
	return false
}

// quoted adds a string or a quoted name whose token starts at start and whose
// quote is at quote.
func (l *lexer) quoted(kind tokenKind, start, quote int) {
	q := l.sql[quote]
	for i := quote + 1; ; {
		end := indexFrom(l.sql, i, q)
		if q != '`' {
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

// passEscapes is behind the last escape that begins in [i, end), or i.
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

// indexFrom is where c is in s, from i on; len(s) where it is not.
func indexFrom(s string, i int, c byte) int {
	if n := strings.IndexByte(s[min(i, len(s)):], c); n >= 0 {
		return i + n
	}
	return len(s)
}

func (l *lexer) checkQuoted(kind tokenKind, start, quote, end int) {
	body := l.sql[quote+1 : end]
	switch {
	case kind != tokQuoted:
	case body == "":
		l.bad(start, end+1, "a name")
		return
	case strings.IndexByte(body, 0) >= 0 || !utf8.ValidString(body):
		l.bad(start, end+1, "a name in UTF-8 without NUL")
		return
	}
	l.add(kind, start, end+1).n = quote
}

// digits adds what starts with a digit: a number, 0x00, 0b01, or a name such
// as 1t.
func (l *lexer) digits(start int) {
	i := start
	for isDigit(l.at(i)) {
		i++
	}
	nameEnd := l.nameEnd(i)
	if l.afterDot() {
		l.add(tokWord, start, nameEnd)
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
		l.add(tokInt, start, i)
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
		l.add(tokHex, start, end)
	case text[1] == 'b' && allBytes(text[2:], isBitDigit):
		l.add(tokBit, start, end)
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
	l.add(tokFloat, start, max(i, l.exponentEnd(i)))
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
	l.add(tokWord, start, end)
}

// word adds a name or keyword, or a literal that begins with letters.
func (l *lexer) word(start int) {
	end := l.nameEnd(start)
	text := l.sql[start:end]
	if quote := l.at(end); (quote == '\'' || quote == '"') && len(text) == 1 && !l.afterDot() {
		switch text[0] {
		case 'x', 'X':
			l.quotedDigits(tokHex, start, end)
			return
		case 'b', 'B':
			l.quotedDigits(tokBit, start, end)
			return
		case 'n', 'N':
			l.quoted(tokIntro, start, end)
			return
		}
	}
	if text[0] == '_' && isCharset(text[1:]) && !l.afterDot() && l.introduced(start, end) {
		return
	}
	l.name(start, end)
}

// quotedDigits adds X'00' and b'01'.
func (l *lexer) quotedDigits(kind tokenKind, start, quote int) {
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
	if kind == tokHex {
		valid = isHexDigit
	}
	end := quote + length + 2
	switch {
	case !allBytes(body, valid):
		l.bad(start, end, "digits of the literal")
	case kind == tokHex && len(body)%2 == 1:
		l.bad(start, end, "an even number of hexadecimal digits")
	default:
		l.add(kind, start, end)
	}
}

// introduced adds an introducer such as _utf8mb4 together with the literal
// behind it, and is false where there is none.
func (l *lexer) introduced(start, end int) bool {
	i := end
	for isSpace(l.at(i)) {
		i++
	}
	switch c := l.at(i); {
	case c == '\'' || c == '"':
		l.quoted(tokIntro, start, i)
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
	switch t.kind {
	case tokHex, tokBit:
		t.kind, t.n = tokIntro, t.start
	case tokBad:
	default:
		l.toks = l.toks[:before]
		l.pos = start
		return false
	}
	t.start = start
	return true
}

// variable adds @name; of @@name only the @@.
func (l *lexer) variable(start int) {
	c := l.at(start + 1)
	switch {
	case c == '@':
		l.add(tokOp, start, start+2)
	case c == '\'' || c == '"' || c == '`':
		l.quoted(tokUserVar, start, start+1)
	default:
		end := start + 1
		for end < len(l.sql) && (isNameByte(l.sql[end]) || isDigit(l.sql[end]) || l.sql[end] == '.') {
			end++
		}
		if end == start+1 || !utf8.ValidString(l.sql[start:end]) {
			l.bad(start, max(end, start+1), "the name of a variable")
			return
		}
		l.add(tokUserVar, start, end)
	}
}

// operators are the ones of several bytes, longest first. The second byte is one
// of =<>&|- in all of them.
var operators = []string{"->>", "<=>", "<=", ">=", "<>", "!=", "<<", ">>", "&&", "||", ":=", "->"}

func (l *lexer) punctuation(start int) {
	rest := l.sql[start:]
	if l.hintToken(start, rest) {
		return
	}
	if len(rest) > 1 && strings.IndexByte("=<>&|-", rest[1]) >= 0 && l.operator(start, rest) {
		return
	}
	switch rest[0] {
	case '?':
		l.add(tokParam, start, start+1).n = l.params
		l.params++
	case '(':
		l.open = append(l.open, len(l.toks))
		l.add(tokOp, start, start+1)
	case ')':
		l.close(start)
	case '.':
		l.dot(start)
	case '+', '-', '*', '/', '%', '&', '|', '^', '~', '!', '=', '<', '>', ',', ';', '{', '}':
		l.add(tokOp, start, start+1)
	case '\\':
		l.backslash(start)
	case ':':
		l.bad(start, start+1, "? instead of a named parameter")
	default:
		l.bad(start, start+1, "")
	}
}

// dot adds the dot of a qualified name. DEFAULT in front of it is the database that
// a store has at first: no other use of the word has a dot behind it.
func (l *lexer) dot(start int) {
	if n := len(l.toks); n > 0 && l.toks[n-1].kind == tokWord && wordIs(l.sql[l.toks[n-1].start:l.toks[n-1].end], "DEFAULT") {
		l.toks[n-1].kind = tokQuoted
	}
	l.add(tokOp, start, start+1)
}

// operator adds one of several bytes.
func (l *lexer) operator(start int, rest string) bool {
	for _, op := range operators {
		if strings.HasPrefix(rest, op) {
			l.add(tokOp, start, start+len(op))
			return true
		}
	}
	return false
}

func (l *lexer) close(start int) {
	if n := len(l.open); n > 0 {
		l.toks[l.open[n-1]].n = len(l.toks)
		l.open = l.open[:n-1]
	}
	l.add(tokOp, start, start+1)
}

// backslash adds \N, which is NULL.
func (l *lexer) backslash(start int) {
	if l.at(start+1) == 'N' && l.nameEnd(start+1) == start+2 {
		l.add(tokWord, start, start+2)
		return
	}
	l.bad(start, start+1, "")
}

func (l *lexer) hintToken(start int, rest string) bool {
	switch {
	case strings.HasPrefix(rest, "/*+"):
		l.inHint = true
		l.add(tokHintBegin, start, start+3)
	case l.inHint && strings.HasPrefix(rest, "*/"):
		l.inHint = false
		l.add(tokHintEnd, start, start+2)
	default:
		return false
	}
	return true
}

func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isBitDigit(c byte) bool {
	return c == '0' || c == '1'
}

func isHexDigit(c byte) bool {
	return isDigit(c) || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// isNameByte is true for what an unquoted name may begin with; digits may
// follow (https://dev.mysql.com/doc/refman/5.7/en/identifiers.html).
func isNameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '$' || c >= 0x80
}

func allBytes(s string, ok func(byte) bool) bool {
	for i := range len(s) {
		if !ok(s[i]) {
			return false
		}
	}
	return true
}

// isCharset is true for the names of MySQL's character sets: any other word
// behind an underscore is a name.
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
