package partition

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// times returns slices s0, s1 and so on with these bounds. "MAXVALUE" is an
// open last slice.
func times(outer bool, bounds ...string) *Slices {
	by := &Slices{Outer: outer}
	for i, text := range bounds {
		by.Names = append(by.Names, "s"+strconv.Itoa(i))
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			by.Upper = append(by.Upper, n)
		} else {
			by.Max = true
		}
	}
	return by
}

func sliced(t testing.TB, rows *Scheme, outer bool, bounds ...string) *Scheme {
	s, err := rows.Sliced(times(outer, bounds...))
	require.NoError(t, err)
	return s
}

// slicedSchemes returns schemes that all differ from each other.
func slicedSchemes(t testing.TB) []*Scheme {
	return []*Scheme{
		sliced(t, nil, true, "10"),
		sliced(t, nil, false, "10"),
		sliced(t, nil, true, "10", "20"),
		sliced(t, nil, true, "10", "MAXVALUE"),
		sliced(t, newKey(t, 3), true, "10", "MAXVALUE"),
		sliced(t, newKey(t, 3), false, "10", "MAXVALUE"),
		sliced(t, newPrefixKey(t, 3, 2), false, "MAXVALUE"),
		sliced(t, newRange(t, "b", "MAXVALUE"), false, "-5", "0", "1700000000000", "9223372036854775807", "MAXVALUE"),
	}
}

// TestSlicesStored pins down the stored form, which is an on-disk format.
func TestSlicesStored(t *testing.T) {
	for i, want := range []string{
		`{"method":0,"slices":{"names":["s0"],"upper":[10],"outer":true}}`,
		`{"method":0,"slices":{"names":["s0"],"upper":[10]}}`,
		`{"method":0,"slices":{"names":["s0","s1"],"upper":[10,20],"outer":true}}`,
		`{"method":0,"slices":{"names":["s0","s1"],"upper":[10],"max":true,"outer":true}}`,
		`{"method":1,"n":3,"slices":{"names":["s0","s1"],"upper":[10],"max":true,"outer":true}}`,
		`{"method":1,"n":3,"slices":{"names":["s0","s1"],"upper":[10],"max":true}}`,
		`{"method":2,"n":3,"prefix":2,"slices":{"names":["s0"],"max":true}}`,
		`{"method":3,"n":2,"names":["r0","r1"],"upper":["Yg==",null],"slices":{"names":["s0","s1","s2","s3","s4"],"upper":[-5,0,1700000000000,9223372036854775807],"max":true}}`,
	} {
		s := slicedSchemes(t)[i]
		data, err := json.Marshal(s)
		require.NoError(t, err)
		require.Equal(t, want, string(data))
		var back Scheme
		require.NoError(t, json.Unmarshal(data, &back))
		require.True(t, s.Equal(&back), want)
		for j, other := range slicedSchemes(t) {
			require.Equal(t, i == j, back.Equal(other), "%d %d", i, j)
		}
	}
	for text, want := range map[string]string{
		`{"method":0,"slices":{}}`:                                               ErrNoPartitions.Error(),
		`{"method":0,"slices":{"names":["a"]}}`:                                  errBounds.Error(),
		`{"method":0,"slices":{"names":["a"],"upper":[1],"max":true}}`:           errBounds.Error(),
		`{"method":0,"slices":{"names":["a","b"],"upper":[1,1]}}`:                ErrNotIncreasing.Error(),
		`{"method":0,"slices":{"names":["a","A"],"upper":[1,2]}}`:                ErrDuplicateName.Error(),
		`{"method":1,"n":8192,"slices":{"names":["a","b"],"upper":[1,2]}}`:       ErrTooMany.Error(),
		`{"method":0,"slices":{"names":["a"],"upper":[9223372036854775808]}}`:    "cannot unmarshal",
		`{"method":0,"slices":{"names":["a","b"],"upper":[1,2,3],"max":false}}`:  errBounds.Error(),
		`{"method":0,"slices":{"names":["a","b","c"],"upper":[2,1],"max":true}}`: ErrNotIncreasing.Error(),
	} {
		var s Scheme
		require.ErrorContains(t, json.Unmarshal([]byte(text), &s), want, text)
		require.Equal(t, Scheme{}, s, "unchanged")
	}
}

