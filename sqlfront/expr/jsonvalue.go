package expr

import (
	"math"

	"github.com/hbasekv/hbasekv/sqlfront/function/jsondoc"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// JSONValue is JSON_VALUE(Doc, Path RETURNING type ...)
// (https://dev.mysql.com/doc/refman/8.0/en/json-search-functions.html#function_json-value).
type JSONValue struct {
	Doc, Path        Node
	OnEmpty, OnError JSONResponse
	To               *Cast // of an operand that is not used
}

// JSONResponse is the result of JSON_VALUE instead of a value: NULL, an error, or a default.
type JSONResponse struct {
	Fails   bool
	Default Node // nil means NULL
}

// Eval is the value at the path, converted to the type: NULL for a NULL document, and for a JSON null.
func (n *JSONValue) Eval(env *Env) (value.Value, error) {
	mark := env.Held.Mark()
	v, err := n.eval(env)
	if err != nil {
		return value.Value{}, err
	}
	return v, env.made(v, mark)
}

func (n *JSONValue) eval(env *Env) (value.Value, error) {
	doc, err := Operand(n.Doc, env)
	if err != nil {
		return value.Value{}, err
	}
	path, err := Operand(n.Path, env)
	if err != nil || doc.IsNull() || path.IsNull() {
		return value.Value{}, err
	}
	parts, ok, err := n.find(env, doc, path)
	switch {
	case err != nil:
		return value.Value{}, err
	case !ok:
		return n.respond(env, n.OnError, nil)
	case len(parts) == 0:
		return n.respond(env, n.OnEmpty, mysqlerr.New(mysqlerr.MissingJSONValue,
			"No value was found by 'json_value' on the specified path."))
	case len(parts) > 1:
		return n.respond(env, n.OnError, mysqlerr.New(mysqlerr.MultipleJSONValues,
			"More than one value was found by 'json_value' on the specified path."))
	}
	return n.convert(env, parts[0])
}

// find warns about an invalid document, unless that is an error.
func (n *JSONValue) find(env *Env, doc, path value.Value) (parts []*jsondoc.Document, ok bool, err error) {
	strict := env.Strict
	env.Strict = strict || n.OnError.Fails
	parts, ok, err = jsondoc.Find(&env.Env, doc, path)
	env.Strict = strict
	return parts, ok, err
}

// respond is the result instead of a value; for ERROR it is err.
func (n *JSONValue) respond(env *Env, r JSONResponse, err error) (value.Value, error) {
	switch {
	case r.Fails:
		return value.Value{}, err
	case r.Default == nil:
		return value.Value{}, nil
	}
	v, err := r.Default.Eval(env)
	if err != nil || v.IsNull() {
		return v, err
	}
	v, ok, err := n.cast(env, v)
	if err == nil && !ok {
		err = n.outOfRange()
	}
	return v, err
}

func (n *JSONValue) convert(env *Env, part *jsondoc.Document) (value.Value, error) {
	v, err := part.Scalar(&env.Env, n.To.To == ToJSON, n.To.To == ToChar || n.To.To == ToDecimal)
	if err != nil || v.IsNull() {
		return v, err
	}
	v, ok, err := n.cast(env, v)
	if err == nil && !ok {
		return n.respond(env, n.OnError, n.outOfRange())
	}
	return v, err
}

func (n *JSONValue) outOfRange() error {
	return mysqlerr.New(mysqlerr.DataOutOfRange, "%s value is out of range in 'json_value'", castNames[n.To.To])
}

// cast converts a value to the type; ok is false if that is impossible.
func (n *JSONValue) cast(env *Env, v value.Value) (_ value.Value, ok bool, err error) {
	if n.wraps(v) {
		return value.Value{}, false, nil
	}
	strict := env.Strict
	env.Strict = true
	v, err = n.To.of(env, v)
	env.Strict = strict
	switch {
	case mysqlerr.IsOne(err) && !mysqlerr.Is(err, mysqlerr.OutOfSortMemory, mysqlerr.OutOfResources):
		return value.Value{}, false, nil
	case err != nil:
		return value.Value{}, false, err
	}
	return v.WithBinaryCollation(), !v.IsNull(), nil
}

// wraps reports whether an integer is out of the range of the integer type.
func (n *JSONValue) wraps(v value.Value) bool {
	return n.To.To == ToUnsigned && v.Kind() == value.Int && v.Int() < 0 ||
		n.To.To == ToSigned && v.Kind() == value.Uint && v.Uint() > math.MaxInt64
}

// Type is the type of RETURNING, by default VARCHAR(512).
func (n *JSONValue) Type() value.Type {
	t := n.To.Type()
	t.Nullable = true
	return t
}

func (n *JSONValue) AppendTo(dst []byte) []byte {
	dst = n.Path.AppendTo(append(n.Doc.AppendTo(append(dst, "json_value("...)), ','))
	dst = n.To.appendType(append(dst, " returning "...))
	dst = n.OnEmpty.appendTo(dst, "empty")
	return append(n.OnError.appendTo(dst, "error"), ')')
}

func (r JSONResponse) appendTo(dst []byte, on string) []byte {
	switch {
	case r.Fails:
		dst = append(dst, " error"...)
	case r.Default != nil:
		dst = r.Default.AppendTo(append(dst, " default "...))
	default:
		dst = append(dst, " null"...)
	}
	return append(append(dst, " on "...), on...)
}

// Children are the document, the path, and the values after DEFAULT.
func (n *JSONValue) Children() []Node {
	out := []Node{n.Doc, n.Path}
	for _, r := range []JSONResponse{n.OnEmpty, n.OnError} {
		if r.Default != nil {
			out = append(out, r.Default)
		}
	}
	return out
}

func (n *JSONValue) With(c []Node) Node {
	out := *n
	out.Doc, out.Path, c = c[0], c[1], c[2:]
	for _, r := range []*JSONResponse{&out.OnEmpty, &out.OnError} {
		if r.Default != nil {
			r.Default, c = c[0], c[1:]
		}
	}
	return &out
}
