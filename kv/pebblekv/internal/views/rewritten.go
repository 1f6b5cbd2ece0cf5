package views

import (
	"sync/atomic"

	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/overlay"
)

// Rewritten counts how often keys have been written since the last flush.
// Pebble keeps every value of a key in memory, and stepping off a key means
// stepping over all of them: passing a counter that was incremented a hundred
// thousand times would take milliseconds. After a key that has been written
// often, a seek is cheaper; and a flush keeps only the last value.
type Rewritten struct {
	engine *Engine
	counts [1 << rewrittenBits]atomic.Uint32 // by the key's hash
	Any    atomic.Bool                       // a count has reached Tuning.RewrittenOften
}

// rewrittenBits is chosen so that memory full of short cells, each written
// once, stays well below Tuning.RewrittenOften.
const rewrittenBits = 16

func (r *Rewritten) init(e *Engine) { r.engine = e }

// wrote counts a write of a key with this hash, and reports whether memory
// should be flushed.
func (r *Rewritten) wrote(hash uint32) (flush bool) {
	n := r.counts[hash>>(32-rewrittenBits)].Add(1)
	if n == r.engine.Tuning.RewrittenOften {
		r.Any.Store(true)
	}
	return n%r.engine.Tuning.RewrittenFlush == 0
}

// Committed counts the writes of a committed transaction, and reports whether
// memory should be flushed.
func (r *Rewritten) Committed(own *overlay.Overlay) (flush bool) {
	own.Hashes(func(hash uint32) { flush = r.wrote(hash) || flush })
	return flush
}

// Often reports whether the key may have been written often.
func (r *Rewritten) Often(key []byte) bool {
	return r.counts[r.engine.Hash.Key(key)>>(32-rewrittenBits)].Load() >= r.engine.Tuning.RewrittenOften
}

// Flushed resets the counts of what is no longer in memory. Writes since the
// flush began are dropped too, and soon counted again if they continue.
func (r *Rewritten) Flushed() {
	r.Any.Store(false)
	for i := range r.counts {
		if n := &r.counts[i]; n.Load() != 0 { // a store would touch unused memory
			n.Store(0)
		}
	}
}
