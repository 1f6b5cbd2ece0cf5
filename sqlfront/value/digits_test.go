package value

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"
)

// TestFewDigits holds that what is done with numbers of digits that a Value has room for
// gives what package decimal gives, to the exponent.
func TestFewDigits(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	for range 10_000 {
		a, b := fewAndLarge(r), fewAndLarge(r)
		places, scale := int32(r.IntN(28)-4), r.IntN(20)
		for name, of := range map[string]func(a, b Value) any{
			"add": func(a, b Value) any { return result(Add(a, b)) }, "sub": func(a, b Value) any { return result(Sub(a, b)) },
			"mul": func(a, b Value) any { return result(Mul(a, b)) }, "div": func(a, b Value) any { return result(Div(a, b)) },
			"neg":     func(a, _ Value) any { return result(Neg(a)) },
			"round":   func(a, _ Value) any { return a.Round(places) },
			"cut":     func(a, _ Value) any { return a.Truncate(places) },
			"floor":   func(a, _ Value) any { return a.Floor() },
			"ceil":    func(a, _ Value) any { return a.Ceil() },
			"printed": func(a, _ Value) any { return a.Printed() },
			"scale":   func(a, _ Value) any { return a.ToDecimal(scale) },
			"text":    func(a, _ Value) any { return a.String() },
			"float":   func(a, _ Value) any { return a.AsFloat() },
			"int":     func(a, _ Value) any { return a.AsInt() },
			"uint":    func(a, _ Value) any { return a.AsUint() },
			"exact":   func(a, _ Value) any { i, ok := ExactInt(a); return fmt.Sprint(i, ok) },
			"digits":  func(a, _ Value) any { return a.NumDigits() },
			"key":     func(a, _ Value) any { return AppendKey(nil, a) },
			"binary":  func(a, _ Value) any { v, _, err := ReadBinary(AppendBinary(nil, a)); return result(v, err) },
			"shifted": func(a, _ Value) any { i, ok := a.Shifted(places); return fmt.Sprint(i, ok) },
			"compare": func(a, b Value) any { return Order(a, b) },
		} {
			want := of(a.large, b.large)
			for _, got := range []any{of(a.few, b.few), of(a.few, b.large), of(a.large, b.few)} {
				v, is := got.(Value)
				if is && Identical(fewer(v), fewer(want.(Value))) && v.String() == want.(Value).String() {
					continue
				}
				require.False(t, is, "%s of %v and %v: %v and %v", name, a.large, b.large, want, got)
				require.Equal(t, want, got, "%s of %v and %v", name, a.large, b.large)
			}
		}
	}
}

// A pair is a number as a Value has it, and as package decimal does.
type pair struct{ few, large Value }

func fewAndLarge(r *rand.Rand) pair {
	d := decimal.New((r.Int64N(1<<(1+r.IntN(62)))*2+r.Int64N(2))*(r.Int64N(3)-1), -int32(r.IntN(20)*r.IntN(2)))
	if r.IntN(2) == 0 {
		d = d.Mul(decimal.New(1+r.Int64N(1<<(1+r.IntN(62))), 0))
	}
	scale := max(0, int(-d.Exponent())-r.IntN(4)*r.IntN(2))
	if d.IsZero() { // which is never one of many digits
		return pair{NewDecimalScale(d, scale), NewDecimalScale(d, scale)}
	}
	return pair{NewDecimalScale(d, scale), newLarge(d, scale)}
}

// fewer is a value as it is made where nobody asks for many digits.
func fewer(v Value) Value {
	if v.kind == Decimal {
		return NewDecimalScale(v.Decimal(), v.Scale())
	}
	return v
}

func result(v Value, err error) Value {
	if err != nil {
		return NewString(err.Error())
	}
	return v
}

// TestParseDigits holds that numbers of few digits are parsed as package decimal does it.
func TestParseDigits(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	for range 200_000 {
		x := fmt.Sprint(r.Int64N(1<<r.IntN(63)+1) * (r.Int64N(3) - 1))
		if r.IntN(3) > 0 {
			x += "." + fmt.Sprint(r.Int64N(1<<r.IntN(60)+1))
		}
		x = []string{"", "+", "0", "00"}[r.IntN(4)*min(1, int(x[0]-'-'))] + x
		want, err := decimal.NewFromString(x)
		require.NoError(t, err)
		if got, ok := parseDigits([]byte(x)); ok {
			require.Truef(t, Identical(NewDecimal(want), NewDigits(got.digits, got.exponent, int(-got.exponent))), "%s parsed", x)
		}
	}
}

// BenchmarkFewDigits are the same beside package decimal.
func BenchmarkFewDigits(b *testing.B) {
	x, y := NewDigits(123_45, -2, 2), NewDigits(7, 0, 0)
	for name, pair := range map[string][2]Value{"few": {x, y}, "large": {newLarge(x.Decimal(), 2), newLarge(y.Decimal(), 0)}} {
		for of, f := range map[string]func(a, b Value){
			"parse":   func(Value, Value) { _, _ = ParseExact([]byte("123.45")) },
			"round":   func(a, _ Value) { a.Round(1) },
			"add":     func(a, b Value) { _, _ = Add(a, b) },
			"mul":     func(a, b Value) { _, _ = Mul(a, b) },
			"div":     func(a, b Value) { _, _ = Div(a, b) },
			"compare": func(a, b Value) { Order(a, b) },
			"print":   func(a, _ Value) { a.AppendText(nil) },
			"float":   func(a, _ Value) { a.AsFloat() },
		} {
			b.Run(of+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					f(pair[0], pair[1])
				}
			})
		}
	}
}
