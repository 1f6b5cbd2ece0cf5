package partition_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/partition"
)

func sliced(t *testing.T, rows *partition.Scheme, outer bool) *partition.Scheme {
	t.Helper()
	s, err := rows.Sliced(&partition.Slices{Names: []string{"s0", "s1"}, Upper: []int64{10}, Max: true, Outer: outer})
	require.NoError(t, err)
	return s
}

func TestLeavesByName(t *testing.T) {
	for _, c := range []struct {
		scheme    *partition.Scheme
		name      string
		of, below []int // nil if there is none
	}{
		{nil, "p0", nil, nil},
		{key(t, 3), "P1", []int{1}, nil},
		{key(t, 3), "p3", nil, nil},
		{sliced(t, nil, true), "S1", []int{1}, nil},
		{sliced(t, nil, false), "s1", []int{1}, nil},
		{sliced(t, nil, true), "p0", nil, nil},
		{sliced(t, key(t, 3), true), "s1", []int{3, 4, 5}, nil},
		{sliced(t, key(t, 3), true), "p1", nil, []int{1, 4}},
		{sliced(t, key(t, 3), true), "s1sp2", []int{5}, []int{5}},
		{sliced(t, key(t, 3), false), "p1", []int{2, 3}, nil},
		{sliced(t, key(t, 3), false), "s1", nil, []int{1, 3, 5}},
		{sliced(t, key(t, 3), false), "P2sS0", []int{4}, []int{4}},
		{sliced(t, ranges(t, "b", "d"), false), "d", []int{2, 3}, nil},
		{sliced(t, ranges(t, "b", "d"), false), "dss0", []int{2}, []int{2}},
	} {
		got, ok := c.scheme.LeavesOf(c.name)
		require.Equal(t, c.of != nil, ok, "%s", c.name)
		require.Equal(t, c.of, got, "%s", c.name)
		got, ok = c.scheme.LeavesBelow(c.name)
		require.Equal(t, c.below != nil, ok, "%s", c.name)
		require.Equal(t, c.below, got, "%s", c.name)
	}
}

func TestLevels(t *testing.T) {
	for _, c := range []struct {
		scheme           *partition.Scheme
		partitioned, two bool
		outer            []string
	}{
		{nil, false, false, []string{""}},
		{key(t, 2), true, false, []string{"p0", "p1"}},
		{sliced(t, nil, true), true, false, []string{"s0", "s1"}},
		{sliced(t, key(t, 3), true), true, true, []string{"s0", "s1"}},
		{sliced(t, key(t, 3), false), true, true, []string{"p0", "p1", "p2"}},
	} {
		require.Equal(t, c.partitioned, c.scheme.Partitioned())
		require.Equal(t, c.two, c.scheme.TwoLevels())
		var names []string
		for i := range c.scheme.NumOuter() {
			names = append(names, c.scheme.OuterName(i))
		}
		require.Equal(t, c.outer, names)
	}
}