// TestSlicesGolden pins down the placement of times, which is an on-disk format.
func TestSlicesGolden(t *testing.T) {
	s := slicedSchemes(t)[7]
	for ts, want := range map[int64]int{
		math.MinInt64: -1, math.MinInt64 + 1: 4, -1_700_000_000_001: 3, -1_700_000_000_000: 3, -1_699_999_999_999: 2,
		-1: 2, 0: 2, 1: 2, 1_699_999_999_999: 2, 1_700_000_000_000: 3, math.MaxInt64 - 1: 3, math.MaxInt64: 4,
	} {
		i, ok := s.Slice(ts)
		require.Equal(t, want >= 0, ok, ts)
		if ok {
			require.Equal(t, want, i, ts)
		}
	}
	closed := slicedSchemes(t)[2]
	for ts, want := range map[int64]int{-20: -1, -19: 1, -10: 1, -9: 0, 0: 0, 9: 0, 10: 1, 19: 1, 20: -1, math.MaxInt64: -1} {
		i, ok := closed.Slice(ts)
		require.Equal(t, want >= 0, ok, ts)
		if ok {
			require.Equal(t, want, i, ts)
		}
	}
	i, ok := newKey(t, 3).Slice(math.MinInt64)
	require.True(t, ok)
	require.Zero(t, i)
}

// TestPlace requires that a cell's leaf is the leaf of its row and its time.
func TestPlace(t *testing.T) {
	for _, s := range append(slicedSchemes(t), nil, newKey(t, 3), newRange(t, "b")) {
		for _, row := range []string{"", "a", "b", "c", "zz"} {
			for _, ts := range []int64{math.MinInt64, -11, -5, 0, 9, 10, 19, 20, math.MaxInt64} {
				p, inRow := s.Locate([]byte(row))
				slice, inTime := s.Slice(ts)
				leaf, ok := s.Place([]byte(row), ts)
				require.Equal(t, inRow && inTime, ok)
				if ok {
					require.Equal(t, s.Leaf(p, slice), leaf)
				}
			}
		}
	}
}

func TestLeaves(t *testing.T) {
	names := func(s *Scheme) (out []string) {
		for i := range s.NumLeaves() {
			row, slice := s.LeafAt(i)
			require.Equal(t, i, s.Leaf(row, slice))
			found, ok := s.LeafOrdinal(strings.ToUpper(s.LeafName(i)))
			require.True(t, ok || s.LeafName(i) == "")
			require.Equal(t, i, found)
			out = append(out, s.LeafName(i))
		}
		return out
	}
	require.Equal(t, []string{"s0", "s1"}, names(slicedSchemes(t)[2]))
	require.Equal(t, []string{"s0sp0", "s0sp1", "s0sp2", "s1sp0", "s1sp1", "s1sp2"}, names(slicedSchemes(t)[4]))
	require.Equal(t, []string{"p0ss0", "p0ss1", "p1ss0", "p1ss1", "p2ss0", "p2ss1"}, names(slicedSchemes(t)[5]))
	require.Equal(t, []string{"p0", "p1"}, names(newKey(t, 2)))
	require.Equal(t, []string{""}, names(nil))
	_, ok := slicedSchemes(t)[4].LeafOrdinal("s0")
	require.False(t, ok)
	i, ok := slicedSchemes(t)[4].SliceOrdinal("S1")
	require.True(t, ok)
	require.Equal(t, 1, i)
	_, ok = newKey(t, 2).SliceOrdinal("s1")
	require.False(t, ok)

	_, err := newRangeNamed(t, "p0", "p0s").Sliced(&Slices{Names: []string{"ss1", "s1"}, Upper: []int64{1, 2}})
	require.ErrorIs(t, err, ErrDuplicateName, "p0sss1 twice")
	_, err = newRangeNamed(t, "p0", "p0sa").Sliced(&Slices{Names: []string{"a"}, Upper: []int64{1}})
	require.ErrorIs(t, err, ErrDuplicateName, "a leaf of the one is called as the other")
	_, err = newKey(t, 2).Sliced(&Slices{Names: []string{"p", "psp0"}, Upper: []int64{1, 2}, Outer: true})
	require.ErrorIs(t, err, ErrDuplicateName)
	_, err = newKey(t, 4097).Sliced(times(false, "1", "2"))
	require.ErrorIs(t, err, ErrTooMany)
}

func newRangeNamed(t testing.TB, names ...string) *Scheme {
	upper := make([][]byte, len(names))
	for i := range upper {
		upper[i] = fmt.Appendf(nil, "%d", i)
	}
	s, err := NewRange(names, upper)
	require.NoError(t, err)
	return s
}

