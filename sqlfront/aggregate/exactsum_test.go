package aggregate

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

// TestExactSum compares sums of doubles of all sizes, some of which are subtracted again, with sums
// of fractions.
func TestExactSum(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 1))
	for range 300 {
		var sum exactSum
		want := new(big.Rat)
		var added []float64
		spread := r.IntN(1000)
		for range r.IntN(60) {
			x := math.Ldexp(r.Float64()*2-1, r.IntN(2*spread+1)-spread)
			if r.IntN(10) == 0 {
				x = math.Float64frombits(r.Uint64() & (1<<52 - 1)) // subnormal
			}
			sum.add(x)
			want.Add(want, new(big.Rat).SetFloat64(x))
			added = append(added, x)
			if r.IntN(3) == 0 {
				i := r.IntN(len(added))
				sum.add(-added[i])
				want.Sub(want, new(big.Rat).SetFloat64(added[i]))
				added[i] = 0
			}
			f, _ := want.Float64()
			require.Equal(t, f+0, sum.float()+0)
			exact, _ := sum.big().Rat(nil)
			if exact == nil {
				exact = new(big.Rat)
			}
			got, _ := exact.Float64()
			require.InEpsilon(t, 1+math.Abs(f), 1+math.Abs(got), 1e-15)
		}
	}
	var sum exactSum
	sum.add(math.MaxFloat64)
	sum.add(math.MaxFloat64)
	require.Equal(t, math.Inf(1), sum.float())
	sum.add(-math.MaxFloat64)
	require.Equal(t, math.MaxFloat64, sum.float())
}

// TestDoubleSum compares sums that were divided and combined with exact ones.
func TestDoubleSum(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 2))
	for range 2000 {
		var want exactSum
		parts := make([]doubleSum, 1+r.IntN(4))
		spread := r.IntN(1023)
		for range r.IntN(80) {
			x := math.Ldexp(r.Float64()*2-1, r.IntN(2*spread+1)-spread)
			if r.IntN(3) == 0 {
				x = math.Ldexp(float64(r.IntN(9)-4), r.IntN(60)-30) // halves of a last digit
			}
			want.add(x)
			parts[r.IntN(len(parts))].add(x)
		}
		for i := range parts[1:] {
			parts[0].combine(&parts[i+1])
		}
		require.Equal(t, want.float()+0, parts[0].float()+0)
	}
}
