package cellkey

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"

	"github.com/hbasekv/hbasekv/kv"
)

// versionsProperty names the block property that holds how many versions of a
// column there are up to those of a block, in the block's own file: the interval
// from the least to the greatest place in a column, counted from 1. The name is
// part of the on-disk format.
const versionsProperty = "hbasekv.versions"

// NewVersionsCollector makes what collects them.
func NewVersionsCollector() pebble.BlockPropertyCollector {
	return sstable.NewBlockIntervalCollector(versionsProperty, &versionsMapper{}, nil)
}

// NewVersionsFilter passes over blocks in which no version is behind n newer ones
// of the same file. Deletions do not count, so that it must not be read through:
// it tells where to look.
func NewVersionsFilter(n int) pebble.BlockPropertyFilter {
	return sstable.NewBlockIntervalFilter(versionsProperty, uint64(n)+1, math.MaxUint64, nil)
}

// versionsMapper sees each key that a flush or a compaction writes, one table's
// by one goroutine.
type versionsMapper struct {
	column []byte
	place  uint64
	last   int64 // the timestamp before
}

func (m *versionsMapper) MapPointKey(key pebble.InternalKey, _ []byte) (sstable.BlockInterval, error) {
	column, ok := CellColumn(key.UserKey)
	if kind := key.Kind(); !ok || kind != pebble.InternalKeyKindSet && kind != pebble.InternalKeyKindSetWithDelete {
		return sstable.BlockInterval{}, nil
	}
	t := Timestamp(key.UserKey)
	switch {
	case !bytes.Equal(m.column, column):
		m.column, m.place = append(m.column[:0], column...), 1
	case t != m.last: // else a snapshot keeps an earlier value of the same version
		m.place++
	}
	m.last = t
	return sstable.BlockInterval{Lower: m.place, Upper: m.place + 1}, nil
}

func (*versionsMapper) MapRangeKeys(sstable.Span) (sstable.BlockInterval, error) {
	return sstable.BlockInterval{}, nil
}

// CellColumn is the key of a cell without its timestamp; false where the end is
// not that of a cell's key.
func CellColumn(key []byte) ([]byte, bool) {
	n := len(key) - TimestampLen
	if n < SpaceLen+2*terminatorLen || key[n-1] != terminatorByte || key[n-2] != escapeByte {
		return nil, false
	}
	return key[:n], true
}

// FileTimes are the least and the greatest timestamp in a table file, by its
// properties; ok is false where they do not say.
func FileTimes(properties map[string]string) (oldest, newest int64, ok bool, err error) {
	from, to, ok, err := interval(properties, timeProperty)
	return ordinalTime(from), ordinalTime(to - 1), ok, err
}

// FileVersions is how many versions of one column there are at most in a table
// file, by its properties; ok is false where they do not say.
func FileVersions(properties map[string]string) (n uint64, ok bool, err error) {
	_, to, ok, err := interval(properties, versionsProperty)
	return to - 1, ok, err
}

func ordinalTime(o uint64) int64 { return int64(o ^ (1 << 63)) }

// interval takes a property of a table file apart: behind a byte that stands for
// its name two numbers, the lower bound and how far the upper bound is above it.
func interval(properties map[string]string, name string) (lower, upper uint64, ok bool, err error) {
	text, ok := properties[name]
	if !ok {
		return 0, 0, false, nil
	}
	if len(text) == 1 {
		return 1, 1, true, nil // no key that counts
	}
	var n, m int
	b := []byte(text)
	if len(b) > 0 {
		lower, n = binary.Uvarint(b[1:])
	}
	if n > 0 {
		upper, m = binary.Uvarint(b[1+n:])
	}
	if m <= 0 || 1+n+m != len(b) {
		return 0, 0, false, fmt.Errorf("%w: the property %s of a file is damaged: %x", kv.ErrCorrupt, name, text)
	}
	return lower, lower + upper, true, nil
}
