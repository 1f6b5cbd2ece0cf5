package aggregate

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/setfunc"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// randomNumber returns an exact number in one of the forms that a sum distinguishes.
func randomNumber(r *rand.Rand) value.Value {
	switch r.IntN(6) {
	case 0:
		return value.NewInt([]int64{math.MinInt64, math.MaxInt64, -1, 0}[r.IntN(4)])
	case 1:
		return value.NewUint(math.MaxUint64 - r.Uint64N(3))
	case 2:
		return value.NewDigits(int64(r.Uint64()), -2, 2)
	case 3:
		return value.NewDigits128(int64(r.Uint64N(1<<30))-1<<29, r.Uint64(), -4, 4)
	case 4:
		return value.NewDecimal(value.NewDigits128(int64(r.Uint64()>>1), r.Uint64(), -6, 6).AsDecimal())
	}
	return value.NewInt(r.Int64N(1000) - 500)
}

// TestSumsOfAllWaysAgree compares the sums of rows that are added to a state, to a column, to parts
// of either that are combined, and to a frame from which rows were removed, with the sum of
// fractions.
func TestSumsOfAllWaysAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 1))
	sum, env := boundAggregate(t, "SUM(T)"), &expr.Env{}
	for range 500 {
		rows := make([]value.Value, 1+r.IntN(30))
		want := new(big.Rat)
		for i := range rows {
			rows[i] = randomNumber(r)
			want.Add(want, rows[i].AsDecimal().Rat())
		}
		cut := r.IntN(len(rows) + 1)
		for way, got := range map[string]value.Value{
			"state": sumOfStates(t, sum, env, rows, cut), "column": sumOfColumn(t, sum, env, rows, cut),
			"frame": sumOfFrame(t, sum, env, rows, r),
		} {
			require.Zero(t, want.Cmp(got.AsDecimal().Rat()), "%s: %v of %v", way, got, rows)
		}
	}
}

func sumOfStates(t *testing.T, a *setfunc.Aggregate, env *expr.Env, rows []value.Value, cut int) value.Value {
	m := &Memory{}
	first, second := NewState(a, m), NewState(a, m)
	for i, v := range rows {
		to := first
		if i >= cut {
			to = second
		}
		require.NoError(t, to.AddArgs(env, []value.Value{v}))
	}
	require.NoError(t, first.Combine(second))
	out, err := first.Result()
	require.NoError(t, err)
	return out
}

func sumOfColumn(t *testing.T, a *setfunc.Aggregate, env *expr.Env, rows []value.Value, cut int) value.Value {
	c := NewColumn(a, &Memory{})
	c.Grow()
	c.Grow()
	for i, v := range rows {
		group := int32(0)
		if i >= cut {
			group = 1
		}
		require.NoError(t, c.AddArgs(env, group, []value.Value{v}))
	}
	other := NewColumn(a, &Memory{})
	other.Grow()
	require.NoError(t, other.Combine(0, c, 1))
	require.NoError(t, other.Combine(0, c, 0))
	out, err := other.Result(0)
	require.NoError(t, err)
	return out
}

func sumOfFrame(t *testing.T, a *setfunc.Aggregate, env *expr.Env, rows []value.Value, r *rand.Rand) value.Value {
	f := NewFrame(a, &Memory{}, true)
	gone := make([]value.Value, r.IntN(20))
	for i := range gone {
		gone[i] = randomNumber(r)
	}
	for _, v := range append(gone, rows...) {
		require.NoError(t, f.Add(env, []value.Value{v}))
	}
	for _, v := range gone {
		require.NoError(t, f.Remove([]value.Value{v}))
	}
	out, err := f.Result()
	require.NoError(t, err)
	return out
}
