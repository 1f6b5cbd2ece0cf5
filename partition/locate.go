package partition

import (
	"bytes"
	"slices"
	"sort"

	"github.com/spaolacci/murmur3"
)

// Locate is the partition of a row. It is false where no partition holds the
// row, which only a Range scheme without an open last partition knows.
func (s *Scheme) Locate(row []byte) (int, bool) {
	switch s.method {
	case Key:
		return s.hash(row), true
	case PrefixKey:
		return s.hash(row[:min(len(row), s.prefix)]), true
	case Range:
		i := s.firstAbove(row)
		return i, i < s.n
	}
	return 0, true
}

// hash is the placement of KEY partitions: an on-disk format.
func (s *Scheme) hash(b []byte) int {
	return int(murmur3.Sum64(b) % uint64(s.n))
}

// firstAbove is the first partition whose upper bound is above the row.
func (s *Scheme) firstAbove(row []byte) int {
	return sort.Search(s.n, func(i int) bool {
		return s.upper[i] == nil || bytes.Compare(s.upper[i], row) > 0
	})
}

// Prune is the partitions, ascending, that may hold rows of any of the ranges.
func (s *Scheme) Prune(ranges []RowRange) []int {
	hit := make([]bool, s.Len())
	for _, r := range ranges {
		first, last := s.touched(r)
		for i := first; i <= last; i++ {
			hit[i] = true
		}
	}
	var out []int
	for i, h := range hit {
		if h {
			out = append(out, i)
		}
	}
	return out
}

// touched is the first and the last partition that the range can touch; last
// is below first where there is none.
func (s *Scheme) touched(r RowRange) (first, last int) {
	if r.empty() {
		return 0, -1
	}
	if s.method == Range {
		return s.touchedByBounds(r)
	}
	if row, ok := s.sameHash(r); ok {
		i, _ := s.Locate(row)
		return i, i
	}
	return 0, s.Len() - 1
}

func (s *Scheme) touchedByBounds(r RowRange) (first, last int) {
	first, last = s.firstAbove(r.Start), s.n-1
	if r.End != nil {
		// The last touched partition is the first whose bound is not below End.
		last = sort.Search(s.n, func(i int) bool {
			return s.upper[i] == nil || bytes.Compare(s.upper[i], r.End) >= 0
		})
		last = min(last, s.n-1)
	}
	return first, last
}

// sameHash reports whether all rows of the range hash the same bytes, and
// gives a row that hashes them.
func (s *Scheme) sameHash(r RowRange) ([]byte, bool) {
	if r.single() {
		return r.Start, true
	}
	if s.method != PrefixKey || len(r.Start) < s.prefix {
		return nil, false
	}
	head := r.Start[:s.prefix]
	limit := successor(head)
	if limit == nil {
		return head, true
	}
	return head, r.End != nil && bytes.Compare(r.End, limit) <= 0
}

// empty reports whether the range holds no row.
func (r RowRange) empty() bool {
	return r.End != nil && bytes.Compare(r.Start, r.End) >= 0
}

// single reports whether the range holds the row Start and no other: the next
// row after x is x followed by a zero byte.
func (r RowRange) single() bool {
	return len(r.End) == len(r.Start)+1 && r.End[len(r.Start)] == 0 && bytes.HasPrefix(r.End, r.Start)
}

// successor is the smallest byte string above all that begin with prefix, or
// nil where there is none.
func successor(prefix []byte) []byte {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] != 0xff {
			next := slices.Clone(prefix[:i+1])
			next[i]++
			return next
		}
	}
	return nil
}
