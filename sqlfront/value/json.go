package value

import (
	"bytes"
	"encoding/json"
)

// jsonScalar is the SQL value of a JSON scalar; of an object or array its text.
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
	case c == '-' || isDigit(c):
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

// compareJSON orders values of which at least one is JSON: scalars as the SQL
// values that they are, with the case of strings.
func compareJSON(a, b Value) int {
	a, b = unJSON(a), unJSON(b)
	if a.kind == Bytes && b.kind == Text || a.kind == Text && b.kind == Bytes {
		return bytes.Compare(a.Raw(), b.Raw())
	}
	order, _ := Compare(a, b)
	return order
}

func unJSON(v Value) Value {
	if v.kind == JSON {
		return jsonScalar(v.Raw())
	}
	return v
}
