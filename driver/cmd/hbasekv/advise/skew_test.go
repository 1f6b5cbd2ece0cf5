package advise

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSkew(t *testing.T) {
	for _, c := range []struct {
		parts []int64
		want  string
	}{
		{[]int64{5, 5, 5, 5}, "even: max/mean 1.00, Gini 0.00"},
		{[]int64{1, 2, 3, 4}, "somewhat uneven: max/mean 1.60, Gini 0.25"},
		{[]int64{8, 1, 1}, "uneven: max/mean 2.40, Gini 0.47"},
		{[]int64{0, 0, 0, 0, 10}, "very uneven, a few partitions hold most: max/mean 5.00, Gini 0.80"},
		{[]int64{7}, "even: max/mean 1.00, Gini 0.00"},
	} {
		require.Equal(t, c.want, NewSkew(c.parts).String(), "%v", c.parts)
	}
	require.Equal(t, 2, NewSkew([]int64{1, 2, 9, 9}).Largest)
	require.Zero(t, NewSkew(nil))
	require.Zero(t, NewSkew([]int64{0, 0}))
}
