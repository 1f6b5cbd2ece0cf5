package jsondoc

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hbasekv/hbasekv/sqlfront/collation"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/function/text"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// The JSON functions that read
// (https://dev.mysql.com/doc/refman/5.7/en/json-functions.html). Documents may
// be text, binary strings or JSON values.
func init() {
	function.Register(map[string]*function.Function{
		"JSON_EXTRACT":       {Min: 2, Max: -1, Type: function.Maybe(value.JSON), Eval: evalJSONExtract},
		"JSON_UNQUOTE":       {Min: 1, Max: 1, Type: unquotedType, Eval: evalJSONUnquote},
		"JSON_QUOTE":         {Min: 1, Max: 1, Type: function.Maybe(value.Text), Eval: evalJSONQuote},
		"JSON_VALID":         {Min: 1, Max: 1, Type: function.Small, Eval: evalJSONValid},
		"JSON_LENGTH":        {Min: 1, Max: 2, Type: function.MaybeSmall, Eval: ofDocument(jsonLength)},
		"JSON_DEPTH":         {Min: 1, Max: 1, Type: function.MaybeSmall, Eval: ofDocument(jsonDepth)},
		"JSON_TYPE":          {Min: 1, Max: 1, Type: function.Maybe(value.Text), Eval: ofDocument(jsonType)},
		"JSON_KEYS":          {Min: 1, Max: 2, Type: function.Maybe(value.JSON), Eval: ofDocument(jsonKeys)},
		"JSON_CONTAINS":      {Min: 2, Max: 3, Type: function.MaybeSmall, Eval: evalJSONContains},
		"JSON_CONTAINS_PATH": {Min: 3, Max: -1, Type: function.MaybeSmall, Eval: evalJSONContainsPath},
		"JSON_OBJECT":        {Max: -1, Type: function.FixedNotNull(value.JSON), Nulls: true, Typed: evalJSONObject, Check: checkPairs},
		"JSON_ARRAY":         {Max: -1, Type: function.FixedNotNull(value.JSON), Nulls: true, Typed: evalJSONArray},
		"JSON_PRETTY":        {Min: 1, Max: 1, Type: function.Maybe(value.Text), Eval: ofDocument(pretty)},
		"JSON_SEARCH":        {Min: 3, Max: -1, Type: function.Maybe(value.JSON), Nulls: true, Eval: evalJSONSearch},
	})
}

func evalJSONExtract(env *function.Env, args []value.Value) (value.Value, error) {
	doc, ok, err := Read(env, args[0])
	if !ok {
		return value.Value{}, err
	}
	var found []*Document
	many := len(args) > 2
	for _, a := range args[1:] {
		path, err := pathOf(env, a)
		if err != nil {
			return value.Value{}, err
		}
		many = many || path.wild()
		parts, err := path.find(env, doc)
		if err != nil {
			return value.Value{}, err
		}
		if found = append(found, parts...); len(found) > env.MaxPacket() {
			return value.Value{}, TooLong(env, "json_extract")
		}
	}
	switch {
	case len(found) == 0:
		return value.Value{}, nil
	case many:
		return newArray(found).Result(env, "json_extract")
	}
	return found[0].Result(env, "json_extract")
}

// unquotedType is the type of a text that compares by its bytes.
func unquotedType(function.Args) value.Type {
	return value.Type{Kind: value.Text, Nullable: true, Collated: value.Collated{Collation: collation.Bin, Derivation: value.Implicit}}
}

// evalJSONUnquote is the text of a JSON string, which compares by its bytes; any other value stays as it is.
func evalJSONUnquote(env *function.Env, args []value.Value) (value.Value, error) {
	b := args[0].AsBytes()
	if len(b) >= 2 && b[0] == '"' && b[len(b)-1] == '"' {
		doc, ok, err := parseJSON(env, b)
		if err != nil {
			return value.Value{}, err
		}
		if ok {
			b = []byte(doc.text)
		}
	}
	return value.NewText(b).WithBinaryCollation(), nil
}

func evalJSONQuote(env *function.Env, args []value.Value) (value.Value, error) {
	quoted := make([]byte, 1, len(args[0].Raw())+2)
	quoted[0] = '"'
	err := env.Meter().Parts(args[0].AsBytes(), func(part []byte) {
		if len(quoted) <= env.MaxPacket() {
			quoted = appendJSONText(quoted, part)
		}
	})
	return value.NewText(append(quoted, '"')), err
}

func evalJSONValid(env *function.Env, args []value.Value) (value.Value, error) {
	if args[0].Kind().IsNumber() {
		return value.NewBool(true), nil
	}
	ok, err := validJSON(env, args[0].AsBytes())
	return value.NewBool(ok), err
}

