package jsondoc

import (
	"strings"

	"github.com/shopspring/decimal"

	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Path is a path of JSON_TABLE.
type Path struct{ path jsonPath }

// NewPath parses a path; its errors are 3143 and 3157.
func NewPath(text string) (Path, error) {
	path, err := parsePath(text)
	return Path{path}, err
}

// Find is the parts of a document to which the path leads, in the order of the document.
func (p Path) Find(env *function.Env, doc *Document) ([]*Document, error) {
	return p.path.find(env, doc)
}

// TableDocument is the document of JSON_TABLE, nil for NULL; the error is 3141 for an invalid one.
func TableDocument(env *function.Env, v value.Value) (*Document, error) {
	if v.IsNull() {
		return nil, nil
	}
	doc, ok, err := parseJSON(env, v.AsBytes())
	if !ok && err == nil {
		err = mysqlerr.New(mysqlerr.InvalidJSONTextInParam,
			"Invalid JSON text in argument 1 to function json_table: '%s'", v.ShortString())
	}
	return doc, err
}

// Value is a scalar as an SQL value; true and false are words or, without words, numbers. ok is false for an
// array and an object.
func (d *Document) Value(words bool) (v value.Value, ok bool) {
	switch d.kind {
	case jsonNull:
		return value.Value{}, true
	case jsonBool:
		if words {
			return value.NewString(d.text), true
		}
		return value.NewBool(d.text == "true"), true
	case jsonNumber:
		return d.number(), true
	case jsonString:
		return value.NewString(d.text), true
	}
	return value.Value{}, false
}

// number is a number with its digits as written, or a double if it has an exponent.
func (d *Document) number() value.Value {
	switch u, negative, whole := value.ParseInteger([]byte(d.text)); {
	case whole && negative:
		return value.NewInt(int64(u))
	case whole && u <= 1<<63-1:
		return value.NewInt(int64(u))
	case whole:
		return value.NewUint(u)
	case !strings.ContainsAny(d.text, "eE"):
		if n, err := decimal.NewFromString(d.text); err == nil {
			return value.NewDecimal(n)
		}
	}
	f, _ := value.ParseFloat([]byte(d.text))
	return value.NewFloat(f)
}
