package kernel

import "github.com/hbasekv/hbasekv/sqlfront/value"

// unary is a kernel of one operand, without its loop.
type unary struct {
	x   Kernel
	out value.Vector
}

func unaryOf(x Kernel, kind value.Kind) unary { return unary{x, value.Vector{Kind: kind}} }

func (k *unary) Kind() value.Kind { return k.out.Kind }

// start evaluates the operand, and makes room for the values.
func (k *unary) start(b *Batch, rows []int32) (x *value.Vector, ok bool) {
	if x, ok = k.x.Eval(b, rows); ok {
		k.out.Start(k.out.Kind, b.N)
	}
	return x, ok
}

// binary is a kernel of two operands, without its loop.
type binary struct {
	unary
	y Kernel
}

func binaryOf(x, y Kernel, kind value.Kind) binary { return binary{unaryOf(x, kind), y} }

// start evaluates the operands, and makes room for the values.
func (k *binary) start(b *Batch, rows []int32) (x, y *value.Vector, ok bool) {
	if x, ok = k.unary.start(b, rows); ok {
		y, ok = k.y.Eval(b, rows)
	}
	return x, y, ok
}
