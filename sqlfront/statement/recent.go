package statement

import "sync/atomic"

// recent remembers the hashes of texts and shapes that came lately, for the cache to admit those
// that come again: statements with their values written into them come once each, and would
// empty it.
type recent struct {
	slots [2 * cachedStatements]atomic.Uint64
}

// before reports whether a text with the hash came before, and remembers it.
func (r *recent) before(hash uint64) bool {
	return r.slots[hash%uint64(len(r.slots))].Swap(hash) == hash
}
