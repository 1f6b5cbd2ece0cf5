package pebblekv

import (
	"sync"

	"github.com/cockroachdb/pebble/v2"
)

// memtables is how many memtables Pebble keeps in memory: the one that is written, and one that is flushed or is kept
// for reuse.
const memtables = 2

// blockCache is the cache of blocks. Pebble takes memtables out of the cache's size, and two of them are larger than
// the default, so that no block would stay in it once they have grown. So the cache is larger by both, and what
// they do not take is reserved.
type blockCache struct {
	*pebble.Cache

	mu      sync.Mutex
	release func() // ends what is reserved
	grown   bool   // memtables have their full size
}

func newBlockCache(size int64) *blockCache {
	c := &blockCache{Cache: pebble.NewCache(size + memtables*memTableBytes)}
	c.release = c.Reserve(memtables * memTableBytes)
	return c
}

// fit reserves what memtables leave, so that the blocks may take the cache's size. It is called after each flush; until
// then they have less if a memtable is larger than the last. db must be open.
func (c *blockCache) fit(db *pebble.DB) {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := db.Metrics().MemTable
	size, unused := int64(m.Size), int64(m.ZombieSize)
	if m.Count == 1 { // of the unused ones all but the last, which is kept for reuse, are freed soon
		last := size / 2
		if c.grown {
			last = size
		}
		unused = min(unused, last)
	}
	c.grown = size >= memTableBytes
	c.release()
	c.release = c.Reserve(int(max(0, memtables*memTableBytes-size-unused)))
}

// fitCache is called after flushes, which follow new memtables.
func (s *Store) fitCache() {
	if !s.regions.ready.Load() || (door{s}).Enter() != nil {
		return
	}
	defer door{s}.Exit()
	s.blocks.fit(s.db)
}
