package expr

import (
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// The JSON functions that make changed documents.
func init() {
	register(map[string]*function{
		"JSON_SET":            {min: 3, max: -1, typ: maybe(value.JSON), lazy: editJSON(true, true), check: checkEdits},
		"JSON_INSERT":         {min: 3, max: -1, typ: maybe(value.JSON), lazy: editJSON(true, false), check: checkEdits},
		"JSON_REPLACE":        {min: 3, max: -1, typ: maybe(value.JSON), lazy: editJSON(false, true), check: checkEdits},
		"JSON_ARRAY_APPEND":   {min: 3, max: -1, typ: maybe(value.JSON), lazy: evalJSONArrayAppend, check: checkEdits},
		"JSON_REMOVE":         {min: 2, max: -1, typ: maybe(value.JSON), eval: evalJSONRemove},
		"JSON_MERGE_PRESERVE": {min: 2, max: -1, typ: maybe(value.JSON), eval: evalMergePreserve},
		"JSON_MERGE_PATCH":    {min: 2, max: -1, typ: maybe(value.JSON), eval: evalMergePatch, nulls: true},
	})
	alias(map[string]string{"JSON_MERGE": "JSON_MERGE_PRESERVE"})
}

func checkEdits(args []Node) error {
	if len(args)%2 == 0 {
		return wrongCount("JSON_SET")
	}
	return nil
}

// editJSON is a function of a document and pairs of path and value, which adds
// members, replaces members, or both.
func editJSON(add, replace bool) func(*Call, *Env) (value.Value, error) {
	return editPairs(func(doc *jsonDoc, path jsonPath, v *jsonDoc) *jsonDoc {
		return path.edit(doc, func(old *jsonDoc) *jsonDoc {
			if old == nil && add || old != nil && replace {
				return v
			}
			return old
		})
	})
}

func evalJSONArrayAppend(c *Call, env *Env) (value.Value, error) {
	return editPairs(func(doc *jsonDoc, path jsonPath, v *jsonDoc) *jsonDoc {
		return path.edit(doc, func(old *jsonDoc) *jsonDoc {
			switch {
			case old == nil:
				return nil
			case old.kind == jsonArray:
				return &jsonDoc{kind: jsonArray, values: append(slices.Clone(old.values), v)}
			}
			return &jsonDoc{kind: jsonArray, values: []*jsonDoc{old, v}}
		})
	})(c, env)
}

func editPairs(edit func(doc *jsonDoc, path jsonPath, v *jsonDoc) *jsonDoc) func(*Call, *Env) (value.Value, error) {
	return func(c *Call, env *Env) (value.Value, error) {
		text, err := c.Args[0].Eval(env)
		if err != nil || text.IsNull() {
			return value.Value{}, err
		}
		doc, ok, err := env.readJSON(text)
		if !ok {
			return value.Value{}, err
		}
		for i := 1; i < len(c.Args); i += 2 {
			at, err := c.Args[i].Eval(env)
			if err != nil || at.IsNull() {
				return value.Value{}, err
			}
			path, err := plainPath(at)
			if err != nil {
				return value.Value{}, err
			}
			v, err := env.jsonArg(c.Args[i+1])
			if err != nil {
				return value.Value{}, err
			}
			if err := env.copies(path, doc); err != nil {
				return value.Value{}, err
			}
			doc = edit(doc, path, v)
		}
		return doc.result(env, strings.ToLower(c.Name))
	}
}

// copies accounts for an edit: it copies the lists of parts on the way down.
func (env *Env) copies(path jsonPath, doc *jsonDoc) error {
	parts := len(doc.values)
	for _, step := range path {
		if doc = step.follow(doc); doc == nil {
			break
		}
		parts += len(doc.values)
	}
	if err := env.Held.grow(parts); err != nil {
		return err
	}
	return env.Step(partUnits * parts)
}

// edit is doc with what f makes of the part that the path leads to: f gets nil
// where there is none, and nil from it leaves the part out. Only the last step
// of a path may lead to what is not there.
func (p jsonPath) edit(doc *jsonDoc, f func(*jsonDoc) *jsonDoc) *jsonDoc {
	if len(p) == 0 {
		return f(doc)
	}
	step, rest := p[0], p[1:]
	old := step.follow(doc)
	if old == nil && len(rest) > 0 {
		return doc
	}
	var changed *jsonDoc
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

// put is doc with changed in the place of old.
func (s jsonStep) put(doc, old, changed *jsonDoc) *jsonDoc {
	switch {
	case !s.isIndex && doc.kind == jsonObject:
		return doc.putMember(s.key, changed)
	case !s.isIndex:
		return doc
	case doc.kind != jsonArray && changed == nil:
		return doc // a value that $[0] names as if it were an array is in none
	case doc.kind != jsonArray && old != nil:
		return changed
	case doc.kind != jsonArray:
		return &jsonDoc{kind: jsonArray, values: []*jsonDoc{doc, changed}}
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
	return &jsonDoc{kind: jsonArray, values: values}
}

func (d *jsonDoc) putMember(key string, changed *jsonDoc) *jsonDoc {
	out := &jsonDoc{kind: jsonObject}
	for i, k := range d.keys {
		if k != key {
			out.keys, out.values = append(out.keys, k), append(out.values, d.values[i])
		}
	}
	if changed != nil {
		out.keys, out.values = append(out.keys, key), append(out.values, changed)
	}
	_ = out.sortKeys(nil) // nothing ends it; it is nearly in order
	return out
}

func evalJSONRemove(env *Env, args []value.Value) (value.Value, error) {
	doc, ok, err := env.readJSON(args[0])
	if !ok {
		return value.Value{}, err
	}
	for _, a := range args[1:] {
		path, err := plainPath(a)
		if err != nil {
			return value.Value{}, err
		}
		if len(path) == 0 {
			return value.Value{}, mysqlerr.New(mysqlerr.JSONVacuousPath, "The path expression '$' is not allowed in this context.")
		}
		if err := env.copies(path, doc); err != nil {
			return value.Value{}, err
		}
		part, err := path.one(env, doc)
		if err != nil {
			return value.Value{}, err
		}
		if part != nil {
			doc = path.edit(doc, func(*jsonDoc) *jsonDoc { return nil })
		}
	}
	return doc.result(env, "json_remove")
}

func evalMergePreserve(env *Env, args []value.Value) (value.Value, error) {
	var out *jsonDoc
	for _, a := range args {
		doc, ok, err := env.readJSON(a)
		if !ok {
			return value.Value{}, err
		}
		if out == nil {
			out = doc
			continue
		}
		if err := env.merges(out, doc); err != nil {
			return value.Value{}, err
		}
		out = mergePreserve(out, doc)
	}
	return out.result(env, "json_merge_preserve")
}

// evalMergePatch: NULL makes the result NULL until a patch comes that is no
// object, and so replaces whatever was before.
func evalMergePatch(env *Env, args []value.Value) (value.Value, error) {
	var out *jsonDoc
	for i, a := range args {
		if a.IsNull() {
			out = nil
			continue
		}
		doc, ok, err := env.readJSON(a)
		if !ok {
			return value.Value{}, err
		}
		switch {
		case i == 0 || doc.kind != jsonObject:
			out = doc
		case out != nil:
			if err := env.merges(out, doc); err != nil {
				return value.Value{}, err
			}
			out = mergePatch(out, doc)
		}
	}
	if out == nil {
		return value.Value{}, nil
	}
	return out.result(env, "json_merge_patch")
}

// merges accounts for a merge, which copies the lists of parts that both have.
func (env *Env) merges(a, b *jsonDoc) error {
	if err := env.Held.grow(len(a.values) + len(b.values)); err != nil {
		return err
	}
	return env.Step(partUnits * (len(a.values) + len(b.values)))
}

// mergePreserve joins two objects member by member, and anything else as
// arrays.
func mergePreserve(a, b *jsonDoc) *jsonDoc {
	if a.kind == jsonObject && b.kind == jsonObject {
		return a.mergeMembers(b, func(own, v *jsonDoc) *jsonDoc {
			if own == nil {
				return v
			}
			return mergePreserve(own, v)
		})
	}
	return &jsonDoc{kind: jsonArray, values: append(slices.Clone(a.items()), b.items()...)}
}

// mergeMembers is the object with what f makes of its members, nil where it has
// none, and those of b; nil from f leaves a member out.
func (d *jsonDoc) mergeMembers(b *jsonDoc, f func(own, v *jsonDoc) *jsonDoc) *jsonDoc {
	out := &jsonDoc{kind: jsonObject}
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
	_ = out.sortKeys(nil) // nothing ends it; it is nearly in order
	return out
}

func (d *jsonDoc) items() []*jsonDoc {
	if d.kind == jsonArray {
		return d.values
	}
	return []*jsonDoc{d}
}

// mergePatch is RFC 7396: members of b replace those of a, null takes them out.
func mergePatch(a, b *jsonDoc) *jsonDoc {
	if b.kind != jsonObject {
		return b
	}
	if a.kind != jsonObject {
		a = &jsonDoc{kind: jsonObject}
	}
	return a.mergeMembers(b, func(own, v *jsonDoc) *jsonDoc {
		switch {
		case v.kind == jsonNull:
			return nil
		case own == nil:
			own = &jsonDoc{}
		}
		return mergePatch(own, v)
	})
}
