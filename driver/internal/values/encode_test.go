package values

import (
	"database/sql/driver"
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/value/calendar"
)

func encodeOne(v value.Value) driver.Value {
	dest := make([]driver.Value, 1)
	e, n := &Encoder{}, &Numbers{}
	var first driver.Value
	for i := range 3 {
		e.Encode(dest, []value.Value{v}, n)
		got := dest[0]
		if b, ok := got.([]byte); ok {
			got = slices.Clone(b)
		}
		if i == 0 {
			first = got
		} else if !reflect.DeepEqual(first, got) {
			panic("later rows differ")
		}
	}
	return first
}

func TestEncodeKinds(t *testing.T) {
	for _, c := range []struct {
		in   value.Value
		want driver.Value
	}{
		{value.Value{}, nil},
		{value.NewInt(math.MinInt64), int64(math.MinInt64)},
		{value.NewUint(math.MaxUint64), uint64(math.MaxUint64)},
		{value.NewFloat(-0.5), -0.5},
		{value.NewDecimal(decimal.RequireFromString("12.340")), []byte("12.340")},
		{value.NewBytes(nil), []byte{}},
		{value.NewBytes([]byte{0, 0xff}), []byte{0, 0xff}},
		{value.NewString("text"), []byte("text")},
		{value.NewJSON([]byte(`{"a": 1}`)), []byte(`{"a": 1}`)},
		{value.NewDate(calendar.Fields{Year: 2024, Month: 2, Day: 29}), []byte("2024-02-29")},
		{value.NewDateTime(calendar.Fields{Year: 2024, Month: 2, Day: 29, Hour: 1, Micro: 500_000}, 1), []byte("2024-02-29 01:00:00.5")},
		{value.NewTime(-3_600_000_000, 0), []byte("-01:00:00")},
	} {
		require.Equal(t, c.want, encodeOne(c.in))
	}
}

// TestEncodedRowsStandAlone checks the values of rows of all sizes after the
// values' own bytes are overwritten, as happens when rows are closed.
func TestEncodedRowsStandAlone(t *testing.T) {
	for _, columns := range []int{1, 3, 4, 5, 9} {
		e := &Encoder{}
		source := make([]byte, 1<<16)
		dest, row := make([]driver.Value, columns), make([]value.Value, columns)
		for i := range 500 {
			var want []string
			for j := range row {
				b := source[:[]int{0, 1, 7, 190, 3, 500, 1 << 16}[(i+j)%7]]
				copy(b, fmt.Sprintf("%d", i*(j+1)))
				row[j] = value.NewBytes(slices.Clone(b))
				want = append(want, string(b))
			}
			e.Encode(dest, row, &Numbers{})
			for j := range row {
				clear(row[j].Raw())
			}
			for j := range dest {
				got := dest[j].([]byte)
				require.NotNil(t, got)
				require.Equal(t, len(got), cap(got), "no capacity behind")
				if string(got) != want[j] {
					t.Fatalf("row %d, column %d: %.20q, want %.20q", i, j, got, want[j])
				}
			}
		}
	}
}

// TestEncodedNumbersAreKept: database/sql passes their interfaces to callers
// that scan into any.
func TestEncodedNumbersAreKept(t *testing.T) {
	e, n := &Encoder{}, &Numbers{}
	var kept []driver.Value
	dest := make([]driver.Value, 3)
	for i := range 1000 {
		e.Encode(dest, []value.Value{value.NewInt(int64(i / 3)), value.NewUint(uint64(i)), value.NewFloat(float64(i))}, n)
		kept = append(kept, dest...)
	}
	for i := range 1000 {
		require.Equal(t, []driver.Value{int64(i / 3), uint64(i), float64(i)}, kept[3*i:3*i+3])
	}
}

// TestEncodeAllocations: a row of a scan allocates nothing, except from time to
// time memory for further timestamps.
func TestEncodeAllocations(t *testing.T) {
	e, n := &Encoder{}, &Numbers{}
	dest := make([]driver.Value, 4)
	i, qualifiers := 0, []byte("abcde")
	var key [16]byte
	val := make([]byte, 100)
	allocs := testing.AllocsPerRun(5000, func() {
		binary.BigEndian.PutUint64(key[8:], uint64(i/5))
		i++
		e.Encode(dest, []value.Value{
			value.NewBytes(key[:]), value.NewBytes(qualifiers[i%5 : i%5+1]), value.NewInt(1_700_000_000_000 + int64(i)), value.NewBytes(val),
		}, n)
	})
	require.Zero(t, allocs) // rounded down: one in 64 rows
}
