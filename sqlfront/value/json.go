package value

import (
	"bytes"
	"encoding/json"

	"github.com/hbasekv/hbasekv/sqlfront/value/ascii"
)

// jsonScalar is the SQL value of a JSON scalar; for an object or array, its text.
func jsonScalar(text []byte) Value {
	text = bytes.TrimSpace(text)
	switch string(text) {
	case "true":
		return NewInt(1)
	case "false":
		return NewInt(0)
	}
	if len(text) == 0 {
		return NewText(nil).WithBinaryCollation()
	}
	switch c := text[0]; {
	case c == '"':
		var s string
		if json.Unmarshal(text, &s) == nil {
			return NewString(s).WithBinaryCollation()
		}
	case c == '-' || ascii.IsDigit(c):
		return jsonNumber(text)
	}
	return NewText(text).WithBinaryCollation()
}

func jsonNumber(text []byte) Value {
	if i, ok := ParseInt(text); ok {
		return NewInt(i)
	}
	if u, negative, whole := ParseInteger(text); whole && !negative {
		return NewUint(u)
	}
	f, _ := ParseFloat(text)
	return NewFloat(f)
}
