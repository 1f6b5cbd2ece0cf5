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
	if !m.next(key) {
		return sstable.BlockInterval{}, nil
	}
	return sstable.BlockInterval{Lower: m.place, Upper: m.place + 1}, nil
}

// next takes a key, and reports whether it is that of a version.
func (m *versionsMapper) next(key pebble.InternalKey) bool {
	column, ok := CellColumn(key.UserKey)
	if kind := key.Kind(); !ok || kind != pebble.InternalKeyKindSet && kind != pebble.InternalKeyKindSetWithDelete {
		return false
	}
	t := Timestamp(key.UserKey)
	switch {
	case !bytes.Equal(m.column, column):
		m.column, m.place = append(m.column[:0], column...), 1
	case t != m.last: // else a snapshot keeps an earlier value of the same version
		m.place++
	}
	m.last = t
	return true
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
// properties; ok is false where they do not say. Where there is none the least is the
// greater one.
func FileTimes(properties map[string]string) (oldest, newest int64, ok bool, err error) {
	text, ok := properties[timeProperty]
	switch {
	case !ok || text == "":
		return 0, 0, false, nil
	case len(text) == 1: // the first byte stands for the name
		return 1, 0, true, nil
	}
	from, n := binary.Uvarint([]byte(text[1:]))
	if n > 0 {
		var length uint64
		if length, n = binary.Uvarint([]byte(text[1+n:])); n > 0 && length > 0 {
			return ordinalTime(from), ordinalTime(from + length - 1), true, nil
		}
	}
	return 0, 0, false, fmt.Errorf("%w: the property %s of a file is damaged: %x", kv.ErrCorrupt, timeProperty, text)
}

func ordinalTime(o uint64) int64 { return int64(o ^ (1 << 63)) }
