package kernel

import (
	"bytes"
	"cmp"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Conditions have vectors of kind Int: 1, 0 or NULL.

// Condition makes a filter of a condition, or returns nil as Compile does.
func (c *Compiler) Condition(n expr.Node) Filter {
	if !Pure(n) {
		return nil
	}
	c.begin()
	return &truth{k: c.truth(n)}
}

// truth returns the kernel of a condition.
func (c *Compiler) truth(n expr.Node) Kernel {
	if k := c.node(n); k.Kind() == value.Int {
		return k
	}
	return c.apply(expr.Truth, value.Int, n)
}

// truth narrows to the rows in which a number is neither 0 nor NULL.
type truth struct{ k Kernel }

func (f *truth) Narrow(b *Batch, rows []int32) ([]int32, bool) {
	v, ok := f.k.Eval(b, rows)
	if !ok {
		return rows, false
	}
	out := rows[:0]
	for _, i := range rows {
		if v.Ints[i] != 0 && (v.Nulls == nil || !v.Nulls[i]) {
			out = append(out, i)
		}
	}
	return out, true
}

// compare compares strings of which one is binary, or integers, or anything with a constant.
func (c *Compiler) compare(op expr.CompareOp, l, r expr.Node) Kernel {
	if _, tuple := l.(*expr.Tuple); tuple || op == expr.NullSafeEq {
		return nil
	}
	x, y := c.node(l), c.node(r)
	if _, constantLeft := x.(*constant); constantLeft {
		x, y, l, r, op = y, x, r, l, op.Swap()
	}
	if k, ok := y.(*constant); ok {
		return c.compareConstant(op, l, r, x, k.v)
	}
	if k := x.Kind(); k == y.Kind() && (k == value.Bytes || k == value.Int) {
		return &compareBoth{binaryOf(x, y, value.Int), op}
	}
	return nil
}

func set(out []int64, i int32, holds bool) {
	out[i] = 0
	if holds {
		out[i] = 1
	}
}

// compareBytes compares strings with a constant: 2 ns a row instead of 19.
type compareBytes struct {
	unary
	op   expr.CompareOp
	with []byte
}

func (k *compareBytes) Eval(b *Batch, rows []int32) (*value.Vector, bool) {
	x, ok := k.start(b, rows)
	if !ok {
		return nil, false
	}
	out := k.out.Ints
	for _, i := range rows {
		s := x.Bytes[i]
		switch {
		case s == nil:
			k.out.SetNull(i)
		case k.op == expr.Eq:
			set(out, i, string(s) == string(k.with))
		default:
			set(out, i, k.op.Accepts(bytes.Compare(s, k.with)))
		}
	}
	return &k.out, true
}

// compareBoth compares two columns of one kind.
type compareBoth struct {
	binary
	op expr.CompareOp
}

func (k *compareBoth) Eval(b *Batch, rows []int32) (*value.Vector, bool) {
	x, y, ok := k.start(b, rows)
	if !ok {
		return nil, false
	}
	for _, i := range rows {
		switch {
		case x.IsNull(i) || y.IsNull(i):
			k.out.SetNull(i)
		case x.Kind == value.Bytes:
			set(k.out.Ints, i, k.op.Accepts(bytes.Compare(x.Bytes[i], y.Bytes[i])))
		default:
			set(k.out.Ints, i, k.op.Accepts(cmp.Compare(x.Ints[i], y.Ints[i])))
		}
	}
	return &k.out, true
}

// all is AND, or OR if any is set. For two comparisons it takes 8 ns a row instead of 40. Each
// operand is evaluated for the rows that those before left undecided.
type all struct {
	list []Kernel
	any  bool
	out  value.Vector
	left []int32
}

func (*all) Kind() value.Kind { return value.Int }

func (c *Compiler) all(list []expr.Node, any bool) Kernel {
	k := &all{any: any}
	for _, n := range list {
		k.list = append(k.list, c.truth(n))
	}
	return k
}

func (k *all) Eval(b *Batch, rows []int32) (*value.Vector, bool) {
	k.out.Start(value.Int, b.N)
	for _, i := range rows {
		set(k.out.Ints, i, !k.any)
	}
	k.left = append(k.left[:0], rows...)
	for _, operand := range k.list {
		v, ok := operand.Eval(b, k.left)
		if !ok {
			return nil, false
		}
		left := k.left[:0]
		for _, i := range k.left {
			switch {
			case v.IsNull(i):
				k.out.SetNull(i)
			case v.Ints[i] != 0 == k.any: // decides the result
				set(k.out.Ints, i, k.any)
				if k.out.Nulls != nil {
					k.out.Nulls[i] = false
				}
				continue
			}
			left = append(left, i)
		}
		k.left = left
	}
	return &k.out, true
}

// isNull is IS NULL and IS NOT NULL: 2 ns a row instead of 15.
type isNull struct {
	unary
	not bool
}

func (k *isNull) Eval(b *Batch, rows []int32) (*value.Vector, bool) {
	x, ok := k.start(b, rows)
	if !ok {
		return nil, false
	}
	for _, i := range rows {
		set(k.out.Ints, i, x.IsNull(i) != k.not)
	}
	return &k.out, true
}
