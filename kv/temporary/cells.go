package temporary

import (
	"bytes"
	"cmp"
	"math"

	"github.com/tidwall/btree"
)

// entry is a cell, or a place between cells: just before the cell that it would be.
type entry struct {
	row, qualifier []byte
	timestamp      int64
	value          []byte // nil is the null value
}

const firstTimestamp = math.MaxInt64 // first in the order of versions, newest first

// newEntry returns a cell in memory of its own.
func newEntry(row, qualifier []byte, timestamp int64, value []byte) entry {
	buf := make([]byte, 0, len(row)+len(qualifier)+len(value))
	part := func(b []byte) []byte {
		from := len(buf)
		buf = append(buf, b...)
		return buf[from:len(buf):len(buf)]
	}
	e := entry{row: part(row), qualifier: part(qualifier), timestamp: timestamp}
	if value != nil {
		e.value = part(value)
	}
	return e
}

// compare is HBase's order.
func compare(a, b *entry) int {
	if c := bytes.Compare(a.row, b.row); c != 0 {
		return c
	}
	if c := bytes.Compare(a.qualifier, b.qualifier); c != 0 {
		return c
	}
	return cmp.Compare(b.timestamp, a.timestamp)
}

func less(a, b entry) bool { return compare(&a, &b) < 0 }

func (e *entry) sameColumn(o *entry) bool {
	return bytes.Equal(e.row, o.row) && bytes.Equal(e.qualifier, o.qualifier)
}

// entryBytes is about how many bytes a cell takes besides its parts: its place in the tree,
// which is not full, and the allocator's overhead.
const entryBytes = 144

func (e *entry) size() int64 {
	return int64(entryBytes + len(e.row) + len(e.qualifier) + len(e.value))
}

// tree holds cells in HBase's order. It is an interface because the compiler makes all functions of the B-tree in each
// package that can see a type with a field of it, which were most packages above this one.
type tree interface {
	Get(e entry) (entry, bool)
	Set(e entry) (before entry, had bool)
	Delete(e entry) (before entry, had bool)
	Ascend(from entry, each func(entry) bool)
	Descend(from entry, each func(entry) bool)
	Max() (entry, bool)
	Len() int
	Copy() tree
	Iter() iterator
}

// iterator is at a cell of a tree once Seek or Next has returned true.
type iterator interface {
	Seek(from entry) bool
	Next() bool
	Item() entry
}

// ordered is the tree.
type ordered struct{ *btree.BTreeG[entry] }

func (o ordered) Copy() tree { return ordered{o.BTreeG.Copy()} }

func (o ordered) Iter() iterator {
	i := o.BTreeG.Iter()
	return &i
}

// cells are the cells of a table: the Layout of its descriptor.
type cells struct {
	tree    tree
	bytes   int64 // size of the cells, as counted in the session's memory
	dropped bool
	next    nextFree
}

func newCells() *cells {
	return &cells{tree: ordered{btree.NewBTreeGOptions(less, btree.Options{NoLocks: true})}}
}

// nextFree remembers where the last search for a timestamp without a version has ended, so
// that many writes of one column from one timestamp on do not step over each other's versions
// each time. It is reset when cells are removed.
type nextFree struct {
	row, qualifier []byte
	from, next     int64
}

// free returns the first timestamp from at on at which the column has no version; ok is
// false if there is none.
func (c *cells) free(row, qualifier []byte, at int64) (timestamp int64, ok bool) {
	e := entry{row: row, qualifier: qualifier, timestamp: at}
	if n := &c.next; n.row != nil && n.from == at && bytes.Equal(n.row, row) && bytes.Equal(n.qualifier, qualifier) {
		e.timestamp = n.next
	}
	for {
		if _, found := c.tree.Get(e); !found {
			break
		}
		if e.timestamp == math.MaxInt64 {
			return 0, false
		}
		e.timestamp++
	}
	c.next = nextFree{append(c.next.row[:0], row...), append(c.next.qualifier[:0], qualifier...), at, e.timestamp}
	return e.timestamp, true
}
