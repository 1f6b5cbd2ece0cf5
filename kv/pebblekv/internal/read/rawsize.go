package read

import (
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
)

// BlockBytes is how large the blocks of files are before they are compressed.
const BlockBytes = 8 << 10

// rawSize is about how large the keys and values of a span are, before they are
// compressed.
func (v *View) rawSize(lower, upper []byte) (float64, error) {
	levels, err := v.engine.DB.SSTables(pebble.WithKeyRangeFilter(lower, upper), pebble.WithApproximateSpanBytes())
	if err != nil {
		return 0, faultfs.DiskError(err)
	}
	out := float64(v.engine.Fresh.within(lower, upper))
	for _, level := range levels {
		for i := range level {
			f := &level[i]
			ratio, err := v.engine.files.ratio(v.engine.DB, f)
			if err != nil {
				return 0, faultfs.DiskError(err)
			}
			of := float64(f.ApproximateSpanBytes) * ratio
			if f.ApproximateSpanBytes < f.Size {
				of -= min(of/2, BlockBytes) // a span begins and ends within blocks, which are told whole
			}
			out += of
		}
	}
	return out, nil
}

// fileRatios remembers how much larger the keys and values of a file are than the
// file: to ask a file takes longer than all else of an estimate.
type fileRatios struct {
	mu    sync.Mutex
	known map[uint64]float64
}

// mostFiles is how many files are remembered.
const mostFiles = 1 << 14

func (r *fileRatios) ratio(db *pebble.DB, f *pebble.SSTableInfo) (float64, error) {
	number := uint64(f.FileNum)
	r.mu.Lock()
	out, ok := r.known[number]
	r.mu.Unlock()
	if ok {
		return out, nil
	}
	levels, err := db.SSTables(pebble.WithProperties(),
		pebble.WithKeyRangeFilter(f.Smallest.UserKey, cellkey.Behind(f.Largest.UserKey)))
	if err != nil {
		return 0, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil || len(r.known) > mostFiles {
		r.known = map[uint64]float64{}
	}
	for _, level := range levels {
		for i := range level {
			p := level[i].Properties
			r.known[uint64(level[i].FileNum)] = float64(p.RawKeySize+p.RawValueSize) / float64(max(1, level[i].Size))
		}
	}
	return r.known[number], nil
}
