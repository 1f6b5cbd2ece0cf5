package kernel

import (
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// choose is CASE and IF: 7 ns a row instead of 104 of a comparison and constants.
type choose struct {
	whens     []when
	otherwise Kernel // nil: NULL
	out       value.Vector
	left      []int32
	taken     []int32
}

type when struct{ cond, then Kernel }

func (c *Compiler) choose(n *expr.Case) Kernel {
	if n.T.Kind != value.Int && n.T.Kind != value.Bytes {
		return nil
	}
	k := &choose{}
	k.out.Kind = n.T.Kind
	for _, w := range n.Whens {
		cond := c.whenOf(n.X, w.Cond)
		then, ok := c.branch(w.Then, n.T.Kind)
		if cond == nil || !ok {
			return nil
		}
		k.whens = append(k.whens, when{cond, then})
	}
	if n.Else == nil {
		return k
	}
	var ok bool
	if k.otherwise, ok = c.branch(n.Else, n.T.Kind); !ok {
		return nil
	}
	return k
}

// whenOf is the condition of a branch, nil where there is no kernel of its kind.
func (c *Compiler) whenOf(x, cond expr.Node) Kernel {
	if x != nil {
		return c.compare(expr.Eq, x, cond)
	}
	if k := c.node(cond); k.Kind() == value.Int {
		return k
	}
	return nil
}

// branch is a result: nil for NULL, and false where it is of another kind.
func (c *Compiler) branch(n expr.Node, kind value.Kind) (Kernel, bool) {
	k := c.node(n)
	if known, ok := k.(*constant); ok && known.v.IsNull() {
		return nil, true
	}
	return k, k.Kind() == kind
}

func (k *choose) Kind() value.Kind { return k.out.Kind }

func (k *choose) Eval(b *Batch, rows []int32) (*value.Vector, bool) {
	k.out.Start(k.out.Kind, b.N)
	k.left = append(k.left[:0], rows...)
	for _, w := range k.whens {
		cond, ok := w.cond.Eval(b, k.left)
		if !ok {
			return nil, false
		}
		left, taken := k.left[:0], k.taken[:0]
		for _, i := range k.left {
			if cond.Ints[i] != 0 && (cond.Nulls == nil || !cond.Nulls[i]) {
				taken = append(taken, i)
			} else {
				left = append(left, i)
			}
		}
		k.left, k.taken = left, taken
		if !k.take(b, w.then, taken) {
			return nil, false
		}
	}
	return &k.out, k.take(b, k.otherwise, k.left)
}

// take sets rows to what a branch gives.
func (k *choose) take(b *Batch, branch Kernel, rows []int32) bool {
	if branch == nil {
		for _, i := range rows {
			k.out.SetNull(i)
		}
		return true
	}
	if len(rows) == 0 {
		return true
	}
	v, ok := branch.Eval(b, rows)
	switch {
	case !ok:
		return false
	case v.Kind == value.Bytes:
		for _, i := range rows {
			k.out.Bytes[i] = v.Bytes[i]
		}
		return true
	}
	for _, i := range rows {
		k.out.Ints[i] = v.Ints[i]
		if v.Nulls != nil && v.Nulls[i] {
			k.out.SetNull(i)
		}
	}
	return true
}
