package pebblekv

import (
	"bytes"

	"github.com/tidwall/btree"
)

// write is a transaction's own write of one cell: its stored value, or its
// deletion.
type write struct {
	key, value []byte
	row        rowID
	deleted    bool
}

// overlay is a transaction's writes by key. Writes in it are never changed,
// only replaced, so that copies share them.
type overlay struct {
	tree  *btree.BTreeG[write]
	hint  btree.PathHint
	arena []byte
	bytes int64 // of memory that was written so far
}

func lessWrite(a, b write) bool { return bytes.Compare(a.key, b.key) < 0 }

func (o *overlay) len() int {
	if o.tree == nil {
		return 0
	}
	return o.tree.Len()
}

func (o *overlay) get(key []byte) (write, bool) {
	if o.tree == nil {
		return write{}, false
	}
	return o.tree.GetHint(write{key: key}, &o.hint)
}

// put stores the value, or with deleted the cell's deletion. The key is
// copied.
func (o *overlay) put(row rowID, key, value []byte, deleted bool) {
	w := write{row: row, deleted: deleted}
	n := len(key) + 1 + len(value)
	o.bytes += int64(n + writeOverhead)
	o.reserve(n)
	o.arena, w.key = grow(o.arena, func(dst []byte) []byte { return append(dst, key...) })
	if !deleted {
		o.arena, w.value = grow(o.arena, func(dst []byte) []byte { return appendValue(dst, value) })
	}
	o.set(w)
}

// set stores a write, whose bytes it keeps.
func (o *overlay) set(w write) {
	if o.tree == nil {
		o.tree = btree.NewBTreeGOptions(lessWrite, btree.Options{NoLocks: true, Degree: 32})
	}
	o.tree.SetHint(w, &o.hint)
}

// grow appends to a buffer and gives what was appended.
func grow(buf []byte, add func([]byte) []byte) (all, added []byte) {
	all = add(buf)
	return all, all[len(buf):len(all):len(all)]
}

// writeOverhead is about what a write takes in the tree, and its row in the
// table of locks.
const writeOverhead = 128

const (
	minArena = 1 << 10
	maxArena = 256 << 10
)

// reserve makes room in the arena; what was handed out of it stays as it is.
func (o *overlay) reserve(n int) {
	if cap(o.arena)-len(o.arena) < n {
		size := min(max(2*cap(o.arena), minArena), maxArena)
		o.arena = make([]byte, 0, max(size, n))
	}
}

// copy is the overlay as it is now, whatever is written afterwards.
func (o *overlay) copy() *btree.BTreeG[write] {
	if o.len() == 0 {
		return nil
	}
	return o.tree.Copy()
}

// restore goes back to what copy gave.
func (o *overlay) restore(tree *btree.BTreeG[write]) {
	o.tree = nil
	if tree != nil {
		o.tree = tree.Copy()
	}
}
