package kv

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRetentionString(t *testing.T) {
	require.Equal(t, "", Retention{}.String())
	require.Equal(t, "TTL=5 MAX_VERSIONS=4 MIN_VERSIONS=3 DROP_EXPIRED_PARTITIONS=ON CELL_TTL=ON", Retention{5, 4, 3, true, true}.String())
}

func TestRetentionKeeps(t *testing.T) {
	const now = 100_000
	for _, c := range []struct {
		r    Retention
		rank int
		at   int64
		want bool
	}{
		{Retention{}, 1 << 30, math.MinInt64, true},
		{Retention{TTLSeconds: 10}, 0, now - 10_000, true},
		{Retention{TTLSeconds: 10}, 0, now - 10_001, false},
		{Retention{TTLSeconds: 10}, 5, math.MaxInt64, true},
		{Retention{TTLSeconds: math.MaxInt64}, 0, math.MinInt64, true},
		{Retention{TTLSeconds: 10, MinVersions: 2}, 1, math.MinInt64, true},
		{Retention{TTLSeconds: 10, MinVersions: 2}, 2, now - 10_001, false},
		{Retention{TTLSeconds: 10, MinVersions: 2}, 2, now, true},
		{Retention{MaxVersions: 3}, 2, math.MinInt64, true},
		{Retention{MaxVersions: 3}, 3, math.MaxInt64, false},
		{Retention{TTLSeconds: 10, MaxVersions: 3, MinVersions: 1}, 2, now - 10_001, false},
		{Retention{TTLSeconds: 10, MaxVersions: 1, MinVersions: 2}, 1, now, false},
	} {
		require.Equal(t, c.want, c.r.Keeps(c.rank, c.at, now), "%+v rank %d at %d", c.r, c.rank, c.at)
	}
}
