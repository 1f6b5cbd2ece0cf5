package expr

import (
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Call is a call of a function of the table.
type Call struct {
	Name string // upper case; SUBSTRING whichever of its names was used, and so on
	Args []Node
	fn   *function
	typ  value.Type
}

// function is an entry of the function table.
type function struct {
	name     string
	min, max int // arguments; max < 0: any number
	typ      func(args []Node) value.Type
	// eval gets the arguments' values. Unless nulls is set it is called only
	// where none is NULL, and the call is NULL else.
	eval  func(env *Env, args []value.Value) (value.Value, error)
	nulls bool
	// lazy is set instead of eval where not all arguments are to be evaluated.
	lazy func(c *Call, env *Env) (value.Value, error)
	// volatile functions give another value each time or act on the session.
	volatile bool
	// session functions are constant in a statement, but not over statements.
	session bool
	// numbers are the arguments (bit i for argument i, the last bit for all
	// that follow) where a hex literal counts as a number.
	numbers uint64
	// given is set where the type is not that of the arguments, but given.
	given bool
	// check refuses wrong arguments before anything runs.
	check func(args []Node) error
}

const allArgs = ^uint64(0)

// functions is the table of functions by upper-case name; each file of
// functions adds its own.
var functions = map[string]*function{}

// register adds functions to the table.
func register(table map[string]*function) {
	for name, f := range table {
		f.name = name
		functions[strings.ToUpper(name)] = f
	}
}

// NewCall binds a call of the function called name over bound arguments: 1305
// where there is none, 1582 where it wants another number of arguments.
func NewCall(name string, args ...Node) (Node, error) {
	upper := strings.ToUpper(name)
	f, ok := functions[upper]
	switch {
	case !ok && unsupportedFunctions[upper]:
		return nil, mysqlerr.Unsupported(upper + "()")
	case !ok:
		return nil, mysqlerr.New(mysqlerr.SPDoesNotExist, "FUNCTION %s does not exist", name)
	}
	if len(args) < f.min || f.max >= 0 && len(args) > f.max {
		return nil, wrongCount(name)
	}
	for i := range args {
		if f.numbers>>min(i, 63)&1 != 0 {
			args[i] = numeric(args[i])
		}
	}
	if f.check != nil {
		for i := range args {
			args[i] = pinned(args[i])
		}
		if err := f.check(args); err != nil {
			return nil, err
		}
	}
	return newCall(f, args), nil
}

// unsupportedFunctions are MySQL's that this driver has not, which get 1235
// instead of 1305.
var unsupportedFunctions = func() map[string]bool {
	set := map[string]bool{}
	for _, name := range strings.Fields(`AES_DECRYPT AES_ENCRYPT COERCIBILITY COMPRESS DECODE DES_DECRYPT DES_ENCRYPT ENCODE ENCRYPT
		EXTRACTVALUE GTID_SUBSET GTID_SUBTRACT LOAD_FILE MASTER_POS_WAIT NAME_CONST OLD_PASSWORD PASSWORD UNCOMPRESS
		UNCOMPRESSED_LENGTH UPDATEXML VALIDATE_PASSWORD_STRENGTH WEIGHT_STRING`) {
		set[name] = true
	}
	return set
}()

func newCall(f *function, args []Node) *Call {
	c := &Call{Name: f.name, Args: args, fn: f}
	c.typ = f.typ(args)
	return c
}

func wrongCount(name string) error {
	return mysqlerr.New(mysqlerr.WrongParamCountNative, "Incorrect parameter count in the call to native function '%s'", name)
}

// Eval calls the function.
func (c *Call) Eval(env *Env) (value.Value, error) {
	mark := env.Held.Mark()
	var v value.Value
	var err error
	if c.fn.lazy != nil {
		if v, err = c.fn.lazy(c, env); err != nil {
			return v, err
		}
	} else {
		base := len(env.stack)
		v, err = c.evalArgs(env, base)
		if len(v.Raw()) > smallValue && err == nil {
			v, err = env.fitting(c.Name, v, env.stack[base:])
		}
		env.drop(base)
		if err != nil {
			return value.Value{}, rangeError(env, err, c)
		}
		if c.typ.Kind == value.Bytes {
			v = forced(v, true)
		}
	}
	if n := len(v.Raw()); env.Held != nil || n > smallValue {
		err = env.made(n, mark)
	}
	return v, err
}

// evalArgs calls the function with its arguments on the stack from base on.
func (c *Call) evalArgs(env *Env, base int) (value.Value, error) {
	for _, arg := range c.Args {
		v, err := operand(arg, env)
		if err != nil || v.IsNull() && !c.fn.nulls {
			return value.Value{}, err
		}
		if n := len(v.Raw()); n > smallValue {
			if err := env.Step(n); err != nil {
				return value.Value{}, err
			}
		}
		env.stack = append(env.stack, v)
	}
	return c.fn.eval(env, env.stack[base:len(env.stack):len(env.stack)])
}

// drop takes the arguments of a call off the stack.
func (env *Env) drop(base int) {
	clear(env.stack[base:])
	env.stack = env.stack[:base]
}

// Type is what the function gives for the types of its arguments.
func (c *Call) Type() value.Type { return c.typ }

// AppendTo appends the expression.
func (c *Call) AppendTo(dst []byte) []byte {
	return appendList(append(dst, strings.ToLower(c.Name)...), "(", c.Args, ",", ")")
}

// Children are the arguments.
func (c *Call) Children() []Node { return c.Args }

// With replaces the arguments.
func (c *Call) With(args []Node) Node {
	out := newCall(c.fn, args)
	if c.fn.given {
		out.typ = c.typ
	}
	return out
}

// Volatile reports whether two calls may differ.
func (c *Call) Volatile() bool { return c.fn.volatile }

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
	var u uint64
	for _, b := range c.V.Raw() {
		u = u<<8 | uint64(b)
	}
	return &Const{V: value.NewUint(u)}
}

// alias gives functions further names. The names that they stand for are
// registered before.
func alias(names map[string]string) {
	for name, of := range names {
		functions[name] = functions[of]
	}
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
		{"IF", 3, 3}, {"MOD", 2, 2}, {"TIMESTAMPADD", 3, 3},
	}
	for name, f := range functions {
		if name[0] >= 'A' && name[0] <= 'Z' {
			out = append(out, Signature{name, f.min, f.max})
		}
	}
	slices.SortFunc(out, func(a, b Signature) int { return strings.Compare(a.Name, b.Name) })
	return out
}
