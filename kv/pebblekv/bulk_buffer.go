package pebblekv

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
)

// cellBuffer holds cells in memory: their keys, and their values in stored
// form.
type cellBuffer struct {
	bytes []byte
	cells []bufferedCell
}

// bufferedCell says where a cell's key and, behind it, its value are.
type bufferedCell struct {
	key, value, end int
	head            [2]uint64 // of the key, for comparisons
}

// storedMark is the first byte of a value's stored form.
type storedMark []byte

var (
	nullMark  = storedMark{valueNull}
	bytesMark = storedMark{valueBytes}
)

// markOf is the mark of a value; nil is null.
func markOf(value []byte) storedMark {
	if value == nil {
		return nullMark
	}
	return bytesMark
}

// add appends a cell. Without a mark the value is in stored form already.
func (b *cellBuffer) add(key []byte, mark storedMark, value []byte) {
	c := bufferedCell{key: len(b.bytes)}
	b.bytes = append(b.bytes, key...)
	c.value = len(b.bytes)
	b.bytes = append(append(b.bytes, mark...), value...)
	c.end = len(b.bytes)
	b.cells = append(b.cells, c)
}

// replaceLast puts another value to the last cell's key.
func (b *cellBuffer) replaceLast(mark storedMark, value []byte) {
	c := &b.cells[len(b.cells)-1]
	b.bytes = append(append(b.bytes[:c.value], mark...), value...)
	c.end = len(b.bytes)
}

func (b *cellBuffer) len() int { return len(b.cells) }

// cellBytes is about what a bufferedCell takes.
const cellBytes = 40

// size is about what the buffer takes in memory.
func (b *cellBuffer) size() int { return len(b.bytes) + cellBytes*len(b.cells) }

func (b *cellBuffer) key(i int) []byte {
	c := &b.cells[i]
	return b.bytes[c.key:c.value]
}

func (b *cellBuffer) value(i int) []byte {
	c := &b.cells[i]
	return b.bytes[c.value:c.end]
}

// reset empties the buffer and keeps its memory, unless that is very much.
func (b *cellBuffer) reset(keep int) {
	if cap(b.bytes) > keep {
		b.bytes = nil
	}
	b.bytes, b.cells = b.bytes[:0], b.cells[:0]
}

// sort orders the cells by their keys. Of several with one key only the one
// that was added last stays.
func (b *cellBuffer) sort() {
	if !b.ascends() {
		for i := range b.cells {
			b.cells[i].head = keyHead(b.key(i))
		}
		slices.SortFunc(b.cells, b.compare)
	}
	n := 0
	for i := range b.cells {
		if i+1 < len(b.cells) && bytes.Equal(b.key(i), b.key(i+1)) {
			continue
		}
		b.cells[n] = b.cells[i]
		n++
	}
	b.cells = b.cells[:n]
}

// ascends reports whether the cells are in order already.
func (b *cellBuffer) ascends() bool {
	for i := 1; i < len(b.cells); i++ {
		if bytes.Compare(b.key(i-1), b.key(i)) > 0 {
			return false
		}
	}
	return true
}

// compare orders equal keys as they were added.
func (b *cellBuffer) compare(x, y bufferedCell) int {
	switch {
	case x.head[0] != y.head[0]:
		return cmp.Compare(x.head[0], y.head[0])
	case x.head[1] != y.head[1]:
		return cmp.Compare(x.head[1], y.head[1])
	}
	return cmp.Or(bytes.Compare(b.bytes[x.key:x.value], b.bytes[y.key:y.value]), cmp.Compare(x.key, y.key))
}

// keyHead is the first bytes of a key as numbers in the same order. All keys
// of cells have as many: a space, two terminators and a timestamp.
func keyHead(key []byte) [2]uint64 {
	return [2]uint64{binary.BigEndian.Uint64(key), binary.BigEndian.Uint64(key[8:])}
}
