package jsondoc

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// MemberOf is value MEMBER OF (array).
const MemberOf = "$MEMBER_OF"

// The JSON functions about elements of arrays that MySQL 8 has in addition to 5.7's
// (https://dev.mysql.com/doc/refman/8.0/en/json-search-functions.html).
func init() {
	function.Register(map[string]*function.Function{
		MemberOf:            {Min: 2, Max: 2, Type: function.Nullable(function.Truth), Typed: evalMemberOf},
		"JSON_OVERLAPS":     {Min: 2, Max: 2, Type: function.Nullable(function.Truth), Eval: evalJSONOverlaps},
		"JSON_ARRAY_INSERT": eachPair("json_array_insert", insertAt),
	})
}

// evalMemberOf treats a value that is not an array as an array of it.
func evalMemberOf(_ value.Type, types []value.Type) function.Eval {
	return func(env *function.Env, args []value.Value) (value.Value, error) {
		part, err := Part(env, args[0], types[0].Bool)
		if err != nil {
			return value.Value{}, err
		}
		doc, ok, err := Read(env, args[1])
		if !ok {
			return value.Value{}, err
		}
		for _, item := range doc.items() {
			if equal, err := equalDocuments(env, item, part); equal || err != nil {
				return value.NewBool(equal), err
			}
		}
		return value.NewBool(false), nil
	}
}

// equalDocuments reports whether two documents are equal by MySQL's order.
func equalDocuments(env *function.Env, a, b *Document) (bool, error) {
	if err := env.Step(partUnits + min(len(a.text), len(b.text))); err != nil {
		return false, err
	}
	if a.kind < jsonArray || a.kind != b.kind || len(a.values) != len(b.values) {
		return a.equalScalar(b), nil
	}
	if !slices.Equal(a.keys, b.keys) {
		return false, nil
	}
	for i := range a.values {
		if equal, err := equalDocuments(env, a.values[i], b.values[i]); !equal {
			return false, err
		}
	}
	return true, nil
}

// evalJSONOverlaps: two objects overlap in a common member, two arrays in a common element; next to an array,
// another value is an element.
func evalJSONOverlaps(env *function.Env, args []value.Value) (value.Value, error) {
	a, ok, err := Read(env, args[0])
	if !ok {
		return value.Value{}, err
	}
	b, ok, err := Read(env, args[1])
	if !ok {
		return value.Value{}, err
	}
	var overlaps bool
	if a.kind == jsonObject && b.kind == jsonObject {
		overlaps, err = commonMember(env, a, b)
	} else {
		overlaps, err = commonItem(env, a.items(), b.items())
	}
	return value.NewBool(overlaps), err
}

func commonMember(env *function.Env, a, b *Document) (bool, error) {
	for i, key := range a.keys {
		own := b.member(key)
		if own == nil {
			continue
		}
		if equal, err := equalDocuments(env, a.values[i], own); equal || err != nil {
			return equal, err
		}
	}
	return false, nil
}

// commonItem looks the items of the longer list up among the keys of the shorter one.
func commonItem(env *function.Env, a, b []*Document) (bool, error) {
	if len(a) > len(b) {
		a, b = b, a
	}
	keys := make(map[string]bool, len(a))
	for _, item := range a {
		key, err := keyOf(env, item)
		if err != nil {
			return false, err
		}
		if err := env.Held.Grow(len(key)); err != nil {
			return false, err
		}
		keys[key] = true
	}
	for _, item := range b {
		key, err := keyOf(env, item)
		if err != nil {
			return false, err
		}
		if keys[key] {
			return true, nil
		}
	}
	return false, nil
}

// keyOf is a key that is the same for equal documents.
func keyOf(env *function.Env, d *Document) (string, error) {
	w := jsonWriter{env: env}
	w.write(d)
	if err := w.failed("json_overlaps"); err != nil {
		return "", err
	}
	return string(value.AppendKey(nil, value.NewJSON(w.out))), nil
}

// insertAt inserts a value before the element at a path, or after the last one if there is none; without an
// array the document stays as it is. The error is 3165 for a path that does not end with the number of an
// element.
func insertAt(env *function.Env, doc *Document, at, v value.Value, truth bool) (*Document, error) {
	path, err := plainPath(env, at)
	if err != nil {
		return nil, err
	}
	if len(path) == 0 || !path[len(path)-1].isIndex {
		return nil, mysqlerr.New(mysqlerr.InvalidJSONPathArrayCell,
			"A path expression is not a path to a cell in an array: '%s'", at.ShortString())
	}
	last := path[len(path)-1]
	return editPart(env, doc, path[:len(path)-1], v, truth, func(array, part *Document) *Document {
		if array == nil || array.kind != jsonArray {
			return array
		}
		n := len(array.values)
		return newArray(slices.Insert(slices.Clone(array.values), min(max(last.position(n), 0), n), part))
	})
}
