package seqfile

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// file is a SequenceFile of version 6, whose values are read
// (https://hadoop.apache.org/docs/current/api/org/apache/hadoop/io/SequenceFile.html).
type file struct {
	in         *bufio.Reader
	max        int // the maximum length of a value
	valueClass string
	sync       [16]byte // appears between some records
	codec      codec    // nil if nothing is compressed
	blocks     bool     // blocks of many records are compressed, not single values

	block block
}

// syncEscape is the length before a sync marker.
const syncEscape = -1

var errDamaged = errors.New("the file is damaged")

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errDamaged, fmt.Sprintf(format, args...))
}

// open reads the header.
func open(in *bufio.Reader, max int) (*file, error) {
	f := &file{in: in, max: max}
	var magic [4]byte
	if _, err := io.ReadFull(in, magic[:]); err != nil || string(magic[:3]) != "SEQ" {
		return nil, errors.New("this is not a SequenceFile: it does not begin with SEQ")
	}
	if magic[3] != 6 {
		return nil, fmt.Errorf("the SequenceFile is of version %d: 6 is known", magic[3])
	}
	err := f.header()
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return f, err
}

func (f *file) header() (err error) {
	if _, err = f.text(); err != nil { // the class of keys
		return err
	}
	if f.valueClass, err = f.text(); err != nil {
		return err
	}
	compressed, err := f.in.ReadByte()
	if err != nil {
		return err
	}
	blocks, err := f.in.ReadByte()
	if err != nil {
		return err
	}
	if f.blocks = blocks != 0; f.blocks && compressed == 0 {
		return damaged("blocks that are not compressed")
	}
	if compressed != 0 {
		name, err := f.text()
		if err != nil {
			return err
		}
		if f.codec, err = codecNamed(name); err != nil {
			return err
		}
	}
	if err := f.metadata(); err != nil {
		return err
	}
	_, err = io.ReadFull(f.in, f.sync[:])
	return err
}

// metadata skips the header's pairs of texts.
func (f *file) metadata() error {
	n, err := readInt(f.in)
	if err != nil {
		return err
	}
	for range 2 * int64(n) {
		if _, err := f.text(); err != nil {
			return err
		}
	}
	return nil
}

// maxText is the maximum length of a name in the header.
const maxText = 64 << 10

// text reads a Text of Hadoop.
func (f *file) text() (string, error) {
	n, err := readVLong(f.in)
	if err != nil {
		return "", err
	}
	if n < 0 || n > maxText {
		return "", damaged("a text of %d bytes in the header", n)
	}
	b, err := readBytes(f.in, int(n))
	return string(b), err
}

// next returns the next value, which belongs to the caller, or io.EOF after the last.
func (f *file) next() ([]byte, error) {
	if f.blocks {
		return f.nextOfBlock()
	}
	n, err := f.length()
	if err != nil {
		return nil, err
	}
	key, err := readInt(f.in)
	if err != nil {
		return nil, unexpected(err)
	}
	if n < 0 || key < 0 || key > n || int(n) > f.max {
		return nil, damaged("a record of %d bytes with a key of %d", n, key)
	}
	if _, err := f.in.Discard(int(key)); err != nil {
		return nil, unexpected(err)
	}
	value, err := readBytes(f.in, int(n-key))
	if err != nil || f.codec == nil {
		return value, unexpected(err)
	}
	plain, err := f.codec(bytes.NewReader(value))
	if err != nil {
		return nil, unexpected(err)
	}
	return readAll(plain, f.max)
}

// length is that of the next record, after any sync marker.
func (f *file) length() (int32, error) {
	n, err := readInt(f.in)
	if err != nil || n != syncEscape {
		return n, err
	}
	if err := f.readSync(); err != nil {
		return 0, err
	}
	return readInt(f.in)
}

func (f *file) readSync() error {
	var found [16]byte
	if _, err := io.ReadFull(f.in, found[:]); err != nil {
		return unexpected(err)
	}
	if found != f.sync {
		return damaged("a sync marker is not that of the header")
	}
	return nil
}

// unexpected turns the end of a file within a record into an error.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

func readInt(r io.Reader) (int32, error) {
	var b [4]byte
	_, err := io.ReadFull(r, b[:])
	return int32(binary.BigEndian.Uint32(b[:])), err
}

// readVLong reads an integer as Hadoop's WritableUtils.writeVLong writes it.
func readVLong(r io.ByteReader) (int64, error) {
	first, err := r.ReadByte()
	if err != nil {
		return 0, err
	}
	head := int8(first)
	if head >= -112 {
		return int64(head), nil
	}
	size, negative := -112-int(head), false
	if head < -120 {
		size, negative = -120-int(head), true
	}
	var n int64
	for range size {
		b, err := r.ReadByte()
		if err != nil {
			return 0, unexpected(err)
		}
		n = n<<8 | int64(b)
	}
	if negative {
		n = ^n
	}
	return n, nil
}

// readBytes reads n bytes; memory grows with what has been read.
func readBytes(r io.Reader, n int) ([]byte, error) {
	if n <= 64<<10 {
		b := make([]byte, n)
		_, err := io.ReadFull(r, b)
		return b, err
	}
	var b bytes.Buffer
	if _, err := io.CopyN(&b, r, int64(n)); err != nil {
		return nil, unexpected(err)
	}
	return b.Bytes(), nil
}

// readAll reads to the end, which must come within max bytes.
func readAll(r io.Reader, max int) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, int64(max)+1))
	if err == nil && len(b) > max {
		err = damaged("a record of more than %d bytes", max)
	}
	return b, err
}
