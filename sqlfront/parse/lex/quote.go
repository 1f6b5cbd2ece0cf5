package lex

import (
	"fmt"
	"strings"
)

// QuoteBytes is bytes as SQL: a string where all of it is printable ASCII, else
// X'..'.
func QuoteBytes(b []byte) string {
	for _, c := range b {
		if c < ' ' || c > '~' {
			return fmt.Sprintf("X'%X'", b)
		}
	}
	return QuoteString(string(b))
}

// QuoteString is a string literal.
func QuoteString(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `''`, "\x00", `\0`, "\n", `\n`, "\r", `\r`, "\x1a",
		`\Z`).Replace(s) + "'"
}

// QuoteName is a quoted name.
func QuoteName(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }
