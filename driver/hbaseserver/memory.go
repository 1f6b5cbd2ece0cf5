package hbaseserver

import (
	"sync"

	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/rpc"
	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/wire"
	"github.com/hbasekv/hbasekv/kv/rowapi"
)

// resultsOf returns the destination of a call's results, in the form that its client wants.
func resultsOf(r *rpc.Request) *wire.Results {
	return &wire.Results{Block: r.CellBlocks, Cells: r.Block}
}

// memory holds the results of a call until they are put into its response.
type memory struct {
	rowapi.Memory
	shared bool
}

var memories = sync.Pool{New: func() any { return &memory{shared: true} }}

// memoryFor returns memory for the results of one call. Results in a message refer to it until that is
// sent.
func memoryFor(r *rpc.Request) *memory {
	if r.CellBlocks {
		return memories.Get().(*memory)
	}
	return &memory{}
}

// release makes the memory available to other calls.
func (m *memory) release() {
	if m.shared {
		memories.Put(m)
	}
}
