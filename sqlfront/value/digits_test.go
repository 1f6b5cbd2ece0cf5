package value

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"
)

// TestFewDigits holds that numbers of few digits are parsed and rounded as
// package decimal does it.
func TestFewDigits(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	number := func() string {
		n := fmt.Sprint(r.Int64N(1<<r.IntN(63)+1) * (r.Int64N(3) - 1))
		if r.IntN(3) > 0 {
			n += "." + fmt.Sprint(r.Int64N(1<<r.IntN(60)+1))
		}
		return []string{"", "+", "0", "00"}[r.IntN(4)*min(1, int(n[0]-'-'))] + n
	}
	same := func(want, got decimal.Decimal, form string, args ...any) {
		t.Helper()
		require.Truef(t, want.Equal(got) && want.Exponent() == got.Exponent(), form+": %s and %s", append(args, want, got)...)
	}
	for range 200_000 {
		x := number()
		a, err := decimal.NewFromString(x)
		require.NoError(t, err)
		if d, ok := parseDigits([]byte(x)); ok {
			same(a, d, "%s parsed", x)
		}
		places := int32(r.IntN(24) - 4)
		same(a.Round(places), Round(a, places), "%s to %d places", x, places)
	}
}

// BenchmarkFewDigits are the same beside package decimal.
func BenchmarkFewDigits(b *testing.B) {
	x := decimal.New(123_45, -2)
	for name, f := range map[string]func(){
		"parse":     func() { parseDigits([]byte("123.45")) },
		"parse big": func() { _, _ = decimal.NewFromString("123.45") },
		"round":     func() { Round(x, 1) },
		"round big": func() { x.Round(1) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f()
			}
		})
	}
}
