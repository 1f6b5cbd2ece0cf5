package expr

import (
	"cmp"
	"encoding/base64"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// maxJSONDepth is how deep documents may nest
// (https://dev.mysql.com/doc/refman/5.7/en/json.html).
const maxJSONDepth = 100

type jsonKind uint8

const (
	jsonNull jsonKind = iota
	jsonBool
	jsonNumber
	jsonString
	jsonArray
	jsonObject
)

// jsonDoc is a JSON document as a tree. Documents are not changed once they
// are built: editing copies the way down.
type jsonDoc struct {
	kind   jsonKind
	text   string // of scalars: true, 12.5, or the string itself
	keys   []string
	values []*jsonDoc // of arrays, and of objects beside keys
}

// parseJSON reads a document; ok is false where it is none. Of several values
// of one key the first counts, and keys are ordered by length and bytes, as in
// MySQL 5.7.
func parseJSON(b []byte) (doc *jsonDoc, ok bool) {
	if jsonDepth(b) > maxJSONDepth || !gjson.ValidBytes(b) {
		return nil, false
	}
	return buildJSON(gjson.ParseBytes(b)), true
}

// jsonDepth counts how deep brackets nest, without recursion: text from a user
// may nest millions.
func jsonDepth(b []byte) int {
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

func buildJSON(r gjson.Result) *jsonDoc {
	switch {
	case r.IsArray():
		doc := &jsonDoc{kind: jsonArray}
		r.ForEach(func(_, item gjson.Result) bool {
			doc.values = append(doc.values, buildJSON(item))
			return true
		})
		return doc
	case r.IsObject():
		return buildObject(r)
	}
	switch r.Type {
	case gjson.String:
		return &jsonDoc{kind: jsonString, text: r.String()}
	case gjson.Number:
		return &jsonDoc{kind: jsonNumber, text: numberText(r.Raw)}
	case gjson.True, gjson.False:
		return &jsonDoc{kind: jsonBool, text: r.Raw}
	}
	return &jsonDoc{}
}

func buildObject(r gjson.Result) *jsonDoc {
	doc := &jsonDoc{kind: jsonObject}
	seen := map[string]bool{}
	r.ForEach(func(key, item gjson.Result) bool {
		if k := key.String(); !seen[k] {
			seen[k] = true
			doc.keys = append(doc.keys, k)
			doc.values = append(doc.values, buildJSON(item))
		}
		return true
	})
	doc.sortKeys()
	return doc
}

// numberText is an integer as it is, and any other number as MySQL prints
// doubles.
func numberText(raw string) string {
	if !strings.ContainsAny(raw, ".eE") {
		if _, _, whole := value.ParseInteger([]byte(raw)); whole {
			return raw
		}
	}
	f, _ := value.ParseFloat([]byte(raw))
	return doubleText(f)
}

// doubleText marks a double that is whole by a .0.
func doubleText(f float64) string {
	text := string(value.AppendFloat(nil, f))
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}

// sortKeys orders an object by the length of its keys, then by their bytes.
func (d *jsonDoc) sortKeys() {
	order := make([]int, len(d.keys))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(len(d.keys[i]), len(d.keys[j])), strings.Compare(d.keys[i], d.keys[j]))
	})
	keys, values := make([]string, len(order)), make([]*jsonDoc, len(order))
	for to, from := range order {
		keys[to], values[to] = d.keys[from], d.values[from]
	}
	d.keys, d.values = keys, values
}

// newObject makes an object of pairs of which the last of a key counts.
func newObject(keys []string, values []*jsonDoc) *jsonDoc {
	doc := &jsonDoc{kind: jsonObject}
	at := map[string]int{}
	for i, k := range keys {
		if j, ok := at[k]; ok {
			doc.values[j] = values[i]
			continue
		}
		at[k] = len(doc.keys)
		doc.keys = append(doc.keys, k)
		doc.values = append(doc.values, values[i])
	}
	doc.sortKeys()
	return doc
}

func (d *jsonDoc) member(key string) *jsonDoc {
	for i, k := range d.keys {
		if k == key {
			return d.values[i]
		}
	}
	return nil
}

// append writes the document as MySQL prints it: a space behind each comma and
// colon.
func (d *jsonDoc) append(dst []byte) []byte {
	switch d.kind {
	case jsonNull:
		return append(dst, "null"...)
	case jsonString:
		return appendJSONString(dst, d.text)
	case jsonArray:
		dst = append(dst, '[')
		for i, item := range d.values {
			dst = item.append(appendComma(dst, i))
		}
		return append(dst, ']')
	case jsonObject:
		dst = append(dst, '{')
		for i, item := range d.values {
			dst = appendJSONString(appendComma(dst, i), d.keys[i])
			dst = item.append(append(dst, ": "...))
		}
		return append(dst, '}')
	}
	return append(dst, d.text...)
}

