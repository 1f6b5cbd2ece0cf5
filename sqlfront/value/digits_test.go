package value_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/value/arithmetic"
	"github.com/hbasekv/hbasekv/sqlfront/value/fixed"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"
)

// TestFewDigits checks that operations on numbers whose digits fit into a Value give the results of package
// decimal, including the exponent.
func TestFewDigits(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 1))
	for range 10_000 {
		a, b := fewAndLarge(r), fewAndLarge(r)
		places, scale := int32(r.IntN(28)-4), r.IntN(20)
		for name, of := range map[string]func(a, b value.Value) any{
			"add":     func(a, b value.Value) any { return result(arithmetic.Add(a, b)) },
			"sub":     func(a, b value.Value) any { return result(arithmetic.Sub(a, b)) },
			"mul":     func(a, b value.Value) any { return result(arithmetic.Mul(a, b)) },
			"div":     func(a, b value.Value) any { return result(arithmetic.Div(a, b)) },
			"neg":     func(a, _ value.Value) any { return result(arithmetic.Neg(a)) },
			"round":   func(a, _ value.Value) any { return a.Round(places) },
			"cut":     func(a, _ value.Value) any { return a.Truncate(places) },
			"floor":   func(a, _ value.Value) any { return a.Floor() },
			"ceil":    func(a, _ value.Value) any { return a.Ceil() },
			"printed": func(a, _ value.Value) any { return a.Printed() },
			"scale":   func(a, _ value.Value) any { return a.ToDecimal(scale) },
			"text":    func(a, _ value.Value) any { return a.String() },
			"float":   func(a, _ value.Value) any { return a.AsFloat() },
			"int":     func(a, _ value.Value) any { return a.AsInt() },
			"uint":    func(a, _ value.Value) any { return a.AsUint() },
			"exact":   func(a, _ value.Value) any { i, ok := value.ExactInt(a); return fmt.Sprint(i, ok) },
			"digits":  func(a, _ value.Value) any { return a.NumDigits() },
			"key":     func(a, _ value.Value) any { return value.AppendKey(nil, a) },
			"binary": func(a, _ value.Value) any {
				v, _, err := value.ReadBinary(value.AppendBinary(nil, a))
				return result(v, err)
			},
			"shifted": func(a, _ value.Value) any { i, ok := a.Shifted(places); return fmt.Sprint(i, ok) },
			"compare": func(a, b value.Value) any { return value.Order(a, b) },
		} {
			want := of(a.large, b.large)
			for _, got := range []any{of(a.few, b.few), of(a.few, b.large), of(a.large, b.few)} {
				v, is := got.(value.Value)
				if is && value.Identical(fewer(v), fewer(want.(value.Value))) && v.String() == want.(value.Value).String() {
					continue
				}
				require.False(t, is, "%s of %v and %v: %v and %v", name, a.large, b.large, want, got)
				require.Equal(t, want, got, "%s of %v and %v", name, a.large, b.large)
			}
		}
	}
}

// A pair is a number as a Value holds it, and as package decimal does.
type pair struct{ few, large value.Value }

func fewAndLarge(r *rand.Rand) pair {
	d := decimal.New((r.Int64N(1<<(1+r.IntN(62)))*2+r.Int64N(2))*(r.Int64N(3)-1), -int32(r.IntN(20)*r.IntN(2)))
	if r.IntN(2) == 0 {
		d = d.Mul(decimal.New(1+r.Int64N(1<<(1+r.IntN(62))), 0))
	}
	scale := max(0, int(-d.Exponent())-r.IntN(4)*r.IntN(2))
	if d.IsZero() { // which is never one of many digits
		return pair{value.NewDecimalScale(d, scale), value.NewDecimalScale(d, scale)}
	}
	return pair{value.NewDecimalScale(d, scale), value.NewLarge(d, scale)}
}

// fewer is a value in the form with few digits, if possible.
func fewer(v value.Value) value.Value {
	if v.Kind() == value.Decimal {
		return value.NewDecimalScale(v.Decimal(), v.Scale())
	}
	return v
}

func result(v value.Value, err error) value.Value {
	if err != nil {
		return value.NewString(err.Error())
	}
	return v
}

// TestParseDigits checks that numbers of few digits are parsed as by package decimal.
func TestParseDigits(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 1))
	for range 200_000 {
		x := fmt.Sprint(r.Int64N(1<<r.IntN(63)+1) * (r.Int64N(3) - 1))
		if r.IntN(3) > 0 {
			x += "." + fmt.Sprint(r.Int64N(1<<r.IntN(60)+1))
		}
		x = []string{"", "+", "0", "00"}[r.IntN(4)*min(1, int(x[0]-'-'))] + x
		want, err := decimal.NewFromString(x)
		require.NoError(t, err)
		if got, ok := fixed.Parse([]byte(x)); ok {
			v := value.NewDigits(got.Digits, got.Exponent, int(-got.Exponent))
			require.Truef(t, value.Identical(value.NewDecimal(want), v), "%s parsed", x)
		}
	}
}

// BenchmarkFewDigits compares with package decimal.
func BenchmarkFewDigits(b *testing.B) {
	x, y := value.NewDigits(123_45, -2, 2), value.NewDigits(7, 0, 0)
	large := [2]value.Value{value.NewLarge(x.Decimal(), 2), value.NewLarge(y.Decimal(), 0)}
	for name, pair := range map[string][2]value.Value{"few": {x, y}, "large": large} {
		for of, f := range map[string]func(a, b value.Value){
			"parse":   func(value.Value, value.Value) { _, _ = value.ParseExact([]byte("123.45")) },
			"round":   func(a, _ value.Value) { a.Round(1) },
			"add":     func(a, b value.Value) { _, _ = arithmetic.Add(a, b) },
			"mul":     func(a, b value.Value) { _, _ = arithmetic.Mul(a, b) },
			"div":     func(a, b value.Value) { _, _ = arithmetic.Div(a, b) },
			"compare": func(a, b value.Value) { value.Order(a, b) },
			"print":   func(a, _ value.Value) { a.AppendText(nil) },
			"float":   func(a, _ value.Value) { a.AsFloat() },
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
