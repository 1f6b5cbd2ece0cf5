package overlay

import (
	"bytes"

	"github.com/tidwall/btree"
)

// order is the newest writes of an overlay by key. A copy takes no time, and stays
// as it is while the transaction goes on: cursors may walk it in other goroutines.
type order = btree.BTreeG[Write]

// orderDegree keeps nodes small: the first write behind a copy copies those on its
// way.
const orderDegree = 8

// orderOverhead is about what a write takes in the order.
const orderOverhead = 96

func newOrder() *order {
	before := func(a, b Write) bool { return bytes.Compare(a.Key, b.Key) < 0 }
	return btree.NewBTreeGOptions(before, btree.Options{Degree: orderDegree, NoLocks: true})
}

// Writes are the writes of a transaction at one moment, by key. They never
// change.
type Writes struct {
	order *order
	count int // of the overlay's writes, from the first, that are in it
}

// Ascend calls fn for each write from the key on, nil for all, until it
// returns false.
func (w *Writes) Ascend(from []byte, fn func(Write) bool) { w.order.Ascend(Write{Key: from}, fn) }

// Len counts the keys.
func (w *Writes) Len() int { return w.order.Len() }

// Iter steps over writes in both directions.
type Iter struct{ at btree.IterG[Write] }

// Iter steps over the writes.
func (w *Writes) Iter() *Iter {
	it := &Iter{}
	it.at.Init(w.order, false)
	return it
}

// Seek goes to the first write at or behind the key.
func (it *Iter) Seek(key []byte) bool { return it.at.Seek(Write{Key: key}) }

// SeekLT goes to the last write before the key.
func (it *Iter) SeekLT(key []byte) bool {
	if it.Seek(key) {
		return it.at.Prev()
	}
	return it.at.Last()
}

// Next goes to the next write.
func (it *Iter) Next() bool { return it.at.Next() }

// Prev goes to the write before.
func (it *Iter) Prev() bool { return it.at.Prev() }

// Write is the one stood at.
func (it *Iter) Write() Write { return it.at.Item() }
