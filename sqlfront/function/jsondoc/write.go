package jsondoc

import (
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/cancelcheck"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// jsonWriter prints a document as MySQL does: with a space after each comma and colon. It stops when the text
// gets longer than max_allowed_packet, since parts may be in a document many times.
type jsonWriter struct {
	out []byte
	env *function.Env
	// newline begins each line of JSON_PRETTY; if empty, the text is one line.
	newline string
	// long is set if a string was omitted that is longer than the text may be.
	long bool
	err  error
}

// Result is the document as the value of a function; the error is 3157 if it is too deep, 1301 if its text is
// too long.
func (d *Document) Result(env *function.Env, function string) (value.Value, error) {
	if d.depth() > maxJSONDepth {
		return value.Value{}, jsonTooDeep()
	}
	w := jsonWriter{env: env}
	w.write(d)
	return value.NewJSON(w.out), w.failed(function)
}

// pretty is the document with each member and item on a line of its own.
func pretty(env *function.Env, d *Document) (value.Value, error) {
	w := jsonWriter{env: env, newline: "\n"}
	w.write(d)
	return value.NewText(w.out), w.failed("json_pretty")
}

func (w *jsonWriter) failed(function string) error {
	if w.err == nil && w.tooLong() {
		return TooLong(w.env, function)
	}
	return w.err
}

func (w *jsonWriter) tooLong() bool { return w.long || len(w.out) > w.env.MaxPacket() }

func jsonTooDeep() error {
	return mysqlerr.New(mysqlerr.JSONDocumentTooDeep, "The JSON document exceeds the maximum depth.")
}

// TooLong is error 1301 for a document beyond max_allowed_packet as the result of the call.
func TooLong(env *function.Env, call string) error {
	return mysqlerr.New(mysqlerr.AllowedPacketOverflowed, "%s", function.TooLongMessage(call, env.MaxPacket()))
}

func (w *jsonWriter) write(d *Document) {
	before := len(w.out)
	switch d.kind {
	case jsonNull:
		w.out = append(w.out, "null"...)
	case jsonString:
		w.text(d.text)
	case jsonArray, jsonObject:
		w.parts(d)
		return
	default:
		w.out = append(w.out, d.text...)
	}
	if w.err == nil {
		w.err = w.env.Step(len(w.out) - before + 1)
	}
}

// text writes a string. Escapes make one up to six times as long, so a long one is measured before it is
// written.
func (w *jsonWriter) text(s string) {
	if len(s) > function.SmallValue {
		if !w.fits(s) {
			return
		}
	}
	w.out = appendJSONString(w.out, s)
}

// fits allocates for a string, or ends the document if that is too long.
func (w *jsonWriter) fits(s string) bool {
	size := len(w.out) + len(s) + len(`""`)
	for at := 0; at < len(s) && size <= w.env.MaxPacket(); at += cancelcheck.Stride {
		part := s[at:min(at+cancelcheck.Stride, len(s))]
		if w.err = w.env.Step(len(part)); w.err != nil {
			return false
		}
		for i := range len(part) {
			size += escapeSize(part[i])
		}
	}
	if w.long = size > w.env.MaxPacket(); w.long {
		return false
	}
	w.out = slices.Grow(w.out, size-len(w.out))
	return true
}

// escapeSize is the number of bytes by which the escape of a byte is longer than the byte.
func escapeSize(c byte) int {
	switch {
	case c == '"' || c == '\\' || strings.IndexByte(shortEscapes, c) >= 0:
		return 1
	case c < ' ':
		return len(`\u0000`) - 1
	}
	return 0
}

// shortEscapes are the control characters that are escaped by a letter.
const shortEscapes = "\b\f\n\r\t"

// parts writes an array or an object.
func (w *jsonWriter) parts(d *Document) {
	brackets, outer := "[]", w.newline
	if d.kind == jsonObject {
		brackets = "{}"
	}
	w.out = append(w.out, brackets[0])
	if outer != "" {
		w.newline += "  "
	}
	for i, item := range d.values {
		w.separate(i)
		if d.kind == jsonObject {
			w.text(d.keys[i])
			w.out = append(w.out, ": "...)
		}
		if w.write(item); w.err != nil || w.tooLong() {
			return
		}
	}
	if w.newline = outer; len(d.values) > 0 {
		w.out = append(w.out, outer...)
	}
	w.out = append(w.out, brackets[1])
	w.err = w.env.Step(1)
}

func (w *jsonWriter) separate(i int) {
	switch {
	case w.newline != "":
		if i > 0 {
			w.out = append(w.out, ',')
		}
		w.out = append(w.out, w.newline...)
	case i > 0:
		w.out = append(w.out, ", "...)
	}
}

const hexDigits = "0123456789abcdef"

func appendJSONString[T string | []byte](dst []byte, s T) []byte {
	return append(appendJSONText(append(dst, '"'), s), '"')
}

// appendJSONText appends the text between the quotes of a string.
func appendJSONText[T string | []byte](dst []byte, s T) []byte {
	plain := 0 // start of what is not yet in dst
	for i := range len(s) {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[plain:i]...)
		plain = i + 1
		if at := strings.IndexByte(shortEscapes, c); at >= 0 {
			dst = append(dst, '\\', "bfnrt"[at])
		} else if c >= ' ' {
			dst = append(dst, '\\', c)
		} else {
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	return append(dst, s[plain:]...)
}
