package value

import (
	"encoding/hex"
	"strings"
	"unicode/utf8"
)

// Print is a value as a literal of its kind, as MySQL prints it in errors.
func Print(v Value) string {
	switch v.Kind() {
	case Null:
		return "NULL"
	case Text, JSON:
		return Quote(v.Raw())
	case Bytes:
		if printable(v.Raw()) {
			return Quote(v.Raw())
		}
		return "0x" + strings.ToUpper(hex.EncodeToString(v.Raw()))
	case Date, Time, DateTime:
		return Quote(v.AsBytes())
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

// Quote is a string literal.
func Quote(b []byte) string { return "'" + escapes.Replace(string(b)) + "'" }
