package expr

import (
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Call is a call of a function.
type Call struct {
	Name string // upper case; SUBSTRING whichever of its names was used, and so on
	Args []Node
	fn   *function.Function
	eval function.Eval
	// lazy is set instead of eval where not all arguments are to be evaluated.
	lazy func(c *Call, env *Env) (value.Value, error)
	typ  value.Type
}

// NewCall binds a call of the function called name over bound arguments: 1305
// where there is none, 1582 where it wants another number of arguments.
func NewCall(name string, args ...Node) (Node, error) {
	f, err := lookup(name)
	if err != nil {
		return nil, err
	}
	if len(args) < f.Min || f.Max >= 0 && len(args) > f.Max {
		return nil, function.WrongCount(name)
	}
	for i := range args {
		if f.Numbers>>min(i, 63)&1 != 0 {
			args[i] = numeric(args[i])
		}
	}
	for i := range args {
		if f.Bytes>>min(i, 63)&1 != 0 {
			args[i] = encoded(args[i])
		}
	}
	if args = besideBytes(args); f.Comparing {
		args = comparedArgs(args)
	}
	if args, err = collatedArgs(f.Name, args); err != nil {
		return nil, err
	}
	if f.Check != nil {
		for i := range args {
			args[i] = pinned(args[i])
		}
		if err := f.Check(argsOf(args)); err != nil {
			return nil, err
		}
	}
	if f.Name == "NULLIF" {
		return newNullIf(f, args[0], args[1])
	}
	return newCall(f, args), nil
}

func lookup(name string) (*function.Function, error) {
	if f := lazyFunctions[strings.ToUpper(name)]; f != nil {
		return &f.Function, nil
	}
	return function.Lookup(name)
}

func newCall(f *function.Function, args []Node) *Call {
	known := argsOf(args)
	c := &Call{Name: f.Name, Args: args, fn: f, typ: f.Type(known), eval: f.Eval}
	if texts[f.Name] && c.typ.Kind == value.Text {
		c.typ.Collated = value.JointCollated(known.Types...)
	}
	if f.Typed != nil {
		c.eval = f.Typed(c.typ, known.Types)
	}
	if c.eval == nil {
		c.lazy = lazyFunctions[f.Name].lazy
	}
	return c
}

// argsOf is what is known of arguments.
func argsOf(args []Node) function.Args { return function.Args{Types: typesOf(args), Of: asked(args)} }

func typesOf(nodes []Node) []value.Type {
	types := make([]value.Type, len(nodes))
	for i, n := range nodes {
		types[i] = n.Type()
	}
	return types
}

// asked answers what functions ask of arguments.
type asked []Node

// Ask implements function.Asker.
func (args asked) Ask(i int, q *function.Question) (int, bool) {
	if q == function.Whole {
		return wholeDigits(args[i]), true
	}
	return ask(args[i], q)
}

// Literal implements function.Asker.
func (args asked) Literal(i int) (value.Value, bool) {
	c, ok := args[i].(*Const)
	if !ok {
		return value.Value{}, false
	}
	return c.V, true
}

// Eval calls the function.
func (c *Call) Eval(env *Env) (value.Value, error) {
	mark := env.Held.Mark()
	var v value.Value
	var err error
	if c.lazy != nil {
		if v, err = c.lazy(c, env); err != nil {
			return v, err
		}
	} else {
		base := len(env.stack)
		v, err = c.evalArgs(env, base)
		env.drop(base)
		if err != nil {
			return value.Value{}, rangeError(env, err, c)
		}
	}
	return v, env.made(v, mark)
}

// made accounts for a value of which nothing else is needed any more.
func (env *Env) made(v value.Value, mark int) error {
	if n := len(v.Raw()); env.Held != nil || n > function.SmallValue {
		return env.Made(n, mark)
	}
	return nil
}

// evalArgs calls the function with its arguments on the stack from base on.
func (c *Call) evalArgs(env *Env, base int) (value.Value, error) {
	for _, arg := range c.Args {
		v, err := operand(arg, env)
		if err != nil {
			return value.Value{}, err
		}
		if null, err := c.takes(env, v); null || err != nil {
			return value.Value{}, err
		}
		env.stack = append(env.stack, v)
	}
	return c.call(env, env.stack[base:len(env.stack):len(env.stack)])
}

// takes counts the reading of an argument, or reports that the call is NULL as that is.
func (c *Call) takes(env *Env, arg value.Value) (null bool, err error) {
	if n := len(arg.Raw()); n > function.SmallValue {
		return false, env.Step(n)
	}
	return arg.IsNull() && !c.fn.Nulls, nil
}

// call calls the function.
func (c *Call) call(env *Env, args []value.Value) (value.Value, error) {
	v, err := c.eval(&env.Env, args)
	if len(v.Raw()) > function.SmallValue && err == nil {
		v, err = env.Fitting(c.Name, v, args)
	}
	if c.typ.Kind == value.Text {
		v = v.WithCollation(c.typ.Collation)
	}
	return forced(v, c.typ.Kind == value.Bytes), err
}

// of is the call with the values of its arguments.
func (c *Call) of(env *Env, args []value.Value) (value.Value, error) {
	mark := env.Held.Mark()
	for i := range args {
		if null, err := c.takes(env, args[i]); null || err != nil {
			return value.Value{}, err
		}
	}
	v, err := c.call(env, args)
	if err != nil {
		return value.Value{}, rangeError(env, err, c)
	}
	return v, env.made(v, mark)
}

// drop takes the arguments of a call off the stack.
func (env *Env) drop(base int) {
	clear(env.stack[base:])
	env.stack = env.stack[:base]
}

// Type is what the function gives for the types of its arguments.
func (c *Call) Type() value.Type { return c.typ }

func (c *Call) AppendTo(dst []byte) []byte {
	return appendList(append(dst, strings.ToLower(c.Name)...), "(", c.Args, ",", ")")
}

func (c *Call) Children() []Node { return c.Args }

func (c *Call) With(args []Node) Node {
	out := newCall(c.fn, args)
	if c.fn.Given {
		out.typ = c.typ
	}
	return out
}

// Volatile reports whether two calls may differ.
func (c *Call) Volatile() bool { return c.fn.Volatile }

// comparedArgs are arguments that are compared with each other: hex literals beside numbers are
// doubles, as other strings are.
func comparedArgs(args []Node) []Node {
	if !slices.ContainsFunc(args, isHex) || !slices.ContainsFunc(args, func(n Node) bool { return n.Type().Kind.IsNumber() }) {
		return args
	}
	out := slices.Clone(args)
	for i, n := range args {
		if isHex(n) {
			out[i] = &Const{V: value.NewFloat(numeric(n).(*Const).V.AsFloat())}
		}
	}
	return out
}

// isHex reports whether n is a hex or bit literal.
func isHex(n Node) bool {
	switch n := n.(type) {
	case *Const:
		return n.Hex
	case *Param:
		return n.hex
	}
	return false
}

// Bigint is n where a column of type BIGINT is given it. A hex literal of more than 8 bytes is out
// of its range.
func Bigint(n Node) Node {
	if !isHex(n) {
		return n
	}
	c, ok := pinned(n).(*Const)
	if !ok {
		return n
	}
	return &Const{V: value.HexBigint(c.V)}
}

// IsHex reports whether n is a hex or bit literal.
func IsHex(n Node) bool { return isHex(n) }

// numeric is n where a number is wanted: a hex literal is its big-endian
// integer then, of the last 8 bytes
// (https://dev.mysql.com/doc/refman/5.7/en/hexadecimal-literals.html).
func numeric(n Node) Node {
	if p, ok := n.(*Param); ok && p.hex {
		n = pinned(n)
	}
	c, ok := n.(*Const)
	if !ok || !c.Hex {
		return n
	}
	return &Const{V: value.HexNumber(c.V)}
}

// Signature is a function's name, in upper case, and how many arguments it takes;
// Max is negative where that has no end.
type Signature struct {
	Name     string
	Min, Max int
}

// Functions are the functions that a statement can call by their names, in the
// order of these. Aggregates are none.
func Functions() []Signature {
	out := []Signature{
		{"COERCIBILITY", 1, 1}, {"IF", 3, 3}, {"MOD", 2, 2}, {"TIMESTAMPADD", 3, 3},
	}
	for name, f := range lazyFunctions {
		out = append(out, Signature{name, f.Min, f.Max})
	}
	for name, f := range function.Table() {
		if name[0] != '$' {
			out = append(out, Signature{name, f.Min, f.Max})
		}
	}
	slices.SortFunc(out, func(a, b Signature) int { return strings.Compare(a.Name, b.Name) })
	return out
}
