package aggregate

import (
	"math"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// TestCombineSumsBothWays combines the groups of two columns on two goroutines, some into one
// column and some into the other, if both have sums that are not integers.
func TestCombineSumsBothWays(t *testing.T) {
	agg := boundAggregate(t, "SUM(T)")
	const groups = 2000
	var columns [2]Column
	for i := range columns {
		columns[i] = NewColumn(agg, &Memory{})
		for g := range int32(groups) {
			columns[i].Grow()
			v := value.NewInt(1)
			if other := g % 4; other == 2 && i == 1 || other == 1 && i == 0 {
				v = value.NewUint(math.MaxUint64)
			}
			require.NoError(t, columns[i].AddArgs(&expr.Env{}, g, []value.Value{v}))
		}
	}
	var both sync.WaitGroup
	for i := range columns {
		both.Go(func() {
			for g := int32(i); g < groups; g += 2 {
				if err := columns[i].Combine(g, columns[1-i], g); err != nil {
					t.Error(err)
				}
			}
		})
	}
	both.Wait()
	for g := range int32(groups) {
		v, err := columns[g%2].Result(g)
		require.NoError(t, err)
		want := "2"
		if g%4 == 1 || g%4 == 2 {
			want = "18446744073709551616"
		}
		require.Equal(t, want, string(v.AppendText(nil)), strconv.Itoa(int(g)))
	}
}
