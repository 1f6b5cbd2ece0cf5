package lex

import (
	"fmt"
	"strings"
)

// QuoteBytes writes bytes as SQL: a string if all of it is printable ASCII, else X'..'.
func QuoteBytes(b []byte) string {
	for _, c := range b {
		if c < ' ' || c > '~' {
			return fmt.Sprintf("X'%X'", b)
		}
	}
	return QuoteString(string(b))
}

// QuoteString writes a string literal.
func QuoteString(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `''`, "\x00", `\0`, "\n", `\n`, "\r", `\r`, "\x1a",
		`\Z`).Replace(s) + "'"
}

// QuoteName writes a quoted name.
func QuoteName(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }
