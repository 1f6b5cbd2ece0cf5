package kernel

import (
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Looped is an expression of another package that has a loop over columns of its own.
type Looped interface {
	expr.Parent
	// Loop makes a loop over operands of these kinds, one for each goroutine, whose environment is
	// env. It returns nil if there is none for these kinds.
	Loop(env *expr.Env, operands []value.Kind) Loop
}

// Loop evaluates an expression over columns.
type Loop interface {
	// Kind is the kind of its values.
	Kind() value.Kind
	// Fill sets the values at rows from those of the operands. It reports false as Kernel.Eval does.
	Fill(out *value.Vector, operands []*value.Vector, rows []int32) bool
}

// looped is a kernel of a Loop.
type looped struct {
	loop     Loop
	operands []Kernel
	vectors  []*value.Vector
	out      value.Vector
}

func (c *Compiler) looped(n Looped) Kernel {
	k := &looped{}
	var kinds []value.Kind
	for _, operand := range n.Children() {
		x := c.node(operand)
		k.operands, kinds = append(k.operands, x), append(kinds, x.Kind())
	}
	if k.loop = n.Loop(c.Env, kinds); k.loop == nil {
		return nil
	}
	k.out.Kind = k.loop.Kind()
	return k
}

func (k *looped) Kind() value.Kind { return k.out.Kind }

func (k *looped) Eval(b *Batch, rows []int32) (*value.Vector, bool) {
	k.vectors = k.vectors[:0]
	for _, x := range k.operands {
		v, ok := x.Eval(b, rows)
		if !ok {
			return nil, false
		}
		k.vectors = append(k.vectors, v)
	}
	k.out.Start(k.out.Kind, b.N)
	return &k.out, k.loop.Fill(&k.out, k.vectors, rows)
}
