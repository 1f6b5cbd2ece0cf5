package wire

import (
	"encoding/binary"
	"io"
	"math"
	"time"

	"github.com/tsuna/gohbase/pb"

	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/rpc"
	"github.com/hbasekv/hbasekv/kv/rowapi"
)

// The attributes of mutations that have an effect; others are ignored.
const (
	attributeTTL        = "_ttl"
	attributeVisibility = "VISIBILITY"
	attributeACL        = "acl"
	attributeNoResult   = "_rr_" // whether the result is wanted
)

// part is one column of a mutation.
type part struct {
	family           string
	qualifier, value []byte
	timestamp        int64
	kind             rowapi.DeleteKind
}

// Mutation reads a mutation, whose cells may be beside the message.
func Mutation(m *pb.MutationProto, cells *rpc.CellReader) (rowapi.Mutation, error) {
	parts := partsOf(m)
	beside, row, err := partsBeside(m, cells)
	if err != nil {
		return nil, err
	}
	parts = append(parts, beside...)
	if m.Row != nil {
		row = m.Row
	}
	attributes, noResult, err := readAttributes(m.GetAttribute())
	if err != nil {
		return nil, err
	}
	time := readTime(m.GetTimeRange())
	switch m.GetMutateType() {
	case pb.MutationProto_PUT:
		return &rowapi.Put{Row: row, Cells: cellsOf(parts), Attributes: attributes}, nil
	case pb.MutationProto_DELETE:
		return &rowapi.Delete{Row: row, Parts: deletionsOf(parts), Timestamp: timestamp(m.Timestamp, rowapi.Latest),
			Attributes: attributes}, nil
	case pb.MutationProto_INCREMENT:
		deltas, err := deltasOf(parts)
		return &rowapi.Increment{Row: row, Deltas: deltas, Time: time, NoResult: noResult, Attributes: attributes}, err
	}
	return &rowapi.Append{Row: row, Cells: cellsOf(parts), Time: time, NoResult: noResult, Attributes: attributes}, nil
}

func timestamp(said *uint64, otherwise int64) int64 {
	if said == nil {
		return otherwise
	}
	return int64(*said)
}

var deleteKinds = map[pb.MutationProto_DeleteType]rowapi.DeleteKind{
	pb.MutationProto_DELETE_ONE_VERSION:       rowapi.DeleteColumn,
	pb.MutationProto_DELETE_MULTIPLE_VERSIONS: rowapi.DeleteColumns,
	pb.MutationProto_DELETE_FAMILY:            rowapi.DeleteFamily,
	pb.MutationProto_DELETE_FAMILY_VERSION:    rowapi.DeleteFamilyVersion,
}

// partsOf returns the columns in the message.
func partsOf(m *pb.MutationProto) (out []part) {
	common := timestamp(m.Timestamp, rowapi.Latest)
	for _, column := range m.GetColumnValue() {
		for _, v := range column.GetQualifierValue() {
			out = append(out, part{string(column.GetFamily()), v.GetQualifier(), v.GetValue(),
				timestamp(v.Timestamp, common), deleteKinds[v.GetDeleteType()]})
		}
	}
	return out
}

var cellKinds = map[byte]rowapi.DeleteKind{
	rpc.TypeDelete:              rowapi.DeleteColumn,
	rpc.TypeDeleteColumn:        rowapi.DeleteColumns,
	rpc.TypeDeleteFamily:        rowapi.DeleteFamily,
	rpc.TypeDeleteFamilyVersion: rowapi.DeleteFamilyVersion,
}

// partsBeside returns the columns in the cell block, whose cells also have the row.
func partsBeside(m *pb.MutationProto, cells *rpc.CellReader) (out []part, row []byte, err error) {
	for range m.GetAssociatedCellCount() {
		c, err := cells.Next()
		if err == io.EOF {
			return nil, nil, rpc.Refused("the cell block has fewer cells than the mutations say")
		}
		if err != nil {
			return nil, nil, rpc.Refused(err.Error())
		}
		kind, deletes := cellKinds[c.Type]
		if isDelete := m.GetMutateType() == pb.MutationProto_DELETE; deletes != isDelete || !deletes && c.Type != rpc.TypePut {
			return nil, nil, rpc.Refused("a cell's type does not go with its mutation")
		}
		row = c.Row
		out = append(out, part{string(c.Family), c.Qualifier, c.Value, c.Timestamp, kind})
	}
	return out, row, nil
}

func cellsOf(parts []part) (out []rowapi.Cell) {
	for _, p := range parts {
		out = append(out, rowapi.Cell{Family: p.family, Qualifier: p.qualifier, Timestamp: p.timestamp, Value: p.value})
	}
	return out
}

func deletionsOf(parts []part) (out []rowapi.Deletion) {
	for _, p := range parts {
		out = append(out, rowapi.Deletion{Kind: p.kind, Family: p.family, Qualifier: p.qualifier, Timestamp: p.timestamp})
	}
	return out
}

func deltasOf(parts []part) (out []rowapi.Delta, err error) {
	for _, p := range parts {
		if len(p.value) != 8 {
			return nil, rpc.Refused("the amount of an Increment is not a long")
		}
		out = append(out, rowapi.Delta{Family: p.family, Qualifier: p.qualifier, Amount: int64(binary.BigEndian.Uint64(p.value))})
	}
	return out, nil
}

// readAttributes reads the attributes that have an effect. noResult is true if no result is wanted.
func readAttributes(all []*pb.NameBytesPair) (out rowapi.Attributes, noResult bool, err error) {
	for _, a := range all {
		value := a.GetValue()
		switch a.GetName() {
		case attributeTTL:
			if len(value) != 8 {
				return out, false, rpc.Refused("the attribute _ttl is not a long")
			}
			// A TTL that is not positive ends with the next tick of the clock, as in HBase; 0 would
			// mean none here.
			ms := max(min(int64(binary.BigEndian.Uint64(value)), math.MaxInt64/int64(time.Millisecond)), 1)
			out.TTL = time.Duration(ms) * time.Millisecond
		case attributeVisibility:
			out.Visibility = string(value)
		case attributeACL:
			out.ACL = value
		case attributeNoResult:
			noResult = len(value) == 1 && value[0] == 0
		}
	}
	return out, noResult, nil
}
