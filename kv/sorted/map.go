// Package sorted has maps in the order of their keys whose copies share what they have in common: a
// copy takes a constant time, and a change of it a time that grows with the logarithm of its size.
package sorted

import (
	"iter"

	"github.com/tidwall/btree"
)

// Map holds pointers by key. A copy remembers the previous pointers of keys that are changed in it.
// Concurrent reads are safe while nobody changes the map; only one goroutine at a time may copy or
// change it. The zero value is empty and can only be read.
type Map[K comparable, D any] struct {
	tree    tree[K, D]
	changed map[K]*D // previous values of the keys that were changed since the copy was made
}

type entry[K comparable, D any] struct {
	key K
	is  *D
}

// tree is what a map needs of a B-tree. The compiler makes all functions of a generic type in each package
// that can see a type with such a field: the B-tree's were three seconds of each package above the catalog.
// Behind an interface they are made once.
type tree[K comparable, D any] interface {
	Len() int
	Get(entry[K, D]) (entry[K, D], bool)
	Set(entry[K, D]) (entry[K, D], bool)
	Delete(entry[K, D]) (entry[K, D], bool)
	Ascend(from entry[K, D], yield func(entry[K, D]) bool)
	Scan(yield func(entry[K, D]) bool)
	// copied returns a tree of the same content that shares what neither changes.
	copied() tree[K, D]
}

type bTree[K comparable, D any] struct {
	*btree.BTreeG[entry[K, D]]
}

func (t bTree[K, D]) copied() tree[K, D] { return bTree[K, D]{t.Copy()} }

// New returns an empty map in the order of compare, which works like package cmp's Compare.
func New[K comparable, D any](compare func(a, b K) int) Map[K, D] {
	less := func(a, b entry[K, D]) bool { return compare(a.key, b.key) < 0 }
	return Map[K, D]{tree: bTree[K, D]{btree.NewBTreeGOptions(less, btree.Options{NoLocks: true})}}
}

// Shared is what maps of all types have in common.
type Shared interface {
	// Share makes a copied Go variable a map of its own with the same content, in which nothing counts
	// as changed.
	Share()
	// Settle forgets what has been changed: from now on the map may only be read.
	Settle()
}

// Share implements Shared.
func (m *Map[K, D]) Share() { m.tree, m.changed = m.tree.copied(), map[K]*D{} }

// Settle implements Shared.
func (m *Map[K, D]) Settle() { m.changed = nil }

// Len returns the number of keys.
func (m *Map[K, D]) Len() int {
	if m.tree == nil {
		return 0
	}
	return m.tree.Len()
}

// Get returns the pointer under a key, or nil.
func (m *Map[K, D]) Get(key K) *D {
	if m.tree == nil {
		return nil
	}
	found, _ := m.tree.Get(entry[K, D]{key: key})
	return found.is
}

// Set stores a pointer under a key; nil removes the key.
func (m *Map[K, D]) Set(key K, is *D) {
	var was entry[K, D]
	if is == nil {
		was, _ = m.tree.Delete(entry[K, D]{key: key})
	} else {
		was, _ = m.tree.Set(entry[K, D]{key, is})
	}
	if _, known := m.changed[key]; m.changed != nil && !known {
		m.changed[key] = was.is
	}
}

// From iterates from a key on, in order.
func (m *Map[K, D]) From(key K) iter.Seq2[K, *D] {
	return func(yield func(K, *D) bool) {
		if m.tree != nil {
			m.tree.Ascend(entry[K, D]{key: key}, func(e entry[K, D]) bool { return yield(e.key, e.is) })
		}
	}
}

// All iterates over all keys in order.
func (m *Map[K, D]) All() iter.Seq2[K, *D] {
	return func(yield func(K, *D) bool) {
		if m.tree != nil {
			m.tree.Scan(func(e entry[K, D]) bool { return yield(e.key, e.is) })
		}
	}
}

// Keys iterates over all keys in order.
func (m *Map[K, D]) Keys() iter.Seq[K] {
	return func(yield func(K) bool) {
		m.All()(func(key K, _ *D) bool { return yield(key) })
	}
}

// Values iterates over the pointers in key order.
func (m *Map[K, D]) Values() iter.Seq[*D] {
	return func(yield func(*D) bool) {
		m.All()(func(_ K, is *D) bool { return yield(is) })
	}
}

// Changed iterates, in any order, over the keys whose pointers differ from when the copy was made, with
// the previous pointers.
func (m *Map[K, D]) Changed() iter.Seq2[K, *D] {
	return func(yield func(key K, was *D) bool) {
		for key, was := range m.changed {
			if m.Get(key) != was && !yield(key, was) {
				return
			}
		}
	}
}

// Same reports whether both have the same pointers under the same keys.
func (m *Map[K, D]) Same(o *Map[K, D]) bool {
	if m.tree == o.tree || m.Len() != o.Len() {
		return m.tree == o.tree
	}
	for key, is := range m.All() {
		if o.Get(key) != is {
			return false
		}
	}
	return true
}

// Changed is the pointer under a key before and after; nil if there was none, or is none.
type Changed[D any] struct{ Was, Is *D }

// Changes returns what Changed iterates over, without the keys.
func (m *Map[K, D]) Changes() (out []Changed[D]) {
	for key, was := range m.Changed() {
		out = append(out, Changed[D]{was, m.Get(key)})
	}
	return out
}

// Everything returns the change from an empty map to this one.
func (m *Map[K, D]) Everything() (out []Changed[D]) {
	for _, is := range m.All() {
		out = append(out, Changed[D]{Is: is})
	}
	return out
}
