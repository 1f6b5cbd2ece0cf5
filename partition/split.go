package partition

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxName is the longest name of a partition in MySQL, in characters.
const maxName = 64

// NewSplit returns a Range scheme that is split at the points, given in any order. Its partitions
// are p0, p1 and so on, and the last one is open. It fails as NewRange does.
func NewSplit(points [][]byte) (*Scheme, error) {
	if err := checkPoints(points); err != nil {
		return nil, err
	}
	upper := append(slices.SortedFunc(slices.Values(points), bytes.Compare), nil)
	names := make([]string, len(upper))
	for i := range names {
		names[i] = "p" + strconv.Itoa(i)
	}
	return NewRange(names, upper)
}

// checkPoints refuses points that would create a partition that no row can be in.
func checkPoints(points [][]byte) error {
	for _, p := range points {
		if len(p) == 0 {
			return ErrEmptyPoint
		}
	}
	return nil
}

// ErrEmptyPoint is returned for a split at the empty row.
var ErrEmptyPoint = errors.New("a partition cannot be split at the empty row")

// Splitting returns a Range scheme whose partitions are also split at the points, given in any
// order; points that are bounds already change nothing. When a partition is split, the uppermost
// part keeps its name and its bound, so that no partition ever changes its bound. The other parts
// get the name with an unused number: p is split into p_1 and p, then p_1 into p_2 and p_1.
// parents contains, for each new partition, the number of the partition that it was part of. A
// scheme without partitions is split as NewSplit does, unless it has slices: then Splitting fails
// with ErrNotRange. It fails with ErrOutside if a point is above the last bound.
func (s *Scheme) Splitting(points [][]byte) (next *Scheme, parents []int, err error) {
	points = slices.CompactFunc(slices.SortedFunc(slices.Values(points), bytes.Compare), bytes.Equal)
	if by := s.Slices(); by != nil && s.Method() == None {
		return nil, nil, ErrNotRange // slices alone have no partitions by row
	}
	switch s.Method() {
	case None:
		next, err = NewSplit(points)
		return next, make([]int, len(points)+1), err
	case Range:
		if err := checkPoints(points); err != nil {
			return nil, nil, err
		}
		return s.cut(points)
	}
	return nil, nil, ErrNotRange
}

// cut is Splitting for a Range scheme and increasing points.
func (s *Scheme) cut(points [][]byte) (next *Scheme, parents []int, err error) {
	var names []string
	var upper [][]byte
	namer := newNamer(s.names)
	for i := range s.n {
		for len(points) > 0 && (s.upper[i] == nil || bytes.Compare(points[0], s.upper[i]) <= 0) {
			if !bytes.Equal(points[0], s.upper[i]) {
				names, upper, parents = append(names, namer.next(s.names[i])), append(upper, points[0]), append(parents, i)
			}
			points = points[1:]
		}
		names, upper, parents = append(names, s.names[i]), append(upper, s.upper[i]), append(parents, i)
	}
	if len(points) > 0 {
		return nil, nil, fmt.Errorf("%w: %q", ErrOutside, points[0])
	}
	next, err = s.with(NewRange(names, upper))
	return next, parents, err
}

// namer creates new names by incrementing the numbers in the existing names.
type namer struct {
	taken map[string]bool // in lower case
	last  map[string]int  // the last number that was used, by root
}

func newNamer(names []string) *namer {
	n := &namer{taken: map[string]bool{}, last: map[string]int{}}
	for _, name := range names {
		n.taken[strings.ToLower(name)] = true
		root, number := nameRoot(name)
		n.last[root] = max(n.last[root], number)
	}
	return n
}

// next returns a new name for a part of the partition with that name.
func (n *namer) next(name string) string {
	root, _ := nameRoot(name)
	for {
		n.last[root]++
		suffix := "_" + strconv.Itoa(n.last[root])
		next := cutName(root, maxName-len(suffix)) + suffix
		if folded := strings.ToLower(next); !n.taken[folded] {
			n.taken[folded] = true
			return next
		}
	}
}

// nameRoot removes the number of a split from a name: p_2 is number 2 of p, and p is number 0.
func nameRoot(name string) (root string, number int) {
	if i := strings.LastIndexByte(name, '_'); i > 0 {
		if n, err := strconv.ParseUint(name[i+1:], 10, 31); err == nil && strconv.FormatUint(n, 10) == name[i+1:] {
			return name[:i], int(n)
		}
	}
	return name, 0
}

// cutName returns the first n characters of a name.
func cutName(name string, n int) string {
	if utf8.RuneCountInString(name) <= n {
		return name
	}
	return string([]rune(name)[:n])
}

// Between returns n-1 points that divide the rows from lower to upper into n parts of about the
// same size, treating bytes as digits. The points are increasing, above lower and below upper,
// and no longer than necessary. It returns nil if nothing is between the bounds or n is less than
// 2.
func Between(lower, upper []byte, n int) [][]byte {
	if n < 2 || bytes.Compare(lower, upper) >= 0 {
		return nil
	}
	shared := 0
	for shared < len(lower) && lower[shared] == upper[shared] {
		shared++
	}
	for digits := 1; ; digits++ {
		if points, ok := between(lower, upper, n, shared, digits); ok {
			return points
		}
		if digits > max(len(lower), len(upper))-shared+4 {
			return nil // upper is lower followed by zero bytes
		}
	}
}

// between computes the points with that many digits after the prefix that the two bounds share.
// It returns false if these are too few for parts of about the same size.
func between(lower, upper []byte, n, shared, digits int) ([][]byte, bool) {
	low, step := number(lower, shared, digits), number(upper, shared, digits)
	step.Sub(step, low)
	parts := big.NewInt(int64(n))
	rest := new(big.Int).Mod(step, parts)
	whole := digits >= len(lower)-shared && digits >= len(upper)-shared
	if step.Cmp(parts) < 0 || !(whole && rest.Sign() == 0) && new(big.Int).Rsh(step, 8).Cmp(parts) < 0 {
		return nil, false
	}
	points := make([][]byte, 0, n-1)
	for i := 1; i < n; i++ {
		at := new(big.Int).Mul(step, big.NewInt(int64(i)))
		at.Add(at.Div(at, parts), low)
		point := append(slices.Clone(upper[:shared]), at.FillBytes(make([]byte, digits))...)
		points = append(points, bytes.TrimRight(point, "\x00"))
	}
	return points, true
}

// number returns the digits of a bound after the shared prefix.
func number(bound []byte, shared, digits int) *big.Int {
	padded := make([]byte, digits)
	copy(padded, bound[shared:])
	return new(big.Int).SetBytes(padded)
}
