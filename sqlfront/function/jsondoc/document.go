package jsondoc

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/cancelcheck"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// maxJSONDepth is the maximum nesting depth of documents
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

// Document is a JSON document as a tree. It is immutable once it is built: editing copies the nodes on the
// way to the change.
type Document struct {
	kind   jsonKind
	text   string // for scalars: true, 12.5, or the string itself
	keys   []string
	values []*Document // for arrays, and for objects in parallel to keys
}

// doubleText adds .0 to an integral double.
func doubleText(f float64) string { return string(appendDouble(nil, f)) }

func appendDouble(dst []byte, f float64) []byte {
	start := len(dst)
	if dst = value.AppendFloat(dst, f); !bytes.ContainsAny(dst[start:], ".e") {
		dst = append(dst, ".0"...)
	}
	return dst
}

// sortKeys orders an object by the length of its keys, then by their bytes.
func (d *Document) sortKeys(m *cancelcheck.Meter) error {
	order := make([]int, len(d.keys))
	for i := range order {
		order[i] = i
	}
	err := cancelcheck.Sort(m, order, func(i, j int) int { return compareKeys(d.keys[i], d.keys[j]) })
	keys, values := make([]string, len(order)), make([]*Document, len(order))
	for to, from := range order {
		keys[to], values[to] = d.keys[from], d.values[from]
	}
	d.keys, d.values = keys, values
	return err
}

func newArray(parts []*Document) *Document { return &Document{kind: jsonArray, values: parts} }

func (d *Document) member(key string) *Document {
	if i, ok := slices.BinarySearchFunc(d.keys, key, compareKeys); ok {
		return d.values[i]
	}
	return nil
}

// compareKeys orders names as MySQL does, by their length first. The conversions in comparisons copy nothing.
func compareKeys[T string | []byte](a, b T) int {
	switch {
	case len(a) != len(b):
		return cmp.Compare(len(a), len(b))
	case string(a) < string(b):
		return -1
	case string(a) > string(b):
		return 1
	}
	return 0
}

// scalar is a scalar's text as a value.
func (d *Document) scalar() value.Value { return value.NewJSON([]byte(d.text)) }

func (d *Document) depth() int64 {
	deepest := int64(0)
	for _, item := range d.values {
		deepest = max(deepest, item.depth())
	}
	return deepest + 1
}

func (d *Document) length() int64 {
	if d.kind < jsonArray {
		return 1
	}
	return int64(len(d.values))
}

// typeName is the result of JSON_TYPE.
func (d *Document) typeName() string {
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

// Read parses an argument. ok is false, with a warning, if it is not a document: a function of it is then
// NULL, as in MariaDB, so that one invalid cell does not end a query over many.
func Read(env *function.Env, v value.Value) (doc *Document, ok bool, err error) {
	if doc, ok, err = parseJSON(env, v.AsBytes()); err != nil {
		return nil, false, err
	}
	if !ok {
		return nil, false, env.Warn(mysqlerr.InvalidJSONTextInParam, "Invalid JSON text: '"+v.ShortString()+"'")
	}
	return doc, true, nil
}

// Part is an SQL value as a part of a document; the error is 3157 for a document that is too deep.
func Part(env *function.Env, v value.Value, truth bool) (*Document, error) {
	if v.Kind() == value.JSON {
		doc, ok, err := parseJSON(env, v.Raw())
		if !ok && err == nil {
			err = jsonTooDeep()
		}
		return doc, err
	}
	kind, text := scalarText(nil, v, truth)
	return &Document{kind: kind, text: string(text)}, env.Held.Grow(len(text))
}
