package rpc

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
)

// The types of cells in a KeyValue.
const (
	TypePut                 = 4
	TypeDelete              = 8
	TypeDeleteFamilyVersion = 10
	TypeDeleteColumn        = 12
	TypeDeleteFamily        = 14
)

// Cell is a KeyValue. Its bytes are in the block from which it was read.
type Cell struct {
	Row, Family, Qualifier []byte
	Timestamp              int64
	Type                   byte
	Value                  []byte
}

// The lengths in a KeyValue: those of key and value, and what a key has besides row, family and qualifier.
const (
	lengths  = 4 + 4
	keyExtra = 2 + 1 + 8 + 1
)

// CellReader reads a block of the codec KeyValueCodec: KeyValues, each preceded by its length.
type CellReader struct{ rest []byte }

// NewCellReader makes a reader of a block.
func NewCellReader(block []byte) *CellReader { return &CellReader{block} }

var errCell = errors.New("a cell of the cell block ends before its time or has parts that do not fit together")

// Next returns the next cell, or io.EOF if there is none.
func (r *CellReader) Next() (Cell, error) {
	if len(r.rest) == 0 {
		return Cell{}, io.EOF
	}
	kv, rest, ok := cutLong(r.rest)
	if !ok {
		return Cell{}, errCell
	}
	r.rest = rest
	return readKeyValue(kv)
}

// cutLong cuts off bytes that are preceded by their length in 4 bytes.
func cutLong(b []byte) (head, rest []byte, ok bool) {
	if len(b) < 4 {
		return nil, nil, false
	}
	n := binary.BigEndian.Uint32(b)
	if uint64(n) > uint64(len(b)-4) {
		return nil, nil, false
	}
	return b[4 : 4+n : 4+n], b[4+n:], true
}

func readKeyValue(kv []byte) (Cell, error) {
	if len(kv) < lengths+keyExtra {
		return Cell{}, errCell
	}
	keyLen, valueLen := uint64(binary.BigEndian.Uint32(kv)), uint64(binary.BigEndian.Uint32(kv[4:]))
	if keyLen < keyExtra || lengths+keyLen+valueLen > uint64(len(kv)) { // tags may follow the value
		return Cell{}, errCell
	}
	key, value := kv[lengths:lengths+keyLen], kv[lengths+keyLen:lengths+keyLen+valueLen]
	rowLen := int(binary.BigEndian.Uint16(key))
	if rowLen+keyExtra > len(key) {
		return Cell{}, errCell
	}
	row, more := key[2:2+rowLen:2+rowLen], key[2+rowLen:]
	familyLen := int(more[0])
	if familyLen+keyExtra-2 > len(more) {
		return Cell{}, errCell
	}
	end := len(more) - 9
	return Cell{Row: row, Family: more[1 : 1+familyLen : 1+familyLen], Qualifier: more[1+familyLen : end : end],
		Timestamp: int64(binary.BigEndian.Uint64(more[end:])), Type: more[end+8], Value: value}, nil
}

// AppendCell appends a cell to a block. It must fit, as FitsKeyValue says.
func AppendCell(block []byte, c *Cell) []byte {
	keyLen := keyExtra + len(c.Row) + len(c.Family) + len(c.Qualifier)
	block = binary.BigEndian.AppendUint32(block, uint32(lengths+keyLen+len(c.Value)))
	block = binary.BigEndian.AppendUint32(block, uint32(keyLen))
	block = binary.BigEndian.AppendUint32(block, uint32(len(c.Value)))
	block = binary.BigEndian.AppendUint16(block, uint16(len(c.Row)))
	block = append(append(block, c.Row...), byte(len(c.Family)))
	block = append(append(block, c.Family...), c.Qualifier...)
	block = binary.BigEndian.AppendUint64(block, uint64(c.Timestamp))
	return append(append(block, c.Type), c.Value...)
}

// CellSize is how many bytes AppendCell appends for a cell with parts of these lengths.
func CellSize(row, family, qualifier, value int) int {
	return 4 + lengths + keyExtra + row + family + qualifier + value
}

// FitsKeyValue reports whether a KeyValue can represent the lengths of a cell, which SQL's may exceed.
func FitsKeyValue(c *Cell) bool {
	return len(c.Row) <= math.MaxUint16 && len(c.Family) <= math.MaxUint8
}
