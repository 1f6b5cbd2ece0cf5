package expr

import (
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Printed is what can be printed: a Node, or an Aggregate.
type Printed interface{ AppendTo(dst []byte) []byte }

// Print is an expression as MySQL would print it.
func Print(n Printed) string { return string(n.AppendTo(nil)) }

func appendList(dst []byte, open string, nodes []Node, between, end string) []byte {
	dst = append(dst, open...)
	for i, n := range nodes {
		if i > 0 {
			dst = append(dst, between...)
		}
		dst = n.AppendTo(dst)
	}
	return append(dst, end...)
}

func appendInfix(dst []byte, left Node, operator string, right Node) []byte {
	dst = append(left.AppendTo(append(dst, '(')), ' ')
	dst = append(append(dst, operator...), ' ')
	return append(right.AppendTo(dst), ')')
}

func appendIs(dst []byte, x Node, not bool, what string) []byte {
	dst = append(x.AppendTo(append(dst, '(')), " is "+notWord(not)...)
	return append(append(dst, what...), ')')
}

// printConst prints a value as a literal of its kind.
func printConst(v value.Value) string {
	switch v.Kind() {
	case value.Null:
		return "NULL"
	case value.Text, value.JSON:
		return quote(v.Raw())
	case value.Bytes:
		if printable(v.Raw()) {
			return quote(v.Raw())
		}
		return "0x" + strings.ToUpper(hex.EncodeToString(v.Raw()))
	case value.Date, value.Time, value.DateTime:
		return quote(v.AsBytes())
	}
	return v.String()
}

func printable(b []byte) bool {
	for _, r := range string(b) {
		if r < ' ' || r == 0x7f || r == utf8.RuneError {
			return false
		}
	}
	return true
}

var escapes = strings.NewReplacer(`\`, `\\`, `'`, `\'`)

func quote(b []byte) string { return "'" + escapes.Replace(string(b)) + "'" }
