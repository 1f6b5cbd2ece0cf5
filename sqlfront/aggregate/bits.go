package aggregate

import (
	"math"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/setfunc"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// bitFn is BIT_AND, BIT_OR or BIT_XOR.
type bitFn struct {
	none uint64 // the result without rows
	op   func(x, y uint64) uint64
	// of is the bit of the result if ones of the rows have the bit set.
	of func(ones, rows int64) bool
}

var bitFns = map[string]*bitFn{
	"BIT_AND": {^uint64(0), func(x, y uint64) uint64 { return x & y }, func(ones, rows int64) bool { return ones == rows }},
	"BIT_OR":  {0, func(x, y uint64) uint64 { return x | y }, func(ones, _ int64) bool { return ones > 0 }},
	"BIT_XOR": {0, func(x, y uint64) uint64 { return x ^ y }, func(ones, _ int64) bool { return ones%2 == 1 }},
}

// bitAcc combines the bits of rows.
type bitAcc struct {
	bits uint64
	fn   *bitFn
	of   *setfunc.Aggregate
}

func newBits(a *setfunc.Aggregate) *bitAcc {
	fn := bitFns[a.Name]
	return &bitAcc{bits: fn.none, fn: fn, of: a}
}

func (b *bitAcc) add(env *expr.Env, args []value.Value) error {
	b.bits = b.fn.op(b.bits, bitsOf(b.of, args[0]))
	return env.CheckInteger(args[0])
}

// bitsOf returns the bits of the value as a BIGINT, limited to its range: the operators
// and & take larger values as unsigned. Larger texts are unsigned too, unless they are from
// a column.
func bitsOf(a *setfunc.Aggregate, v value.Value) uint64 {
	if v.Kind() == value.Uint {
		return v.Uint()
	}
	n := v.AsInt()
	if n == math.MaxInt64 && v.IsString() {
		if _, column := a.Args[0].(*expr.Column); !column {
			return v.AsUint()
		}
	}
	return uint64(n)
}

func (b *bitAcc) combine(o accumulator) error {
	b.bits = b.fn.op(b.bits, o.(*bitAcc).bits)
	return nil
}

func (b *bitAcc) result() (value.Value, error) { return value.NewUint(b.bits), nil }

// movingBits counts for each bit the rows that have it set.
type movingBits struct {
	fn   *bitFn
	rows int64
	ones [64]int64
}

func newMovingBits(a *setfunc.Aggregate) *movingBits { return &movingBits{fn: bitFns[a.Name]} }

func (b *movingBits) add(_ *expr.Env, args []value.Value) error {
	b.count(args[0].Uint(), 1)
	return nil
}
func (b *movingBits) remove(args []value.Value) error { b.count(args[0].Uint(), -1); return nil }

func (b *movingBits) count(bits uint64, by int64) {
	b.rows += by
	for i := range b.ones {
		b.ones[i] += by * int64(bits>>i&1)
	}
}

func (b *movingBits) result() (value.Value, error) {
	bits := uint64(0)
	for i, ones := range b.ones {
		if b.fn.of(ones, b.rows) {
			bits |= 1 << i
		}
	}
	return value.NewUint(bits), nil
}
