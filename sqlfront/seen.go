package sqlfront

import (
	"hash/maphash"
	"sync/atomic"
)

// seen remembers the hashes of texts that came lately. Statements with their
// values written into them come once each: a cache that takes a text when it
// comes again is not emptied by them.
type seen struct {
	seed  maphash.Seed
	slots [2 * cachedStatements]atomic.Uint64
}

func newSeen() *seen { return &seen{seed: maphash.MakeSeed()} }

// before reports whether the text came before, and remembers it.
func (s *seen) before(text string) bool {
	h := maphash.String(s.seed, text)
	return s.slots[h%uint64(len(s.slots))].Swap(h) == h
}
