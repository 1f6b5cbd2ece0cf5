package views

import (
	"bytes"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
)

// freshStride is how many cells in memory are represented by one: 62 represent
// 1,000 cells in a span, so that their number is known to about an eighth. More of
// them slowed down inserts.
const freshStride = 16

// fresh remembers some of the cells that were written since the last flush. How
// many cells in memory lie in a span is not known otherwise: Pebble only reports
// sizes of files.
type fresh struct {
	count   atomic.Uint64 // entries so far
	flushed atomic.Uint64 // of these, flushed

	mu     sync.Mutex
	latest []freshCell // since the last sort
	keys   []byte      // memory for keys

	sorting sync.Mutex    // taken before mu
	runs    [][]freshCell // each sorted, with one cell for each key
	ending  [][]freshCell // the same, for memory that is being flushed
}

// freshCell represents freshStride cells of about its size.
type freshCell struct {
	key  []byte
	size int64 // in a sorted run: the sum up to this cell
}

func compareFresh(a, b freshCell) int { return bytes.Compare(a.key, b.key) }

// Written remembers some of what a batch writes.
func (f *fresh) Written(b *pebble.Batch) {
	n := uint64(b.Count())
	end := f.count.Add(n)
	if at := end - n; at/freshStride != end/freshStride {
		f.add(b, at)
	}
}

func (f *fresh) add(b *pebble.Batch, at uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for r := b.Reader(); ; {
		kind, key, value, ok, err := r.Next()
		if !ok || err != nil {
			return
		}
		if at++; at%freshStride != 0 || kind != pebble.InternalKeyKindSet {
			continue
		}
		if cap(f.keys)-len(f.keys) < len(key) {
			f.keys = make([]byte, 0, max(4<<10, len(key)))
		}
		from := len(f.keys)
		f.keys = append(f.keys, key...)
		f.latest = append(f.latest, freshCell{slices.Clip(f.keys[from:]), int64(len(key) + len(value))})
	}
}

// cells returns about how many entries are in memory.
func (f *fresh) cells() uint64 { return f.count.Load() - f.flushed.Load() }

// FlushBegins notes that what is in memory is being flushed.
func (f *fresh) FlushBegins() {
	f.flushed.Store(f.count.Load())
	f.sorting.Lock()
	defer f.sorting.Unlock()
	f.sort()
	f.ending, f.runs = append(f.ending, f.runs...), nil
}

// Flushed notes that the flush is complete.
func (f *fresh) Flushed() {
	f.sorting.Lock()
	defer f.sorting.Unlock()
	f.ending = nil
}

// maxRuns is how many sorted runs are searched before they are merged.
const maxRuns = 8

// sort makes a run of the latest cells; sorting is held.
func (f *fresh) sort() {
	f.mu.Lock()
	run := f.latest
	f.latest = nil
	f.mu.Unlock()
	if len(run) == 0 {
		return
	}
	if f.runs = append(f.runs, sorted(run)); len(f.runs) > maxRuns {
		f.runs = [][]freshCell{united(f.runs)}
	}
}

// sorted makes a run of cells.
func sorted(cells []freshCell) []freshCell {
	slices.SortFunc(cells, compareFresh)
	run := slices.CompactFunc(cells, func(a, b freshCell) bool { return bytes.Equal(a.key, b.key) })
	sum := int64(0)
	for i := range run {
		sum += run[i].size
		run[i].size = sum
	}
	return run
}

// united merges sorted runs.
func united(runs [][]freshCell) []freshCell {
	for _, run := range runs {
		for i := len(run) - 1; i > 0; i-- {
			run[i].size -= run[i-1].size
		}
	}
	return sorted(slices.Concat(runs...))
}

// within returns about how many bytes the cells of a span in memory have.
func (f *fresh) within(lower, upper []byte) (size int64) {
	f.sorting.Lock()
	defer f.sorting.Unlock()
	f.sort()
	for _, runs := range [...][][]freshCell{f.runs, f.ending} {
		for _, run := range runs {
			size += before(run, upper) - before(run, lower)
		}
	}
	return max(0, size) * freshStride
}

// before returns the size of a run's cells before a key.
func before(run []freshCell, key []byte) int64 {
	i, _ := slices.BinarySearchFunc(run, freshCell{key: key}, compareFresh)
	if i == 0 {
		return 0
	}
	return run[i-1].size
}
