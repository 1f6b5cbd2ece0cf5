package driver

import (
	"database/sql/driver"
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

func encodeOne(v value.Value) driver.Value {
	dest := make([]driver.Value, 1)
	e := &encoder{}
	e.encode(dest, []value.Value{v})
	first := dest[0]
	e.encode(dest, []value.Value{v})
	e.encode(dest, []value.Value{v})
	if !reflect.DeepEqual(first, dest[0]) {
		panic("later rows differ")
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
		{value.NewDate(value.Fields{Year: 2024, Month: 2, Day: 29}), []byte("2024-02-29")},
		{value.NewDateTime(value.Fields{Year: 2024, Month: 2, Day: 29, Hour: 1, Micro: 500_000}, 1), []byte("2024-02-29 01:00:00.5")},
		{value.NewTime(-3_600_000_000, 0), []byte("-01:00:00")},
	} {
		require.Equal(t, c.want, encodeOne(c.in))
	}
}

// TestEncodedBytesAreNeverRewritten keeps every slice of many rows and looks at
// them at the end, while the values' own bytes are overwritten.
func TestEncodedBytesAreNeverRewritten(t *testing.T) {
	e := &encoder{}
	source := make([]byte, 3*maxLong)
	var kept [][]byte
	var want []string
	for i := range 2000 {
		size := []int{1, 7, maxRecent, maxRecent + 1, maxLong / 4, maxLong/4 + 1, 2 * maxLong}[i%7]
		row := make([]value.Value, 3)
		for j := range row {
			b := source[:size]
			copy(b, fmt.Sprintf("%d", (i/5*(j+1))%250))
			row[j] = value.NewBytes(b)
		}
		dest := make([]driver.Value, 3)
		e.encode(dest, row)
		for j := range dest {
			got := dest[j].([]byte)
			require.Equal(t, len(got), cap(got))
			kept = append(kept, got)
			want = append(want, string(row[j].Raw()))
		}
		clear(source)
	}
	for i := range kept {
		if string(kept[i]) != want[i] {
			t.Fatalf("value %d was rewritten", i)
		}
	}
}

// TestEncodeAllocations guards the row path: a row of a scan allocates its T and
// its V, and its K and Q only where the cells before had others.
func TestEncodeAllocations(t *testing.T) {
	e := &encoder{}
	dest := make([]driver.Value, 4)
	i, qualifiers := 0, []byte("abcde")
	var key [16]byte
	val := make([]byte, 100)
	allocs := testing.AllocsPerRun(5000, func() {
		binary.BigEndian.PutUint64(key[8:], uint64(i/5))
		i++
		e.encode(dest, []value.Value{
			value.NewBytes(key[:]), value.NewBytes(qualifiers[i%5 : i%5+1]), value.NewInt(1_700_000_000_000 + int64(i)), value.NewBytes(val),
		})
	})
	require.LessOrEqual(t, allocs, 2.0)
}
