package rpc

import "sync"

// buffers are what an answer is made in. Scans whose answers have memory of their own spend a third of their time on
// that.
type buffers struct{ block, answer []byte }

var buffersPool = sync.Pool{New: func() any { return new(buffers) }}

// keptBuffer is the most bytes that are kept of each.
const keptBuffer = 1 << 20

// keep keeps the memory of an answer that is sent for the next one.
func (b *buffers) keep(r *Response, answer []byte) {
	if r != nil && cap(r.Block) > cap(b.block) && cap(r.Block) <= keptBuffer {
		b.block = r.Block[:0]
	}
	if cap(answer) > cap(b.answer) && cap(answer) <= keptBuffer {
		b.answer = answer[:0]
	}
}
