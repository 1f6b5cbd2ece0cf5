package expr

import (
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Call is a call of a function.
type Call struct {
	Name string // upper case; for synonyms, one of them: SUBSTRING, and so on
	Args []Node
	fn   *function.Function
	eval function.Eval
	// lazy is set instead of eval if not all arguments are always evaluated.
	lazy func(c *Call, env *Env) (value.Value, error)
	typ  value.Type
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

// evalArgs evaluates the arguments onto the stack from base on, and calls the function.
func (c *Call) evalArgs(env *Env, base int) (value.Value, error) {
	for _, arg := range c.Args {
		v, err := Operand(arg, env)
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

// takes counts the work of reading an argument, or reports that the call is NULL because the argument is.
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

// of is the call over the values of its arguments.
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

// Type is the function's type for the types of its arguments.
func (c *Call) Type() value.Type { return c.typ }

func (c *Call) AppendTo(dst []byte) []byte {
	return AppendList(append(dst, strings.ToLower(c.Name)...), "(", c.Args, ",", ")")
}

func (c *Call) Children() []Node { return c.Args }

func (c *Call) With(args []Node) Node {
	out := CallOf(c.fn, args)
	if c.fn.Given {
		out.typ = c.typ
	}
	return out
}

// WithType is the same call with a type that does not follow from its arguments.
func (c *Call) WithType(t value.Type) *Call {
	out := *c
	out.typ = t
	return &out
}

// Varies reports whether the call may have another value in another statement or session; name is the
// function's.
func (c *Call) Varies() (name string, varies bool) { return c.fn.Name, c.fn.Volatile || c.fn.Session }

// Volatile reports whether two calls may differ.
func (c *Call) Volatile() bool { return c.fn.Volatile }
