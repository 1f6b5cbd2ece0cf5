package heat

import (
	"time"

	"github.com/hbasekv/hbasekv/kv"
)

// table is what is known of a table.
type table struct {
	is     *kv.Table // as it was last
	leaves []leafState
}

// leafState is what is known of a partition, as long as it has its bounds.
type leafState struct {
	last  kv.PartitionLoad // what the counters said last
	spot  *spot            // nil where nothing was asked yet
	mean  float32          // bytes of a cell
	known bool
}

// gain is what the counters have gained.
func (s *leafState) gain(is kv.PartitionLoad) kv.PartitionLoad {
	was := s.last
	if s.last = is; is.Reads < was.Reads || is.Writes < was.Writes { // it has begun anew
		return is
	}
	return kv.PartitionLoad{Reads: is.Reads - was.Reads, Writes: is.Writes - was.Writes}
}

// rest forgets the ranges within a partition of which nothing is asked for long; their history stays.
func (s *leafState) rest(now time.Time) {
	if s.spot != nil && now.Sub(s.spot.used) > cutsKept {
		s.spot.cuts, s.spot.parts = nil, nil
	}
}

// become takes up the table as it is now. Partitions that are as before keep what is known of them.
func (t *table) become(is *kv.Table) {
	was := t.is
	if was == is {
		return
	}
	known := map[string]leafState{}
	for leaf := range t.leaves {
		known[was.Partitioning.LeafKey(leaf)] = t.leaves[leaf]
	}
	t.is, t.leaves = is, make([]leafState, is.Partitioning.NumLeaves())
	for leaf := range t.leaves {
		if len(known) > 0 {
			t.leaves[leaf] = known[is.Partitioning.LeafKey(leaf)]
		}
	}
}
