package sqlfront

import "sync/atomic"

// seen remembers the hashes of texts that came lately. Statements with their
// values written into them come once each: a cache that takes a text when it
// comes again is not emptied by them.
type seen struct {
	slots [2 * cachedStatements]atomic.Uint64
}

// before reports whether a text with the hash came before, and remembers it.
func (s *seen) before(hash uint64) bool {
	return s.slots[hash%uint64(len(s.slots))].Swap(hash) == hash
}
