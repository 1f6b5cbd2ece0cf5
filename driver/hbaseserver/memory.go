package hbaseserver

import (
	"sync"

	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/rpc"
	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/wire"
	"github.com/hbasekv/hbasekv/kv/rowapi"
)

// resultsOf has the results of a call go where its client wants them.
func resultsOf(r *rpc.Request) *wire.Results {
	return &wire.Results{Block: r.CellBlocks, Cells: r.Block}
}

// memory is what the results of a call are made in before they are in its answer.
type memory struct {
	rowapi.Memory
	shared bool
}

var memories = sync.Pool{New: func() any { return &memory{shared: true} }}

// memoryFor is for the results of one call. Those that go into the message are in it until it is sent.
func memoryFor(r *rpc.Request) *memory {
	if r.CellBlocks {
		return memories.Get().(*memory)
	}
	return &memory{}
}

// release gives the memory to other calls.
func (m *memory) release() {
	if m.shared {
		memories.Put(m)
	}
}
