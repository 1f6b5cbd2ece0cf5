package cellkey

import (
	"bytes"
	"cmp"
	"math"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/keyspace"
)

// FuzzKey requires that keys round-trip and sort in HBase's order.
func FuzzKey(f *testing.F) {
	f.Add(uint32(1), []byte("a"), []byte("b"), int64(1), []byte("a"), []byte("b"), int64(2))
	f.Add(uint32(1), []byte{}, []byte{}, int64(math.MinInt64), []byte{0}, []byte{}, int64(math.MaxInt64))
	f.Add(uint32(7), []byte{0, 255}, []byte{0, 1}, int64(-1), []byte{0}, []byte{255, 0, 1}, int64(0))
	f.Add(uint32(255), []byte("a\x00"), []byte("\x01"), int64(0), []byte("a"), []byte("\x00\x01"), int64(0))
	f.Add(uint32(1<<31), []byte("a\x00\x01"), []byte{}, int64(5), []byte("a"), []byte("\x00\x00"), int64(5))
	f.Add(uint32(2), []byte{255, 255}, []byte{255}, int64(256), []byte{255}, []byte{255, 255}, int64(1))
	f.Fuzz(func(t *testing.T, space uint32, row1, q1 []byte, t1 int64, row2, q2 []byte, t2 int64) {
		id := keyspace.ID(space)
		a, b := AppendCell(nil, id, row1, q1, t1), AppendCell(nil, id, row2, q2, t2)
		requireCell(t, a, row1, q1, t1)
		requireCell(t, b, row2, q2, t2)
		want := cmp.Or(bytes.Compare(row1, row2), bytes.Compare(q1, q2), cmp.Compare(t2, t1))
		require.Equal(t, want, bytes.Compare(a, b))

		row := kv.Position{Row: row1, Depth: kv.DepthRow}
		column := kv.Position{Row: row1, Qualifier: q1, Depth: kv.DepthColumn}
		cell := kv.Position{Row: row1, Qualifier: q1, Timestamp: t1, Depth: kv.DepthCell}
		requireSide(t, id, row, b, bytes.Compare(row2, row1))
		requireSide(t, id, column, b, cmp.Or(bytes.Compare(row2, row1), bytes.Compare(q2, q1)))
		requireSide(t, id, cell, b, -want)

		if len(a)+len(b) < 1<<9 { // the time is at least quadratic in it
			require.NoError(t, pebble.CheckComparer(Comparer,
				[][]byte{a[:SplitAtRow(a)], b[:SplitAtRow(b)]}, nil))
		}
	})
}

func requireCell(t *testing.T, key, row, qualifier []byte, ts int64) {
	t.Helper()
	var d Decoded
	require.NoError(t, d.Decode(key))
	require.True(t, bytes.Equal(row, d.Row) && bytes.Equal(qualifier, d.Qualifier) && ts == d.Timestamp,
		"%q %q %d", d.Row, d.Qualifier, d.Timestamp)
	require.Equal(t, d.RowEnd, RowLen(key))
	require.Equal(t, ts, Timestamp(key))
}

// requireSide compares the places before and after the position with the key,
// which is before (-1), in (0) or after (1) what the position names.
func requireSide(t *testing.T, id keyspace.ID, p kv.Position, key []byte, side int) {
	t.Helper()
	before := AppendPosition(nil, id, p, false)
	p.After = true
	after := AppendPosition(nil, id, p, false)
	require.Equal(t, side >= 0, bytes.Compare(key, before) >= 0, "before %+v", p)
	require.Equal(t, side > 0, bytes.Compare(key, after) >= 0, "after %+v", p)
}

// FuzzDecode requires that Decode never panics.
func FuzzDecode(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{0, 0, 0, 1, 0})
	f.Add([]byte{0, 0, 0, 1, 'a', 0, 7, 0, 1})
	f.Add(AppendCell(nil, 1, []byte("a\x00b"), []byte{0}, 3))
	f.Fuzz(func(t *testing.T, key []byte) {
		var d Decoded
		if err := d.Decode(key); err != nil {
			require.ErrorIs(t, err, kv.ErrFormat)
		} else {
			id := keyspace.ID(uint32(key[0])<<24 | uint32(key[1])<<16 | uint32(key[2])<<8 | uint32(key[3]))
			require.Equal(t, key, AppendCell(nil, id, d.Row, d.Qualifier, d.Timestamp))
		}
		SplitAtRow(key)
		_, _ = (&timeMapper{}).MapPointKey(pebble.InternalKey{UserKey: key}, nil)
	})
}

// TestKeyBytes keeps the format from changing: stores on disk have these keys.
func TestKeyBytes(t *testing.T) {
	require.Equal(t, "\x00\x00\x00\x07a\x00\xffb\x00\x01q\x00\x01\x7f\xff\xff\xff\xff\xff\xff\xfe",
		string(AppendCell(nil, 7, []byte("a\x00b"), []byte("q"), 1)))
	require.Equal(t, "\x00\x00\x00\x07\x00\x01\x00\x01\xff\xff\xff\xff\xff\xff\xff\xff",
		string(AppendCell(nil, 7, nil, nil, math.MinInt64)))
	require.Equal(t, "\x00\x00\x00\x00catalog", string(SystemKey("catalog")))
	require.Equal(t, "hbasekv.cells.1", Comparer.Name)
}

func TestValueBytes(t *testing.T) {
	for _, v := range [][]byte{nil, {}, {0}, {1}, []byte("value")} {
		got, err := DecodeValue(AppendValue(nil, v))
		require.NoError(t, err)
		require.Equal(t, v, got)
	}
	require.Equal(t, []byte{0}, AppendValue(nil, nil))
	require.Equal(t, []byte{1, 'v'}, AppendValue(nil, []byte("v")))
	for _, v := range [][]byte{{}, []byte("value")} {
		stored := AppendExpiring(nil, v, 258)
		require.Equal(t, append([]byte{2, 0, 0, 0, 0, 0, 0, 1, 2}, v...), stored)
		got, err := DecodeValue(stored)
		require.NoError(t, err)
		require.Equal(t, v, got)
		require.False(t, HasExpired(stored, 257))
		require.True(t, HasExpired(stored, 258))
	}
	for _, bad := range [][]byte{nil, {2}, {0, 0}, {2, 0, 0, 0, 0, 0, 0, 0}, {3}} {
		_, err := DecodeValue(bad)
		require.ErrorIs(t, err, kv.ErrFormat)
	}
}

func TestTimeFilterIntervals(t *testing.T) {
	times := []int64{math.MinInt64, math.MinInt64 + 1, -1, 0, 1, math.MaxInt64 - 1, math.MaxInt64}
	for _, at := range times {
		for _, lo := range times {
			i, err := (&timeMapper{}).MapPointKey(pebble.InternalKey{UserKey: AppendCell(nil, 1, nil, nil, at)}, nil)
			require.NoError(t, err)
			require.False(t, i.IsEmpty())
			hits := i.Lower < intervalOrdinal(math.MaxInt64)+1 && i.Upper > intervalOrdinal(lo)
			require.True(t, hits || at < lo, "%d %d", at, lo)
		}
	}
}
