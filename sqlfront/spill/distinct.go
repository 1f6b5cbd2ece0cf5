package spill

import (
	"math/bits"

	"github.com/hbasekv/hbasekv/sqlfront/spill/rowmem"
)

// Distinct reports for each key immediately whether it is new. Keys that do not fit in memory are
// written to files and looked up there.
type Distinct struct {
	space   *Space
	account Account
	keys    map[string]struct{}
	files   []*distinctFile
}

// distinctFile has keys in a file, and a Bloom filter that recognizes most others without reading the
// file: each new key is looked up in every file, and the number of files grows with the number of keys.
type distinctFile struct {
	*Index
	filter  []uint64 // a Bloom filter; its length is a power of two
	account Account
}

// The size of a filter: about one in 400 absent keys is looked up in the file.
const (
	filterBits   = 16 // minimum bits of the filter for each key
	filterProbes = 4
)

// probes are the positions of a key's bits in the filter.
func (f *distinctFile) probes(key []byte) (at [filterProbes]uint64) {
	hash := rowmem.WideHash(key)
	for i := range at {
		at[i] = (hash + uint64(i)*(hash>>32|1)) & uint64(64*len(f.filter)-1)
	}
	return at
}

func (f *distinctFile) add(key []byte) error {
	for _, at := range f.probes(key) {
		f.filter[at/64] |= 1 << (at % 64)
	}
	return f.Add(key, nil)
}

// mayHave is true for each key in the file, and false for most others.
func (f *distinctFile) mayHave(key []byte) bool {
	for _, at := range f.probes(key) {
		if f.filter[at/64]>>(at%64)&1 == 0 {
			return false
		}
	}
	return true
}

// NewDistinct makes an empty Distinct.
func (s *Space) NewDistinct() *Distinct {
	return &Distinct{space: s, account: s.Account(), keys: map[string]struct{}{}}
}

// Spilled reports whether keys are in temporary files.
func (s *Distinct) Spilled() bool { return len(s.files) > 0 }

// Add reports whether the key is the first of its kind. Its errors are those of [Space].
func (s *Distinct) Add(key []byte) (bool, error) {
	if _, ok := s.keys[string(key)]; ok {
		return false, nil
	}
	for _, f := range s.files {
		if !f.mayHave(key) {
			continue
		}
		if has, err := f.Has(key); has || err != nil {
			return false, err
		}
	}
	s.keys[string(key)] = struct{}{}
	s.account.Grow(len(key) + setOverhead)
	if s.account.Full() {
		return true, s.spill()
	}
	return true, nil
}

// spill writes the keys in memory to a new file.
func (s *Distinct) spill() error {
	f := &distinctFile{Index: s.space.NewIndex(), account: s.space.Account()}
	f.filter = make([]uint64, 1<<bits.Len(uint(filterBits*len(s.keys)/64)))
	f.account.Grow(8 * len(f.filter))
	s.files = append(s.files, f)
	if err := f.spill(); err != nil {
		return err
	}
	for key := range s.keys {
		if err := f.add([]byte(key)); err != nil {
			return err
		}
	}
	clear(s.keys)
	s.account.Release()
	return f.Seal()
}

// Close releases memory and temporary files. It may be called again. Its errors are those of [Space].
func (s *Distinct) Close() error {
	s.account.Release()
	s.keys = nil
	var first error
	for _, f := range s.files {
		f.account.Release()
		if err := f.Close(); first == nil {
			first = err
		}
	}
	return first
}