// TestSlicesStay requires that changes of the partitions by row keep the slices.
func TestSlicesStay(t *testing.T) {
	s := sliced(t, newRange(t, "b", "d"), false, "10", "20")
	added, err := s.Adding([]string{"x"}, bytesOf("f"))
	require.NoError(t, err)
	dropped, err := s.Dropping([]int{0})
	require.NoError(t, err)
	merged, err := s.Reorganizing(0, 1, []string{"m"}, bytesOf("d"))
	require.NoError(t, err)
	cut, _, err := s.Splitting(bytesOf("c"))
	require.NoError(t, err)
	for _, next := range []*Scheme{added, dropped, merged, cut} {
		require.Equal(t, s.Slices(), next.Slices())
		require.Equal(t, 2*next.Len(), next.NumLeaves())
	}
	_, _, err = sliced(t, nil, true, "10").Splitting(bytesOf("c"))
	require.ErrorIs(t, err, ErrNotRange)
	plain, err := s.Sliced(nil)
	require.NoError(t, err)
	require.True(t, plain.Equal(newRange(t, "b", "d")))
	require.True(t, plain.RowsEqual(s))
	require.False(t, plain.Equal(s))
	require.False(t, plain.RowsEqual(added))
}

func TestChangingSlices(t *testing.T) {
	for _, c := range []struct {
		name   string
		from   []string
		change func(*Scheme) (*Scheme, error)
		want   []string
		err    error
	}{
		{"add", []string{"10"}, adding("20", "MAXVALUE"), []string{"10", "20", "MAXVALUE"}, nil},
		{"add nothing", []string{"MAXVALUE"}, adding(), []string{"MAXVALUE"}, nil},
		{"add behind MAXVALUE", []string{"MAXVALUE"}, adding("20"), nil, ErrMaxValue},
		{"add below", []string{"10"}, adding("10"), nil, ErrNotIncreasing},
		{"drop", []string{"10", "20", "30"}, dropping(0, 1), []string{"30"}, nil},
		{"drop the open one", []string{"10", "20", "MAXVALUE"}, dropping(2), []string{"10", "20"}, nil},
		{"drop below the open one", []string{"10", "20", "MAXVALUE"}, dropping(1), []string{"10", "MAXVALUE"}, nil},
		{"drop all", []string{"10", "MAXVALUE"}, dropping(0, 1), nil, ErrLastPartition},
		{"split", []string{"10", "30"}, reorganizing(1, 1, "20", "30"), []string{"10", "20", "30"}, nil},
		{"split the open one", []string{"10", "MAXVALUE"}, reorganizing(1, 1, "20", "MAXVALUE"), []string{"10", "20", "MAXVALUE"}, nil},
		{"split less", []string{"10", "30"}, reorganizing(1, 1, "20"), nil, ErrOutside},
		{"reach further", []string{"10", "30"}, reorganizing(1, 1, "20", "40"), []string{"10", "20", "40"}, nil},
		{"reach to MAXVALUE", []string{"10", "30"}, reorganizing(0, 1, "MAXVALUE"), []string{"MAXVALUE"}, nil},
		{"MAXVALUE in the middle", []string{"10", "30"}, reorganizing(0, 0, "MAXVALUE"), nil, ErrOutside},
		{"close the open one", []string{"10", "MAXVALUE"}, reorganizing(1, 1, "20"), nil, ErrOutside},
		{"merge", []string{"10", "20", "30"}, reorganizing(0, 1, "20"), []string{"20", "30"}, nil},
		{"more", []string{"10", "20", "30"}, reorganizing(0, 1, "25"), nil, ErrOutside},
		{"below", []string{"10", "20", "30"}, reorganizing(1, 1, "5", "20"), nil, ErrNotIncreasing},
		{"backwards", []string{"10", "20"}, reorganizing(0, 1, "15", "10", "20"), nil, ErrNotIncreasing},
		{"into nothing", []string{"10", "20"}, reorganizing(0, 1), nil, ErrNoPartitions},
		{"no such", []string{"10", "20"}, reorganizing(1, 2, "20"), nil, ErrNotNeighbours},
		{"misshapen", []string{"10", "20"}, func(s *Scheme) (*Scheme, error) {
			return s.ReorganizingSlices(0, 0, &Slices{Names: []string{"x"}})
		}, nil, errBounds},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.change(sliced(t, newKey(t, 2), true, c.from...))
			if c.err != nil {
				require.ErrorIs(t, err, c.err)
				return
			}
			require.NoError(t, err)
			want := times(true, c.want...)
			require.Equal(t, want.Max, got.Slices().Max)
			require.True(t, slices.Equal(want.Upper, got.Slices().Upper), "%v", got.Slices())
			require.Len(t, got.Slices().Names, len(want.Names))
			require.True(t, got.Slices().Outer)
		})
	}
	for _, change := range []func(*Scheme) (*Scheme, error){adding("1"), dropping(0), reorganizing(0, 0, "1")} {
		_, err := change(newKey(t, 3))
		require.ErrorIs(t, err, ErrNotSliced)
	}
}

