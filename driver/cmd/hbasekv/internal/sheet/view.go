package sheet

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// View is the SELECT that shows a table's rows with typed columns, in the order of the header:
// columns of the key are read from K, others are pivoted. guesses are the columns' types.
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

// text is a SQL literal. A value with quotes or characters to escape is written in hexadecimal,
// which does not depend on sql_mode.
func text(value string) string {
	if !strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == '\'' || r == '\\' || r == 0x7f }) {
		return "'" + value + "'"
	}
	return "X'" + strings.ToUpper(hex.EncodeToString([]byte(value))) + "'"
}
