package rowmem

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// anyValue returns a value of any kind: strings may be empty, or larger than a slab.
func anyValue(r *rand.Rand) value.Value {
	text := bytes.Repeat([]byte{byte(r.IntN(256))}, []int{0, 1, 7, 300, slabBytes / 3, 2 * slabBytes}[r.IntN(400)/80+r.IntN(2)])
	switch r.IntN(8) {
	case 0:
		return value.Value{}
	case 1:
		return value.NewInt(r.Int64() - r.Int64())
	case 2:
		return value.NewUint(r.Uint64())
	case 3:
		return value.NewFloatScale(r.NormFloat64(), r.IntN(5))
	case 4:
		return value.NewDecimalScale(decimal.New(r.Int64()-r.Int64(), -3), r.IntN(9))
	case 5:
		return value.NewText(text)
	case 6:
		return value.NewJSON(text)
	}
	return value.NewBytes(text)
}

// TestRowStore stores rows of any width and reads them again, also in reused memory.
func TestRowStore(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 1))
	var s Store
	for range 3 {
		var rows [][]value.Value
		var at []uint32
		for range r.IntN(5000) {
			row := make([]value.Value, r.IntN(5))
			for i := range row {
				row[i] = anyValue(r)
			}
			place, size := s.Add(row)
			require.GreaterOrEqual(t, size, packedSize*len(row))
			if n := len(at); n > 0 {
				require.Greater(t, place, at[n-1])
			}
			rows, at = append(rows, row), append(at, place)
		}
		var got []value.Value
		for i, row := range rows {
			got = s.AppendRow(got[:0], at[i])
			require.Len(t, got, len(row))
			for column, v := range row {
				require.True(t, value.Identical(v, got[column]), "row %d: %v, not %v", i, got[column], v)
				require.True(t, value.Identical(v, s.Value(at[i], column)))
			}
		}
		s.Reset()
	}
}

// TestOrderOfCells compares the order of cells with that of their values.
func TestOrderOfCells(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 1))
	var s Store
	for range 5000 {
		x, y := anyValue(r), anyValue(r)
		if r.IntN(3) == 0 {
			y = x
		}
		a, _ := s.Add([]value.Value{x})
		b, _ := s.Add([]value.Value{y})
		require.Equal(t, value.Order(x, y), CompareCells(&s, s.Cell(a, 0), &s, s.Cell(b, 0)), "%v and %v", x, y)
	}
}
