package layout

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
)

// The store's own records besides those of the catalog.
const (
	FormatRecord = "format"
	clockRecord  = "clock" // missing if nothing was ever collected
)

// FormatVersion is the version of everything that the store writes. In FirstFormat the catalog is one
// record. Up to format 2 the front did not write the keys that its declarations call utf8, which builds of
// that format would take for others.
const (
	FirstFormat   = 1
	FormatVersion = 3
)

// Record reads one of the store's own records; ok is false if there is none.
func Record(get func(key []byte) ([]byte, io.Closer, error), name string) (data []byte, ok bool, err error) {
	value, closer, err := get(cellkey.SystemKey(name))
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, faultfs.DiskError(err)
	}
	return bytes.Clone(value), true, closer.Close()
}

// Number reads a record that is a number in decimal digits; ok is false if there is none. The error is
// the disk's, or kv.ErrFormat if the record is damaged.
func Number(get func(key []byte) ([]byte, io.Closer, error), name string) (n uint64, ok bool, err error) {
	text, ok, err := Record(get, name)
	if err != nil || !ok {
		return 0, false, err
	}
	if n, err = strconv.ParseUint(string(text), 10, 64); err != nil {
		return 0, false, fmt.Errorf("%w: its record %s is damaged: %q", kv.ErrFormat, name, text)
	}
	return n, true, nil
}

// ParseFormat reads the format record. It returns kv.ErrFormat if that is damaged or a later version
// has written it.
func ParseFormat(format []byte) (int, error) {
	v, err := strconv.Atoi(string(format))
	switch {
	case err != nil || v < FirstFormat:
		return 0, fmt.Errorf("%w: its format record is damaged: %q", kv.ErrFormat, format)
	case v > FormatVersion:
		return 0, fmt.Errorf("%w: it was made by a later version of hbasekv: it has format %d, and this one reads up to format %d",
			kv.ErrFormat, v, FormatVersion)
	}
	return v, nil
}

// FormatText returns the content of the current version's format record.
func FormatText() []byte { return strconv.AppendInt(nil, FormatVersion, 10) }

// Clock reads the time before which the store's clock must never go back: the latest at which a
// collection decided what to remove. ok is false if there is none. The error is the disk's, or
// kv.ErrFormat if the record is damaged.
func Clock(get func(key []byte) ([]byte, io.Closer, error)) (ms int64, ok bool, err error) {
	text, ok, err := Record(get, clockRecord)
	if err != nil || !ok {
		return 0, false, err
	}
	if ms, err = strconv.ParseInt(string(text), 10, 64); err != nil {
		return 0, false, fmt.Errorf("%w: its clock record is damaged: %q", kv.ErrFormat, text)
	}
	return ms, true, nil
}

// SetClock adds to the batch the record that Clock reads.
func SetClock(b *pebble.Batch, ms int64) error {
	return b.Set(cellkey.SystemKey(clockRecord), strconv.AppendInt(nil, ms, 10), nil)
}
