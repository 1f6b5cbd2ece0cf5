package jsondoc

import (
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Find is the parts of a document that a path leads to; ok is false, with a warning, where it
// is no document.
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

// Scalar is a part of a document as a value of SQL, null as NULL: as a document where document is
// set; else a number or truth value as a text where text is set, and objects and arrays as theirs.
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