// documentAt reads the document and follows the path in the next argument, if there is one; a nil doc is
// NULL.
func documentAt(env *function.Env, args []value.Value) (doc *Document, err error) {
	doc, ok, err := Read(env, args[0])
	if !ok || len(args) == 1 {
		return doc, err
	}
	path, err := plainPath(env, args[1])
	if err != nil {
		return nil, err
	}
	return path.one(env, doc)
}

// plainPath is a path without wildcards; the error is 3149 if it has one.
func plainPath(env *function.Env, v value.Value) (jsonPath, error) {
	path, err := pathOf(env, v)
	if err == nil && path.wild() {
		err = mysqlerr.New(mysqlerr.InvalidJSONPathWildcard, "In this situation, path expressions may not contain the * and ** tokens: '%s'", v)
	}
	return path, err
}

func jsonLength(_ *function.Env, doc *Document) (value.Value, error) {
	return value.NewInt(doc.length()), nil
}

func jsonDepth(_ *function.Env, doc *Document) (value.Value, error) {
	return value.NewInt(doc.depth()), nil
}

func jsonType(_ *function.Env, doc *Document) (value.Value, error) {
	return value.NewString(doc.typeName()), nil
}

func jsonKeys(env *function.Env, doc *Document) (value.Value, error) {
	if doc.kind != jsonObject {
		return value.Value{}, nil
	}
	keys := make([]*Document, len(doc.keys))
	for i, k := range doc.keys {
		keys[i] = &Document{kind: jsonString, text: k}
	}
	return newArray(keys).Result(env, "json_keys")
}

func evalJSONContains(env *function.Env, args []value.Value) (value.Value, error) {
	part, ok, err := Read(env, args[1])
	if !ok {
		return value.Value{}, err
	}
	where := args[:1:1]
	if len(args) == 3 {
		where = append(where, args[2])
	}
	doc, err := documentAt(env, where)
	if doc == nil {
		return value.Value{}, err
	}
	contains, err := contains(env, doc, part)
	return value.NewBool(contains), err
}

// contains: an array contains a part that one of its items contains, or an array all of whose items it
// contains; an object contains one whose members it all has; a scalar contains its equal.
func contains(env *function.Env, d, part *Document) (bool, error) {
	if err := env.Step(1); err != nil {
		return false, err
	}
	switch {
	case d.kind == jsonArray && part.kind == jsonArray:
		for _, p := range part.values {
			if ok, err := contains(env, d, p); !ok {
				return false, err
			}
		}
		return true, nil
	case d.kind == jsonArray:
		for _, item := range d.values {
			if ok, err := contains(env, item, part); ok || err != nil {
				return ok, err
			}
		}
		return false, nil
	case d.kind == jsonObject && part.kind == jsonObject:
		for i, k := range part.keys {
			own := d.member(k)
			if own == nil {
				return false, nil
			}
			if ok, err := contains(env, own, part.values[i]); !ok {
				return false, err
			}
		}
		return true, nil
	}
	return d.equalScalar(part), nil
}

func (d *Document) equalScalar(o *Document) bool {
	if d.kind == jsonNumber && o.kind == jsonNumber {
		order, _ := value.Compare(d.scalar(), o.scalar())
		return order == 0
	}
	return d.kind == o.kind && d.kind < jsonArray && d.text == o.text
}

func evalJSONContainsPath(env *function.Env, args []value.Value) (value.Value, error) {
	doc, ok, err := Read(env, args[0])
	if !ok {
		return value.Value{}, err
	}
	all, err := oneOrAll(args[1], "json_contains_path")
	if err != nil {
		return value.Value{}, err
	}
	for _, a := range args[2:] {
		path, err := pathOf(env, a)
		if err != nil {
			return value.Value{}, err
		}
		part, err := path.one(env, doc)
		if err != nil {
			return value.Value{}, err
		}
		if found := part != nil; found != all {
			return value.NewBool(found), nil
		}
	}
	return value.NewBool(all), nil
}

func oneOrAll(v value.Value, function string) (all bool, err error) {
	switch word := string(v.AsBytes()); {
	case strings.EqualFold(word, "all"):
		return true, nil
	case strings.EqualFold(word, "one"):
		return false, nil
	}
	return false, mysqlerr.New(mysqlerr.JSONBadOneOrAll, "The oneOrAll argument to %s may take these values: 'one' or 'all'.", function)
}

func checkPairs(a function.Args) error {
	if len(a.Types)%2 == 1 {
		return function.WrongCount("JSON_OBJECT")
	}
	return nil
}

