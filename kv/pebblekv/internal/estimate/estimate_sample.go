package estimate

import (
	"hash/maphash"
	"math"

	"github.com/hbasekv/hbasekv/kv"
)

// sample estimates how many different keys there are, by those of the cells that were
// looked at. Neighbours are alike, so each stretch counts a key once: Chaudhuri, Das and
// Srivastava, "Effective Use of Block-Level Sampling in Statistics Estimation" (SIGMOD
// 2004). Of these pairs of a stretch and a key the number of keys is Haas and Stokes' Duj1,
// stabilized: "Estimating the Number of Classes in a Finite Population" (JASA 1998). Keys
// in runs longer than a stretch seem to be as many as the stretches: there are no more
// than runs of equal keys, whose beginnings are counted as rows are.
type sample struct {
	found map[uint64]int // stretches with each key, by its hash
	pairs float64        // of a stretch and a key
	stand float64        // for so many pairs
	runs  float64        // of neighbours with one key
	// of the stretch looked at:
	here          map[uint64]struct{}
	cells, begins int
	last          uint64
}

// oftenFound is in more than how many stretches a key is found that is one of the
// frequent ones: those that are found in none are not like these.
const oftenFound = 2

var sampleSeed = maphash.MakeSeed()

func newSamples(n int) []sample {
	out := make([]sample, n)
	for i := range out {
		out[i] = sample{found: map[uint64]int{}, here: map[uint64]struct{}{}}
	}
	return out
}

// sample takes the keys of a cell.
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

// endStretch says for how many stretches the one looked at stands.
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

// begun is how many runs begin in the stretch. Nobody knows whether its first cell
// begins one, so that is as likely as of the others.
func (s *sample) begun() float64 {
	if s.cells < 2 {
		return float64(s.cells)
	}
	return float64(s.begins-1) * float64(s.cells) / float64(s.cells-1)
}

// forget drops the stretch looked at.
func (e *estimator) forget() {
	for i := range e.samples {
		s := &e.samples[i]
		clear(s.here)
		s.cells, s.begins = 0, 0
	}
}

// distinct are the numbers of the keys; exact says that all were looked at.
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
