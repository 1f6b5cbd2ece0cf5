package hbase

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/kv"
)

var _ kv.Measured = (*Store)(nil)

// counted is a transport that counts what it sends.
type counted struct {
	transport
	mu      sync.Mutex
	methods map[string]*methodCounts // about a dozen
}

type methodCounts struct {
	outcomes [canceled + 2]atomic.Uint64 // the last counts those that succeeded
	nanos    atomic.Int64
}

const succeeded = canceled + 1

// outcomeNames are the names of outcomes in figures.
var outcomeNames = [...]string{refused: "refused", moved: "moved", busy: "busy", notSent: "not_sent", lost: "lost",
	gone: "gone", canceled: "canceled", succeeded: "ok"}

func (t *counted) call(ctx context.Context, to server, method string, request, response proto.Message) ([]byte, error) {
	start := time.Now()
	cells, err := t.transport.call(ctx, to, method, request, response)
	o := succeeded
	if err != nil {
		o = outcomeOf(err)
	}
	m := t.of(method)
	m.nanos.Add(int64(time.Since(start)))
	m.outcomes[o].Add(1)
	return cells, err
}

func (t *counted) of(method string) *methodCounts {
	t.mu.Lock()
	defer t.mu.Unlock()
	m := t.methods[method]
	if m == nil {
		m = &methodCounts{}
		t.methods[method] = m
	}
	return m
}

// figures returns the counts of what was sent.
func (t *counted) figures() (out []kv.Figure) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, method := range slices.Sorted(maps.Keys(t.methods)) {
		m, of := t.methods[method], kv.FigureLabel{Name: "method", Value: method}
		for o := range m.outcomes {
			if n := m.outcomes[o].Load(); n > 0 || outcome(o) == succeeded {
				out = append(out, kv.Figure{Name: "rpcs_total", Help: "Requests to HBase's servers that ended.", Value: float64(n),
					Labels: []kv.FigureLabel{of, {Name: "outcome", Value: outcomeNames[o]}}})
			}
		}
		out = append(out, kv.Figure{Name: "rpc_seconds_total", Help: "Time that requests to HBase's servers took.",
			Value: time.Duration(m.nanos.Load()).Seconds(), Labels: []kv.FigureLabel{of}})
	}
	return out
}

// Figures implements kv.Measured. It makes no calls to the cluster.
func (s *Store) Figures(context.Context) ([]kv.Figure, error) {
	if err := s.isClosed(); err != nil {
		return nil, err
	}
	regions, servers := s.cluster.known()
	out := []kv.Figure{
		{Name: "rpc_retries_total", Help: "Operations that were tried again.", Value: float64(s.cluster.retries.Load())},
		{Name: "regions_known", Help: "Regions whose places are known.", Value: float64(regions)},
		{Name: "region_servers_known", Help: "Servers of these regions.", Value: float64(servers)},
	}
	if t, ok := s.cluster.rpc.(*counted); ok {
		out = append(out, t.figures()...)
	}
	return out, nil
}

// known returns the numbers of regions with known locations and of their servers.
func (c *cluster) known() (regions, servers int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	seen := map[string]bool{}
	for _, all := range c.regions {
		regions += len(all)
		for _, r := range all {
			seen[r.server.addr] = true
		}
	}
	return regions, len(seen)
}
