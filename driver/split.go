package driver

import (
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront"
)

// ScriptStatement is a statement of a script.
type ScriptStatement struct {
	Text string // without its semicolon
	Line int    // in the script, from 1
	// Offset is where it begins in the script, in bytes.
	Offset int
	// Open says that no semicolon ends it, as the last of a script: where the script
	// was cut off, it is a part of a statement.
	Open bool
}

// SplitScript cuts a script at its semicolons, other than those in quotes and
// comments. An error is a *mysql.MySQLError for text that ends within quotes or
// a comment.
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
