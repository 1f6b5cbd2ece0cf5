package jsondoc

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// parseJSON reads a document; ok is false if it is invalid. For repeated keys the first value counts, and
// keys are ordered by length and bytes, as in MySQL 5.7. The document's memory counts as held by the
// expression.
func parseJSON(env *function.Env, b []byte) (doc *Document, ok bool, err error) {
	if ok, err = validJSON(env, b); !ok {
		return nil, false, err
	}
	r := jsonReader{text: b, env: env}
	doc, err = r.document()
	return doc, err == nil, err
}

// validJSON reports whether a text is a valid document that is not too deep.
func validJSON(env *function.Env, b []byte) (bool, error) {
	if err := env.Step(len(b)); err != nil {
		return false, err
	}
	if nesting(b) > maxJSONDepth {
		return false, nil
	}
	if err := env.Step(len(b)); err != nil {
		return false, err
	}
	return gjson.ValidBytes(b) && numbersFit(b), nil
}

// numbersFit reports whether the numbers of a valid document are within the range of doubles.
func numbersFit(b []byte) bool {
	r := jsonReader{text: b}
	for r.at < len(b) {
		switch c := r.peek(); {
		case c == '"':
			r.passString()
		case c == '-' || c >= '0' && c <= '9':
			word := r.word()
			if len(word) > fewDigits || bytes.ContainsAny(word, "eE") {
				if _, err := strconv.ParseFloat(string(word), 64); err != nil {
					return false
				}
			}
		default:
			r.at++
		}
	}
	return true
}

// fewDigits is a number of digits that is in the range of doubles without an exponent.
const fewDigits = 300

// nesting is the nesting depth of brackets, without recursion: text from a user may nest millions.
func nesting(b []byte) int {
	depth, deepest := 0, 0
	inString := false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case c == '\\' && inString:
			i++
		case c == '"':
			inString = !inString
		case !inString && (c == '{' || c == '['):
			depth++
			deepest = max(deepest, depth)
		case !inString && (c == '}' || c == ']'):
			depth--
		}
	}
	return deepest
}

// jsonReader makes a document of a valid text that is not deeper than maxJSONDepth.
type jsonReader struct {
	text []byte
	at   int
	env  *function.Env
}

// jsonNodeSize is the approximate memory of a part of a document besides its text, in bytes.
const jsonNodeSize = 96

func (r *jsonReader) document() (*Document, error) {
	start := r.at
	doc, err := r.value()
	if err == nil {
		err = r.env.Held.Grow(jsonNodeSize + len(doc.text))
	}
	if err == nil {
		err = r.env.Step(jsonNodeSize/4 + r.at - start)
	}
	return doc, err
}

func (r *jsonReader) value() (*Document, error) {
	switch r.peek() {
	case '[':
		return r.array()
	case '{':
		return r.object()
	case '"':
		return &Document{kind: jsonString, text: r.string()}, nil
	case 't', 'f':
		return &Document{kind: jsonBool, text: string(r.word())}, nil
	case 'n':
		r.word()
		return &Document{}, nil
	}
	return &Document{kind: jsonNumber, text: numberText(r.word())}, nil
}

// peek skips white space and returns the next byte.
func (r *jsonReader) peek() byte {
	for r.at < len(r.text) {
		switch c := r.text[r.at]; c {
		case ' ', '\t', '\n', '\r':
			r.at++
		default:
			return c
		}
	}
	return 0
}

// passes skips the byte c if it is the next one.
func (r *jsonReader) passes(c byte) bool {
	if r.peek() != c {
		return false
	}
	r.at++
	return true
}

func (r *jsonReader) array() (*Document, error) {
	doc := &Document{kind: jsonArray}
	r.at++
	for !r.passes(']') {
		item, err := r.document()
		if err != nil {
			return nil, err
		}
		doc.values = append(doc.values, item)
		r.passes(',')
	}
	return doc, nil
}

func (r *jsonReader) object() (*Document, error) {
	doc := &Document{kind: jsonObject}
	seen := map[string]bool{}
	r.at++
	for !r.passes('}') {
		r.peek()
		key := r.string()
		r.passes(':')
		item, err := r.document()
		if err != nil {
			return nil, err
		}
		if err := r.env.Held.Grow(jsonNodeSize + len(key)); err != nil {
			return nil, err
		}
		if !seen[key] {
			seen[key] = true
			doc.keys = append(doc.keys, key)
			doc.values = append(doc.values, item)
		}
		r.passes(',')
	}
	return doc, doc.sortKeys(r.env.Meter())
}

// string reads a string, with its escapes resolved.
func (r *jsonReader) string() string {
	start := r.at
	if r.passString() {
		return gjson.ParseBytes(r.text[start:r.at]).String()
	}
	return string(r.text[start+1 : r.at-1])
}

// passString skips a string and reports whether it has escapes.
func (r *jsonReader) passString() (escaped bool) {
	for r.at++; r.text[r.at] != '"'; r.at++ {
		if r.text[r.at] == '\\' {
			escaped = true
			r.at++
		}
	}
	r.at++
	return escaped
}

// word reads a number, or true, false or null.
func (r *jsonReader) word() []byte {
	start := r.at
	for r.at < len(r.text) && strings.IndexByte(" \t\n\r,]}", r.text[r.at]) < 0 {
		r.at++
	}
	return r.text[start:r.at]
}

// numberText is an integer as it is, and any other number in the form in which MySQL prints doubles.
func numberText(raw []byte) string {
	if !bytes.ContainsAny(raw, ".eE") {
		if _, _, whole := value.ParseInteger(raw); whole {
			return string(raw)
		}
	}
	f, _ := value.ParseFloat(raw)
	return doubleText(f)
}
