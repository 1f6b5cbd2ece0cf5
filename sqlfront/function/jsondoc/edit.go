package jsondoc

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// The JSON functions that return changed documents.
func init() {
	function.Register(map[string]*function.Function{
		"JSON_SET":            editJSON("json_set", true, true),
		"JSON_INSERT":         editJSON("json_insert", true, false),
		"JSON_REPLACE":        editJSON("json_replace", false, true),
		"JSON_ARRAY_APPEND":   editPairs("json_array_append", appendJSON),
		"JSON_REMOVE":         {Min: 2, Max: -1, Type: function.Maybe(value.JSON), Eval: evalJSONRemove},
		"JSON_MERGE_PRESERVE": {Min: 2, Max: -1, Type: function.Maybe(value.JSON), Eval: evalMergePreserve},
		"JSON_MERGE_PATCH":    {Min: 2, Max: -1, Type: function.Maybe(value.JSON), Eval: evalMergePatch, Nulls: true},
	})
	function.Alias(map[string]string{"JSON_MERGE": "JSON_MERGE_PRESERVE"})
}

func checkEdits(a function.Args) error {
	if len(a.Types)%2 == 0 {
		return function.WrongCount("JSON_SET")
	}
	return nil
}

// editJSON is a function of a document and pairs of path and value, which adds members, replaces members, or
// both.
func editJSON(name string, add, replace bool) *function.Function {
	return editPairs(name, func(old, v *Document) *Document {
		if old == nil && add || old != nil && replace {
			return v
		}
		return old
	})
}

func appendJSON(old, v *Document) *Document {
	switch {
	case old == nil:
		return nil
	case old.kind == jsonArray:
		return newArray(append(slices.Clone(old.values), v))
	}
	return newArray([]*Document{old, v})
}

// editPairs is a function that replaces the part at each path by the result of edit for it and the new value.
func editPairs(name string, edit func(old, v *Document) *Document) *function.Function {
	return eachPair(name, func(env *function.Env, doc *Document, at, v value.Value, truth bool) (*Document, error) {
		path, err := plainPath(env, at)
		if err != nil {
			return nil, err
		}
		return editPart(env, doc, path, v, truth, edit)
	})
}

// eachPair is a function of a document and pairs of path and value, which edits the document by each pair;
// truth says that the value is a truth value.
func eachPair(name string, edit func(env *function.Env, doc *Document, at, v value.Value, truth bool) (*Document, error)) *function.Function {
	eval := func(_ value.Type, types []value.Type) function.Eval {
		return func(env *function.Env, args []value.Value) (value.Value, error) {
			if args[0].IsNull() {
				return value.Value{}, nil
			}
			doc, ok, err := Read(env, args[0])
			if !ok {
				return value.Value{}, err
			}
			for i := 1; i < len(args); i += 2 {
				if args[i].IsNull() {
					return value.Value{}, nil
				}
				if doc, err = edit(env, doc, args[i], args[i+1], types[i+1].Bool); err != nil {
					return value.Value{}, err
				}
			}
			return doc.Result(env, name)
		}
	}
	return &function.Function{Min: 3, Max: -1, Type: function.Maybe(value.JSON), Nulls: true, Typed: eval, Check: checkEdits}
}

func editPart(env *function.Env, doc *Document, path jsonPath, v value.Value, truth bool, edit func(old, v *Document) *Document) (*Document, error) {
	part, err := Part(env, v, truth)
	if err != nil {
		return nil, err
	}
	if err := copies(env, path, doc); err != nil {
		return nil, err
	}
	return path.edit(doc, func(old *Document) *Document { return edit(old, part) }), nil
}

// copies counts the work of an edit, which copies the lists of parts on the way to the change.
func copies(env *function.Env, path jsonPath, doc *Document) error {
	parts := len(doc.values)
	for _, step := range path {
		if doc = step.follow(doc); doc == nil {
			break
		}
		parts += len(doc.values)
	}
	if err := env.Held.Grow(parts); err != nil {
		return err
	}
	return env.Step(partUnits * parts)
}

// edit is doc with the part at the path replaced by the result of f: f gets nil if the part does not exist,
// and removes it by returning nil. Only the last step of a path may lead to a missing part.
func (p jsonPath) edit(doc *Document, f func(*Document) *Document) *Document {
	if len(p) == 0 {
		return f(doc)
	}
	step, rest := p[0], p[1:]
	old := step.follow(doc)
	if old == nil && len(rest) > 0 {
		return doc
	}
	var changed *Document
	if len(rest) == 0 {
		changed = f(old)
	} else {
		changed = rest.edit(old, f)
	}
	if changed == old {
		return doc
	}
	return step.put(doc, old, changed)
}

