package kernel

import "github.com/hbasekv/hbasekv/sqlfront/value"

// unary is a kernel of one operand, without its loop.
type unary struct {
	x   Kernel
	out value.Vector
}

func unaryOf(x Kernel, kind value.Kind) unary { return unary{x, value.Vector{Kind: kind}} }

func (k *unary) Kind() value.Kind { return k.out.Kind }

// start evaluates the operand and makes room for the values.
func (k *unary) start(b *Batch, rows []int32) (x *value.Vector, ok bool) {
	if x, ok = k.x.Eval(b, rows); ok {
		k.out.Start(k.out.Kind, b.N)
	}
	return x, ok
}

// test is the loop of a condition on the operand, which is NULL if the operand is. holds reports
// false as its second result if it cannot decide without a warning.
func (k *unary) test(b *Batch, rows []int32, holds func(x *value.Vector, i int32) (is, ok bool)) (*value.Vector, bool) {
	x, ok := k.start(b, rows)
	if !ok {
		return nil, false
	}
	for _, i := range rows {
		if x.IsNull(i) {
			k.out.SetNull(i)
			continue
		}
		is, ok := holds(x, i)
		if !ok {
			return nil, false
		}
		set(k.out.Ints, i, is)
	}
	return &k.out, true
}

// binary is a kernel of two operands, without its loop.
type binary struct {
	unary
	y Kernel
}

func binaryOf(x, y Kernel, kind value.Kind) binary { return binary{unaryOf(x, kind), y} }

// start evaluates the operands and makes room for the values.
func (k *binary) start(b *Batch, rows []int32) (x, y *value.Vector, ok bool) {
	if x, ok = k.unary.start(b, rows); ok {
		y, ok = k.y.Eval(b, rows)
	}
	return x, y, ok
}
