package tablebuild

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
)

// cellBuffer holds cells in memory: their keys, and their values in stored
// form, in chunks that never move.
type cellBuffer struct {
	chunk  int // the size of most chunks
	chunks [][]byte
	used   int // chunks in use
	cells  []bufferedCell
	bytes  int // total
}

// bufferedCell locates a cell's key and, after it, its value.
type bufferedCell struct {
	chunk, key, value, end int32
	head                   [2]uint64 // the key's bytes after those that all keys begin with, for comparisons
}

// add appends a cell. Without a mark, the value is already in stored form.
func (b *cellBuffer) add(key []byte, mark cellkey.StoredMark, value []byte) {
	in := b.chunkFor(len(key) + len(mark) + len(value))
	at := len(*in)
	*in = append(append(append(*in, key...), mark...), value...)
	b.bytes += len(*in) - at
	b.cells = append(b.cells, bufferedCell{
		chunk: int32(b.used - 1), key: int32(at), value: int32(at + len(key)), end: int32(len(*in)),
	})
}

// chunkFor returns a chunk with n bytes left.
func (b *cellBuffer) chunkFor(n int) *[]byte {
	if b.used > 0 {
		if last := &b.chunks[b.used-1]; cap(*last)-len(*last) >= n {
			return last
		}
	}
	if b.used < len(b.chunks) && cap(b.chunks[b.used]) < n {
		b.chunks = b.chunks[:b.used]
	}
	if b.used == len(b.chunks) {
		b.chunks = append(b.chunks, make([]byte, 0, max(b.chunk, n)))
	}
	b.used++
	return &b.chunks[b.used-1]
}

// replaceLast replaces the last cell's value.
func (b *cellBuffer) replaceLast(mark cellkey.StoredMark, value []byte) {
	n := len(b.cells) - 1
	c, key := b.cells[n], b.key(n)
	b.cells = b.cells[:n]
	b.chunks[c.chunk] = b.chunks[c.chunk][:c.key]
	b.bytes -= int(c.end - c.key)
	b.add(key, mark, value)
}

func (b *cellBuffer) len() int { return len(b.cells) }

// cellBytes is the size of a bufferedCell.
const cellBytes = 32

// size returns about how many bytes the buffer takes in memory.
func (b *cellBuffer) size() int { return b.bytes + cellBytes*len(b.cells) }

func (b *cellBuffer) key(i int) []byte {
	c := &b.cells[i]
	return b.chunks[c.chunk][c.key:c.value]
}

func (b *cellBuffer) value(i int) []byte {
	c := &b.cells[i]
	return b.chunks[c.chunk][c.value:c.end]
}

// reset empties the buffer and keeps its memory, except chunks that were made
// for large values.
func (b *cellBuffer) reset() {
	b.chunks = slices.DeleteFunc(b.chunks, func(c []byte) bool { return cap(c) > b.chunk })
	for i := range b.chunks {
		b.chunks[i] = b.chunks[i][:0]
	}
	b.cells, b.used, b.bytes = b.cells[:0], 0, 0
}

// sort orders the cells by key. Of several with the same key, only the one
// added last stays.
func (b *cellBuffer) sort() {
	if !b.ascends() {
		common := b.common()
		for i := range b.cells {
			b.cells[i].head = keyHead(b.key(i)[common:])
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

// compare orders cells by key, and cells with equal keys as they were added.
func (b *cellBuffer) compare(x, y bufferedCell) int {
	switch {
	case x.head[0] != y.head[0]:
		return cmp.Compare(x.head[0], y.head[0])
	case x.head[1] != y.head[1]:
		return cmp.Compare(x.head[1], y.head[1])
	}
	keyX, keyY := b.chunks[x.chunk][x.key:x.value], b.chunks[y.chunk][y.key:y.value]
	return cmp.Or(bytes.Compare(keyX, keyY), cmp.Compare(x.chunk, y.chunk), cmp.Compare(x.key, y.key))
}

// common is the number of bytes with which all keys begin: at least those of their space. Without it, the heads
// of a table's cells would be half the same, and those of long texts all of it (BenchmarkBuild/Load: 1.25 in place of
// 1.39 us of processor time a cell).
func (b *cellBuffer) common() int {
	first := b.key(0)
	n := len(first)
	for i := range b.cells {
		for key := b.key(i); !bytes.HasPrefix(key, first[:n]); {
			n--
		}
	}
	return n
}

// keyHead returns the first bytes of a part of a key as numbers in the same order. Bytes that are missing are zeros.
func keyHead(key []byte) [2]uint64 {
	var head [16]byte
	copy(head[:], key)
	return [2]uint64{binary.BigEndian.Uint64(head[:]), binary.BigEndian.Uint64(head[8:])}
}
