package hbase

import (
	"bytes"
	"encoding/binary"
	"io"

	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// cell is one key and value as HBase sends it. Its bytes belong to the response.
type cell struct {
	row, family, qualifier []byte
	timestamp              int64
	value                  []byte
}

// decode reads the first cell of a block, in HBase's KeyValue format.
func (c *cell) decode(b []byte) (rest []byte, err error) {
	const head = 4 + 4 + 4 + 2
	if len(b) < head {
		return nil, io.ErrUnexpectedEOF
	}
	size := int(binary.BigEndian.Uint32(b))
	keyLen, valueLen := int(binary.BigEndian.Uint32(b[4:])), int(binary.BigEndian.Uint32(b[8:]))
	rowLen := int(binary.BigEndian.Uint16(b[12:]))
	if size < 0 || len(b)-4 < size || keyLen < 12+rowLen || valueLen < 0 || 8+keyLen+valueLen > size {
		return nil, io.ErrUnexpectedEOF
	}
	key, value := b[head:12+keyLen], b[12+keyLen:12+keyLen+valueLen]
	c.row = key[:rowLen:rowLen]
	familyLen := int(key[rowLen])
	end := len(key) - 9
	if rowLen+1+familyLen > end {
		return nil, io.ErrUnexpectedEOF
	}
	c.family = key[rowLen+1 : rowLen+1+familyLen]
	c.qualifier = key[rowLen+1+familyLen : end : end]
	c.timestamp = int64(binary.BigEndian.Uint64(key[end:]))
	c.value = value[:valueLen:valueLen]
	return b[4+size:], nil
}

// encode appends a cell in HBase's KeyValue format.
func encode(b []byte, c *cell) []byte {
	keyLen := 2 + len(c.row) + 1 + len(c.family) + len(c.qualifier) + 9
	b = binary.BigEndian.AppendUint32(b, uint32(8+keyLen+len(c.value)))
	b = binary.BigEndian.AppendUint32(b, uint32(keyLen))
	b = binary.BigEndian.AppendUint32(b, uint32(len(c.value)))
	b = binary.BigEndian.AppendUint16(b, uint16(len(c.row)))
	b = append(append(b, c.row...), byte(len(c.family)))
	b = append(append(b, c.family...), c.qualifier...)
	b = binary.BigEndian.AppendUint64(b, uint64(c.timestamp))
	return append(append(b, keyTypePut), c.value...)
}

// keyTypePut is the type of a cell that is a value.
const keyTypePut = 4

// Fields of newer servers, which gohbase's messages do not have.

// setField adds a field to a message.
func setField(m proto.Message, field []byte) {
	r := m.ProtoReflect()
	r.SetUnknown(append(bytes.Clone(r.GetUnknown()), field...))
}

// boolField returns the bytes of a bool field.
func boolField(number protowire.Number, v bool) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, number, protowire.VarintType), protowire.EncodeBool(v))
}

// messageField returns the bytes of a field that is a message.
func messageField(number protowire.Number, m proto.Message) ([]byte, error) {
	b, err := proto.Marshal(m)
	return protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), b), err
}

// The numbers of Scan's and Condition's fields.
const (
	scanIncludeStart   = 21
	scanIncludeStop    = 22
	conditionTimeRange = 6
	conditionFilter    = 7
)

// regionSpecifier names a region in a request.
func regionSpecifier(name []byte) *pb.RegionSpecifier {
	return &pb.RegionSpecifier{Type: pb.RegionSpecifier_REGION_NAME.Enum(), Value: name}
}

// conditionOn returns the condition that a row has a cell in a time range that passes a filter.
func conditionOn(row []byte, filter *pb.Filter, times *pb.TimeRange) (*pb.Condition, error) {
	c := &pb.Condition{Row: row, Family: []byte{}, Qualifier: []byte{}, CompareType: pb.CompareType_EQUAL.Enum(),
		Comparator: &pb.Comparator{Name: proto.String(comparators + "NullComparator")}}
	field, err := messageField(conditionFilter, filter)
	if err != nil {
		return nil, err
	}
	setField(c, field)
	return withTimes(c, times)
}

// absence returns the condition that a column has no cell in a time range. HBase treats an empty value as none.
func absence(row, family, qualifier []byte, times *pb.TimeRange) (*pb.Condition, error) {
	null, err := proto.Marshal(&pb.BinaryComparator{Comparable: &pb.ByteArrayComparable{Value: []byte{}}})
	if err != nil {
		return nil, err
	}
	c := &pb.Condition{Row: row, Family: family, Qualifier: qualifier, CompareType: pb.CompareType_EQUAL.Enum(),
		Comparator: &pb.Comparator{Name: proto.String(comparators + "BinaryComparator"), SerializedComparator: null}}
	return withTimes(c, times)
}

func withTimes(c *pb.Condition, times *pb.TimeRange) (*pb.Condition, error) {
	if times == nil {
		return c, nil
	}
	field, err := messageField(conditionTimeRange, times)
	if err != nil {
		return nil, err
	}
	setField(c, field)
	return c, nil
}

const (
	filters     = "org.apache.hadoop.hbase.filter."
	comparators = filters
)
