package driver

import "github.com/hbasekv/hbasekv/kv"

// Health is the state of a store's files.
type Health = kv.Health

// Health returns the state of the store's files, which SHOW STATUS also shows. A store
// that does not report it counts as healthy. The disk is not accessed. It fails with
// 1053 if db has been closed.
func (s *Sessions) Health() (Health, error) {
	_, store, err := s.connector.opened()
	if err != nil {
		return Health{}, err
	}
	if h, ok := store.(kv.HealthReader); ok {
		return h.Health(), nil
	}
	return Health{}, nil
}
