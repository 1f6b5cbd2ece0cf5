package jsondoc

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// jsonStep is one leg of a path: .key, .*, [n], [*] or **.
type jsonStep struct {
	key      string
	index    int
	fromLast bool // [last] and [last-n]: index counts from the end
	isIndex  bool
	any      bool // .* and [*]
	deep     bool // **: this level and all below
}

// jsonPath is a parsed path
// (https://dev.mysql.com/doc/refman/5.7/en/json.html#json-path-syntax).
type jsonPath []jsonStep

func (p jsonPath) wild() bool {
	return slices.ContainsFunc(p, jsonStep.wild)
}

// maxLegs is the maximum number of legs of a path, which is also the maximum depth of documents.
const maxLegs = maxJSONDepth

// pathOf reads an argument as a path.
func pathOf(env *function.Env, v value.Value) (jsonPath, error) {
	if err := env.Step(pathUnits * len(v.Raw())); err != nil {
		return nil, err
	}
	return parsePath(string(v.AsBytes()))
}

// pathUnits is the approximate cost of a byte of a path.
const pathUnits = 4

// parsePath parses a path; the error is 3143 if it is invalid, 3157 if it is too long.
func parsePath(text string) (jsonPath, error) {
	rest := strings.TrimLeft(text, " ")
	if !strings.HasPrefix(rest, "$") {
		return nil, badPath(text)
	}
	var path jsonPath
	for rest = strings.TrimLeft(rest[1:], " "); rest != ""; rest = strings.TrimLeft(rest, " ") {
		step, tail, ok := parseStep(rest)
		if !ok {
			return nil, badPath(text)
		}
		if path, rest = append(path, step), tail; len(path) > maxLegs {
			return nil, mysqlerr.New(mysqlerr.JSONDocumentTooDeep,
				"The JSON path expression exceeds the maximum of %d legs: '%.64s...'", maxLegs, text)
		}
	}
	if len(path) > 0 && path[len(path)-1].deep {
		return nil, badPath(text)
	}
	return path, nil
}

func badPath(text string) error {
	return mysqlerr.New(mysqlerr.InvalidJSONPath, "Invalid JSON path expression '%.512s'", text)
}

func parseStep(rest string) (step jsonStep, tail string, ok bool) {
	switch {
	case strings.HasPrefix(rest, "**"):
		return jsonStep{deep: true}, rest[2:], true
	case strings.HasPrefix(rest, "."):
		return parseKey(strings.TrimLeft(rest[1:], " "))
	case strings.HasPrefix(rest, "["):
		inside, tail, ok := strings.Cut(rest[1:], "]")
		step, valid := parseIndex(strings.TrimSpace(inside))
		return step, tail, ok && valid
	}
	return step, rest, false
}

func parseKey(rest string) (step jsonStep, tail string, ok bool) {
	switch {
	case strings.HasPrefix(rest, "*"):
		return jsonStep{any: true}, rest[1:], true
	case strings.HasPrefix(rest, `"`):
		return parseQuotedKey(rest)
	}
	end := strings.IndexAny(rest, " .[*")
	if end < 0 {
		end = len(rest)
	}
	key := rest[:end]
	if key == "" || key[0] >= '0' && key[0] <= '9' || strings.ContainsAny(key, `"'-+(){}],:`) {
		return step, rest, false
	}
	return jsonStep{key: key}, rest[end:], true
}

func parseQuotedKey(rest string) (step jsonStep, tail string, ok bool) {
	for i := 1; i < len(rest); i++ {
		switch rest[i] {
		case '\\':
			i++
		case '"':
			quoted := rest[:i+1]
			if !gjson.Valid(quoted) {
				return step, rest, false
			}
			return jsonStep{key: gjson.Parse(quoted).String()}, rest[i+1:], true
		}
	}
	return step, rest, false
}

func parseIndex(inside string) (step jsonStep, ok bool) {
	if inside == "*" {
		return jsonStep{isIndex: true, any: true}, true
	}
	step.isIndex = true
	if after, found := strings.CutPrefix(inside, "last"); found {
		step.fromLast = true
		after = strings.TrimSpace(after)
		if after == "" {
			return step, true
		}
		inside, found = strings.CutPrefix(after, "-")
		if inside = strings.TrimSpace(inside); !found {
			return step, false
		}
	}
	n, err := strconv.ParseUint(inside, 10, 31)
	step.index = int(n)
	return step, err == nil
}

// find is the parts of doc to which the path leads, each once, in the order of the document.
func (p jsonPath) find(env *function.Env, doc *Document) ([]*Document, error) {
	for len(p) > 0 && !p[0].wild() {
		if doc = p[0].follow(doc); doc == nil {
			return nil, nil
		}
		p = p[1:]
	}
	found, nested := []*Document{doc}, false
	for _, step := range p {
		parts := jsonParts{env: env}
		if nested {
			parts.seen = make(map[*Document]bool, len(found))
		}
		parts.from(step, found)
		if parts.err != nil {
			return nil, parts.err
		}
		found, nested = parts.docs, nested || step.deep
	}
	return found, nil
}

func (s jsonStep) wild() bool { return s.any || s.deep }

// jsonParts is parts of a document in the order in which they were found. With a set of the seen ones each
// occurs once: if some of the parts before contain others, several ways lead to the same part.
type jsonParts struct {
	docs []*Document
	seen map[*Document]bool
	env  *function.Env
	err  error
}

// from adds the parts to which the step leads from any of docs.
func (p *jsonParts) from(s jsonStep, docs []*Document) {
	for _, doc := range docs {
		switch {
		case s.deep:
			p.addBelow(doc)
		case !s.any:
			p.add(s.follow(doc))
		case (doc.kind == jsonArray) == s.isIndex:
			for _, item := range doc.values {
				p.add(item)
			}
		}
		if p.err != nil {
			return
		}
	}
}

// partUnits is the approximate cost of finding a part.
const partUnits = 16

// add is false if doc is nil or was added already.
func (p *jsonParts) add(doc *Document) bool {
	if doc == nil || p.err != nil || p.seen[doc] {
		return false
	}
	if p.seen != nil {
		p.seen[doc] = true
	}
	p.docs = append(p.docs, doc)
	if p.err = p.env.Step(partUnits); p.err == nil {
		p.err = p.env.Held.Grow(partUnits)
	}
	return true
}

// addBelow adds doc and all parts in it.
func (p *jsonParts) addBelow(doc *Document) {
	if !p.add(doc) {
		return
	}
	for _, item := range doc.values {
		p.addBelow(item)
	}
}

// follow is the member or item to which the step leads, or nil. A scalar or an object counts as an array with
// itself.
func (s jsonStep) follow(doc *Document) *Document {
	if !s.isIndex {
		if doc.kind != jsonObject {
			return nil
		}
		return doc.member(s.key)
	}
	if doc.kind != jsonArray {
		if s.index == 0 {
			return doc
		}
		return nil
	}
	if i := s.position(len(doc.values)); i >= 0 && i < len(doc.values) {
		return doc.values[i]
	}
	return nil
}

func (s jsonStep) position(length int) int {
	if s.fromLast {
		return length - 1 - s.index
	}
	return s.index
}

// one is the first part to which the path leads, or nil.
func (p jsonPath) one(env *function.Env, doc *Document) (*Document, error) {
	found, err := p.find(env, doc)
	if len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}
