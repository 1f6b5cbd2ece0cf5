package hbaseserver

import (
	"context"
	"sync"

	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/wire"
)

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

// fieldSwitch is whether a switch is on, in the messages of all switches: is to be, was or is.
const fieldSwitch protowire.Number = 1

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

// methods are those of all switches.
func (s *switches) methods() map[string]method {
	out := map[string]method{}
	state := func(on bool) proto.Message { return wire.Fields{}.Uint(fieldSwitch, number(on)).Message() }
	for name, of := range switchNames {
		out[of.sets] = on(func(_ context.Context, m *pb.EmptyMsg) (proto.Message, error) {
			return state(s.set(name, wire.Uint(m, fieldSwitch, 0) != 0)), nil
		})
		out[of.asks] = on(func(context.Context, *pb.EmptyMsg) (proto.Message, error) { return state(s.on(name)), nil })
	}
	return out
}
