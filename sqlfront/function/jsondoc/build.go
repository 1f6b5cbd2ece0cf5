package jsondoc

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"github.com/hbasekv/hbasekv/sqlfront/cancelcheck"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// jsonText is SQL values as JSON text that is written immediately: nothing of the values stays. 333,000
// objects of three members take 480 ms of processor time this way, and 800 where each value is a Document
// first (benchmark Reports, document).
type jsonText struct{ text []byte }

// add appends a value, and returns its nesting depth; the error is 3157 for a document that is too deep, 1301
// for a value that is too long.
func (t *jsonText) add(env *function.Env, v value.Value, truth bool, call string) (deep int64, err error) {
	if v.Kind() == value.JSON || len(v.Raw()) > function.SmallValue {
		return t.addLarge(env, v, truth, call)
	}
	var short [64]byte
	kind, text := scalarText(short[:0], v, truth)
	t.text = appendScalar(t.text, kind, text)
	return 1, env.Step(len(text) + 1)
}

func (t *jsonText) addLarge(env *function.Env, v value.Value, truth bool, function string) (int64, error) {
	mark := env.Held.Mark()
	defer env.Held.Release(mark)
	doc, err := Part(env, v, truth)
	if err != nil {
		return 0, err
	}
	w := jsonWriter{env: env}
	w.write(doc)
	t.text = append(t.text, w.out...)
	return doc.depth(), w.failed(function)
}

// ArrayBuilder builds a document from items, one after the other. The zero ArrayBuilder is empty.
type ArrayBuilder struct {
	jsonText
	N    int   // of items
	deep int64 // their nesting depth
}

// Add appends an item; truth says that it is a truth value. The error is 3157 for a document that is too
// deep, 1301 if the function's result gets too long.
func (a *ArrayBuilder) Add(env *function.Env, v value.Value, truth bool, function string) error {
	a.begin()
	deep, err := a.add(env, v, truth, function)
	if err != nil {
		return err
	}
	a.deep = max(a.deep, deep)
	return a.checkLength(env, function)
}

func (a *ArrayBuilder) begin() {
	if a.N > 0 {
		a.text = append(a.text, ", "...)
	}
	a.N++
}

func (a *ArrayBuilder) checkLength(env *function.Env, function string) error {
	if len(a.text)+len("[]") > env.MaxPacket() {
		return TooLong(env, function)
	}
	return nil
}

// Append appends the items of another one; the error is 1301 if the result gets too long.
func (a *ArrayBuilder) Append(env *function.Env, other *ArrayBuilder, function string) error {
	if other.N == 0 {
		return nil
	}
	a.begin()
	a.N += other.N - 1
	a.deep, a.text = max(a.deep, other.deep), append(a.text, other.text...)
	return a.checkLength(env, function)
}

// Size is the approximate memory of the items, in bytes.
func (a *ArrayBuilder) Size() int { return cap(a.text) }

// Result is the document; the error is 3157 if it is too deep.
func (a *ArrayBuilder) Result() (value.Value, error) {
	if a.deep >= maxJSONDepth {
		return value.Value{}, jsonTooDeep()
	}
	out := append(make([]byte, 0, len(a.text)+len("[]")), '[')
	return value.NewJSON(append(append(out, a.text...), ']')), nil
}

// ObjectBuilder builds a document from members, one after the other; the last one of a name counts. The zero
// ObjectBuilder is empty.
type ObjectBuilder struct {
	jsonText // of each member its name, unescaped, and its value
	members  []jsonMember
	sorted   bool
	// manyBytes and many are the length of text and the number of members at which overridden members are
	// removed.
	manyBytes, many int
}

// jsonMember is the positions of the beginning of a name and a value, and of the value's end.
type jsonMember struct {
	name, value, end int
	deep             int64
}

const memberSize = 32

// Grow makes room for this number of members, whose names and values have this number of bytes.
func (o *ObjectBuilder) Grow(members, bytes int) {
	o.text, o.members = slices.Grow(o.text, bytes), slices.Grow(o.members, members)
}

// Add appends a member; truth says that its value is a truth value. The error is 3158 without a name, 3157
// for a document that is too deep, 1301 if the function's result gets too long.
func (o *ObjectBuilder) Add(env *function.Env, name, v value.Value, truth bool, function string) error {
	if name.IsNull() {
		return jsonNullKey()
	}
	m := jsonMember{name: len(o.text)}
	o.text = appendJSONName(o.text, name)
	m.value = len(o.text)
	var err error
	if m.deep, err = o.add(env, v, truth, function); err != nil {
		return err
	}
	m.end = len(o.text)
	o.members, o.sorted = append(o.members, m), false
	return o.forget(env, function)
}

// appendJSONName appends a value as the name of a member.
func appendJSONName(dst []byte, v value.Value) []byte {
	start := len(dst)
	if dst = v.AppendText(dst); utf8.Valid(dst[start:]) {
		return dst
	}
	return append(dst[:start], value.JSONString(nil, v)...)
}

