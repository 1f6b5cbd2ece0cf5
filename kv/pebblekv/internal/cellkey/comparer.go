package cellkey

import (
	"bytes"
	"math"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"

	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/pacer"
)

// SplitAtRow is the length of the key up to the end of its row: what bloom
// filters hold. Other keys are whole.
func SplitAtRow(key []byte) int {
	if len(key) < SpaceLen {
		return len(key)
	}
	if end, _ := partEnd(key, SpaceLen); end > 0 {
		return end
	}
	return len(key)
}

// NewComparer orders keys by bytes.Compare, which the codec makes HBase's
// order; only the split is special. The name is part of the on-disk format.
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

// NewTimeCollector makes what collects the intervals.
func NewTimeCollector() pebble.BlockPropertyCollector {
	return sstable.NewBlockIntervalCollector(timeProperty, &timeMapper{}, nil)
}

// NewTimeFilter passes over blocks without a timestamp in [lo, hi].
func NewTimeFilter(lo, hi int64) pebble.BlockPropertyFilter {
	return sstable.NewBlockIntervalFilter(timeProperty, intervalOrdinal(lo), intervalOrdinal(hi)+1, nil)
}

// intervalOrdinal leaves room for the exclusive upper bound: the two last
// timestamps share an ordinal, which costs nothing but precision.
func intervalOrdinal(t int64) uint64 { return min(timeOrdinal(t), math.MaxUint64-1) }

// yieldEvery is the number of keys between two looks at the clock.
const yieldEvery = 512

// timeMapper sees each key that a flush or a compaction writes, one table's by
// one goroutine.
type timeMapper struct {
	keys  int
	pacer pacer.Pacer
}

// MapPointKey is a function of the key alone, so that a deletion is never
// passed over while what it deletes is not.
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

// Comparer is the store's.
var Comparer = NewComparer(comparerName, SplitAtRow)
