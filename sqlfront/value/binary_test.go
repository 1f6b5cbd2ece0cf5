package value

import (
	"math"
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"
)

func binarySamples() []Value {
	date, _ := ParseDateTime(NewString("2024-02-29 23:59:59.123456"))
	return []Value{
		{}, NewInt(0), NewInt(math.MinInt64), NewInt(math.MaxInt64), NewUint(math.MaxUint64), NewBool(true),
		NewFloat(0), NewFloat(math.Inf(-1)), NewFloat(5e-324), NewFloatScale(1.25, 2),
		NewDecimal(decimal.RequireFromString("-12345678901234567890.123456789")), NewDecimalScale(decimal.New(1, 20), 3),
		NewDecimal(decimal.Decimal{}),
		NewText(nil), NewString("Ünïcode \x00"), NewBytes([]byte{}), NewBytes([]byte{0, 255}), NewJSON([]byte(`{"a": 1}`)),
		date,
	}
}

func TestBinary(t *testing.T) {
	var all []byte
	for _, v := range binarySamples() {
		all = AppendBinary(all, v)
	}
	for _, want := range binarySamples() {
		var got Value
		var err error
		got, all, err = ReadBinary(all)
		require.NoError(t, err)
		requireSame(t, want, got)
	}
	require.Empty(t, all)
}

// requireSame compares all that a value has.
func requireSame(t *testing.T, want, got Value) {
	t.Helper()
	require.Equal(t, want.kind, got.kind)
	require.Equal(t, want.aux, got.aux)
	require.Equal(t, want.n, got.n)
	require.Equal(t, string(want.Raw()), string(got.Raw()))
	if want.kind == Decimal {
		require.Equal(t, want.Decimal().Exponent(), got.Decimal().Exponent())
		require.Equal(t, want.Decimal().Coefficient().String(), got.Decimal().Coefficient().String())
	}
}

func FuzzBinary(f *testing.F) {
	for _, v := range binarySamples() {
		f.Add(AppendBinary(nil, v))
	}
	f.Add([]byte{tagAux})
	f.Add([]byte{byte(Bytes), 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		v, rest, err := ReadBinary(b)
		if err != nil {
			return
		}
		require.LessOrEqual(t, len(rest), len(b))
		again, rest, err := ReadBinary(AppendBinary(nil, v))
		require.NoError(t, err)
		require.Empty(t, rest)
		requireSame(t, v, again)
	})
}
