package expr

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
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
	for _, s := range p {
		if s.any || s.deep {
			return true
		}
	}
	return false
}

// parsePath reads a path; 3143 where it is none.
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
		path, rest = append(path, step), tail
	}
	if len(path) > 0 && path[len(path)-1].deep {
		return nil, badPath(text)
	}
	return path, nil
}

func badPath(text string) error {
	return mysqlerr.New(mysqlerr.InvalidJSONPath, "Invalid JSON path expression '%s'", text)
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

// find appends the parts of doc that the path leads to.
func (p jsonPath) find(doc *jsonDoc, found []*jsonDoc) []*jsonDoc {
	if len(p) == 0 {
		return append(found, doc)
	}
	step, rest := p[0], p[1:]
	switch {
	case step.deep:
		found = rest.find(doc, found)
		for _, item := range doc.values {
			found = p.find(item, found)
		}
		return found
	case step.any:
		if (doc.kind == jsonArray) == step.isIndex {
			for _, item := range doc.values {
				found = rest.find(item, found)
			}
		}
		return found
	}
	if next := step.follow(doc); next != nil {
		return rest.find(next, found)
	}
	return found
}

// follow is the member or item that the step leads to, or nil. A scalar or an
// object counts as an array of itself.
func (s jsonStep) follow(doc *jsonDoc) *jsonDoc {
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

// distinct leaves each part of a document once: ** can reach one on several
// ways.
func distinct(found []*jsonDoc) []*jsonDoc {
	seen := map[*jsonDoc]bool{}
	return slices.DeleteFunc(found, func(d *jsonDoc) bool {
		again := seen[d]
		seen[d] = true
		return again
	})
}

// one is the part that a path without wildcards leads to, or nil.
func (p jsonPath) one(doc *jsonDoc) *jsonDoc {
	if found := p.find(doc, nil); len(found) > 0 {
		return found[0]
	}
	return nil
}
