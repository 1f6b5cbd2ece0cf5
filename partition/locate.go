package partition

import (
	"bytes"
	"slices"
	"sort"

	"github.com/spaolacci/murmur3"
)

// Locate returns the partition of a row. It returns false if no partition holds
// the row, which happens only in a Range scheme without an open last partition.
func (s *Scheme) Locate(row []byte) (int, bool) {
	switch {
	case s == nil || s.method == None:
		return 0, true
	case s.method == Range:
		i := s.firstAbove(row)
		return i, i < s.n
	}
	return s.hash(row), true
}

// hash places a row in a KEY partition; this is an on-disk format. It is the
// first half of Murmur3's 128-bit x64 variant with seed 0, modulo the number of
// partitions.
func (s *Scheme) hash(row []byte) int {
	if s.method == PrefixKey {
		row = row[:min(len(row), s.prefix)]
	}
	return int(murmur3.Sum64(row) % uint64(s.n))
}

// firstAbove returns the first partition whose upper bound is above the row.
func (s *Scheme) firstAbove(row []byte) int {
	return sort.Search(s.n, func(i int) bool {
		return s.upper[i] == nil || bytes.Compare(s.upper[i], row) > 0
	})
}

// Prune returns the partitions, ascending, that may hold rows of any of the
// ranges. Without ranges it returns none.
func (s *Scheme) Prune(ranges []RowRange) []int {
	s = s.orNone()
	hit := make([]bool, s.Len())
	for _, r := range ranges {
		if !r.empty() {
			s.touch(r, hit)
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

// touch marks the partitions that may hold rows of the range.
func (s *Scheme) touch(r RowRange, hit []bool) {
	first, last := 0, len(hit)-1
	switch s.method {
	case Range:
		first, last = s.touchedByBounds(r)
	case Key, PrefixKey:
		if s.walk(r, hit) {
			return
		}
	}
	for i := first; i <= last; i++ {
		hit[i] = true
	}
}

// touchedByBounds returns the first and the last partition that the range
// touches. If there are none, last is less than first.
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

// maxWalk is the largest number of rows of a range whose hashes are worth
// computing. MySQL has such a limit too (MAX_RANGE_TO_WALK).
const maxWalk = 32

// walk marks the partitions of all hashes of a range's rows, if they are few
// enough. Otherwise it returns false and marks nothing.
func (s *Scheme) walk(r RowRange, hit []bool) bool {
	partitions := make([]int, 0, maxWalk)
	for row, more := r.Start, true; more && !r.endsBy(row); {
		if len(partitions) == maxWalk {
			return false
		}
		partitions = append(partitions, s.hash(row))
		row, more = s.nextHashed(row)
	}
	for _, i := range partitions {
		hit[i] = true
	}
	return true
}

// nextHashed returns the first row above this one of which different bytes may
// be hashed, or false if there is none. The row right after x is x followed by
// a zero byte.
func (s *Scheme) nextHashed(row []byte) ([]byte, bool) {
	if s.method == PrefixKey && len(row) >= s.prefix {
		next := successor(row[:s.prefix])
		return next, next != nil
	}
	return append(slices.Clip(row), 0), true
}

// Intersect returns what two ranges have in common, or false if that is nothing.
func (r RowRange) Intersect(o RowRange) (RowRange, bool) {
	if bytes.Compare(o.Start, r.Start) > 0 {
		r.Start = o.Start
	}
	if r.End == nil || o.End != nil && bytes.Compare(o.End, r.End) < 0 {
		r.End = o.End
	}
	return r, r.End == nil || bytes.Compare(r.Start, r.End) < 0
}

// Contains reports whether the row is in the range.
func (r RowRange) Contains(row []byte) bool {
	return bytes.Compare(row, r.Start) >= 0 && !r.endsBy(row)
}

// empty reports whether the range holds no row.
func (r RowRange) empty() bool {
	return r.endsBy(r.Start)
}

// endsBy reports whether the row and all above it are outside the range.
func (r RowRange) endsBy(row []byte) bool {
	return r.End != nil && bytes.Compare(row, r.End) >= 0
}

// successor returns the smallest byte string above all that begin with prefix,
// or nil if there is none.
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
