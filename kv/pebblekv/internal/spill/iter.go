package spill

import (
	"bytes"
	"encoding/binary"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
)

// Iter steps over the writes of a moment, of each key over the newest.
type Iter struct {
	it *pebble.Iterator
	// sees tells whether a write is of the moment.
	sees func(number uint32) bool
	key  []byte // that a step leaves
	buf  []byte
}

// Iter makes an iterator, which is to be closed.
func (s *Store) Iter(sees func(number uint32) bool) (*Iter, error) {
	it, err := s.db.NewIter(nil)
	if err != nil {
		return nil, faultfs.DiskError(err)
	}
	return &Iter{it: it, sees: sees}, nil
}

func appendKey(dst, key []byte, number uint32) []byte {
	return binary.BigEndian.AppendUint32(append(dst, key...), ^number)
}

// first is before all writes of a key.
func (i *Iter) first(key []byte) []byte {
	i.buf = append(append(i.buf[:0], key...), 0, 0, 0, 0)
	return i.buf
}

// Find goes to the newest write of the key, and reports whether there is one.
func (i *Iter) Find(key []byte) bool {
	for ok := i.it.SeekPrefixGE(i.first(key)); ok; ok = i.it.Next() {
		if i.sees(i.Number()) {
			return true
		}
	}
	return false
}

// Seek goes to the first key at or behind the one.
func (i *Iter) Seek(key []byte) bool { return i.forward(i.it.SeekGE(i.first(key))) }

// forward goes to the first write from the present one on that is of the moment.
func (i *Iter) forward(ok bool) bool {
	for ok && !i.sees(i.Number()) {
		ok = i.it.Next()
	}
	return ok
}

// fewVersions are stepped over, more are passed by a seek.
const fewVersions = 8

// Next goes to the next key.
func (i *Iter) Next() bool {
	i.key = append(i.key[:0], i.Key()...)
	for range fewVersions {
		if ok := i.it.Next(); !ok || !bytes.Equal(i.Key(), i.key) {
			return i.forward(ok)
		}
	}
	return i.forward(i.it.SeekGE(i.first(append(i.key, 0))))
}

// SeekLT goes to the last key before the one.
func (i *Iter) SeekLT(key []byte) bool { return i.backward(i.it.SeekLT(i.first(key))) }

// Prev goes to the key before.
func (i *Iter) Prev() bool { return i.backward(i.it.SeekLT(i.first(i.Key()))) }

// backward goes from the oldest write of a key to its newest one of the moment, or to keys before it.
func (i *Iter) backward(ok bool) bool {
	for ok {
		i.key = append(i.key[:0], i.Key()...)
		if i.Seek(i.key) && bytes.Equal(i.Key(), i.key) {
			return true
		}
		ok = i.it.SeekLT(i.first(i.key))
	}
	return false
}

// Key is the key stood at, valid until the next step.
func (i *Iter) Key() []byte {
	key := i.it.Key()
	return key[: len(key)-numberLen : len(key)-numberLen]
}

// Number is that of the write stood at.
func (i *Iter) Number() uint32 {
	key := i.it.Key()
	return ^binary.BigEndian.Uint32(key[len(key)-numberLen:])
}

// Stored is the stored value of the write, empty for a deletion; it is valid until the next step.
func (i *Iter) Stored() ([]byte, error) {
	stored, err := i.it.ValueAndErr()
	return stored, faultfs.DiskError(err)
}

// Err is why a step led nowhere; nil at the end.
func (i *Iter) Err() error { return faultfs.DiskError(i.it.Error()) }

// Close ends the use of the iterator.
func (i *Iter) Close() error { return faultfs.DiskError(i.it.Close()) }
