// Package sorted has maps in the order of their keys whose copies share what they have in common: a
// copy takes a constant time, and a change of it a time that grows with the logarithm of its size.
package sorted

import (
	"iter"

	"github.com/tidwall/btree"
)

// Map holds pointers by key. A copy remembers what it had where it is changed. Readers may use a map
// at once as long as nobody changes it; one goroutine at a time may copy or change it. The zero value is
// empty and can only be read.
type Map[K comparable, D any] struct {
	tree    *btree.BTreeG[entry[K, D]]
	changed map[K]*D // what there was under the keys that have been changed since the copy was made
}

type entry[K comparable, D any] struct {
	key K
	is  *D
}

// New is an empty map in the order that compare gives, as that of package cmp.
func New[K comparable, D any](compare func(a, b K) int) Map[K, D] {
	less := func(a, b entry[K, D]) bool { return compare(a.key, b.key) < 0 }
	return Map[K, D]{tree: btree.NewBTreeGOptions(less, btree.Options{NoLocks: true})}
}

// Shared is what maps of all kinds have in common.
type Shared interface {
	// Share makes of the copy of a Go variable a map of its own with the same content, in which
	// nothing counts as changed.
	Share()
	// Settle forgets what has been changed: the map is to be read alone from now on.
	Settle()
}

// Share implements Shared.
func (m *Map[K, D]) Share() { m.tree, m.changed = m.tree.Copy(), map[K]*D{} }

// Settle implements Shared.
func (m *Map[K, D]) Settle() { m.changed = nil }

// Len is the number of keys.
func (m *Map[K, D]) Len() int {
	if m.tree == nil {
		return 0
	}
	return m.tree.Len()
}

// Get is what there is under a key, or nil.
func (m *Map[K, D]) Get(key K) *D {
	if m.tree == nil {
		return nil
	}
	found, _ := m.tree.Get(entry[K, D]{key: key})
	return found.is
}

// Set puts something under a key; nil takes away what there is.
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

// From is all from a key on, in order.
func (m *Map[K, D]) From(key K) iter.Seq2[K, *D] {
	return func(yield func(K, *D) bool) {
		if m.tree != nil {
			m.tree.Ascend(entry[K, D]{key: key}, func(e entry[K, D]) bool { return yield(e.key, e.is) })
		}
	}
}

// All is everything in order.
func (m *Map[K, D]) All() iter.Seq2[K, *D] {
	return func(yield func(K, *D) bool) {
		if m.tree != nil {
			m.tree.Scan(func(e entry[K, D]) bool { return yield(e.key, e.is) })
		}
	}
}

// Keys are all keys in order.
func (m *Map[K, D]) Keys() iter.Seq[K] {
	return func(yield func(K) bool) {
		m.All()(func(key K, _ *D) bool { return yield(key) })
	}
}

// Values are what there is under all keys, in the order of these.
func (m *Map[K, D]) Values() iter.Seq[*D] {
	return func(yield func(*D) bool) {
		m.All()(func(_ K, is *D) bool { return yield(is) })
	}
}

// Changed are the keys under which there is something else than when the copy was made, in any order,
// with what there was.
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

// Changed is what there is under a key before and after; nil where there was none, or is none.
type Changed[D any] struct{ Was, Is *D }

// Changes are what Changed tells, without the keys.
func (m *Map[K, D]) Changes() (out []Changed[D]) {
	for key, was := range m.Changed() {
		out = append(out, Changed[D]{was, m.Get(key)})
	}
	return out
}

// Everything is the change from an empty map to this one.
func (m *Map[K, D]) Everything() (out []Changed[D]) {
	for _, is := range m.All() {
		out = append(out, Changed[D]{Is: is})
	}
	return out
}
