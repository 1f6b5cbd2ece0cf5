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
		// Each text is a part of the script behind the one before.
		start := at + max(strings.Index(script[at:], text), 0)
		line += strings.Count(script[at:start], "\n")
		out = append(out, ScriptStatement{Text: text, Line: line})
		line += strings.Count(text, "\n")
		at = start + len(text)
	}
	return out, nil
}
