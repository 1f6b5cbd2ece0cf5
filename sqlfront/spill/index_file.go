package spill

import (
	"bytes"
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// The rows of an Index that do not fit into memory.

// indexBlock is a position in the file and the key of the row there.
type indexBlock struct {
	key []byte
	at  int64
}

// blockSize is the distance between two blocks, in bytes, if memory allows.
const blockSize = 4 << 10

// indexOverhead is about the memory of a block without its key.
const indexOverhead = 64

// writeFile writes the sorted rows and builds the list of blocks.
func (x *Index) writeFile() (err error) {
	if x.file, err = x.space.createPart(); err != nil {
		return err
	}
	var w writer
	x.run = w.begin(x.file)
	last, step := int64(-blockSize), int64(blockSize)
	err = Each(x.sorter.Next, func(row []value.Value) error {
		if at := w.at(); at-last >= step {
			last = at
			if x.note(row[0].Raw(), at) {
				step *= 2
			}
		}
		return w.add(row)
	})
	if err == nil {
		err = w.finish(&x.run)
	}
	return err
}

// note adds a block. If memory is used up, it drops every second block and returns true.
func (x *Index) note(key []byte, at int64) bool {
	x.blocks = append(x.blocks, indexBlock{bytes.Clone(key), at})
	x.account.Grow(len(key) + indexOverhead)
	if !x.account.Full() {
		return false
	}
	half := x.blocks[:0]
	for i, b := range x.blocks {
		if i%2 == 0 {
			half = append(half, b)
			continue
		}
		x.account.Grow(-len(b.key) - indexOverhead)
	}
	clear(x.blocks[len(half):])
	x.blocks = half
	return true
}

// seekInFile positions the reader before the first row with that key.
func (x *Index) seekInFile(key []byte) error {
	// From block i on there are only greater keys, or equal ones that follow equal ones.
	i, _ := slices.BinarySearchFunc(x.blocks, key, func(b indexBlock, key []byte) int { return bytes.Compare(b.key, key) })
	from := x.run.start
	if i > 0 {
		from = x.blocks[i-1].at
	}
	if !x.standsBefore(key, from) {
		x.read.open(run{file: x.file, start: from, end: x.run.end}, blockSize)
		x.ahead, x.ended = nil, false
	}
	x.sought = append(x.sought[:0], key...)
	return x.skip()
}

// standsBefore reports whether the reader is before the key, and nearer to it than the given position.
func (x *Index) standsBefore(key []byte, from int64) bool {
	return x.read.file != nil && bytes.Compare(x.sought, key) < 0 &&
		(x.ended || x.read.place() >= from || x.ahead != nil && bytes.Compare(key, x.ahead[0].Raw()) <= 0)
}

// skip reads to the first row whose key is not less than the one sought.
func (x *Index) skip() (err error) {
	for !x.ended && (x.ahead == nil || bytes.Compare(x.ahead[0].Raw(), x.sought) < 0) {
		if x.ahead, err = x.read.read(); err != nil {
			return err
		}
		x.ended = x.ahead == nil
	}
	return nil
}

// allOfFile is All for rows in a file, in the order of their keys.
func (x *Index) allOfFile() func() ([]value.Value, error) {
	var all reader
	all.open(x.run, blockSize)
	return func() ([]value.Value, error) {
		row, err := all.read()
		if row == nil || err != nil {
			return nil, err
		}
		return row[1:], nil
	}
}

// nextInFile returns the next row with the key sought, or nil after the last.
func (x *Index) nextInFile() ([]value.Value, error) {
	if err := x.skip(); err != nil {
		return nil, err
	}
	if x.ended || !bytes.Equal(x.ahead[0].Raw(), x.sought) {
		return nil, nil
	}
	row := x.ahead[1:]
	x.ahead = nil
	return row, nil
}
