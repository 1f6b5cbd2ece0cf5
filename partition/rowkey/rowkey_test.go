package rowkey_test

import (
	"bytes"
	"encoding/hex"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hbasekv/hbasekv/partition"
	"github.com/hbasekv/hbasekv/partition/rowkey"
)

// TestGolden pins down these bytes, which are formats of stored data.
func TestGolden(t *testing.T) {
	check := func(want string) func([]byte, error) {
		return func(got []byte, err error) {
			t.Helper()
			require.NoError(t, err)
			require.Equal(t, want, hex.EncodeToString(got))
		}
	}
	text := func(s string) string { return hex.EncodeToString([]byte(s)) }
	check("00" + text("user1"))(rowkey.Salt([]byte("user1"), 16))
	check("0a" + text("user2"))(rowkey.Salt([]byte("user2"), 16))
	check("00")(rowkey.Salt(nil, 256))
	check(text("24user1"))(rowkey.HashPrefix([]byte("user1"), 2))
	check(text("071234507"))(rowkey.ModPrefix(1234507, 100))
	check(text("00"))(rowkey.ModPrefix(0, 1))
	check(text("99999"))(rowkey.ModPrefix(999, 100))
	check(text("00042"))(rowkey.FixedWidth(42, 5))
	check("7fffffffffffffff")(rowkey.ReverseTimestamp(0), nil)
	check("ffffffffffffffff")(rowkey.ReverseTimestamp(math.MinInt64), nil)
	check("7ffffe74301a97ff")(rowkey.ReverseTimestamp(1_700_000_000_000), nil)
	check("8000000000000001")(rowkey.SortableLong(1), nil)
	check("0000000000000000")(rowkey.SortableLong(math.MinInt64), nil)
	check(text("a#b#c#d"))(rowkey.Join("#", []byte("a"), []byte("b"), []byte("c#d")))
	check(text("b1-a"))(rowkey.Reverse([]byte("a-1b")), nil)
}

func TestRefused(t *testing.T) {
	for _, buckets := range []int{-1, 0, 257} {
		_, err := rowkey.Salt([]byte("x"), buckets)
		require.ErrorIs(t, err, rowkey.ErrBuckets)
		_, err = rowkey.SaltRanges(partition.RowRange{}, buckets)
		require.ErrorIs(t, err, rowkey.ErrBuckets)
		_, _, err = rowkey.SaltCondition("K", partition.RowRange{}, buckets)
		require.ErrorIs(t, err, rowkey.ErrBuckets)
	}
	for _, digits := range []int{0, 33} {
		_, err := rowkey.HashPrefix(nil, digits)
		require.ErrorIs(t, err, rowkey.ErrDigits)
	}
	_, err := rowkey.ModPrefix(1, 0)
	require.ErrorIs(t, err, rowkey.ErrModulus)
	_, err = rowkey.ModPrefix(-1, 10)
	require.ErrorIs(t, err, rowkey.ErrNegative)
	_, err = rowkey.FixedWidth(100, 2)
	require.ErrorIs(t, err, rowkey.ErrWidth)
	_, err = rowkey.FixedWidth(-1, 2)
	require.ErrorIs(t, err, rowkey.ErrNegative)
	_, err = rowkey.FromReverseTimestamp([]byte("short"))
	require.ErrorIs(t, err, rowkey.ErrLength)
	_, err = rowkey.FromSortableLong(nil)
	require.ErrorIs(t, err, rowkey.ErrLength)
	_, err = rowkey.Join("#", []byte("a#b"), []byte("c"))
	require.ErrorIs(t, err, rowkey.ErrSeparator)
	empty, err := rowkey.Join("#")
	require.NoError(t, err)
	require.Empty(t, empty)
}

// TestSorted requires that encoded numbers sort as the numbers do, that encoded
// times sort in reverse, and that both decode to the original.
func TestSorted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Int64().Draw(t, "a"), rapid.Int64().Draw(t, "b")
		require.Equal(t, a < b, bytes.Compare(rowkey.SortableLong(a), rowkey.SortableLong(b)) < 0)
		require.Equal(t, a < b, bytes.Compare(rowkey.ReverseTimestamp(b), rowkey.ReverseTimestamp(a)) < 0)
		back, err := rowkey.FromSortableLong(rowkey.SortableLong(a))
		require.NoError(t, err)
		require.Equal(t, a, back)
		back, err = rowkey.FromReverseTimestamp(rowkey.ReverseTimestamp(a))
		require.NoError(t, err)
		require.Equal(t, a, back)
	})
}

// TestSaltRanges requires that a row is in r exactly if its salted key is in
// one of the ranges, and that it is in no more than one.
func TestSaltRanges(t *testing.T) {
	row := rapid.SliceOfN(rapid.SampledFrom([]byte{0, 1, 'a', 0xff}), 0, 3)
	rapid.Check(t, func(t *rapid.T) {
		buckets := rapid.SampledFrom([]int{1, 2, 16, 255, 256}).Draw(t, "buckets")
		r := partition.RowRange{Start: row.Draw(t, "start")}
		if rapid.Bool().Draw(t, "bounded") {
			r.End = row.Draw(t, "end")
		}
		ranges, err := rowkey.SaltRanges(r, buckets)
		require.NoError(t, err)
		require.Len(t, ranges, buckets)

		key := row.Draw(t, "row")
		salted, err := rowkey.Salt(key, buckets)
		require.NoError(t, err)
		require.Equal(t, string(key), string(rowkey.Unsalt(salted)))
		hits := 0
		for _, each := range ranges {
			if each.Contains(salted) {
				hits++
			}
		}
		require.Equal(t, r.Contains(key), hits == 1)
		require.LessOrEqual(t, hits, 1)
	})
}

func TestSplit(t *testing.T) {
	parts := rowkey.Split("#", []byte("a##b#c"), 3)
	require.Equal(t, [][]byte{[]byte("a"), {}, []byte("b#c")}, parts)
	require.Len(t, rowkey.Split("#", []byte("a"), 3), 1)
	require.Empty(t, rowkey.Unsalt(nil))
}
