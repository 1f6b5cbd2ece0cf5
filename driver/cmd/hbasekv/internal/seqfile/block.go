package seqfile

import (
	"bufio"
	"bytes"
	"io"
)

// block is many records that were compressed together: the lengths of their keys,
// the keys, the lengths of the values, and the values.
type block struct {
	records int64 // not read yet
	lengths *bufio.Reader
	values  io.Reader
	rest    *io.LimitedReader // the rest of the block in the file
}

// nextOfBlock is next for files with blocks.
func (f *file) nextOfBlock() ([]byte, error) {
	for f.block.records == 0 {
		if err := f.nextBlock(); err != nil {
			return nil, err
		}
	}
	f.block.records--
	n, err := readVLong(f.block.lengths)
	if err != nil {
		return nil, unexpected(err)
	}
	if n < 0 || n > int64(f.max) {
		return nil, damaged("a value of %d bytes", n)
	}
	value, err := readBytes(f.block.values, int(n))
	return value, unexpected(err)
}

// nextBlock advances to the values of the next block.
func (f *file) nextBlock() error {
	if err := f.block.finish(); err != nil {
		return err
	}
	escape, err := readInt(f.in)
	if err != nil {
		return err
	}
	if escape != syncEscape {
		return damaged("a block begins without a sync marker")
	}
	if err := f.readSync(); err != nil {
		return err
	}
	f.block = block{}
	if f.block.records, err = readVLong(f.in); err != nil {
		return unexpected(err)
	}
	if f.block.records < 0 {
		return damaged("a block of %d records", f.block.records)
	}
	return unexpected(f.sections())
}

// finish reads what follows the last value, and so verifies checksums.
func (b *block) finish() error {
	if b.rest == nil {
		return nil
	}
	if _, err := io.Copy(io.Discard, b.values); err != nil {
		return unexpected(err)
	}
	if _, err := io.Copy(io.Discard, b.rest); err != nil {
		return err
	}
	if b.rest.N > 0 {
		return io.ErrUnexpectedEOF
	}
	return nil
}

// sections skips the keys and opens the values.
func (f *file) sections() error {
	for range 2 { // the keys and their lengths
		keys, err := f.section()
		if err != nil {
			return err
		}
		if _, err := f.in.Discard(keys); err != nil {
			return err
		}
	}
	n, err := f.section()
	if err != nil {
		return err
	}
	compressed, err := readBytes(f.in, n)
	if err != nil {
		return err
	}
	lengths, err := f.codec(bytes.NewReader(compressed))
	if err != nil {
		return err
	}
	f.block.lengths = bufio.NewReader(lengths)
	if n, err = f.section(); err != nil {
		return err
	}
	f.block.rest = &io.LimitedReader{R: f.in, N: int64(n)}
	f.block.values, err = f.codec(bufio.NewReader(f.block.rest))
	return err
}

// section is the length of the next part of a block.
func (f *file) section() (int, error) {
	n, err := readVLong(f.in)
	if err == nil && (n < 0 || n > int64(f.max)) {
		err = damaged("a part of a block of %d bytes", n)
	}
	return int(n), err
}
