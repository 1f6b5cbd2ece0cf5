package lex

import (
	"regexp"
	"strings"
)

// skipSpace skips space and comments. It is false if it ended the token list because a comment does not end.
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

// endsDashes reports whether -- starts a comment: MySQL requires space after it
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

// comment reads what begins with /*. done is true if a token begins here; ok is false if the comment does not
// end.
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
		l.add(EOF, len(l.sql), len(l.sql))
		return false, false
	}
	if l.misplaced(l.sql[l.pos:end]) {
		l.bad(l.pos, end, "the hint directly after SELECT, INSERT, REPLACE, UPDATE or DELETE")
	}
	l.pos = end
	return false, true
}

var versionHint = regexp.MustCompile(`(?is)^/\*\+.*\b(VERSIONS|TIMERANGE)\s*\(`)

// misplaced reports whether a comment has hints about versions in a place where hints are not read: ignoring
// it would change other versions than were meant.
func (l *lexer) misplaced(comment string) bool {
	return comment[2] == '+' && versionHint.MatchString(comment)
}

// commentEnd is the end of the comment that starts at start, or -1. A version comment that is skipped may
// contain comments.
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

// enterVersion skips /*! or /*!50000 if the text after it is executed.
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

// afterVerb reports whether the last token is a word that takes optimizer hints
// (https://dev.mysql.com/doc/refman/5.7/en/optimizer-hints.html).
func (l *lexer) afterVerb() bool {
	if len(l.toks) == 0 || l.inHint {
		return false
	}
	last := l.toks[len(l.toks)-1]
	if last.Kind != Word {
		return false
	}
	for _, verb := range []string{"SELECT", "INSERT", "REPLACE", "UPDATE", "DELETE"} {
		if wordIs(l.sql[last.Start:last.End], verb) {
			return true
		}
	}
	return false
}