// named returns slices whose names differ from those of times.
func named(bounds ...string) *Slices {
	by := times(false, bounds...)
	for i := range by.Names {
		by.Names[i] = "n" + by.Names[i]
	}
	return by
}

func adding(bounds ...string) func(*Scheme) (*Scheme, error) {
	return func(s *Scheme) (*Scheme, error) { return s.AddingSlices(named(bounds...)) }
}

func dropping(which ...int) func(*Scheme) (*Scheme, error) {
	return func(s *Scheme) (*Scheme, error) { return s.DroppingSlices(which) }
}

func reorganizing(first, last int, bounds ...string) func(*Scheme) (*Scheme, error) {
	return func(s *Scheme) (*Scheme, error) { return s.ReorganizingSlices(first, last, named(bounds...)) }
}

// TestSlicesOwnTheirLists requires that the caller may change the lists after
// the call.
func TestSlicesOwnTheirLists(t *testing.T) {
	by := times(false, "10", "20")
	s, err := newKey(t, 2).Sliced(by)
	require.NoError(t, err)
	by.Names[0], by.Upper[0] = "z", 99
	require.Equal(t, "s0", s.Slices().Names[0])
	require.EqualValues(t, 10, s.Slices().Upper[0])
}

// TestPruneTime requires that the slices of an interval are those of its ends
// and all between them. It tries each time around the bounds.
func TestPruneTime(t *testing.T) {
	require.Empty(t, slicedSchemes(t)[7].PruneTime(math.MinInt64, math.MinInt64))
	require.Equal(t, []int{2, 3, 4}, slicedSchemes(t)[7].PruneTime(math.MinInt64, math.MaxInt64))
	require.Equal(t, []int{4}, slicedSchemes(t)[7].PruneTime(math.MaxInt64, math.MaxInt64))
	require.Equal(t, []int{0}, newKey(t, 3).PruneTime(5, 5))
	require.Empty(t, newKey(t, 3).PruneTime(5, 4))
	rapid.Check(t, func(t *rapid.T) {
		bounds := rapid.SliceOfNDistinct(rapid.Int64Range(-2, 12), 1, 5, rapid.ID[int64]).Draw(t, "bounds")
		slices.Sort(bounds)
		by := &Slices{Upper: bounds, Max: rapid.Bool().Draw(t, "max")}
		for i := range len(bounds) {
			by.Names = append(by.Names, strconv.Itoa(i))
		}
		if by.Max {
			by.Names = append(by.Names, "max")
		}
		s, err := (*Scheme)(nil).Sliced(by)
		require.NoError(t, err)
		from, to := rapid.Int64Range(-14, 14).Draw(t, "from"), rapid.Int64Range(-14, 14).Draw(t, "to")
		want := map[int]bool{}
		for ts := from; ts <= to; ts++ {
			if i, ok := s.Slice(ts); ok {
				want[i] = true
				lower, upper, open := s.SliceBounds(i)
				require.True(t, max(ts, -ts) >= lower && (open || max(ts, -ts) < upper))
			}
		}
		got := s.PruneTime(from, to)
		require.True(t, slices.IsSorted(got))
		require.Len(t, got, len(want))
		for _, i := range got {
			require.True(t, want[i])
		}
	})
}

// FuzzSlices requires that anything that can be read as stored slices is placed
// and pruned without a panic, and that pruning finds the slice of each time.
func FuzzSlices(f *testing.F) {
	for _, s := range slicedSchemes(f) {
		data, err := json.Marshal(s)
		require.NoError(f, err)
		for _, ts := range []int64{math.MinInt64, -10, 0, 9, 10, math.MaxInt64} {
			f.Add(data, ts, ts/2)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, ts, other int64) {
		var s Scheme
		if json.Unmarshal(data, &s) != nil {
			return
		}
		i, ok := s.Slice(ts)
		require.Equal(t, ok, slices.Contains(s.PruneTime(ts, ts), i))
		require.Equal(t, ok, slices.Contains(s.PruneTime(min(ts, other), max(ts, other)), i) && ok)
		for leaf := range min(s.NumLeaves(), 100) {
			row, slice := s.LeafAt(leaf)
			require.Equal(t, leaf, s.Leaf(row, slice))
		}
	})
}
