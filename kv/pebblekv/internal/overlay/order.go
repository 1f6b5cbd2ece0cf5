package overlay

import (
	"bytes"
	"math/bits"
	"math/rand/v2"
	"sync/atomic"
)

// order is the writes of an overlay by key: a skip list with the versions of
// each key, newest first. One goroutine adds to it; cursors may walk it
// meanwhile in others, each seeing what was there when it was opened. Nothing
// is ever taken out: what is undone dies, for those who come later.
type order struct {
	head   orderNode
	height int
	last   [maxOrderHeight]*orderNode // the nodes before the one added last, or itself
	seq    uint64                     // of the newest version
	dead   int                        // versions

	// Memory for what is to be added.
	nodes    []orderNode
	versions []orderVersion
	towers   []atomic.Pointer[orderNode]
}

// orderNode is a key.
type orderNode struct {
	key    []byte
	newest atomic.Pointer[orderVersion]
	tower  []atomic.Pointer[orderNode] // the next node, on each level
}

// orderVersion is one write of a key.
type orderVersion struct {
	value   []byte
	deleted bool
	entry   uint32
	seq     uint64
	died    atomic.Uint64 // the seq after which it is undone; 0 while it lives
	older   *orderVersion
}

const (
	maxOrderHeight = 12 // levels, each of a quarter of the nodes of the one below
	maxOrderSlab   = 256
	// orderOverhead is about what a write takes in the order.
	orderOverhead = 144
)

func newOrder() *order {
	o := &order{height: 1}
	o.head.tower = make([]atomic.Pointer[orderNode], maxOrderHeight)
	for i := range o.last {
		o.last[i] = &o.head
	}
	return o
}

// add takes in the write of an overlay. The order keeps its bytes.
func (o *order) add(w Write, entry uint32) {
	o.seq++
	v := o.version()
	v.value, v.deleted, v.entry, v.seq = w.Value, w.Deleted, entry, o.seq
	if n := o.place(w.Key); n != nil {
		v.older = n.newest.Load()
		n.newest.Store(v)
		return
	}
	n := o.node(w.Key)
	n.newest.Store(v)
	for level := range n.tower {
		n.tower[level].Store(o.last[level].tower[level].Load())
		o.last[level].tower[level].Store(n)
		o.last[level] = n
	}
}

// place finds the key's node, or else sets last to the nodes before it. It
// begins where the last one was added, as far as that is before.
func (o *order) place(key []byte) *orderNode {
	at, ahead := &o.head, o.last[0] != &o.head && bytes.Compare(key, o.last[0].key) > 0
	var next *orderNode
	for level := o.height - 1; level >= 0; level-- {
		if ahead {
			at = o.last[level]
		}
		for next = at.tower[level].Load(); next != nil && bytes.Compare(next.key, key) < 0; next = at.tower[level].Load() {
			at, ahead = next, false
		}
		o.last[level] = at
	}
	if next != nil && bytes.Equal(next.key, key) {
		return next
	}
	return nil
}

func (o *order) node(key []byte) *orderNode {
	if len(o.nodes) == 0 {
		o.nodes = make([]orderNode, slab(int(o.seq)))
	}
	n := &o.nodes[0]
	o.nodes = o.nodes[1:]
	height := min(1+bits.TrailingZeros32(rand.Uint32())/2, maxOrderHeight)
	if len(o.towers) < height {
		o.towers = make([]atomic.Pointer[orderNode], max(slab(int(o.seq)), height))
	}
	n.key, n.tower, o.towers = key, o.towers[:height:height], o.towers[height:]
	o.height = max(o.height, height)
	return n
}

func (o *order) version() *orderVersion {
	if len(o.versions) == 0 {
		o.versions = make([]orderVersion, slab(int(o.seq)))
	}
	v := &o.versions[0]
	o.versions = o.versions[1:]
	return v
}

// slab is how many to allocate together where there are n.
func slab(n int) int { return min(max(n, 1), maxOrderSlab) }

// kill lets the versions of the key die that are writes from number n on.
func (o *order) kill(key []byte, n int) {
	for v := o.ge(key).newest.Load(); v != nil && v.entry >= uint32(n); v = v.older {
		if v.died.Load() == 0 {
			v.died.Store(o.seq)
			o.dead++
		}
	}
}

// ge is the first node at or behind the key.
func (o *order) ge(key []byte) *orderNode { return o.before(key).tower[0].Load() }

// before is the last node before the key, or the head.
func (o *order) before(key []byte) *orderNode {
	at := &o.head
	for level := len(o.head.tower) - 1; level >= 0; level-- {
		for next := at.tower[level].Load(); next != nil && bytes.Compare(next.key, key) < 0; next = at.tower[level].Load() {
			at = next
		}
	}
	return at
}

// Writes are the writes of a transaction at one moment, by key. They never
// change.
type Writes struct {
	order   *order
	entries uint32 // how many, from the first, of the overlay's writes
	seq     uint64
}

// version is the newest write of the node's key, or nil.
func (w *Writes) version(n *orderNode) *orderVersion {
	v := n.newest.Load()
	for v != nil && !w.holds(v) {
		v = v.older
	}
	return v
}

func (w *Writes) holds(v *orderVersion) bool {
	if v.seq > w.seq || v.entry >= w.entries {
		return false
	}
	died := v.died.Load()
	return died == 0 || died > w.seq
}

// Ascend calls fn for each write from the key on, nil for all, until it
// returns false.
func (w *Writes) Ascend(from []byte, fn func(Write) bool) {
	it := Iter{writes: w}
	for ok := it.Seek(from); ok && fn(it.item()); ok = it.Next() {
	}
}

// Len counts the keys.
func (w *Writes) Len() (n int) {
	w.Ascend(nil, func(Write) bool { n++; return true })
	return n
}

// Iter steps over writes in both directions.
type Iter struct {
	writes *Writes
	node   *orderNode
	at     *orderVersion
}

// Iter steps over the writes.
func (w *Writes) Iter() *Iter { return &Iter{writes: w} }

// Seek goes to the first write at or behind the key.
func (it *Iter) Seek(key []byte) bool {
	it.node = it.writes.order.ge(key)
	return it.forward()
}

// Next goes to the next write.
func (it *Iter) Next() bool {
	it.node = it.node.tower[0].Load()
	return it.forward()
}

// forward goes on to a node that has a write.
func (it *Iter) forward() bool {
	for ; it.node != nil; it.node = it.node.tower[0].Load() {
		if it.at = it.writes.version(it.node); it.at != nil {
			return true
		}
	}
	return false
}

// SeekLT goes to the last write before the key.
func (it *Iter) SeekLT(key []byte) bool {
	it.node = it.writes.order.before(key)
	return it.backward()
}

// Prev goes to the write before.
func (it *Iter) Prev() bool { return it.SeekLT(it.node.key) }

func (it *Iter) backward() bool {
	o := it.writes.order
	for ; it.node != &o.head; it.node = o.before(it.node.key) {
		if it.at = it.writes.version(it.node); it.at != nil {
			return true
		}
	}
	return false
}

// Key is that of the write stood at.
func (it *Iter) Key() []byte { return it.node.key }

// Value is the stored value of the write stood at.
func (it *Iter) Value() []byte { return it.at.value }

// Deleted reports whether the write stood at is a deletion.
func (it *Iter) Deleted() bool { return it.at.deleted }

func (it *Iter) item() Write {
	return Write{Key: it.Key(), Value: it.Value(), Deleted: it.Deleted()}
}