// put is doc with changed in place of old.
func (s jsonStep) put(doc, old, changed *Document) *Document {
	switch {
	case !s.isIndex && doc.kind == jsonObject:
		return doc.putMember(s.key, changed)
	case !s.isIndex:
		return doc
	case doc.kind != jsonArray && changed == nil:
		return doc // $[0] of a value that is not an array
	case doc.kind != jsonArray && old != nil:
		return changed
	case doc.kind != jsonArray:
		return newArray([]*Document{doc, changed})
	}
	values := slices.Clone(doc.values)
	switch i := s.position(len(values)); {
	case old == nil:
		values = append(values, changed)
	case changed == nil:
		values = slices.Delete(values, i, i+1)
	default:
		values[i] = changed
	}
	return newArray(values)
}

func (d *Document) putMember(key string, changed *Document) *Document {
	out := &Document{kind: jsonObject}
	for i, k := range d.keys {
		if k != key {
			out.keys, out.values = append(out.keys, k), append(out.values, d.values[i])
		}
	}
	if changed != nil {
		out.keys, out.values = append(out.keys, key), append(out.values, changed)
	}
	_ = out.sortKeys(nil) // without a meter it cannot fail; the keys are nearly sorted
	return out
}

func evalJSONRemove(env *function.Env, args []value.Value) (value.Value, error) {
	doc, ok, err := Read(env, args[0])
	if !ok {
		return value.Value{}, err
	}
	for _, a := range args[1:] {
		path, err := plainPath(env, a)
		if err != nil {
			return value.Value{}, err
		}
		if len(path) == 0 {
			return value.Value{}, mysqlerr.New(mysqlerr.JSONVacuousPath, "The path expression '$' is not allowed in this context.")
		}
		if err := copies(env, path, doc); err != nil {
			return value.Value{}, err
		}
		part, err := path.one(env, doc)
		if err != nil {
			return value.Value{}, err
		}
		if part != nil {
			doc = path.edit(doc, func(*Document) *Document { return nil })
		}
	}
	return doc.Result(env, "json_remove")
}

func evalMergePreserve(env *function.Env, args []value.Value) (value.Value, error) {
	var out *Document
	for _, a := range args {
		doc, ok, err := Read(env, a)
		if !ok {
			return value.Value{}, err
		}
		if out == nil {
			out = doc
			continue
		}
		if err := merges(env, out, doc); err != nil {
			return value.Value{}, err
		}
		out = mergePreserve(out, doc)
	}
	return out.Result(env, "json_merge_preserve")
}

// evalMergePatch: NULL makes the result NULL until a patch that is not an object, which replaces everything
// before.
func evalMergePatch(env *function.Env, args []value.Value) (value.Value, error) {
	var out *Document
	for i, a := range args {
		if a.IsNull() {
			out = nil
			continue
		}
		doc, ok, err := Read(env, a)
		if !ok {
			return value.Value{}, err
		}
		switch {
		case i == 0 || doc.kind != jsonObject:
			out = doc
		case out != nil:
			if err := merges(env, out, doc); err != nil {
				return value.Value{}, err
			}
			out = mergePatch(out, doc)
		}
	}
	if out == nil {
		return value.Value{}, nil
	}
	return out.Result(env, "json_merge_patch")
}

// merges counts the work of a merge, which copies the lists of parts of both.
func merges(env *function.Env, a, b *Document) error {
	if err := env.Held.Grow(len(a.values) + len(b.values)); err != nil {
		return err
	}
	return env.Step(partUnits * (len(a.values) + len(b.values)))
}

// mergePreserve joins two objects member by member, and anything else as arrays.
func mergePreserve(a, b *Document) *Document {
	if a.kind == jsonObject && b.kind == jsonObject {
		return a.mergeMembers(b, func(own, v *Document) *Document {
			if own == nil {
				return v
			}
			return mergePreserve(own, v)
		})
	}
	return newArray(append(slices.Clone(a.items()), b.items()...))
}

// mergeMembers is the object with the results of f for the members of b, where own is nil if d does not have
// the member; f removes a member by returning nil.
func (d *Document) mergeMembers(b *Document, f func(own, v *Document) *Document) *Document {
	out := &Document{kind: jsonObject}
	for i, k := range d.keys {
		if b.member(k) == nil {
			out.keys, out.values = append(out.keys, k), append(out.values, d.values[i])
		}
	}
	for i, k := range b.keys {
		if v := f(d.member(k), b.values[i]); v != nil {
			out.keys, out.values = append(out.keys, k), append(out.values, v)
		}
	}
	_ = out.sortKeys(nil) // without a meter it cannot fail; the keys are nearly sorted
	return out
}

func (d *Document) items() []*Document {
	if d.kind == jsonArray {
		return d.values
	}
	return []*Document{d}
}

// mergePatch is RFC 7396: members of b replace those of a, null removes them.
func mergePatch(a, b *Document) *Document {
	if b.kind != jsonObject {
		return b
	}
	if a.kind != jsonObject {
		a = &Document{kind: jsonObject}
	}
	return a.mergeMembers(b, func(own, v *Document) *Document {
		switch {
		case v.kind == jsonNull:
			return nil
		case own == nil:
			own = &Document{}
		}
		return mergePatch(own, v)
	})
}
