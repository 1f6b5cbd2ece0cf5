package statement

import "sync/atomic"

// recent remembers the hashes of texts and shapes that were seen lately, so that the cache only admits those
// that are repeated: statements that contain their values are seen once each, and would fill it.
type recent struct {
	slots [2 * cachedStatements]atomic.Uint64
}

// before reports whether a text with the hash was seen before, and remembers it.
func (r *recent) before(hash uint64) bool {
	return r.slots[hash%uint64(len(r.slots))].Swap(hash) == hash
}
