package heat

import (
	"bytes"
	"context"
	"math/rand/v2"
	"sync"

	"github.com/hbasekv/hbasekv/kv/sample"
	"github.com/hbasekv/hbasekv/sqlfront/metrics"
	"github.com/hbasekv/hbasekv/sqlfront/process"
)

// Bounds of what is kept of samples.
const (
	maxSamples = 1024 // between two looks at the counters
	maxRow     = 64   // bytes of a row
	maxText    = 4096 // bytes of a statement; of a longer one its kind is kept
)

// access is a sample that is kept until the next look.
type access struct {
	table        uint64
	leaf, leaves int
	from, to     []byte // rows, cut at maxRow; to is empty where there is no bound
	point        bool   // of one row
	write        bool
	cells        int64
	by           bool // a statement
	kind         metrics.Kind
	text         string
}

// samples are a random choice of those that the store tells between two looks. Their buffers are used again.
type samples struct {
	mu          sync.Mutex
	kept, spare []access
	told        int
}

// take keeps a sample, or does not: it never waits.
func (s *samples) take(ctx context.Context, told sample.Sample) {
	if told.Table.IndexOf != 0 || !s.mu.TryLock() {
		return
	}
	defer s.mu.Unlock()
	s.told++
	at := len(s.kept)
	switch {
	case at < cap(s.kept):
		s.kept = s.kept[:at+1]
	case at < maxSamples:
		s.kept = append(s.kept, access{})
	default:
		if at = rand.IntN(s.told); at >= maxSamples {
			return
		}
	}
	a := &s.kept[at]
	a.table, a.leaf, a.leaves = told.Table.ID, told.Leaf, told.Table.Partitioning.NumLeaves()
	a.point = told.From != nil && bytes.Equal(told.From, told.To)
	a.from, a.to = append(a.from[:0], cut(told.From)...), append(a.to[:0], cut(told.To)...)
	a.write, a.cells = told.Writes > 0, told.Reads+told.Writes
	st, by := process.Of(ctx)
	if a.by, a.kind, a.text = by, st.Kind, ""; len(st.Text) <= maxText {
		a.text = st.Text
	}
}

func cut(row []byte) []byte { return row[:min(len(row), maxRow)] }

// drain gives the samples since the last call, which are valid until the next one.
func (s *samples) drain() []access {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.kept
	s.kept, s.spare, s.told = s.spare[:0], out, 0
	return out
}

// place is a leaf of a table.
type place struct {
	table uint64
	leaf  int
}

// byPlace are the samples of each partition.
func byPlace(all []access) map[place][]*access {
	out := map[place][]*access{}
	for i := range all {
		p := place{all[i].table, all[i].leaf}
		out[p] = append(out[p], &all[i])
	}
	return out
}
