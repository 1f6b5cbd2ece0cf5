package zookeeper

import (
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/go-zookeeper/zk"
)

// hosts returns a quorum's servers in turn, by the names that were given: certificates and principals are for
// names, but the library's own provider only has addresses.
type hosts struct {
	mu      sync.Mutex // guards the following fields
	servers []string
	at      int // the last one that was returned
	since   int // the one after which all have been tried
}

var _ zk.HostProvider = (*hosts)(nil)

// Init implements zk.HostProvider.
func (h *hosts) Init(servers []string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.servers, h.at, h.since = slices.Clone(servers), -1, -1
	rand.Shuffle(len(h.servers), func(i, j int) { h.servers[i], h.servers[j] = h.servers[j], h.servers[i] })
	return nil
}

// Len implements zk.HostProvider.
func (h *hosts) Len() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.servers)
}

// Next implements zk.HostProvider.
func (h *hosts) Next() (server string, again bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.at = (h.at + 1) % len(h.servers)
	if again = h.at == h.since; h.since < 0 {
		h.since = 0
	}
	return h.servers[h.at], again
}

// Connected implements zk.HostProvider.
func (h *hosts) Connected() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.since = h.at
}
