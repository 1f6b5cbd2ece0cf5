package rpc

import "sync"

// buffers are the memory in which a response is made. Scans that allocate it for each response spend a third
// of their time on that.
type buffers struct{ block, answer []byte }

var buffersPool = sync.Pool{New: func() any { return new(buffers) }}

// keptBuffer is the maximum size of a buffer that is kept, in bytes.
const keptBuffer = 1 << 20

// keep keeps the memory of a response that was sent, for the next one.
func (b *buffers) keep(r *Response, answer []byte) {
	if r != nil && cap(r.Block) > cap(b.block) && cap(r.Block) <= keptBuffer {
		b.block = r.Block[:0]
	}
	if cap(answer) > cap(b.answer) && cap(answer) <= keptBuffer {
		b.answer = answer[:0]
	}
}
