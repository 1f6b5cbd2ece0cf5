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

// versionsProperty names the block property that holds the places of a block's
// versions among those of their column in the same file, newest first: the interval
// from the least to the greatest place, counted from 1. The name is part of the
// on-disk format.
const versionsProperty = "hbasekv.versions"

// NewVersionsCollector returns the collector of these intervals.
func NewVersionsCollector() pebble.BlockPropertyCollector {
	return sstable.NewBlockIntervalCollector(versionsProperty, &versionsMapper{}, nil)
}

// NewVersionsFilter returns a filter that skips blocks in which no version has n
// newer ones in the same file. Deletions do not count, so it must not be used for
// reads: it only tells where to look.
func NewVersionsFilter(n int) pebble.BlockPropertyFilter {
	return sstable.NewBlockIntervalFilter(versionsProperty, uint64(n)+1, math.MaxUint64, nil)
}

// versionsMapper sees each key that a flush or a compaction writes. One goroutine
// uses it, for one table file.
type versionsMapper struct {
	column []byte
	place  uint64
	last   int64 // the previous timestamp
}

func (m *versionsMapper) MapPointKey(key pebble.InternalKey, _ []byte) (sstable.BlockInterval, error) {
	if !m.next(key) {
		return sstable.BlockInterval{}, nil
	}
	return sstable.BlockInterval{Lower: m.place, Upper: m.place + 1}, nil
}

// next takes a key, and reports whether it is a version's.
func (m *versionsMapper) next(key pebble.InternalKey) bool {
	column, ok := CellColumn(key.UserKey)
	if kind := key.Kind(); !ok || kind != pebble.InternalKeyKindSet && kind != pebble.InternalKeyKindSetWithDelete {
		return false
	}
	t := Timestamp(key.UserKey)
	switch {
	case !bytes.Equal(m.column, column):
		m.column, m.place = append(m.column[:0], column...), 1
	case t != m.last: // else it is an earlier value of the same version, kept for a snapshot
		m.place++
	}
	m.last = t
	return true
}

func (*versionsMapper) MapRangeKeys(sstable.Span) (sstable.BlockInterval, error) {
	return sstable.BlockInterval{}, nil
}

// CellColumn returns the key of a cell without its timestamp; false if the key does
// not end like a cell's.
func CellColumn(key []byte) ([]byte, bool) {
	n := len(key) - TimestampLen
	if n < SpaceLen+2*terminatorLen || key[n-1] != terminatorByte || key[n-2] != escapeByte {
		return nil, false
	}
	return key[:n], true
}

// FileTimes returns the least and the greatest timestamp in a table file from its
// properties; ok is false if they do not tell. In a file without any, oldest is
// greater than newest.
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
