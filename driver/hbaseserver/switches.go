package hbaseserver

import "sync"

// switches are HBase's administrative switches of work that is never done here, or that happens by itself.
// They are remembered while the server runs, for programs that read them, or restore one.
type switches struct {
	mu  sync.Mutex
	off map[string]bool
}

// balancer is the switch of HBase's balancer.
const balancer = "balancer"

// switchNames are the switches, with the methods that set and read them.
var switchNames = map[string]struct{ sets, asks string }{
	balancer:     {"SetBalancerRunning", "IsBalancerEnabled"},
	"normalizer": {"SetNormalizerRunning", "IsNormalizerEnabled"},
	"janitor":    {"EnableCatalogJanitor", "IsCatalogJanitorEnabled"},
	"cleaner":    {"SetCleanerChoreRunning", "IsCleanerChoreEnabled"},
}

// on reports whether a switch is on, which is its initial state.
func (s *switches) on(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.off[name]
}

// set sets a switch, and returns its previous state.
func (s *switches) set(name string, on bool) (was bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.off == nil {
		s.off = map[string]bool{}
	}
	was = !s.off[name]
	s.off[name] = !on
	return was
}
