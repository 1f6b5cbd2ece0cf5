package value

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"unsafe"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
	"github.com/hbasekv/hbasekv/sqlfront/value/calendar"
)

func exact(s string) Value { return NewDecimal(decimal.RequireFromString(s)) }

// samples hold every kind, with the ends of its range.
func samples() []Value {
	date := calendar.Fields{Year: 2020, Month: 2, Day: 29}
	clock := calendar.Fields{Year: 2020, Month: 2, Day: 29, Hour: 23, Minute: 59, Second: 59, Micro: 999999}
	return []Value{
		{}, NewInt(0), NewInt(-1), NewInt(math.MaxInt64), NewInt(math.MinInt64), NewUint(math.MaxUint64), NewUint(1),
		NewFloat(0.5),
		NewFloat(1e300), NewFloat(-1), NewFloat(1), exact("1"), exact("1.50"), exact("-99999999999999999999"), NewString(""),
		NewDecimalScale(exact("0.00001").Decimal(), 4), NewDecimalScale(exact("1.500004").Decimal(), 4),
		NewString("a"),
		NewString("A "), NewString("é"), NewString("1"), NewString("\x00"), NewBytes(nil), NewBytes([]byte{0, 0xFF}),
		NewBytes([]byte("a")),
		NewBytes([]byte("1")), NewDate(date), NewDateTime(clock, 6), NewTime(-5e6, 0), NewJSON([]byte(`{"a": 1}`)),
	}
}

func TestKeyEqualsWhereValuesAreEqual(t *testing.T) {
	for _, a := range samples() {
		for _, b := range samples() {
			order, ok := Compare(a, b)
			if sameClass(a, b) {
				require.Equal(t, ok && order == 0, string(AppendKey(nil, a)) == string(AppendKey(nil, b)), "%v and %v", a, b)
			}
		}
	}
	require.Equal(t, AppendKey(nil, Value{}), AppendKey(nil, Value{}))
}

// sameClass: one column's values are all numbers, all text or all bytes.
func sameClass(a, b Value) bool {
	if a.Kind().IsNumber() && b.Kind().IsNumber() {
		return a.Kind() != Float && b.Kind() != Float
	}
	return a.Kind() == b.Kind() && !a.IsNull()
}

// TestKeysDoNotRunTogether: the keys of a list of values are unambiguous.
func TestKeysDoNotRunTogether(t *testing.T) {
	seen := map[string][2]int{}
	all := samples()
	first := map[string]int{}
	for i, a := range all {
		if _, ok := first[string(AppendKey(nil, a))]; !ok {
			first[string(AppendKey(nil, a))] = i
		}
	}
	for _, a := range all {
		for _, b := range all {
			pair := [2]int{first[string(AppendKey(nil, a))], first[string(AppendKey(nil, b))]}
			key := string(AppendKey(AppendKey(nil, a), b))
			if other, ok := seen[key]; ok {
				require.Equal(t, other, pair, "%v, %v", a, b)
			}
			seen[key] = pair
		}
	}
}

// TestReadKey: ReadKey reads the values of which InKeys is true from keys, one after the other.
func TestReadKey(t *testing.T) {
	var key []byte
	var want []Value
	for _, v := range samples() {
		if v.IsNull() || InKeys(v.Kind()) {
			key, want = AppendKey(key, v), append(want, v)
		}
	}
	var got []Value
	for len(key) > 0 {
		var v Value
		v, key = ReadKey(key)
		got = append(got, v)
	}
	require.Len(t, got, len(want))
	for i, v := range want {
		require.True(t, Identical(v, got[i]), "%v and %v", v, got[i])
	}
}

func TestCompareIsAnOrder(t *testing.T) {
	for _, a := range samples() {
		for _, b := range samples() {
			require.Equal(t, Order(a, b), -Order(b, a), "%v and %v", a, b)
		}
		require.Zero(t, Order(a, a), "%v", a)
	}
}

func TestCompare(t *testing.T) {
	tests := []struct {
		a, b Value
		want int
	}{
		{NewInt(-1), NewUint(math.MaxUint64), -1},
		{NewUint(1 << 63), NewInt(math.MaxInt64), 1},
		{NewInt(1), exact("1.00"), 0},
		{NewInt(9007199254740993), NewString("9007199254740992"), 1},
		{NewInt(0), NewString("1e-39"), -1},
		{NewInt(0), NewString("-1e-39"), 1},
		{NewInt(5), NewString("5.0000000000000000000000000000000000000001"), 0},
		{exact("1.5"), NewString("1.5x"), 0},
		{NewString("a"), NewString("A  "), 0},
		{NewString("a\t"), NewString("a"), -1},
		{NewString("é"), NewString("E"), 0},
		{NewString("ß"), NewString("S"), 0},
		{NewString("😀"), NewString("😁"), 0},
		{NewBytes([]byte("a")), NewString("a "), -1},
		{NewBytes([]byte("a")), NewString("A"), 1},
		{NewString("a").WithBinaryCollation(), NewString("A"), 1},
		{NewString("a").WithBinaryCollation(), NewString("a "), 0},
		{NewDate(calendar.Fields{Year: 2020, Month: 1, Day: 31}), NewString("2020-1-31"), 0},
		{NewDate(calendar.Fields{Year: 2020, Month: 1, Day: 31}), NewInt(20200131), 0},
		{NewTime(3600e6, 0), NewString("01:00"), 0},
		{NewJSON([]byte(`"a"`)), NewString("a"), 0},
		{NewJSON([]byte(`1.0`)), NewInt(1), 0},
	}
	for _, tt := range tests {
		got, ok := Compare(tt.a, tt.b)
		require.True(t, ok)
		require.Equal(t, tt.want, got, "%v and %v", tt.a, tt.b)
	}
	_, ok := Compare(Value{}, NewInt(1))
	require.False(t, ok)
}