// Append appends the members of another one; the error is 1301 if the result gets too long.
func (o *ObjectBuilder) Append(env *function.Env, other *ObjectBuilder, function string) error {
	by := len(o.text)
	o.text = append(o.text, other.text...)
	o.members = slices.Grow(o.members, len(other.members))
	for _, m := range other.members {
		m.name, m.value, m.end = m.name+by, m.value+by, m.end+by
		o.members = append(o.members, m)
	}
	o.sorted = false
	return o.forget(env, function)
}

// Reset removes all members; their memory is reused.
func (o *ObjectBuilder) Reset() {
	*o = ObjectBuilder{jsonText: jsonText{text: o.text[:0]}, members: o.members[:0]}
}

// N is the number of members, including overridden ones.
func (o *ObjectBuilder) N() int { return len(o.members) }

// Size is the approximate memory of the members, in bytes.
func (o *ObjectBuilder) Size() int { return cap(o.text) + memberSize*cap(o.members) }

// leastMany is the size below which overridden members are not removed.
const leastMany = 64 << 10

// forget removes overridden members, now and then.
func (o *ObjectBuilder) forget(env *function.Env, function string) error {
	if len(o.text) <= max(o.manyBytes, env.MaxPacket()) && len(o.members) <= max(o.many, leastMany) {
		return nil
	}
	if err := o.sort(env); err != nil {
		return err
	}
	if len(o.text) > env.MaxPacket() {
		return TooLong(env, function)
	}
	o.manyBytes, o.many = len(o.text)+len(o.text)/2, 2*len(o.members)
	return nil
}

// sort orders the members by the length of their names, then by their bytes, and removes overridden ones.
func (o *ObjectBuilder) sort(env *function.Env) error {
	if o.sorted {
		return nil
	}
	o.sorted = true
	err := cancelcheck.Sort(env.Meter(), o.members, func(a, b jsonMember) int {
		return cmp.Or(o.compareNames(a, b), cmp.Compare(a.name, b.name))
	})
	if err != nil {
		return err
	}
	kept := o.members[:0]
	for i, m := range o.members {
		if i+1 == len(o.members) || o.compareNames(m, o.members[i+1]) != 0 {
			kept = append(kept, m)
		}
	}
	if len(kept) < len(o.members) {
		o.members = kept
		o.packText()
	}
	return nil
}

func (o *ObjectBuilder) compareNames(a, b jsonMember) int {
	return compareKeys(o.text[a.name:a.value], o.text[b.name:b.value])
}

// packText removes the text of removed members.
func (o *ObjectBuilder) packText() {
	size := 0
	for _, m := range o.members {
		size += m.end - m.name
	}
	text := make([]byte, 0, size)
	for i, m := range o.members {
		by := len(text) - m.name
		text = append(text, o.text[m.name:m.end]...)
		o.members[i] = jsonMember{m.name + by, m.value + by, m.end + by, m.deep}
	}
	o.text = text
}

// Result is the document; the error is 3157 if it is too deep, 1301 if it is too long.
func (o *ObjectBuilder) Result(env *function.Env, function string) (value.Value, error) {
	if err := o.sort(env); err != nil {
		return value.Value{}, err
	}
	out := append(make([]byte, 0, len(o.text)+len(`"": , `)*len(o.members)+len("{}")), '{')
	for i, m := range o.members {
		if m.deep >= maxJSONDepth {
			return value.Value{}, jsonTooDeep()
		}
		if i > 0 {
			out = append(out, ", "...)
		}
		out = append(appendJSONString(out, o.text[m.name:m.value]), ": "...)
		out = append(out, o.text[m.value:m.end]...)
		if len(out) >= env.MaxPacket() {
			return value.Value{}, TooLong(env, function)
		}
	}
	return value.NewJSON(append(out, '}')), env.Step(len(out))
}

// scalarText is the text in a Document for an SQL value that is not a document. The bytes are those of the
// value, or of dst.
func scalarText(dst []byte, v value.Value, truth bool) (jsonKind, []byte) {
	switch v.Kind() {
	case value.Null:
		return jsonNull, dst
	case value.Float:
		return jsonNumber, appendDouble(dst, v.Float())
	case value.Int, value.Uint, value.Decimal:
		if truth {
			return jsonBool, append(dst, [...]string{"false", "true"}[min(v.Uint(), 1)]...)
		}
		return jsonNumber, v.AppendText(dst)
	}
	return jsonString, value.JSONString(dst, v)
}

func appendScalar(dst []byte, kind jsonKind, text []byte) []byte {
	switch kind {
	case jsonNull:
		return append(dst, "null"...)
	case jsonString:
		return appendJSONString(dst, text)
	}
	return append(dst, text...)
}
