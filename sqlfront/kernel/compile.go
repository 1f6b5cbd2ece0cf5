package kernel

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Compile makes a kernel of an expression, or returns nil if each row must be evaluated by itself
// because the expression is not [Pure].
func (c *Compiler) Compile(n expr.Node) Kernel {
	if !Pure(n) {
		return nil
	}
	c.begin()
	return c.node(n)
}

func (c *Compiler) begin() { c.left, c.tried = maxCompiled, nil }

// maxCompiled limits how often expressions and their operands are compiled, as each way that is
// tried may compile some again; the rest is evaluated row by row.
const maxCompiled = 4 * maxNodes

// CompileAll makes a kernel of each node, and reports whether all have one.
func (c *Compiler) CompileAll(nodes []expr.Node) (out []Kernel, ok bool) {
	for _, n := range nodes {
		k := c.Compile(n)
		if k == nil {
			return nil, false
		}
		out = append(out, k)
	}
	return out, true
}

// node is Compile for a pure expression.
func (c *Compiler) node(n expr.Node) Kernel {
	around := c.tried
	c.tried = nil
	k := c.compile(n)
	c.tried = append(around, tried{n, k})
	return k
}

// operand is node for an operand for which a loop has been tried without success. It is compiled
// only once; otherwise each level of an expression would double the work.
func (c *Compiler) operand(n expr.Node) Kernel {
	for _, t := range slices.Backward(c.tried) {
		if t.node == n {
			return t.kernel
		}
	}
	return c.node(n)
}

func (c *Compiler) compile(n expr.Node) Kernel {
	if c.left--; c.left < 0 {
		return c.eachRow(n)
	}
	if k := c.known(n); k != nil {
		return k
	}
	if v, ok := c.constant(n); ok {
		return newConstant(v)
	}
	if k := c.times(n); k != nil {
		return k
	}
	if k := c.special(n); k != nil {
		return k
	}
	if k := c.applied(n); k != nil {
		return k
	}
	return c.eachRow(n)
}

// known returns the kernel of an expression whose values the batches have, or nil.
func (c *Compiler) known(n expr.Node) Kernel {
	for at, f := range c.Schema {
		if f.Node != nil && f.Node == n {
			return &columnKernel{at: at, kind: f.Kind}
		}
	}
	return nil
}

// special returns the kernel of an expression that has a loop, or nil.
func (c *Compiler) special(n expr.Node) Kernel {
	switch n := n.(type) {
	case *expr.Column:
		return c.column(n)
	case *expr.Compare:
		return c.compare(n.Op, n.L, n.R)
	case *expr.Between:
		return c.between(n)
	case *expr.In:
		return c.in(n)
	case *expr.Case:
		return c.caseWhen(n)
	case *expr.And:
		return c.all(n.List, false)
	case *expr.Or:
		return c.all(n.List, true)
	case *expr.IsNull:
		return &isNull{unaryOf(c.node(n.X), value.Int), n.Not}
	case *expr.Like:
		return c.like(n)
	case *expr.Cast:
		return c.cast(n)
	case *expr.Arith:
		return c.arith(n)
	case *expr.Call:
		return c.call(n)
	case Looped:
		return c.looped(n)
	}
	return nil
}

// Constant returns the value of an expression that is the same for all rows and does not warn.
func (c *Compiler) Constant(n expr.Node) (value.Value, bool) {
	if !Pure(n) {
		return value.Value{}, false
	}
	return c.constant(n)
}

// constant is Constant for a pure expression.
func (c *Compiler) constant(n expr.Node) (value.Value, bool) {
	switch n := n.(type) {
	case *expr.Const:
		return n.V, true
	case *expr.Column:
		if c.Schema.find(n.Index) < 0 {
			return c.Env.Row[n.Index], true
		}
		return value.Value{}, false
	case *expr.Tuple:
		return value.Value{}, false
	}
	if expr.Reads(n, func(index int) bool { return c.Schema.find(index) >= 0 }) || !expr.IsConst(n) {
		return value.Value{}, false
	}
	v, err := n.Eval(c.quietEnv())
	return v.Clone(), err == nil
}

// quietEnv is Env with warnings recorded instead of given.
func (c *Compiler) quietEnv() *expr.Env {
	if c.quiet == nil {
		quiet := *c.Env
		quiet.Strict = true
		if s := c.Env.Session; s != nil {
			session := *s
			session.AddWarning = func(uint16, string) { c.warned = true }
			quiet.Session = &session
		}
		c.quiet = &quiet
	}
	return c.quiet
}

// constant is a kernel with one value for all rows.
type constant struct {
	v   value.Value
	out value.Vector
}

func newConstant(v value.Value) *constant {
	k := &constant{v: v}
	switch v.Kind() {
	case value.Int, value.Bytes:
		k.out.Kind = v.Kind()
	case value.Float:
		if value.Identical(v, value.NewFloat(v.Float())) { // without a number of digits to print
			k.out.Kind = value.Float
		}
	}
	return k
}

func (k *constant) Kind() value.Kind { return k.out.Kind }

func (k *constant) Eval(b *Batch, _ []int32) (*value.Vector, bool) {
	if before := k.out.Len(); before < b.N {
		k.out.Start(k.out.Kind, b.N)
		for i := range b.N {
			k.out.Set(int32(i), k.v)
		}
	}
	return &k.out, true
}

// eachRow evaluates an expression as package expr does. Its values may be of any kind, except for
// conditions.
type eachRow struct {
	node    expr.Node
	columns []int // the places in the schema that it reads
	c       *Compiler
	out     value.Vector
}

// maxMade limits the strings that eachRow makes for a batch, in bytes.
const maxMade = 1 << 20

func (c *Compiler) eachRow(n expr.Node) *eachRow {
	k := &eachRow{node: n, c: c}
	for at, f := range c.Schema {
		if expr.Reads(n, func(index int) bool { return index == f.Index }) {
			k.columns = append(k.columns, at)
		}
	}
	if n.Type().Bool {
		k.out.Kind = value.Int
	}
	return k
}

func (k *eachRow) Kind() value.Kind { return k.out.Kind }

// load copies the columns that the expression reads from a row into the frame.
func (k *eachRow) load(b *Batch, i int32) {
	for _, at := range k.columns {
		k.c.Env.Row[b.schema[at].Index] = b.Column(at).At(i)
	}
}

func (k *eachRow) Eval(b *Batch, rows []int32) (*value.Vector, bool) {
	k.out.Start(k.out.Kind, b.N)
	made := 0
	for _, i := range rows {
		v, ok := k.one(b, i)
		if made += len(v.Raw()); !ok || made > maxMade || !k.out.Set(i, v) {
			return nil, false
		}
	}
	return &k.out, true
}

// one evaluates the expression for one row.
func (k *eachRow) one(b *Batch, i int32) (value.Value, bool) {
	env := k.c.quietEnv()
	k.c.warned = false
	mark := env.Held.Mark()
	k.load(b, i)
	v, err := k.node.Eval(env)
	env.Held.Release(mark)
	return v, err == nil && !k.c.warned
}
