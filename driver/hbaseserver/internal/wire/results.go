package wire

import (
	"slices"

	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/rpc"
	"github.com/hbasekv/hbasekv/kv/rowapi"
)

// Results puts the cells of results into the message or beside it.
type Results struct {
	// Block says that cells go into Cells.
	Block bool
	Cells []byte
	// Bytes is roughly the size of the results that were counted.
	Bytes int64
}

// Count adds the size of a result that will be added; nil has none.
func (r *Results) Count(result *rowapi.Result) {
	if result != nil {
		r.Bytes += int64(size(result.Cells))
	}
}

// Add returns the message of a result.
func (r *Results) Add(result *rowapi.Result) (*pb.Result, error) {
	out := &pb.Result{}
	if result.Partial {
		out.Partial = proto.Bool(true)
	}
	if r.Block {
		if err := r.AddCells(result.Cells); err != nil {
			return nil, err
		}
		out.AssociatedCellCount = proto.Int32(int32(len(result.Cells)))
		return out, nil
	}
	for i := range result.Cells {
		c := &result.Cells[i]
		out.Cell = append(out.Cell, &pb.Cell{Row: c.Row, Family: []byte(c.Family), Qualifier: c.Qualifier,
			Timestamp: proto.Uint64(uint64(c.Timestamp)), CellType: pb.CellType_PUT.Enum(), Value: c.Value})
	}
	return out, nil
}

// AddCells appends cells to the block.
func (r *Results) AddCells(cells []rowapi.Cell) error {
	r.reserve(size(cells))
	for i := range cells {
		c := &cells[i]
		cell := rpc.Cell{Row: c.Row, Family: []byte(c.Family), Qualifier: c.Qualifier, Timestamp: c.Timestamp,
			Type: rpc.TypePut, Value: c.Value}
		if !rpc.FitsKeyValue(&cell) {
			return rpc.Refused("a row or a family is longer than HBase's protocol can say")
		}
		r.Cells = rpc.AppendCell(r.Cells, &cell)
	}
	return nil
}

// Reserve makes room for the results' cells in the block.
func (r *Results) Reserve(results []rowapi.Result) {
	bytes := 0
	for i := range results {
		bytes += size(results[i].Cells)
	}
	r.reserve(bytes)
}

// reserve makes room in the block, which at least doubles when it grows.
func (r *Results) reserve(bytes int) {
	if bytes > cap(r.Cells)-len(r.Cells) {
		r.Cells = slices.Grow(r.Cells, max(bytes, len(r.Cells)))
	}
}

// size is how many bytes the cells take in a block.
func size(cells []rowapi.Cell) (n int) {
	for i := range cells {
		c := &cells[i]
		n += rpc.CellSize(len(c.Row), len(c.Family), len(c.Qualifier), len(c.Value))
	}
	return n
}
