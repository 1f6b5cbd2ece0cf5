package coltype

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/hbasekv/hbasekv/sqlfront/function/jsondoc"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// text is a text in the column's collation.
func (t Type) text(b []byte) value.Value { return value.NewText(b).WithCollation(t.By()) }

// text cuts to the characters or bytes that the column holds; a CHAR has no trailing spaces.
func (c conversion) text(v value.Value) (value.Value, error) {
	b := v.AsBytes()
	if err := c.w.Env.Reads(v, value.Value{}); err != nil {
		return v, err
	}
	fitting := c.Type.cut(b)
	rest := b[len(fitting):]
	good, err := c.wellFormed(fitting, b)
	if c.Type.Base == Char {
		good = bytes.TrimRight(good, " ")
	}
	out := value.NewText(good).WithCollation(c.by)
	switch {
	case err != nil || len(good) < len(fitting) && c.firstBad(fitting) >= 0:
		return out, err
	case len(rest) == 0, c.Type.Base == Char && len(bytes.TrimRight(rest, " ")) == 0:
		return out, nil
	case len(bytes.TrimRight(rest, " ")) > 0:
		return c.tooLong(out)
	}
	return c.lost(out)
}

// cut is as much of a text as the column holds.
func (t Type) cut(b []byte) []byte {
	if !t.Base.IsLarge() {
		return prefix(b, t.Length)
	}
	if most := t.Octets(); len(b) > most {
		for most > 0 && !utf8.RuneStart(b[most]) {
			most--
		}
		return b[:most]
	}
	return b
}

// prefix is the first characters of a text.
func prefix(b []byte, characters int) []byte {
	if len(b) <= characters {
		return b
	}
	at := 0
	for ; characters > 0 && at < len(b); characters-- {
		_, size := utf8.DecodeRune(b[at:])
		at += size
	}
	return b[:at]
}

// wellFormed is the fitting part of a text up to the first invalid character of the column's character set,
// which is error 1366.
func (c conversion) wellFormed(fitting, text []byte) ([]byte, error) {
	bad := c.firstBad(fitting)
	if bad < 0 {
		return fitting, nil
	}
	return fitting[:bad], c.warn(mysqlerr.TruncatedWrongForField, "Incorrect string value: '"+badBytes(text[bad:])+"'")
}

// firstBad is the index of the first character that the character set does not have; negative if there is
// none. MySQL's utf8 has no characters of four bytes.
func (p *prepared) firstBad(b []byte) int {
	if !p.narrow && utf8.Valid(b) {
		return -1
	}
	for at := 0; at < len(b); {
		r, size := utf8.DecodeRune(b[at:])
		if r == utf8.RuneError && size == 1 || p.narrow && size == utf8.UTFMax {
			return at
		}
		at += size
	}
	return -1
}

// badBytes are the first invalid bytes, for a message.
func badBytes(b []byte) string {
	const shown = 6
	if len(b) > shown {
		return escaped(b[:shown]) + "..."
	}
	return escaped(b)
}

// escaped shows bytes as MySQL does.
func escaped(b []byte) string {
	var out strings.Builder
	for _, c := range b {
		if c >= ' ' && c < utf8.RuneSelf {
			out.WriteByte(c)
		} else {
			fmt.Fprintf(&out, `\x%02X`, c)
		}
	}
	return out.String()
}

// tooLong is error 1406, or without strict mode warning 1265.
func (c conversion) tooLong(v value.Value) (value.Value, error) {
	if !c.w.Env.Strict {
		return c.truncated(v)
	}
	return v, c.warn(mysqlerr.DataTooLong, "Data too long")
}

// bytes cuts to the bytes that the column holds, and pads values of BINARY with zeros.
func (c conversion) bytes(v value.Value) (value.Value, error) {
	b := v.AsBytes()
	most := c.Type.Octets()
	if pad := c.Type.padded(); len(b) < pad {
		b = append(make([]byte, 0, pad), b...)[:pad]
	}
	if len(b) > most {
		return c.tooLong(value.NewBytes(b[:most]))
	}
	return value.NewBytes(b), nil
}

// padded is the length of the values of BINARY, 0 for other types.
func (t Type) padded() int {
	if t.Base == Binary {
		return t.Length
	}
	return 0
}

// json reads a text as a document. Numbers and times are refused, as in MySQL: they need a CAST.
func (c conversion) json(v value.Value) (value.Value, error) {
	if v.Kind() == value.JSON {
		return v, nil
	}
	if !v.IsString() {
		return v, c.noDocument("not a JSON text, may need CAST")
	}
	if !utf8.Valid(v.Raw()) {
		return v, c.noDocument("The text is not UTF-8.")
	}
	quiet := *c.w.Env
	quiet.Strict, quiet.Session = false, nil
	doc, ok, err := jsondoc.Read(&quiet, v)
	if err != nil {
		return v, err
	}
	if !ok {
		return v, c.noDocument("Invalid value.")
	}
	return doc.Result(c.w.Env, "json")
}

// noDocument is an error even without strict mode: no document can replace an invalid one.
func (c conversion) noDocument(reason string) error {
	return mysqlerr.New(mysqlerr.InvalidJSONText, "Invalid JSON text: \"%s\" in value%s.", reason, c.place())
}
