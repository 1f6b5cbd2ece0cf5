package estimate

import (
	"hash/maphash"
	"math"

	"github.com/hbasekv/hbasekv/kv"
)

// sample estimates the number of distinct keys from the cells that were looked at.
// Neighbours are alike, so each stretch counts a key once: Chaudhuri, Das and Srivastava,
// "Effective Use of Block-Level Sampling in Statistics Estimation" (SIGMOD 2004). From
// these pairs of a stretch and a key, the number of keys is Haas and Stokes' stabilised
// Duj1: "Estimating the Number of Classes in a Finite Population" (JASA 1998). If the keys
// come in runs longer than a stretch, there seem to be as many as stretches. So the number
// is bounded by that of runs of equal keys, whose beginnings are counted like rows.
type sample struct {
	found map[uint64]int // stretches with each key, by its hash
	pairs float64        // of a stretch and a key
	stand float64        // the number of pairs that these represent
	runs  float64        // runs of neighbours with one key
	// Of the current stretch:
	here          map[uint64]struct{}
	cells, begins int
	last          uint64
}

// oftenFound is the number of stretches above which a key is a frequent one: keys that no
// stretch has are not like these.
const oftenFound = 2

var sampleSeed = maphash.MakeSeed()

func newSamples(n int) []sample {
	out := make([]sample, n)
	for i := range out {
		out[i] = sample{found: map[uint64]int{}, here: map[uint64]struct{}{}}
	}
	return out
}

// sample adds the keys of a cell.
func (e *estimator) sample(c *kv.Cell, value []byte) {
	for i := range e.samples {
		key, ok := e.options.Keys[i](e.key[:0], c, value)
		if e.key = key; ok {
			e.samples[i].add(maphash.Bytes(sampleSeed, key))
		}
	}
}

func (s *sample) add(key uint64) {
	s.cells++
	if s.cells > 1 && key == s.last {
		return
	}
	s.begins, s.last = s.begins+1, key
	s.here[key] = struct{}{}
}

// endStretch ends the current stretch, which represents times stretches.
func (e *estimator) endStretch(times float64) {
	for i := range e.samples {
		s := &e.samples[i]
		s.pairs += float64(len(s.here))
		s.stand += float64(len(s.here)) * times
		s.runs += s.begun() * times
		for key := range s.here {
			s.found[key]++
		}
	}
	e.forget()
}

// begun returns how many runs begin in the stretch. It is unknown whether its first cell
// begins one; that is taken to be as likely as for the others.
func (s *sample) begun() float64 {
	if s.cells < 2 {
		return float64(s.cells)
	}
	return float64(s.begins-1) * float64(s.cells) / float64(s.cells-1)
}

// forget drops the current stretch.
func (e *estimator) forget() {
	for i := range e.samples {
		s := &e.samples[i]
		clear(s.here)
		s.cells, s.begins = 0, 0
	}
}

// distinct returns the numbers of distinct keys; exact means that all cells were looked at.
func distinct(samples []sample, exact bool) []int64 {
	var out []int64
	for i := range samples {
		keys := float64(len(samples[i].found))
		if !exact {
			keys = samples[i].estimate()
		}
		out = append(out, int64(math.Round(keys)))
	}
	return out
}

func (s *sample) estimate() float64 {
	found := float64(len(s.found))
	often, once, pairs := 0.0, 0.0, 0.0
	for _, n := range s.found {
		switch {
		case n > oftenFound:
			often++
			continue
		case n == 1:
			once++
		}
		pairs += float64(n)
	}
	if pairs == 0 {
		return found
	}
	part := min(1, s.pairs/s.stand)
	keys := often + (found-often)/(1-(1-part)*once/pairs)
	return max(found, min(keys, 1+s.runs))
}
