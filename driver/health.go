package driver

import "github.com/hbasekv/hbasekv/kv"

// Health is how a store's files fare.
type Health = kv.Health

// Health is how the files of the store fare, as SHOW STATUS has it too; of a store that
// does not tell, all is well. It asks nothing of the disk.
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
