package overlay

import (
	"bytes"
	"sync/atomic"

	"github.com/tidwall/btree"

	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
)

// order is the newest writes of an overlay by key. Where readers walk it, writers go on with a
// copy, which is made in constant time. A copy for each statement would cost one that changes a
// cell in a long transaction 12 allocations, a quarter of its time.
type order struct {
	*btree.BTreeG[Write]
	readers *atomic.Int32
	// all are the readers of this order and of those that were copied to make it.
	all *atomic.Int32
}

// orderDegree keeps nodes small: the first write behind a copy copies those on its
// way.
const orderDegree = 8

// orderOverhead is about what a write takes in the order.
const orderOverhead = 96

// newOrder is an empty one, of an overlay of which others are read by all.
func newOrder(all *atomic.Int32) *order {
	before := func(a, b Write) bool { return bytes.Compare(a.Key, b.Key) < 0 }
	tree := btree.NewBTreeGOptions(before, btree.Options{Degree: orderDegree, NoLocks: true})
	return &order{tree, &atomic.Int32{}, all}
}

// toWrite is the order, or a copy of it where there are readers.
func (o *order) toWrite() *order {
	if o.readers.Load() == 0 {
		return o
	}
	return &order{o.Copy(), &atomic.Int32{}, o.all}
}

// Writes are the writes of a transaction at one moment, by key. They never
// change until they are released.
type Writes struct {
	order *order // of those in memory
	count int    // of the overlay's writes, from the first, that are in it
	// deleted are the spans that they delete.
	deleted []cellkey.Span
	disk    *diskWrites // nil where none are on the disk
}

// hold counts one more user, which is to release the writes.
func (w *Writes) hold() *Writes {
	w.order.readers.Add(1)
	w.order.all.Add(1)
	if w.disk != nil {
		w.disk.store.Hold()
	}
	return w
}

// Release says, once, that nobody looks at them any more. Writes that are kept need
// none.
func (w *Writes) Release() {
	w.order.readers.Add(-1)
	w.order.all.Add(-1)
	if w.disk != nil {
		w.disk.store.Release()
	}
}

// Ascend calls fn for each write from the key on, nil for all, until it
// returns false. None of them is on the disk.
func (w *Writes) Ascend(from []byte, fn func(Write) bool) { w.order.Ascend(Write{Key: from}, fn) }

// Len counts the keys, of which none is on the disk.
func (w *Writes) Len() int { return w.order.Len() }

// Iter steps over writes: forwards behind Seek, backwards behind SeekLT. It is to be closed.
type Iter struct {
	at   btree.IterG[Write]
	disk *diskIter // nil where there is nothing on the disk
}

// Iter steps over the writes.
func (w *Writes) Iter() *Iter {
	it := &Iter{}
	it.at.Init(w.order.BTreeG, false)
	if w.disk != nil {
		it.disk = w.disk.iter(&it.at)
	}
	return it
}

// Seek goes to the first write at or behind the key.
func (it *Iter) Seek(key []byte) bool {
	if it.disk != nil {
		return it.disk.seek(key)
	}
	return it.at.Seek(Write{Key: key})
}

// SeekLT goes to the last write before the key.
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

// Next goes to the next write.
func (it *Iter) Next() bool {
	if it.disk != nil {
		return it.disk.step()
	}
	return it.at.Next()
}

// Prev goes to the write before.
func (it *Iter) Prev() bool {
	if it.disk != nil {
		return it.disk.step()
	}
	return it.at.Prev()
}

// Write is the one stood at. Its bytes are valid until the next step.
func (it *Iter) Write() Write {
	if it.disk != nil {
		return it.disk.write
	}
	return it.at.Item()
}

// Err is why a step led nowhere; nil at the end.
func (it *Iter) Err() error {
	if it.disk != nil {
		return it.disk.err
	}
	return nil
}

// Close ends the use of the iterator.
func (it *Iter) Close() {
	if it.disk != nil {
		it.disk.close()
	}
}
