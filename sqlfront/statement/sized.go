package statement

import (
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"
)

// sized is a cache of what was used last that is also bounded in bytes. It is an interface so that the
// compiler makes the functions of the generic cache once, not in each package that can see such a field.
type sized[K comparable, V any] interface {
	// Get returns the value of a key, which counts as used.
	Get(key K) (v V, ok bool)
	// put adds an entry of the given bytes, or replaces the one with its key.
	put(key K, v V, bytes int64)
	// drop removes a key.
	drop(key K)
}

// sizedLRU implements sized; Get is that of the embedded cache.
type sizedLRU[K comparable, V any] struct {
	*lru.Cache[K, V]
	mu    sync.Mutex
	sizes map[K]int64 // of the entries
	bytes int64
	most  int64
}

// newSized is a cache of at most count entries and the given bytes; gone is called with what is removed.
func newSized[K comparable, V any](count int, bytes int64, gone func(K, V)) sized[K, V] {
	s := &sizedLRU[K, V]{sizes: map[K]int64{}, most: bytes}
	cache, err := lru.NewWithEvict(count, func(key K, v V) {
		s.forget(key)
		gone(key, v)
	})
	if err != nil {
		panic(err) // the size is a positive constant
	}
	s.Cache = cache
	return s
}

// put implements sized.
func (s *sizedLRU[K, V]) put(key K, v V, bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(key)
	s.sizes[key] = bytes
	s.bytes += bytes
	s.Add(key, v)
	for s.bytes > s.most && s.Len() > 0 {
		s.RemoveOldest()
	}
}

// drop implements sized.
func (s *sizedLRU[K, V]) drop(key K) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Remove(key)
}

// forget stops counting a key; mu is held.
func (s *sizedLRU[K, V]) forget(key K) {
	s.bytes -= s.sizes[key]
	delete(s.sizes, key)
}
