package explain

import (
	"strings"
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Options are the ways to explain a statement.
type Options struct {
	Format  string // TRADITIONAL or empty, TREE, JSON
	Analyze bool   // the statement has run and was measured; it took Took
	Took    time.Duration
	// Statement is SELECT or empty, INSERT, REPLACE, UPDATE or DELETE; Target is the table that is written,
	// by its alias.
	Statement, Target string
}

// written is the statement if it writes, otherwise empty.
func (o *Options) written() string {
	if o.Statement == "SELECT" {
		return ""
	}
	return o.Statement
}

// Column is a column of EXPLAIN's answer.
type Column struct {
	Name string
	Type value.Type
}

// Print returns the columns and rows of EXPLAIN's answer for a statement whose last step is root. The error
// is that of making JSON.
func Print(root *Step, o Options) (columns []Column, rows [][]value.Value, err error) {
	var text string
	switch {
	case o.Format == "JSON":
		text, err = o.json(root)
	case o.Format == "TREE" || o.Analyze:
		text = o.tree(root)
	default:
		return tableColumns(), o.table(root), nil
	}
	columns = []Column{{Name: "EXPLAIN", Type: value.Type{Kind: value.Text}}}
	return columns, [][]value.Value{{value.NewString(strings.TrimSuffix(text, "\n"))}}, err
}

// capitalized is a word with a capital first letter and the others in lower case.
func capitalized(word string) string {
	return strings.ToUpper(word[:1]) + strings.ToLower(word[1:])
}
