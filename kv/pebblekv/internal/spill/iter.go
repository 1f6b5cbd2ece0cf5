package spill

import (
	"bytes"
	"encoding/binary"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
)

// Iter steps over the writes that existed at a moment: for each key, the newest.
type Iter struct {
	it *pebble.Iterator
	// sees reports whether a write existed at the moment.
	sees func(number uint32) bool
	key  []byte // the key that a step leaves
	buf  []byte
	// There are no visible writes between the key of the last seek and the position that it reached, which
	// is in the direction of sought; 0 after any other movement. ok is what that seek has returned.
	sought int
	from   []byte
	ok     bool
}

// Iter makes an iterator over the writes for which sees is true. It must be closed.
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

// first returns a place before all writes of a key.
func (i *Iter) first(key []byte) []byte {
	i.buf = append(append(i.buf[:0], key...), 0, 0, 0, 0)
	return i.buf
}

// Find goes to the newest write of the key, and reports whether there is one.
func (i *Iter) Find(key []byte) bool {
	i.sought = 0
	for ok := i.it.SeekPrefixGE(i.first(key)); ok; ok = i.it.Next() {
		if i.sees(i.Number()) {
			return true
		}
	}
	return false
}

// Writes that are not visible, such as all that were undone, may follow one another by millions. They would
// be passed by each seek of a reader that goes from row to row, if the iterator did not know that it has passed
// them, and by a reader of one row, if it had no bounds.

// SetBounds limits the iteration to the keys from lower, inclusive, to upper, exclusive; nil is open.
func (i *Iter) SetBounds(lower, upper []byte) {
	i.sought = 0
	i.it.SetBounds(bound(lower), bound(upper))
}

// bound is a place before all writes of a key, nil for none.
func bound(key []byte) []byte {
	if key == nil {
		return nil
	}
	return append(bytes.Clone(key), 0, 0, 0, 0)
}

// Seek goes to the first key at or after the given one.
func (i *Iter) Seek(key []byte) bool {
	if i.sought > 0 && bytes.Compare(key, i.from) >= 0 && (!i.ok || bytes.Compare(key, i.Key()) <= 0) {
		return i.ok
	}
	return i.reached(1, key, i.forward(i.it.SeekGE(i.first(key))))
}

// reached notes that a seek of the key has reached the current position.
func (i *Iter) reached(direction int, key []byte, ok bool) bool {
	i.sought, i.from, i.ok = direction, append(i.from[:0], key...), ok
	return ok
}

// forward goes to the first visible write, from the current one on.
func (i *Iter) forward(ok bool) bool {
	for ok && !i.sees(i.Number()) {
		ok = i.it.Next()
	}
	return ok
}

// fewVersions is how many versions are stepped over before the iterator seeks.
const fewVersions = 8

// Next goes to the next key.
func (i *Iter) Next() bool {
	i.sought = 0
	i.key = append(i.key[:0], i.Key()...)
	for range fewVersions {
		if ok := i.it.Next(); !ok || !bytes.Equal(i.Key(), i.key) {
			return i.forward(ok)
		}
	}
	return i.forward(i.it.SeekGE(i.first(append(i.key, 0))))
}

// SeekLT goes to the last key before the given one.
func (i *Iter) SeekLT(key []byte) bool {
	if i.sought < 0 && bytes.Compare(key, i.from) <= 0 && (!i.ok || bytes.Compare(key, i.Key()) > 0) {
		return i.ok
	}
	return i.reached(-1, key, i.backward(i.it.SeekLT(i.first(key))))
}

// Prev goes to the previous key.
func (i *Iter) Prev() bool {
	i.sought = 0
	return i.backward(i.it.SeekLT(i.first(i.Key())))
}

// backward goes from the oldest write of a key to its newest visible one, or to an earlier key if it
// has none.
func (i *Iter) backward(ok bool) bool {
	for ok {
		i.key = append(i.key[:0], i.Key()...)
		for ok := i.it.SeekGE(i.first(i.key)); ok && bytes.Equal(i.Key(), i.key); ok = i.it.Next() {
			if i.sees(i.Number()) {
				return true
			}
		}
		ok = i.it.SeekLT(i.first(i.key))
	}
	return false
}

// Key returns the current key, valid until the next step.
func (i *Iter) Key() []byte {
	key := i.it.Key()
	return key[: len(key)-numberLen : len(key)-numberLen]
}

// Number returns the number of the current write.
func (i *Iter) Number() uint32 {
	key := i.it.Key()
	return ^binary.BigEndian.Uint32(key[len(key)-numberLen:])
}

// Stored returns the stored value of the current write, empty for a deletion. It is valid until the
// next step.
func (i *Iter) Stored() ([]byte, error) {
	stored, err := i.it.ValueAndErr()
	return stored, faultfs.DiskError(err)
}

// Err returns the error that ended the iteration; nil at the end.
func (i *Iter) Err() error { return faultfs.DiskError(i.it.Error()) }

// Close closes the iterator.
func (i *Iter) Close() error { return faultfs.DiskError(i.it.Close()) }
