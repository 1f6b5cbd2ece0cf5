package overlay

import (
	"bytes"
	"sync/atomic"

	"github.com/tidwall/btree"

	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
)

// order is the newest writes of an overlay by key. While readers walk it, writers continue with
// a copy, which is made in constant time. A copy for each statement would cost a statement that
// changes a cell in a long transaction 12 allocations, a quarter of its time.
type order struct {
	*btree.BTreeG[Write]
	readers *atomic.Int32
}

// orderDegree keeps nodes small: the first write after a copy copies the nodes on its path.
const orderDegree = 8

// orderOverhead is about how many bytes a write takes in the order.
const orderOverhead = 96

// newOrder makes an empty order.
func newOrder() *order {
	before := func(a, b Write) bool { return bytes.Compare(a.Key, b.Key) < 0 }
	tree := btree.NewBTreeGOptions(before, btree.Options{Degree: orderDegree, NoLocks: true})
	return &order{tree, &atomic.Int32{}}
}

// The memory of an overlay's records is used again when they go to disk or are undone, while readers may still have
// the order. Its writes are therefore copies, in blocks of copyBlock bytes or, of a small transaction, less. If readers
// kept the records, they would keep tens of megabytes for the few writes that a large transaction has made since the
// last ones went to disk.
const firstCopyBlock, copyBlock = 512, 64 << 10

// copied returns a copy of a write for the order.
func (o *Overlay) copied(w Write) Write {
	n := len(w.Key) + len(w.Value)
	if cap(o.copies)-len(o.copies) < n {
		o.copies = make([]byte, 0, max(n, min(2*cap(o.copies), copyBlock), firstCopyBlock))
	}
	at := len(o.copies)
	o.copies = append(append(o.copies, w.Key...), w.Value...)
	b := o.copies[at:len(o.copies):len(o.copies)]
	w.Key = b[:len(w.Key):len(w.Key)]
	if w.Value != nil {
		w.Value = b[len(w.Key):]
	}
	return w
}

// toWrite returns the order, or a copy if it has readers.
func (o *order) toWrite() *order {
	if o.readers.Load() == 0 {
		return o
	}
	return &order{o.Copy(), &atomic.Int32{}}
}

// Writes are the writes of a transaction at one moment, by key. They never
// change until they are released.
type Writes struct {
	order *order // of the writes in memory
	count int    // of the overlay's writes, the first ones, that are in it
	// deleted are the spans that the writes delete.
	deleted []cellkey.Span
	disk    *diskWrites // nil if none are on disk
}

// hold counts one more user, which must call Release.
func (w *Writes) hold() *Writes {
	w.order.readers.Add(1)
	if w.disk != nil {
		w.disk.store.Hold()
	}
	return w
}

// Release ends one use of the writes. Each user calls it once.
func (w *Writes) Release() {
	w.order.readers.Add(-1)
	if w.disk != nil {
		w.disk.store.Release()
	}
}

// Ascend calls fn for each write from the key on, nil for all, until it returns false. It must
// not be called if writes are on disk.
func (w *Writes) Ascend(from []byte, fn func(Write) bool) { w.order.Ascend(Write{Key: from}, fn) }

// Len counts the keys. It must not be called if writes are on disk.
func (w *Writes) Len() int { return w.order.Len() }

// Iter steps over writes: forwards after Seek, backwards after SeekLT. It must be closed.
type Iter struct {
	at   btree.IterG[Write]
	disk *diskIter // nil if nothing is on disk
}

// Iter makes an iterator over the writes.
func (w *Writes) Iter() *Iter {
	it := &Iter{}
	it.at.Init(w.order.BTreeG, false)
	if w.disk != nil {
		it.disk = w.disk.iter(&it.at)
	}
	return it
}

// SetBounds says that nothing is read before lower, and nothing from upper on; nil is open. Writes in memory
// are found beyond the bounds, too.
func (it *Iter) SetBounds(lower, upper []byte) {
	if it.disk != nil && it.disk.disk != nil {
		it.disk.disk.SetBounds(lower, upper)
	}
}

// Seek goes to the first write at or after the key, and reports whether there is one.
func (it *Iter) Seek(key []byte) bool {
	if it.disk != nil {
		return it.disk.seek(key)
	}
	return it.at.Seek(Write{Key: key})
}

// SeekLT goes to the last write before the key, and reports whether there is one.
func (it *Iter) SeekLT(key []byte) bool {
	if it.disk != nil {
		return it.disk.seekLT(key)
	}
	return seekLT(&it.at, key)
}

func seekLT(at *btree.IterG[Write], key []byte) bool {
	if at.Seek(Write{Key: key}) {
		return at.Prev()
	}
	return at.Last()
}

// Next goes to the next write, and reports whether there is one.
func (it *Iter) Next() bool {
	if it.disk != nil {
		return it.disk.step()
	}
	return it.at.Next()
}

// Prev goes to the previous write, and reports whether there is one.
func (it *Iter) Prev() bool {
	if it.disk != nil {
		return it.disk.step()
	}
	return it.at.Prev()
}

// Write returns the current write. Its bytes are valid until the next step.
func (it *Iter) Write() Write {
	if it.disk != nil {
		return it.disk.write
	}
	return it.at.Item()
}

// Err returns the error that ended the iteration; nil at the end.
func (it *Iter) Err() error {
	if it.disk != nil {
		return it.disk.err
	}
	return nil
}

// Close closes the iterator.
func (it *Iter) Close() {
	if it.disk != nil {
		it.disk.close()
	}
}