func appendComma(dst []byte, i int) []byte {
	if i > 0 {
		return append(dst, ", "...)
	}
	return dst
}

const hexDigits = "0123456789abcdef"

func appendJSONString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c >= ' ':
			dst = append(dst, c)
		default:
			if at := strings.IndexByte("\b\f\n\r\t", c); at >= 0 {
				dst = append(dst, '\\', "bfnrt"[at])
				continue
			}
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	return append(dst, '"')
}

// result is the document as the value of a function: 3157 where it is too deep,
// 1301 where its text is longer than a value may be, for parts of a document may
// be in it many times.
func (d *jsonDoc) result(env *Env, function string) (value.Value, error) {
	switch {
	case d.leastSize(env.maxPacket()) > env.maxPacket():
		return value.Value{}, env.jsonTooLong(function)
	case d.depth() > maxJSONDepth:
		return value.Value{}, jsonTooDeep()
	}
	return d.value(), nil
}

// leastSize is how long the text is without escapes, in bytes, or any number above the
// limit.
func (d *jsonDoc) leastSize(limit int) int {
	size := len(d.text) + 1
	for i, item := range d.values {
		if d.kind == jsonObject {
			size += len(d.keys[i]) + len(`"": `)
		}
		if size > limit {
			break
		}
		size += item.leastSize(limit-size) + len(", ")
	}
	return size
}

func jsonTooDeep() error {
	return mysqlerr.New(mysqlerr.JSONDocumentTooDeep, "The JSON document exceeds the maximum depth.")
}

func (env *Env) jsonTooLong(function string) error {
	return mysqlerr.New(mysqlerr.AllowedPacketOverflowed, "%s", tooLongMessage(function, env.maxPacket()))
}

func (d *jsonDoc) value() value.Value { return value.NewJSON(d.append(nil)) }

func (d *jsonDoc) depth() int64 {
	deepest := int64(0)
	for _, item := range d.values {
		deepest = max(deepest, item.depth())
	}
	return deepest + 1
}

func (d *jsonDoc) length() int64 {
	if d.kind < jsonArray {
		return 1
	}
	return int64(len(d.values))
}

// typeName is what JSON_TYPE answers.
func (d *jsonDoc) typeName() string {
	if d.kind == jsonNumber {
		switch u, negative, whole := value.ParseInteger([]byte(d.text)); {
		case !whole:
			return "DOUBLE"
		case !negative && u > 1<<63-1:
			return "UNSIGNED INTEGER"
		}
		return "INTEGER"
	}
	return [...]string{"NULL", "BOOLEAN", "", "STRING", "ARRAY", "OBJECT"}[d.kind]
}

// readJSON parses an argument. ok is false, with a warning, where it is no
// document: what uses it is NULL then, as in MariaDB, so that one cell that is
// no JSON does not end a query over many.
func (env *Env) readJSON(v value.Value) (doc *jsonDoc, ok bool, err error) {
	doc, ok = parseJSON(v.AsBytes())
	if !ok {
		return nil, false, env.warn(mysqlerr.InvalidJSONTextInParam, "Invalid JSON text: '"+string(v.AsBytes()[:min(64, len(v.AsBytes()))])+"'")
	}
	return doc, true, nil
}

// jsonOf is an SQL value as a part of a document. Binary strings that are no
// text are written in base64, as MySQL does.
func jsonOf(v value.Value, truth bool) (*jsonDoc, bool) {
	switch v.Kind() {
	case value.Null:
		return &jsonDoc{}, true
	case value.JSON:
		return parseJSON(v.Raw())
	case value.Float:
		return &jsonDoc{kind: jsonNumber, text: doubleText(v.Float())}, true
	case value.Int, value.Uint, value.Decimal:
		if truth {
			return &jsonDoc{kind: jsonBool, text: [...]string{"false", "true"}[min(v.Uint(), 1)]}, true
		}
		return &jsonDoc{kind: jsonNumber, text: v.String()}, true
	case value.DateTime:
		return &jsonDoc{kind: jsonString, text: value.NewDateTime(v.Fields(), 6).String()}, true
	case value.Time:
		return &jsonDoc{kind: jsonString, text: value.NewTime(v.Micros(), 6).String()}, true
	}
	b := v.AsBytes()
	if !utf8.Valid(b) {
		return &jsonDoc{kind: jsonString, text: "base64:type15:" + base64.StdEncoding.EncodeToString(b)}, true
	}
	return &jsonDoc{kind: jsonString, text: string(b)}, true
}
