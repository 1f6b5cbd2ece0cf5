package seqfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/hbasekv/hbasekv/driver/cellio"
)

// maxResult is the maximum length of a Result, in bytes.
const maxResult = 1 << 30

const resultClass = "org.apache.hadoop.hbase.client.Result"

// Reader reads the cells of a file of HBase's Export; it is a cellio.Reader.
type Reader struct {
	file    *file
	record  int
	pending []cellio.Cell // of the record
}

// NewReader reads the header of a file. Its error says what the file is instead.
func NewReader(in io.Reader) (*Reader, error) { return newReader(in, maxResult) }

func newReader(in io.Reader, max int) (*Reader, error) {
	f, err := open(bufio.NewReaderSize(in, 256<<10), max)
	if err != nil {
		return nil, err
	}
	if f.valueClass != resultClass {
		return nil, fmt.Errorf("the SequenceFile holds %s and not %s, which HBase's Export writes", f.valueClass, resultClass)
	}
	return &Reader{file: f}, nil
}

// Line implements cellio.Reader: it is the number of the record, from 1.
func (r *Reader) Line() int { return r.record }

// Read implements cellio.Reader.
func (r *Reader) Read() (cellio.Cell, error) {
	for len(r.pending) == 0 {
		value, err := r.file.next()
		if err != nil {
			return cellio.Cell{}, err
		}
		r.record++
		if r.pending, err = parseResult(value, r.pending[:0]); err != nil {
			r.pending = nil
			return cellio.Cell{}, &cellio.BadLine{Reason: err.Error()}
		}
	}
	c := r.pending[0]
	r.pending = r.pending[1:]
	return c, nil
}

// The fields of HBase's protobufs (Client.proto, Cell.proto).
const (
	resultCells = 1

	cellRow       = 1
	cellFamily    = 2
	cellQualifier = 3
	cellTimestamp = 4
	cellType      = 5
	cellValue     = 6

	typePut = 4
)

var errProtobuf = errors.New("the record is not an HBase Result")

// parseResult appends the cells of a Result that is preceded by its length.
// Their bytes are those of the record.
func parseResult(record []byte, cells []cellio.Cell) ([]cellio.Cell, error) {
	result, n := protowire.ConsumeBytes(record)
	if n < 0 || n != len(record) {
		return nil, errProtobuf
	}
	err := eachField(result, func(field protowire.Number, b []byte, _ uint64) error {
		if field != resultCells {
			return nil
		}
		c, err := parseCell(b)
		cells = append(cells, c)
		return err
	})
	return cells, err
}

func parseCell(text []byte) (cellio.Cell, error) {
	c := cellio.Cell{Value: []byte{}}
	kind := uint64(typePut)
	err := eachField(text, func(field protowire.Number, b []byte, n uint64) error {
		switch field {
		case cellRow:
			c.Row = b
		case cellFamily:
			c.Family = string(b)
		case cellQualifier:
			c.Qualifier = b
		case cellTimestamp:
			c.Timestamp = int64(n)
		case cellType:
			kind = n
		case cellValue:
			c.Value = b
		}
		return nil
	})
	if err == nil && kind != typePut {
		err = errors.New("a delete marker is not a cell: export without hbase.mapreduce.include.deleted.rows")
	}
	return c, err
}

// eachField calls f with each field of a message: b for bytes, which are never
// nil, or n for a number.
func eachField(message []byte, f func(field protowire.Number, b []byte, n uint64) error) error {
	for len(message) > 0 {
		field, kind, size := protowire.ConsumeTag(message)
		if size < 0 {
			return errProtobuf
		}
		message = message[size:]
		b, number := []byte{}, uint64(0)
		switch kind {
		case protowire.BytesType:
			b, size = protowire.ConsumeBytes(message)
		case protowire.VarintType:
			number, size = protowire.ConsumeVarint(message)
		default:
			size = protowire.ConsumeFieldValue(field, kind, message)
		}
		if size < 0 {
			return errProtobuf
		}
		if err := f(field, b[:len(b):len(b)], number); err != nil {
			return err
		}
		message = message[size:]
	}
	return nil
}
