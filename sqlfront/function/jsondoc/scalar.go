package jsondoc

import (
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Find is the parts of a document to which a path leads; ok is false, with a warning, if v is not a document.
func Find(env *function.Env, v, at value.Value) (parts []*Document, ok bool, err error) {
	path, err := pathOf(env, at)
	if err != nil {
		return nil, false, err
	}
	doc, ok, err := Read(env, v)
	if !ok {
		return nil, false, err
	}
	parts, err = path.find(env, doc)
	return parts, true, err
}

// Scalar is a part of a document as an SQL value, null as NULL: as a document if document is set; as text if
// text is set; otherwise numbers and truth values are numbers, and objects and arrays their text.
func (d *Document) Scalar(env *function.Env, document, text bool) (value.Value, error) {
	switch {
	case d.kind == jsonNull:
		return value.Value{}, nil
	case document || d.kind >= jsonArray:
		v, err := d.Result(env, "json_value")
		if err != nil || document {
			return v, err
		}
		return value.NewText(v.Raw()), nil
	case text:
		return value.NewString(d.text), nil
	}
	v, _ := d.Value(false)
	return v, nil
}
