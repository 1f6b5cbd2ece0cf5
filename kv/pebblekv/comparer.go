package pebblekv

import (
	"bytes"
	"math"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
)

// splitAtRow is the length of the key up to the end of its row: what bloom
// filters hold. Other keys are whole.
func splitAtRow(key []byte) int {
	if len(key) < spaceLen {
		return len(key)
	}
	if end, _ := partEnd(key, spaceLen); end > 0 {
		return end
	}
	return len(key)
}

// newComparer orders keys by bytes.Compare, which the codec makes HBase's
// order; only the split is special. The name is part of the on-disk format.
func newComparer(name string, split func([]byte) int) *pebble.Comparer {
	c := *pebble.DefaultComparer
	c.Name = name
	c.Split = split
	c.ComparePointSuffixes = bytes.Compare
	c.CompareRangeSuffixes = bytes.Compare
	c.ImmediateSuccessor = func(dst, prefix []byte) []byte {
		dst = append(dst, prefix...)
		if n := len(prefix); n > spaceLen && prefix[n-1] == terminatorByte && prefix[n-2] == escapeByte {
			makeBehind(dst)
			return dst
		}
		return append(dst, 0)
	}
	return &c
}

// timeProperty names the block property that holds the interval of a block's
// timestamps. The name is part of the on-disk format.
const timeProperty = "hbasekv.time"

func newTimeCollector() pebble.BlockPropertyCollector {
	return sstable.NewBlockIntervalCollector(timeProperty, &timeMapper{}, nil)
}

// newTimeFilter passes over blocks without a timestamp in [lo, hi].
func newTimeFilter(lo, hi int64) pebble.BlockPropertyFilter {
	return sstable.NewBlockIntervalFilter(timeProperty, intervalOrdinal(lo), intervalOrdinal(hi)+1, nil)
}

// intervalOrdinal leaves room for the exclusive upper bound: the two last
// timestamps share an ordinal, which costs nothing but precision.
func intervalOrdinal(t int64) uint64 { return min(timeOrdinal(t), math.MaxUint64-1) }

// timeMapper sees each key that a flush or a compaction writes, one table's by
// one goroutine.
type timeMapper struct {
	keys int
	turn turn
}

// MapPointKey is a function of the key alone, so that a deletion is never
// passed over while what it deletes is not.
func (m *timeMapper) MapPointKey(key pebble.InternalKey, _ []byte) (sstable.BlockInterval, error) {
	if m.keys++; m.keys%checkEvery == 0 {
		m.turn.pass()
	}
	if n := splitAtRow(key.UserKey); n+timestampLen > len(key.UserKey) {
		return sstable.BlockInterval{}, nil
	}
	o := intervalOrdinal(keyTimestamp(key.UserKey))
	return sstable.BlockInterval{Lower: o, Upper: o + 1}, nil
}

func (*timeMapper) MapRangeKeys(sstable.Span) (sstable.BlockInterval, error) {
	return sstable.BlockInterval{}, nil
}

var cellComparer = newComparer(comparerName, splitAtRow)
