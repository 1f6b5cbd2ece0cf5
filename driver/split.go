package driver

import (
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront"
)

// ScriptStatement is one statement of a script.
type ScriptStatement struct {
	Text string // without its semicolon
	Line int    // in the script, from 1
	// Offset is where the statement begins in the script, in bytes.
	Offset int
	// Open says that no semicolon ends the statement, as may be so for the script's
	// last: if the script was cut off, it may be incomplete.
	Open bool
}

// SplitScript splits a script at its semicolons, except those in quotes and
// comments. The error, a *mysql.MySQLError, is that of text that ends within
// quotes or a comment.
func SplitScript(script string) ([]ScriptStatement, error) {
	pieces, err := sqlfront.Pieces(script)
	if err != nil {
		return nil, err
	}
	out := make([]ScriptStatement, 0, len(pieces))
	line, at := 1, 0
	for _, p := range pieces {
		line += strings.Count(script[at:p.Offset], "\n")
		at = p.Offset
		out = append(out, ScriptStatement{Text: p.Text, Line: line, Offset: p.Offset, Open: p.Open})
	}
	return out, nil
}
