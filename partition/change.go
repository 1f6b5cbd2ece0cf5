package partition

import (
	"bytes"
	"errors"
	"slices"
)

// The errors of changes, each with the number that MySQL gives it
// (https://dev.mysql.com/doc/mysql-errors/5.7/en/server-error-reference.html).
var (
	ErrNotRange      = errors.New("only RANGE partitions can be named, added and dropped one by one")                               // 1512
	ErrMaxValue      = errors.New("no partition can be added after one that ends at MAXVALUE")                                      // 1481
	ErrLastPartition = errors.New("a partitioned table keeps at least one partition")                                               // 1508
	ErrNotNeighbours = errors.New("only neighbouring partitions can be reorganized together")                                       // 1519
	ErrOutside       = errors.New("reorganized partitions must cover the same rows as before; only the last one can reach further") // 1520
)

// Adding returns a Range scheme with more partitions after its last one. It fails with
// ErrNotRange, with ErrMaxValue, or as NewRange does.
func (s *Scheme) Adding(names []string, upper [][]byte) (*Scheme, error) {
	switch {
	case s.Method() != Range:
		return nil, ErrNotRange
	case len(names) > 0 && s.upper[s.n-1] == nil:
		return nil, ErrMaxValue
	}
	return s.with(NewRange(slices.Concat(s.names, names), slices.Concat(s.upper, upper)))
}

// Dropping returns a Range scheme without the partitions with the given numbers. The next one
// above each takes over its range, as in MySQL. It fails with ErrNotRange or ErrLastPartition.
func (s *Scheme) Dropping(which []int) (*Scheme, error) {
	if s.Method() != Range {
		return nil, ErrNotRange
	}
	var names []string
	var upper [][]byte
	for i := range s.n {
		if !slices.Contains(which, i) {
			names, upper = append(names, s.names[i]), append(upper, s.upper[i])
		}
	}
	if len(names) == 0 {
		return nil, ErrLastPartition
	}
	return s.with(NewRange(names, upper))
}

// Reorganizing returns a Range scheme whose partitions from first to last are replaced by others
// that cover the same rows. If last is the scheme's last partition, they may reach further. It
// fails with ErrNotRange, ErrNotNeighbours or ErrOutside, or as NewRange does.
func (s *Scheme) Reorganizing(first, last int, names []string, upper [][]byte) (*Scheme, error) {
	switch {
	case s.Method() != Range:
		return nil, ErrNotRange
	case first < 0 || first > last || last >= s.n:
		return nil, ErrNotNeighbours
	case len(upper) == 0:
		return nil, ErrNoPartitions
	case !s.mayEnd(last, upper[len(upper)-1]):
		return nil, ErrOutside
	case first > 0 && upper[0] != nil && bytes.Compare(upper[0], s.upper[first-1]) <= 0:
		return nil, ErrNotIncreasing
	}
	return s.with(NewRange(
		slices.Concat(s.names[:first], names, s.names[last+1:]),
		slices.Concat(s.upper[:first], upper, s.upper[last+1:])))
}

// mayEnd reports whether a reorganization of partitions up to last may end at
// the bound.
func (s *Scheme) mayEnd(last int, bound []byte) bool {
	old := s.upper[last]
	switch {
	case old == nil || bound == nil:
		return bound == nil && (old == nil || last == s.n-1)
	case last == s.n-1:
		return bytes.Compare(bound, old) >= 0
	}
	return bytes.Equal(bound, old)
}
