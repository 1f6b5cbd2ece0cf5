package overlay

import (
	"encoding/binary"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
)

// maxRecordHeader is the most bytes that a record has besides the key and the
// value: its kind, two lengths and the first byte of the stored value.
const maxRecordHeader = 1 + 2*binary.MaxVarintLen32 + 1

// appendRecord appends a record of a batch.
func appendRecord(dst, key, value []byte, deleted bool) []byte {
	if deleted {
		dst = binary.AppendUvarint(append(dst, byte(pebble.InternalKeyKindDelete)), uint64(len(key)))
		return append(dst, key...)
	}
	dst = binary.AppendUvarint(append(dst, byte(pebble.InternalKeyKindSet)), uint64(len(key)))
	dst = append(dst, key...)
	dst = binary.AppendUvarint(dst, uint64(cellkey.StoredLen(value)))
	return cellkey.AppendValue(dst, value)
}

// appendStored appends the record of a value in its stored form.
func appendStored(dst, key, stored []byte) []byte {
	dst = binary.AppendUvarint(append(dst, byte(pebble.InternalKeyKindSet)), uint64(len(key)))
	dst = binary.AppendUvarint(append(dst, key...), uint64(len(stored)))
	return append(dst, stored...)
}

// key returns the key of write n. The overlay owns its bytes.
func (o *Overlay) key(n uint32) []byte {
	at := o.arena.entries[n].at + 1
	size, w := uvarint(o.data[at:])
	at += w
	return o.data[at : at+size : at+size]
}

// write returns write n. The overlay owns its bytes.
func (o *Overlay) write(n uint32) Write {
	key := o.key(n)
	at := o.arena.entries[n].at
	if o.data[at] == byte(pebble.InternalKeyKindDelete) {
		return Write{Key: key, Deleted: true}
	}
	at += 1 + uvarintLen(len(key)) + uint32(len(key))
	size, w := uvarint(o.data[at:])
	at += w
	return Write{Key: key, Value: o.data[at : at+size : at+size]}
}

// uvarint reads a length, most of which take one byte.
func uvarint(b []byte) (n, size uint32) {
	if b[0] < 0x80 {
		return uint32(b[0]), 1
	}
	long, w := binary.Uvarint(b)
	return uint32(long), uint32(w)
}

func uvarintLen(n int) (size uint32) {
	for size = 1; n >= 0x80; n >>= 7 {
		size++
	}
	return size
}
