package lex

import (
	"strings"
	"unsafe"

	"github.com/hbasekv/hbasekv/sqlfront/cancelcheck"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// serverVersion is the version with which /*!50725 ... */ comments are compared: this driver answers as MySQL
// 5.7.25.
const serverVersion = 50725

// lexer cuts a text into tokens as MySQL does in its default sql_mode. Text that it cannot read becomes a Bad
// token, which is an error only if the parser gets there.
type lexer struct {
	sql    string
	pos    int
	toks   []Token
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
	modes     Modes
	// meter counts tokens; err, which ends the list, is its context's, reserve's or errTokens.
	meter cancelcheck.Meter
	err   error
	// room is the number of tokens after which reserve is asked for more memory; reserve may be nil.
	room    int
	reserve func(bytes int) error
}

// span is a part of the text, [start, end) in bytes.
type span struct{ start, end int }

func newLexer(sql string) *lexer {
	return &lexer{sql: sql, toks: make([]Token, 0, min(len(sql)/5+4, 1<<12)), room: TokenRoom}
}

// MaxTokens bounds the number of tokens in a text: a few megabytes of little but punctuation would take
// gigabytes. No text below 8 MiB has as many.
const MaxTokens = 8 << 20

// errTokens is MySQL's error for parser_max_mem_size.
func errTokens() error {
	return mysqlerr.New(mysqlerr.CapacityExceeded, "Memory capacity of %d bytes for 'parser_max_mem_size' exceeded. "+
		"Parser bailed out for this query.", MaxTokens*int(unsafe.Sizeof(Token{})))
}

// TokenRoom is the number of tokens up to which a text takes little memory, and tokenBytes is the approximate
// memory for each further one, as a token and in the tree.
const (
	TokenRoom  = 16 << 10
	tokenBytes = 160
)

// makeRoom allows for more tokens.
func (l *lexer) makeRoom() error {
	if len(l.toks) > MaxTokens {
		return errTokens()
	}
	l.room += TokenRoom
	if l.reserve == nil {
		return nil
	}
	return l.reserve(TokenRoom * tokenBytes)
}

// tokenUnits is the approximate cost of finding and reading a token.
const tokenUnits = 64

// run fills toks; the last is EOF, unless err ended them.
func (l *lexer) run() {
	for start := 0; l.next(); start = l.pos {
		if l.err = l.meter.Step(tokenUnits + l.pos - start); l.err != nil {
			return
		}
		if len(l.toks) > l.room {
			if l.err = l.makeRoom(); l.err != nil {
				return
			}
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
	case c == '`' || c == '"' && l.modes.ANSIQuotes:
		l.quoted(Quoted, start, start)
	case c == '\'' || c == '"':
		l.quoted(String, start, start)
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
	l.add(EOF, len(l.sql), len(l.sql))
}

func (l *lexer) at(i int) byte {
	if i < len(l.sql) {
		return l.sql[i]
	}
	return 0
}

func (l *lexer) add(kind Kind, start, end int) *Token {
	l.toks = append(l.toks, Token{Kind: kind, Start: start, End: end, N: -1, Slot: l.literals})
	if kind.hasSlot() {
		l.literals++
	}
	l.pos = end
	return &l.toks[len(l.toks)-1]
}

func (l *lexer) bad(start, end int, why string) {
	l.add(Bad, start, end).N = len(l.whys)
	l.whys = append(l.whys, why)
}

// afterName reports whether the last token is a name, directly after which .5 is a column's name.
func (l *lexer) afterName() bool {
	if len(l.toks) == 0 {
		return false
	}
	last := l.toks[len(l.toks)-1]
	return last.End == l.pos && (last.Kind == Word || last.Kind == Quoted)
}

// afterDot reports whether the last token is the dot of a qualified name.
func (l *lexer) afterDot() bool {
	if len(l.toks) == 0 {
		return false
	}
	last := l.toks[len(l.toks)-1]
	return last.Kind == Op && last.End == l.pos && l.sql[last.Start] == '.'
}

// operators are those of several bytes, longest first. The second byte is one
// of =<>&|- in all of them.
var operators = []string{"->>", Concat, "<=>", "<=", ">=", "<>", "!=", "<<", ">>", "&&", "||", ":=", "->"}

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
		l.add(Param, start, start+1).N = l.params
		l.params++
	case '(':
		l.open = append(l.open, len(l.toks))
		l.add(Op, start, start+1)
	case ')':
		l.close(start)
	case '.':
		l.dot(start)
	case '+', '-', '*', '/', '%', '&', '|', '^', '~', '!', '=', '<', '>', ',', ';', '{', '}':
		l.add(Op, start, start+1)
	case '\\':
		l.backslash(start)
	case ':':
		l.bad(start, start+1, "? instead of a named parameter")
	default:
		l.bad(start, start+1, "")
	}
}

// dot adds the dot of a qualified name. DEFAULT before it is the database that a store initially has: in no
// other use is the word followed by a dot.
func (l *lexer) dot(start int) {
	n := len(l.toks)
	if n > 0 && l.toks[n-1].Kind == Word && wordIs(l.sql[l.toks[n-1].Start:l.toks[n-1].End], "DEFAULT") {
		l.toks[n-1].Kind = Quoted
	}
	l.add(Op, start, start+1)
}

// operator adds one of several bytes.
func (l *lexer) operator(start int, rest string) bool {
	for _, op := range operators {
		if strings.HasPrefix(rest, op) {
			l.add(Op, start, start+len(op))
			return true
		}
	}
	return false
}

func (l *lexer) close(start int) {
	if n := len(l.open); n > 0 {
		l.toks[l.open[n-1]].N = len(l.toks)
		l.open = l.open[:n-1]
	}
	l.add(Op, start, start+1)
}

// backslash adds \N, which is NULL.
func (l *lexer) backslash(start int) {
	if l.at(start+1) == 'N' && l.nameEnd(start+1) == start+2 {
		l.add(Word, start, start+2)
		return
	}
	l.bad(start, start+1, "")
}

func (l *lexer) hintToken(start int, rest string) bool {
	switch {
	case strings.HasPrefix(rest, "/*+"):
		l.inHint = true
		l.add(HintBegin, start, start+3)
	case l.inHint && strings.HasPrefix(rest, "*/"):
		l.inHint = false
		l.add(HintEnd, start, start+2)
	default:
		return false
	}
	return true
}

func isSpace(c byte) bool    { return c == ' ' || '\t' <= c && c <= '\r' }
func isDigit(c byte) bool    { return '0' <= c && c <= '9' }
func isBitDigit(c byte) bool { return c == '0' || c == '1' }

func isHexDigit(c byte) bool {
	return isDigit(c) || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// isNameByte reports whether an unquoted name may begin with the byte; digits may
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
