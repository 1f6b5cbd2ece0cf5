// Package sorted has maps in the order of their keys whose copies share what they have in common: a
// copy takes a constant time, and a change of it a time that grows with the logarithm of its size.
package sorted

import (
	"iter"

	"github.com/tidwall/btree"
)

// Map holds pointers by key. A copy remembers the previous pointers of keys that are changed in it.
// Concurrent reads are safe while nobody changes the map; only one goroutine at a time may copy or
// change it.
//
// It is an interface because the compiler makes all functions of a generic type in each package that can
// see a type with a field of it, which took longer than the rest of most packages above the catalog.
// Behind an interface they are made once.
type Map[K comparable, D any] interface {
	// Copy returns a map with the same content, in which nothing counts as changed.
	Copy() Map[K, D]
	// Settle forgets what has been changed: from now on the map may only be read.
	Settle()
	// Len returns the number of keys.
	Len() int
	// Get returns the pointer under a key, or nil.
	Get(key K) *D
	// Set stores a pointer under a key; nil removes the key.
	Set(key K, is *D)
	// From iterates from a key on, in order.
	From(key K) iter.Seq2[K, *D]
	// All iterates over all keys in order.
	All() iter.Seq2[K, *D]
	// Keys iterates over all keys in order.
	Keys() iter.Seq[K]
	// Values iterates over the pointers in key order.
	Values() iter.Seq[*D]
	// Changed iterates, in any order, over the keys whose pointers differ from when the copy was made, with
	// the previous pointers.
	Changed() iter.Seq2[K, *D]
	// Changes returns what Changed iterates over, without the keys.
	Changes() []Changed[D]
	// Everything returns the change from an empty map to this one.
	Everything() []Changed[D]
	// Same reports whether both have the same pointers under the same keys.
	Same(o Map[K, D]) bool
}

// Changed is the pointer under a key before and after; nil if there was none, or is none.
type Changed[D any] struct{ Was, Is *D }

// tree is a Map in a B-tree. The B-tree does not know D, so that it is made once for a type of keys.
type tree[K comparable, D any] struct {
	in      *btree.BTreeG[entry[K]] // not embedded, which would make all of its methods for each D
	changed map[K]*D                // previous values of the keys that were changed since the copy was made
}

type entry[K comparable] struct {
	key K
	is  any // a *D
}

// New returns an empty map in the order of compare, which works like package cmp's Compare.
func New[K comparable, D any](compare func(a, b K) int) Map[K, D] {
	less := func(a, b entry[K]) bool { return compare(a.key, b.key) < 0 }
	return &tree[K, D]{in: btree.NewBTreeGOptions(less, btree.Options{NoLocks: true})}
}

func (m *tree[K, D]) Copy() Map[K, D] { return &tree[K, D]{m.in.Copy(), map[K]*D{}} }

func (m *tree[K, D]) Settle() { m.changed = nil }

func (m *tree[K, D]) Len() int { return m.in.Len() }

func (m *tree[K, D]) Get(key K) *D {
	found, _ := m.in.Get(entry[K]{key: key})
	is, _ := found.is.(*D)
	return is
}

func (m *tree[K, D]) Set(key K, is *D) {
	var was entry[K]
	if is == nil {
		was, _ = m.in.Delete(entry[K]{key: key})
	} else {
		was, _ = m.in.Set(entry[K]{key, is})
	}
	if _, known := m.changed[key]; m.changed != nil && !known {
		m.changed[key], _ = was.is.(*D)
	}
}

func (m *tree[K, D]) From(key K) iter.Seq2[K, *D] {
	return func(yield func(K, *D) bool) {
		m.in.Ascend(entry[K]{key: key}, func(e entry[K]) bool { return yield(e.key, e.is.(*D)) })
	}
}

func (m *tree[K, D]) All() iter.Seq2[K, *D] {
	return func(yield func(K, *D) bool) {
		m.in.Scan(func(e entry[K]) bool { return yield(e.key, e.is.(*D)) })
	}
}

func (m *tree[K, D]) Keys() iter.Seq[K] {
	return func(yield func(K) bool) {
		m.All()(func(key K, _ *D) bool { return yield(key) })
	}
}

func (m *tree[K, D]) Values() iter.Seq[*D] {
	return func(yield func(*D) bool) {
		m.All()(func(_ K, is *D) bool { return yield(is) })
	}
}

func (m *tree[K, D]) Changed() iter.Seq2[K, *D] {
	return func(yield func(key K, was *D) bool) {
		for key, was := range m.changed {
			if m.Get(key) != was && !yield(key, was) {
				return
			}
		}
	}
}

func (m *tree[K, D]) Changes() (out []Changed[D]) {
	for key, was := range m.Changed() {
		out = append(out, Changed[D]{was, m.Get(key)})
	}
	return out
}

func (m *tree[K, D]) Everything() (out []Changed[D]) {
	for is := range m.Values() {
		out = append(out, Changed[D]{Is: is})
	}
	return out
}

func (m *tree[K, D]) Same(o Map[K, D]) bool {
	if o == Map[K, D](m) {
		return true
	}
	if m.Len() != o.Len() {
		return false
	}
	for key, is := range m.All() {
		if o.Get(key) != is {
			return false
		}
	}
	return true
}