func TestFloatText(t *testing.T) {
	for f, want := range map[float64]string{
		0: "0", math.Copysign(0, -1): "0", 1: "1", -2.5: "-2.5", 1e14: "100000000000000", 1e15: "1e15", -1e15: "-1e15",
		999999999999999: "999999999999999", -999999999999999: "-999999999999999", 999999999999999.9: "999999999999999.9",
		1.5e20:             "1.5e20",
		1234567890123456.8: "1234567890123456.8", 1e-15: "0.000000000000001", 1e-16: "1e-16",
		1.7976931348623157e308: "1.7976931348623157e308",
	} {
		require.Equal(t, want, NewFloat(f).String())
	}
	require.Equal(t, "2.50", NewFloatScale(2.5, 2).String())
	require.Equal(t, "3", NewFloatScale(2.75, 0).String())
}

func TestFloatTextReadsBack(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 1))
	for range 20000 {
		f := math.Float64frombits(r.Uint64())
		if math.IsNaN(f) || math.IsInf(f, 0) {
			continue
		}
		got, whole := ParseFloat(AppendFloat(nil, f))
		require.True(t, whole)
		require.Equal(t, f, got)
	}
}

func TestParseNumbers(t *testing.T) {
	tests := []struct {
		text    string
		float   float64
		integer int64
		whole   bool // both read all of it
	}{
		{"12", 12, 12, true}, {" 12 ", 12, 12, true}, {"-7", -7, -7, true}, {"+7", 7, 7, true}, {"", 0, 0, false},
		{"abc", 0, 0, false},
		{"12abc", 12, 12, false}, {"9223372036854775807", 9223372036854775807, math.MaxInt64, true},
		{"99999999999999999999", 1e20, math.MaxInt64, false}, {"-99999999999999999999", -1e20, math.MinInt64, false},
		{"-", 0, 0, false}, {".", 0, 0, false},
		{"\x0012", 0, 0, false},
	}
	for _, tt := range tests {
		f, wholeFloat := ParseFloat([]byte(tt.text))
		i, wholeInt := ParseInt([]byte(tt.text))
		require.Equal(t, tt.float, f, tt.text)
		require.Equal(t, tt.integer, i, tt.text)
		require.Equal(t, tt.whole, wholeInt && wholeFloat, tt.text)
	}
	f, whole := ParseFloat([]byte("1e400"))
	require.Equal(t, math.MaxFloat64, f)
	require.False(t, whole)
	d, whole := ParseDecimal([]byte("1e999999999"))
	require.False(t, whole)
	require.Equal(t, MaxDigits, d.NumDigits())
	d, whole = ParseDecimal([]byte("1e-999999999"))
	require.True(t, whole)
	require.True(t, d.IsZero())
}

func TestExactInt(t *testing.T) {
	for text, want := range map[string]bool{"5": true, "5.0": true, "5.5": false, "5x": false, "1e3": true,
		"9223372036854775807": true, "9223372036854775807.0": true, "9223372036854775808": false, "": false, "1e-39": false, "1e-400": true} {
		_, ok := ExactInt(NewString(text))
		require.Equal(t, want, ok, text)
	}
}

func TestTruth(t *testing.T) {
	for _, v := range []Value{NewInt(-1), NewString("0.1"), exact("0.01"), NewFloat(1e-300), NewBytes([]byte("1x")),
		NewDate(calendar.Fields{Year: 1})} {
		truth, null := Truth(v)
		require.True(t, truth && !null, "%v", v)
	}
	for _, v := range []Value{NewInt(0), NewString(""), NewString("abc"), exact("0.00"), NewTime(0, 0)} {
		truth, null := Truth(v)
		require.False(t, truth || null, "%v", v)
	}
	_, null := Truth(Value{})
	require.True(t, null)
}

func TestCloneOwnsItsBytes(t *testing.T) {
	b := []byte("abc")
	v := NewBytes(b).Clone()
	w, buf := NewBytes(b).AppendClone(nil)
	b[0] = 'x'
	require.Equal(t, "abc", v.String())
	require.Equal(t, "abc", w.String())
	require.Len(t, buf, 3)
}

func TestCompareDoesNotAllocate(t *testing.T) {
	a, b, i, text := NewBytes([]byte("row1")), NewBytes([]byte("row2")), NewInt(5), NewString("7")
	require.Zero(t, testing.AllocsPerRun(100, func() {
		Compare(a, b)
		Compare(i, i)
		Compare(i, text)
		Compare(text, text)
	}))
}

// TestSizeOfValue: a Value with more fields, or more words, is no longer kept in registers.
func TestSizeOfValue(t *testing.T) {
	require.EqualValues(t, ownSize, unsafe.Sizeof(Value{}))
	require.Equal(t, 3, reflect.TypeFor[Value]().NumField())
}
