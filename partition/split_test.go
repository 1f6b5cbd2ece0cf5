package partition_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hbasekv/hbasekv/partition"
)

// layout prints a Range scheme: each partition with its bound.
func layout(s *partition.Scheme) string {
	var parts []string
	for i := range s.Len() {
		bound := "MAXVALUE"
		if end := s.Bounds(i).End; end != nil {
			bound = fmt.Sprintf("%q", end)
		}
		parts = append(parts, s.Name(i)+" < "+bound)
	}
	return strings.Join(parts, ", ")
}

func points(texts ...string) [][]byte {
	out := make([][]byte, len(texts))
	for i, text := range texts {
		out[i] = []byte(text)
	}
	return out
}

func TestNewSplit(t *testing.T) {
	s, err := partition.NewSplit(points("3", "1", "2"))
	require.NoError(t, err)
	require.Equal(t, `p0 < "1", p1 < "2", p2 < "3", p3 < MAXVALUE`, layout(s))
	_, err = partition.NewSplit(points("1", "1"))
	require.ErrorIs(t, err, partition.ErrNotIncreasing)
	_, err = partition.NewSplit(points(""))
	require.ErrorIs(t, err, partition.ErrEmptyPoint)
	_, err = partition.NewSplit(make([][]byte, 0))
	require.NoError(t, err, "one partition")
}

func TestSplitting(t *testing.T) {
	s, err := partition.NewRange([]string{"a", "B"}, [][]byte{[]byte("h"), nil})
	require.NoError(t, err)
	for _, step := range []struct {
		at      []string
		want    string
		parents []int
	}{
		{[]string{"d"}, `a_1 < "d", a < "h", B < MAXVALUE`, []int{0, 0, 1}},
		{[]string{"b", "h", "f", "f"}, `a_2 < "b", a_1 < "d", a_3 < "f", a < "h", B < MAXVALUE`, []int{0, 0, 1, 1, 2}},
		{[]string{"z", "k"}, `a_2 < "b", a_1 < "d", a_3 < "f", a < "h", B_1 < "k", B_2 < "z", B < MAXVALUE`, []int{0, 1, 2, 3, 4, 4, 4}},
		{[]string{"k"}, `a_2 < "b", a_1 < "d", a_3 < "f", a < "h", B_1 < "k", B_2 < "z", B < MAXVALUE`, []int{0, 1, 2, 3, 4, 5, 6}},
	} {
		next, parents, err := s.Splitting(points(step.at...))
		require.NoError(t, err)
		require.Equal(t, step.want, layout(next))
		require.Equal(t, step.parents, parents)
		s = next
	}
}

func TestSplittingNames(t *testing.T) {
	long := strings.Repeat("ä", 64)
	s, err := partition.NewRange([]string{"x_01", "X_1", "x", long}, [][]byte{[]byte("b"), []byte("d"), []byte("f"), nil})
	require.NoError(t, err)
	s, _, err = s.Splitting(points("a", "c", "e", "z"))
	require.NoError(t, err)
	require.Equal(t, `x_01_1 < "a", x_01 < "b", X_2 < "c", X_1 < "d", x_3 < "e", x < "f", `+
		strings.Repeat("ä", 62)+`_1 < "z", `+long+` < MAXVALUE`, layout(s))
}

func TestSplittingErrors(t *testing.T) {
	closed := ranges(t, "b", "d")
	_, _, err := closed.Splitting(points("c", "e"))
	require.ErrorIs(t, err, partition.ErrOutside)
	_, _, err = closed.Splitting(points(""))
	require.ErrorIs(t, err, partition.ErrEmptyPoint)
	_, _, err = key(t, 3).Splitting(points("c"))
	require.ErrorIs(t, err, partition.ErrNotRange)
	next, parents, err := (&partition.Scheme{}).Splitting(points("c", "c"))
	require.NoError(t, err)
	require.Equal(t, `p0 < "c", p1 < MAXVALUE`, layout(next))
	require.Equal(t, []int{0, 0}, parents)
}

func TestBetween(t *testing.T) {
	for _, c := range []struct {
		lower, upper string
		n            int
		want         []string
	}{
		{"a", "z", 5, []string{"f", "k", "p", "u"}},
		{"0", "9", 2, []string{"4\x80"}},
		{"user0000", "user9999", 2, []string{"user4\xb4"}},
		{"", "\xff", 4, []string{"?\xc0", "\x7f\x80", "\xbf@"}},
		{"a", "b", 2, []string{"a\x80"}},
		{"a", "a\x00", 2, nil},
		{"a", "a\x00\x01", 2, []string{"a\x00\x00\x80"}},
		{"b", "a", 2, nil},
		{"a", "a", 2, nil},
		{"a", "b", 1, nil},
		{"a", "b", -1, nil},
	} {
		got := partition.Between([]byte(c.lower), []byte(c.upper), c.n)
		require.Equal(t, len(c.want), len(got), "%v: %q", c, got)
		for i := range got {
			require.Equal(t, c.want[i], string(got[i]), "%v", c)
		}
	}
}

// TestBetweenAlways requires what every caller relies on: Between returns as
// many points as asked for, distinct from each other and from the ends.
func TestBetweenAlways(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lower := rapid.SliceOfN(rapid.Byte(), 0, 12).Draw(t, "lower")
		upper := rapid.SliceOfN(rapid.Byte(), 0, 12).Draw(t, "upper")
		n := rapid.IntRange(2, 300).Draw(t, "n")
		got := partition.Between(lower, upper, n)
		if got == nil {
			require.True(t, bytes.Compare(lower, upper) >= 0 || bytes.Equal(bytes.TrimRight(upper, "\x00"), bytes.TrimRight(lower, "\x00")))
			return
		}
		require.Len(t, got, n-1)
		last := lower
		for _, point := range append(got, upper) {
			require.Negative(t, bytes.Compare(last, point), "%q is not below %q", last, point)
			last = point
		}
	})
}