func evalJSONObject(_ value.Type, types []value.Type) function.Eval {
	return func(env *function.Env, args []value.Value) (value.Value, error) {
		var o ObjectBuilder
		o.Grow(len(args)/2, bytesOf(args))
		for i := 0; i < len(args); i += 2 {
			if err := o.Add(env, args[i], args[i+1], types[i+1].Bool, "json_object"); err != nil {
				return value.Value{}, err
			}
		}
		return o.Result(env, "json_object")
	}
}

// bytesOf is the approximate number of bytes of values as JSON.
func bytesOf(values []value.Value) (n int) {
	const number = 16 // also for quotes and separators
	for _, v := range values {
		n += len(v.Raw()) + number
	}
	return n
}

func jsonNullKey() error {
	return mysqlerr.New(mysqlerr.JSONNullKey, "JSON documents may not contain NULL member names.")
}

func evalJSONArray(_ value.Type, types []value.Type) function.Eval {
	return func(env *function.Env, args []value.Value) (value.Value, error) {
		var a ArrayBuilder
		for i, v := range args {
			if err := a.Add(env, v, types[i].Bool, "json_array"); err != nil {
				return value.Value{}, err
			}
		}
		return a.Result()
	}
}

// evalJSONSearch finds the paths to strings that are LIKE a pattern.
func evalJSONSearch(env *function.Env, args []value.Value) (value.Value, error) {
	if args[0].IsNull() || args[1].IsNull() || args[2].IsNull() {
		return value.Value{}, nil
	}
	doc, ok, err := Read(env, args[0])
	if !ok {
		return value.Value{}, err
	}
	all, err := oneOrAll(args[1], "json_search")
	if err != nil {
		return value.Value{}, err
	}
	s := jsonSearch{env: env, pattern: args[2].WithBinaryCollation(), escape: '\\', all: all}
	if len(args) > 3 && !args[3].IsNull() {
		if r := []rune(args[3].String()[:min(len(args[3].String()), utf8.UTFMax+1)]); len(r) == 1 {
			s.escape = r[0]
		}
	}
	if err := s.under(doc, args); err != nil || len(s.found) == 0 {
		return value.Value{}, err
	}
	if len(s.found) == 1 {
		return s.found[0].Result(env, "json_search")
	}
	return newArray(s.found).Result(env, "json_search")
}

type jsonSearch struct {
	env     *function.Env
	pattern value.Value
	escape  rune
	all     bool
	at      []byte // the path to the current part
	found   []*Document
}

// under searches the whole document, or the parts below the given paths.
func (s *jsonSearch) under(doc *Document, args []value.Value) error {
	if len(args) < 5 {
		s.at = []byte{'$'}
		return s.walk(doc)
	}
	for _, a := range args[4:] {
		path, err := plainPath(s.env, a)
		if err != nil {
			return err
		}
		part, err := path.one(s.env, doc)
		if err != nil {
			return err
		}
		if s.at = append(s.at[:0], a.AsBytes()...); part != nil {
			if err := s.walk(part); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *jsonSearch) walk(doc *Document) error {
	if err := s.env.Step(1); len(s.found) > 0 && !s.all || err != nil {
		return err
	}
	if doc.kind == jsonString {
		return s.match(doc)
	}
	before := len(s.at)
	for i, item := range doc.values {
		if doc.kind == jsonArray {
			s.at = append(strconv.AppendInt(append(s.at, '['), int64(i), 10), ']')
		} else {
			s.at = append(append(s.at, '.'), pathKey(doc.keys[i])...)
		}
		if err := s.walk(item); err != nil {
			return err
		}
		s.at = s.at[:before]
	}
	return nil
}

func (s *jsonSearch) match(doc *Document) error {
	ok, err := text.LikeMatch(value.NewString(doc.text), s.pattern, s.escape, s.env.Meter())
	if !ok || err != nil {
		return err
	}
	s.found = append(s.found, &Document{kind: jsonString, text: string(s.at)})
	return s.env.Held.Grow(jsonNodeSize + len(s.at))
}

// pathKey quotes a key that is not a plain word.
func pathKey(key string) string {
	if step, tail, ok := parseKey(key); ok && tail == "" && step.key == key && !step.any {
		return key
	}
	return string(appendJSONString(nil, key))
}

// ofDocument is a function of a document, or of the part at a path.
func ofDocument(f func(env *function.Env, doc *Document) (value.Value, error)) function.Eval {
	return func(env *function.Env, args []value.Value) (value.Value, error) {
		doc, err := documentAt(env, args)
		if doc == nil {
			return value.Value{}, err
		}
		return f(env, doc)
	}
}
