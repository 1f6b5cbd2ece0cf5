package expr

import (
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

func joinNodes(nodes []Node, sep string) string {
	var b strings.Builder
	for i, n := range nodes {
		if i > 0 {
			b.WriteString(sep)
		}
		b.WriteString(n.String())
	}
	return b.String()
}

func printList(nodes []Node) string { return joinNodes(nodes, ",") }

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

func quote(b []byte) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(string(b)) + "'"
}
