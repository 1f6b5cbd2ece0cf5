package partition_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/partition"
)

// ranges returns a scheme with these bounds, whose partitions are named after
// them. "" is MAXVALUE.
func ranges(t *testing.T, bounds ...string) *partition.Scheme {
	t.Helper()
	s, err := partition.NewRange(bounds, uppers(bounds))
	require.NoError(t, err)
	return s
}

func uppers(bounds []string) [][]byte {
	out := make([][]byte, len(bounds))
	for i, b := range bounds {
		if b != "" {
			out[i] = []byte(b)
		}
	}
	return out
}

func key(t *testing.T, n int) *partition.Scheme {
	t.Helper()
	s, err := partition.NewKey(n)
	require.NoError(t, err)
	return s
}

func TestAdding(t *testing.T) {
	got, err := ranges(t, "b", "d").Adding([]string{"p", "q"}, uppers([]string{"f", ""}))
	require.NoError(t, err)
	want, err := partition.NewRange([]string{"b", "d", "p", "q"}, uppers([]string{"b", "d", "f", ""}))
	require.NoError(t, err)
	require.True(t, got.Equal(want))

	for _, c := range []struct {
		scheme        *partition.Scheme
		names, bounds []string
		want          error
	}{
		{nil, []string{"p"}, []string{"x"}, partition.ErrNotRange},
		{key(t, 3), []string{"p"}, []string{"x"}, partition.ErrNotRange},
		{ranges(t, "b", ""), []string{"p"}, []string{"x"}, partition.ErrMaxValue},
		{ranges(t, "b", "d"), []string{"p"}, []string{"c"}, partition.ErrNotIncreasing},
		{ranges(t, "b", "d"), []string{"p"}, []string{"d"}, partition.ErrNotIncreasing},
		{ranges(t, "b", "d"), []string{"p", "q"}, []string{"", "e"}, partition.ErrMaxNotLast},
		{ranges(t, "b", "d"), []string{"B"}, []string{"e"}, partition.ErrDuplicateName},
	} {
		_, err := c.scheme.Adding(c.names, uppers(c.bounds))
		require.ErrorIs(t, err, c.want)
	}
}

func TestDropping(t *testing.T) {
	s := ranges(t, "b", "d", "f", "")
	got, err := s.Dropping([]int{1, 3})
	require.NoError(t, err)
	require.True(t, got.Equal(ranges(t, "b", "f")))
	_, ok := got.Locate([]byte("z"))
	require.False(t, ok)
	at, ok := got.Locate([]byte("c"))
	require.True(t, ok)
	require.Equal(t, 1, at, "the next partition takes over the range")

	_, err = s.Dropping([]int{0, 1, 2, 3})
	require.ErrorIs(t, err, partition.ErrLastPartition)
	_, err = key(t, 3).Dropping([]int{0})
	require.ErrorIs(t, err, partition.ErrNotRange)
}

func TestReorganizing(t *testing.T) {
	reorganize := func(s *partition.Scheme, first, last int, bounds ...string) (*partition.Scheme, error) {
		return s.Reorganizing(first, last, bounds, uppers(bounds))
	}
	for _, c := range []struct {
		name        string
		first, last int
		into        []string
		want        []string // nil with an error
		err         error
	}{
		{"split", 1, 1, []string{"c", "d"}, []string{"b", "c", "d", "f"}, nil},
		{"split the first", 0, 0, []string{"a", "b"}, []string{"a", "b", "d", "f"}, nil},
		{"merge", 0, 1, []string{"d"}, []string{"d", "f"}, nil},
		{"move a bound", 0, 1, []string{"c", "d"}, []string{"c", "d", "f"}, nil},
		{"reach further at the end", 2, 2, []string{"f", "h", ""}, []string{"b", "d", "f", "h", ""}, nil},
		{"less at the end", 2, 2, []string{"e"}, nil, partition.ErrOutside},
		{"less", 0, 1, []string{"c"}, nil, partition.ErrOutside},
		{"more", 0, 1, []string{"e"}, nil, partition.ErrOutside},
		{"MAXVALUE in the middle", 0, 1, []string{""}, nil, partition.ErrOutside},
		{"below the range", 1, 1, []string{"a", "d"}, nil, partition.ErrNotIncreasing},
		{"an empty range", 1, 1, []string{"b", "d"}, nil, partition.ErrNotIncreasing},
		{"backwards", 0, 1, []string{"c", "a", "d"}, nil, partition.ErrNotIncreasing},
		{"nothing", 0, 1, nil, nil, partition.ErrNoPartitions},
		{"no such", 2, 3, []string{"z"}, nil, partition.ErrNotNeighbours},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := reorganize(ranges(t, "b", "d", "f"), c.first, c.last, c.into...)
			if c.err != nil {
				require.ErrorIs(t, err, c.err)
				return
			}
			require.NoError(t, err)
			require.True(t, got.Equal(ranges(t, c.want...)), "%v", got)
		})
	}
	_, err := key(t, 3).Reorganizing(0, 0, []string{"p"}, [][]byte{nil})
	require.ErrorIs(t, err, partition.ErrNotRange)
	_, err = ranges(t, "b", "d").Reorganizing(0, 0, []string{"d", "x"}, uppers([]string{"a", "b"}))
	require.ErrorIs(t, err, partition.ErrDuplicateName, "of one that stays")
}
