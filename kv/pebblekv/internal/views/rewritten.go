package views

import (
	"sync/atomic"

	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/overlay"
)

// Rewritten counts how often keys have been written since the last flush. In
// memory Pebble keeps every value of a key, and to step off a key is to step
// over all of them: a counter that has been incremented a hundred thousand
// times would cost milliseconds to pass. Behind a key that has been written
// often a seek is cheaper; and a flush keeps the last value alone.
type Rewritten struct {
	engine *Engine
	counts [1 << rewrittenBits]atomic.Uint32 // by the key's hash
	Any    atomic.Bool                       // a count has reached tuning.rewrittenOften
}

// rewrittenBits is such that memory full of short cells, each written once,
// stays well below tuning.rewrittenOften.
const rewrittenBits = 16

func (r *Rewritten) init(e *Engine) { r.engine = e }

// wrote counts a write of a key with this hash, and tells where memory should
// be flushed.
func (r *Rewritten) wrote(hash uint32) (flush bool) {
	n := r.counts[hash>>(32-rewrittenBits)].Add(1)
	if n == r.engine.Tuning.RewrittenOften {
		r.Any.Store(true)
	}
	return n%r.engine.Tuning.RewrittenFlush == 0
}

// Committed counts the writes of a transaction, which have been committed, and
// tells where memory should be flushed.
func (r *Rewritten) Committed(own *overlay.Overlay) (flush bool) {
	own.Hashes(func(hash uint32) { flush = r.wrote(hash) || flush })
	return flush
}

// Often reports whether the key may have been written often.
func (r *Rewritten) Often(key []byte) bool {
	return r.counts[r.engine.Hash.Key(key)>>(32-rewrittenBits)].Load() >= r.engine.Tuning.RewrittenOften
}

// Flushed forgets what is no longer in memory. What has been written since the
// flush began is forgotten too, and soon counted again where it goes on.
func (r *Rewritten) Flushed() {
	r.Any.Store(false)
	for i := range r.counts {
		if n := &r.counts[i]; n.Load() != 0 { // else memory that is not used would be
			n.Store(0)
		}
	}
}
