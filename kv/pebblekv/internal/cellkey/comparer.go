package cellkey

import (
	"bytes"
	"math"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"

	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/pacer"
)

// SplitAtRow returns the length of the key up to the end of its row, which is
// what bloom filters hold. It is the whole length for other keys.
func SplitAtRow(key []byte) int {
	if len(key) < SpaceLen {
		return len(key)
	}
	if end, _ := partEnd(key, SpaceLen); end > 0 {
		return end
	}
	return len(key)
}

// NewComparer returns a comparer that orders keys by bytes.Compare, which is
// HBase's order by the encoding; only the split is special. The name is part of
// the on-disk format.
func NewComparer(name string, split func([]byte) int) *pebble.Comparer {
	c := *pebble.DefaultComparer
	c.Name = name
	c.Split = split
	c.ComparePointSuffixes = bytes.Compare
	c.CompareRangeSuffixes = bytes.Compare
	c.ImmediateSuccessor = func(dst, prefix []byte) []byte {
		dst = append(dst, prefix...)
		if n := len(prefix); n > SpaceLen && prefix[n-1] == terminatorByte && prefix[n-2] == escapeByte {
			MakeBehind(dst)
			return dst
		}
		return append(dst, 0)
	}
	return &c
}

// timeProperty names the block property that holds the interval of a block's
// timestamps. The name is part of the on-disk format.
const timeProperty = "hbasekv.time"

// NewTimeCollector returns the collector of these intervals.
func NewTimeCollector() pebble.BlockPropertyCollector {
	return sstable.NewBlockIntervalCollector(timeProperty, &timeMapper{}, nil)
}

// NewTimeFilter returns a filter that skips blocks without a timestamp in [lo, hi].
func NewTimeFilter(lo, hi int64) pebble.BlockPropertyFilter {
	return sstable.NewBlockIntervalFilter(timeProperty, intervalOrdinal(lo), intervalOrdinal(hi)+1, nil)
}

// intervalOrdinal leaves room for the exclusive upper bound: the two last
// timestamps share an ordinal, which only costs precision.
func intervalOrdinal(t int64) uint64 { return min(timeOrdinal(t), math.MaxUint64-1) }

// yieldEvery is the number of keys between two readings of the clock.
const yieldEvery = 512

// timeMapper sees each key that a flush or a compaction writes. One goroutine
// uses it, for one table file.
type timeMapper struct {
	keys  int
	pacer pacer.Pacer
}

// MapPointKey depends on the key alone, so that a deletion is never skipped
// while what it deletes is not.
func (m *timeMapper) MapPointKey(key pebble.InternalKey, _ []byte) (sstable.BlockInterval, error) {
	if m.keys++; m.keys%yieldEvery == 0 {
		m.pacer.Yield()
	}
	if n := SplitAtRow(key.UserKey); n+TimestampLen > len(key.UserKey) {
		return sstable.BlockInterval{}, nil
	}
	o := intervalOrdinal(Timestamp(key.UserKey))
	return sstable.BlockInterval{Lower: o, Upper: o + 1}, nil
}

func (*timeMapper) MapRangeKeys(sstable.Span) (sstable.BlockInterval, error) {
	return sstable.BlockInterval{}, nil
}

// comparerName is part of the on-disk format.
const comparerName = "hbasekv.cells.1"

// Comparer is the store's comparer.
var Comparer = NewComparer(comparerName, SplitAtRow)
