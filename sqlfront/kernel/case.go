package kernel

import (
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// caseWhen is CASE and IF: 4 ns a row instead of 25 for a comparison and constants.
type caseWhen struct {
	whens     []when
	otherwise Kernel     // nil for NULL
	of        value.Type // to which all results are converted
	out       value.Vector
	left      []int32
	taken     []int32
}

type when struct{ cond, then Kernel }

func (c *Compiler) caseWhen(n *expr.Case) Kernel {
	k := &caseWhen{of: n.T}
	var results []Kernel
	for _, w := range n.Whens {
		cond := c.whenOf(n.X, w.Cond)
		if cond == nil {
			return nil
		}
		then := c.result(w.Then, n.T)
		k.whens, results = append(k.whens, when{cond, then}), append(results, then)
	}
	k.otherwise = c.result(n.Else, n.T)
	k.out.Kind = kindOf(n.T.Kind, append(results, k.otherwise))
	return k
}

// whenOf returns the condition of a branch, or nil if there is no loop for it.
func (c *Compiler) whenOf(x, cond expr.Node) Kernel {
	if x != nil {
		return c.compare(expr.Eq, x, cond)
	}
	return c.truth(cond)
}

// result returns the kernel of a branch, whose constants are converted to the type; nil for NULL.
func (c *Compiler) result(n expr.Node, t value.Type) Kernel {
	if n == nil {
		return nil
	}
	v, ok := c.constant(n)
	switch {
	case !ok:
		return c.node(n)
	case v.IsNull():
		return nil
	}
	return newConstant(value.Coerce(v, t))
}

// kindOf returns the kind if all kernels have it, otherwise Null.
func kindOf(kind value.Kind, all []Kernel) value.Kind {
	for _, k := range all {
		if k != nil && k.Kind() != kind {
			return value.Null
		}
	}
	switch kind {
	case value.Int, value.Float, value.Bytes:
		return kind
	}
	return value.Null
}

func (k *caseWhen) Kind() value.Kind { return k.out.Kind }

func (k *caseWhen) Eval(b *Batch, rows []int32) (*value.Vector, bool) {
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

// take sets rows to the values of a branch.
func (k *caseWhen) take(b *Batch, branch Kernel, rows []int32) bool {
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
	if ok {
		copyRows(&k.out, v, rows, k.of)
	}
	return ok
}

// copyRows sets rows to the values of a vector, converted to a type.
func copyRows(out, v *value.Vector, rows []int32, t value.Type) {
	switch out.Kind {
	case value.Null:
		for _, i := range rows {
			out.Values[i] = value.Coerce(v.At(i), t)
		}
	case value.Bytes:
		for _, i := range rows {
			out.Bytes[i] = v.Bytes[i]
		}
	case value.Float:
		for _, i := range rows {
			out.Floats[i] = v.Floats[i]
		}
	default:
		for _, i := range rows {
			out.Ints[i] = v.Ints[i]
		}
	}
	if v.Nulls == nil || out.Kind == value.Null {
		return
	}
	for _, i := range rows {
		if v.Nulls[i] {
			out.SetNull(i)
		}
	}
}

// coalesce is COALESCE and IFNULL: 3 ns a row instead of 22.
type coalesce struct {
	branches []Kernel
	of       value.Type
	out      value.Vector
	left     []int32
	taken    []int32
}

func (c *Compiler) coalesce(n *expr.Call) Kernel {
	k := &coalesce{of: n.Type()}
	for _, arg := range n.Args {
		if branch := c.result(arg, k.of); branch != nil {
			k.branches = append(k.branches, branch)
		}
	}
	k.out.Kind = kindOf(k.of.Kind, k.branches)
	return k
}

func (k *coalesce) Kind() value.Kind { return k.out.Kind }

func (k *coalesce) Eval(b *Batch, rows []int32) (*value.Vector, bool) {
	k.out.Start(k.out.Kind, b.N)
	k.left = append(k.left[:0], rows...)
	for _, branch := range k.branches {
		if len(k.left) == 0 {
			break
		}
		v, ok := branch.Eval(b, k.left)
		if !ok {
			return nil, false
		}
		left, taken := k.left[:0], k.taken[:0]
		for _, i := range k.left {
			if v.IsNull(i) {
				left = append(left, i)
			} else {
				taken = append(taken, i)
			}
		}
		copyRows(&k.out, v, taken, k.of)
		k.left, k.taken = left, taken
	}
	for _, i := range k.left {
		k.out.SetNull(i)
	}
	return &k.out, true
}

// nullIf is NULLIF, if there is a loop for the comparison: 4 ns a row instead of 37.
func (c *Compiler) nullIf(n *expr.Call) Kernel {
	equal, x := c.compare(expr.Eq, n.Args[0], n.Args[1]), c.node(n.Args[0])
	if equal == nil || x.Kind() == value.Null {
		return nil
	}
	k := &caseWhen{whens: []when{{equal, nil}}, otherwise: x}
	k.out.Kind = x.Kind()
	return k
}
