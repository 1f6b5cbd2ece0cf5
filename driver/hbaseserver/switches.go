package hbaseserver

import "sync"

// switches are what administrators of HBase turn on and off, of work that is never done here, or is done by itself.
// They are remembered as long as the server runs, for programs that ask, or set one back to what it was.
type switches struct {
	mu  sync.Mutex
	off map[string]bool
}

// balancer is the switch of HBase's balancer.
const balancer = "balancer"

// switchNames are the switches, with the methods that set them and those that ask.
var switchNames = map[string]struct{ sets, asks string }{
	balancer:     {"SetBalancerRunning", "IsBalancerEnabled"},
	"normalizer": {"SetNormalizerRunning", "IsNormalizerEnabled"},
	"janitor":    {"EnableCatalogJanitor", "IsCatalogJanitorEnabled"},
	"cleaner":    {"SetCleanerChoreRunning", "IsCleanerChoreEnabled"},
}

// on reports whether a switch is on, as it is at first.
func (s *switches) on(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.off[name]
}

// set sets a switch, and gives what it was.
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
