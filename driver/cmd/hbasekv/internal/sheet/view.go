package sheet

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// View is the SELECT that shows a table's rows with typed columns, in the order of the header:
// those of the key are read from K, the others are pivoted. The guesses are the columns'.
func View(table string, names []string, key *Key, guesses []Guess) string {
	columns, keys := make([]string, len(names)), key.Columns()
	for i, name := range names {
		if slices.Contains(keys, i) {
			columns[i] = key.expression(i) + " AS " + quote(name)
			continue
		}
		cell := "MAX(CASE WHEN Q = " + text(name) + " THEN V END)"
		columns[i] = guesses[i].Type().Cast(cell) + " AS " + quote(name)
	}
	return fmt.Sprintf("SELECT %s FROM %s GROUP BY K", strings.Join(columns, ", "), table)
}

// quote is a name in backticks.
func quote(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

// text is a literal of SQL. One with quotes or what is escaped is written in hexadecimal, which
// sql_mode does not change.
func text(value string) string {
	if !strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == '\'' || r == '\\' || r == 0x7f }) {
		return "'" + value + "'"
	}
	return "X'" + strings.ToUpper(hex.EncodeToString([]byte(value))) + "'"
}
