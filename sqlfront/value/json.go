package value

import "bytes"

// jsonScalar is the SQL value of a JSON scalar.
func jsonScalar(text []byte) Value {
	text = bytes.TrimSpace(text)
	switch string(text) {
	case "true":
		return NewInt(1)
	case "false", "null":
		return NewInt(0)
	}
	if len(text) > 0 && text[0] == '"' {
		return NewText(bytes.Trim(text, `"`))
	}
	return NewText(text)
}

func compareJSON(a, b Value) int { return bytes.Compare(a.AsBytes(), b.AsBytes()) }
