package arithmetic_test

import (
	"math"
	"testing"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/value/arithmetic"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"
)

func exact(s string) value.Value { return value.NewDecimal(decimal.RequireFromString(s)) }

func TestArithmeticEnds(t *testing.T) {
	i := value.NewInt
	low, high, top := i(math.MinInt64), i(math.MaxInt64), value.NewUint(math.MaxUint64)
	tests := []struct {
		op   func(a, b value.Value) (value.Value, error)
		a, b value.Value
		want string // empty: 1690
	}{
		{arithmetic.Add, high, i(1), ""},
		{arithmetic.Add, low, i(-1), ""},
		{arithmetic.Add, high, low, "-1"},
		{arithmetic.Add, top, i(-1), "18446744073709551614"},
		{arithmetic.Add, top, i(1), ""},
		{arithmetic.Sub, low, i(1), ""},
		{arithmetic.Sub, i(0), low, ""},
		{arithmetic.Sub, i(-1), low, "9223372036854775807"},
		{arithmetic.Sub, i(1), top, ""},
		{arithmetic.Sub, top, top, "0"},
		{arithmetic.Mul, high, i(2), ""},
		{arithmetic.Mul, low, i(-1), ""},
		{arithmetic.Mul, low, i(1), "-9223372036854775808"},
		{arithmetic.Mul, top, i(1), "18446744073709551615"},
		{arithmetic.IntDiv, low, i(-1), ""},
		{arithmetic.IntDiv, i(7), i(-2), "-3"},
		{arithmetic.IntDiv, i(7), i(0), "NULL"},
		{arithmetic.Mod, low, i(-1), "0"},
		{arithmetic.Mod, i(-7), i(3), "-1"},
		{arithmetic.Div, i(1), i(3), "0.3333"},
		{arithmetic.Div, i(1), i(0), "NULL"},
		{arithmetic.Div, exact("1.50"), i(3), "0.500000"},
		{arithmetic.Mul, value.NewFloat(1e300), value.NewFloat(1e300), ""},
		{arithmetic.Add, value.Value{}, i(1), "NULL"},
		{arithmetic.Add, value.NewString("1.5"), i(1), "2.5"},
		{arithmetic.Add, exact("0.10"), i(1), "1.10"},
		{arithmetic.Mul, exact("1.5"), exact("2.50"), "3.750"},
	}
	for _, tt := range tests {
		got, err := tt.op(tt.a, tt.b)
		if tt.want == "" {
			require.True(t, mysqlerr.Is(err, mysqlerr.DataOutOfRange), "%v %v: %v", tt.a, tt.b, err)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, tt.want, got.String(), "%v %v", tt.a, tt.b)
	}
	_, err := arithmetic.Neg(low)
	require.True(t, mysqlerr.Is(err, mysqlerr.DataOutOfRange))
	v, err := arithmetic.Neg(value.NewUint(1 << 63))
	require.NoError(t, err)
	require.Equal(t, low, v)
}

func TestQuotientKeepsDigitsInside(t *testing.T) {
	third, err := arithmetic.Div(value.NewInt(1), value.NewInt(3))
	require.NoError(t, err)
	back, err := arithmetic.Mul(third, value.NewInt(3))
	require.NoError(t, err)
	require.Equal(t, "1.0000", back.String())
	order, _ := value.Compare(third, exact("0.3333"))
	require.Zero(t, order, "a quotient compares with the digits that it prints")
}
