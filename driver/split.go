package driver

import (
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront"
)

// ScriptStatement is a statement of a script.
type ScriptStatement struct {
	Text string // without its semicolon
	Line int    // in the script, from 1
}

// SplitScript cuts a script at its semicolons, other than those in quotes and
// comments. An error is a *mysql.MySQLError for text that ends within quotes or
// a comment.
func SplitScript(script string) ([]ScriptStatement, error) {
	texts, err := sqlfront.Split(script)
	if err != nil {
		return nil, err
	}
	out := make([]ScriptStatement, 0, len(texts))
	line, at := 1, 0
	for _, text := range texts {
		start := at + between(script[at:])
		start += max(strings.Index(script[start:], text), 0)
		line += strings.Count(script[at:start], "\n")
		out = append(out, ScriptStatement{Text: text, Line: line})
		line += strings.Count(text, "\n")
		at = start + len(text)
	}
	return out, nil
}

// between is the length of what separates statements at the start of s: space,
// comments and semicolons.
func between(s string) int {
	n := 0
	for n < len(s) {
		end := 1
		switch rest := s[n:]; {
		case strings.ContainsRune(" \t\r\n\v\f;", rune(rest[0])):
		case rest[0] == '#' || strings.HasPrefix(rest, "--"):
			end = through(rest, "\n")
		case strings.HasPrefix(rest, "/*") && !strings.HasPrefix(rest, "/*!"):
			end = through(rest, "*/")
		default:
			return n
		}
		n += end
	}
	return n
}

// through is the length of s up to the end of the first mark.
func through(s, mark string) int {
	if i := strings.Index(s, mark); i >= 0 {
		return i + len(mark)
	}
	return len(s)
}
