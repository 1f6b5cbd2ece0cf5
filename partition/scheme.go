package partition

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Method is how a Scheme places rows.
type Method uint8

// The methods, by MySQL's names.
const (
	None      Method = iota // one partition that holds everything
	Key                     // by a hash of the row
	PrefixKey               // by a hash of the row's first bytes
	Range                   // RANGE COLUMNS: by upper bounds
)

// MaxPartitions is MySQL's limit on the partitions of a table
// (https://dev.mysql.com/doc/refman/5.7/en/partitioning-limitations.html).
const MaxPartitions = 8192

// The errors of the constructors.
var (
	ErrNoPartitions  = errors.New("the number of partitions must be at least 1")
	ErrTooMany       = fmt.Errorf("a table has at most %d partitions", MaxPartitions)
	ErrPrefixLength  = errors.New("the prefix length must be at least 1")
	ErrNotIncreasing = errors.New("upper bounds must be strictly increasing")
	ErrDuplicateName = errors.New("two partitions have the same name")
	ErrMaxNotLast    = errors.New("only the last partition can be open above")
)

// Scheme is the immutable partitioning of a table. Partitions are numbered from 0. The zero value
// and nil are a table without partitions: a single partition, number 0, holds every row.
type Scheme struct {
	method Method
	n      int
	prefix int
	names  []string // of Range; the other methods derive them
	upper  [][]byte // of Range: exclusive upper bounds; a nil last one is open
	slices *Slices  // nil if the table is not partitioned by time
}

// NewKey returns a scheme that places a row by the Murmur hash of all its bytes. It fails with
// ErrNoPartitions or ErrTooMany.
func NewKey(n int) (*Scheme, error) {
	if err := checkCount(n); err != nil {
		return nil, err
	}
	return &Scheme{method: Key, n: n}, nil
}

// NewPrefixKey returns a scheme that places a row by the Murmur hash of its first prefix bytes, or
// of all its bytes if the row is shorter. It fails with ErrPrefixLength, or as NewKey does.
func NewPrefixKey(n, prefix int) (*Scheme, error) {
	if err := checkCount(n); err != nil {
		return nil, err
	}
	if prefix < 1 {
		return nil, ErrPrefixLength
	}
	return &Scheme{method: PrefixKey, n: n, prefix: prefix}, nil
}

// NewRange returns a scheme that places a row in the first partition whose exclusive upper bound is
// above it. A nil last bound (MAXVALUE) is above everything. It fails with ErrNoPartitions,
// ErrTooMany, ErrNotIncreasing, ErrDuplicateName or ErrMaxNotLast, or if there are not as many
// names as bounds.
func NewRange(names []string, upper [][]byte) (*Scheme, error) {
	if len(names) != len(upper) {
		return nil, errors.New("there must be as many names as upper bounds")
	}
	if err := checkCount(len(names)); err != nil {
		return nil, err
	}
	if err := checkNames(names); err != nil {
		return nil, err
	}
	if err := checkBounds(upper); err != nil {
		return nil, err
	}
	return &Scheme{method: Range, n: len(names), names: slices.Clone(names), upper: slices.Clone(upper)}, nil
}

func checkCount(n int) error {
	switch {
	case n < 1:
		return ErrNoPartitions
	case n > MaxPartitions:
		return ErrTooMany
	}
	return nil
}

// checkNames requires that names are unique regardless of case, as MySQL does.
func checkNames(names []string) error {
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		folded := strings.ToLower(name)
		if seen[folded] {
			return fmt.Errorf("%w: %s", ErrDuplicateName, name)
		}
		seen[folded] = true
	}
	return nil
}

func checkBounds(upper [][]byte) error {
	for i, bound := range upper {
		if bound == nil && i < len(upper)-1 {
			return ErrMaxNotLast
		}
		if i > 0 && bound != nil && bytes.Compare(upper[i-1], bound) >= 0 {
			return ErrNotIncreasing
		}
	}
	return nil
}

// Method returns how the scheme places rows.
func (s *Scheme) Method() Method {
	if s == nil {
		return None
	}
	return s.method
}

var none Scheme

func (s *Scheme) orNone() *Scheme {
	if s == nil {
		return &none
	}
	return s
}

// Len returns the number of partitions, at least 1.
func (s *Scheme) Len() int { return max(s.orNone().n, 1) }

// PrefixLen returns the number of bytes that PrefixKey hashes, and 0 for the other methods.
func (s *Scheme) PrefixLen() int { return s.orNone().prefix }

// Name returns the name of partition i: as declared for Range; p0, p1 and so on for Key and
// PrefixKey; empty for None.
func (s *Scheme) Name(i int) string {
	switch s.Method() {
	case Range:
		return s.names[i]
	case Key, PrefixKey:
		return fmt.Sprintf("p%d", i)
	}
	return ""
}

// Ordinal returns the number of the partition with this name, which is case-insensitive.
func (s *Scheme) Ordinal(name string) (int, bool) {
	for i := range s.Len() {
		if s.Method() != None && strings.EqualFold(s.Name(i), name) {
			return i, true
		}
	}
	return 0, false
}

// Bounds returns the half-open range of rows that partition i of a Range scheme holds. For the
// other methods it is everything.
func (s *Scheme) Bounds(i int) RowRange {
	if s == nil || s.method != Range {
		return RowRange{}
	}
	r := RowRange{End: s.upper[i]}
	if i > 0 {
		r.Start = s.upper[i-1]
	}
	return r
}

// Ordered reports whether reading the partitions one after the other returns the rows in order.
func (s *Scheme) Ordered() bool { return s.Len() == 1 || s.Method() == Range }

// Equal reports whether both schemes place every row the same way and have the same names of partitions.
func (s *Scheme) Equal(o *Scheme) bool {
	s, o = s.orNone(), o.orNone()
	return s.method == o.method && s.Len() == o.Len() && s.prefix == o.prefix &&
		slices.EqualFunc(s.names, o.names, strings.EqualFold) && equalBounds(s.upper, o.upper) &&
		s.slices.equal(o.slices)
}

func equalBounds(a, b [][]byte) bool {
	return slices.EqualFunc(a, b, func(a, b []byte) bool {
		return (a == nil) == (b == nil) && bytes.Equal(a, b)
	})
}

// stored is a Scheme as stored in the catalog. It is an on-disk format.
type stored struct {
	Method Method   `json:"method"`
	N      int      `json:"n,omitempty"`
	Prefix int      `json:"prefix,omitempty"`
	Names  []string `json:"names,omitempty"`
	Upper  [][]byte `json:"upper,omitempty"`

	Slices *storedSlices `json:"slices,omitempty"`
}

// MarshalJSON returns the stored form.
func (s *Scheme) MarshalJSON() ([]byte, error) {
	s = s.orNone()
	return json.Marshal(stored{s.method, s.n, s.prefix, s.names, s.upper, s.slices.stored()})
}

// UnmarshalJSON reads the stored form and checks it.
func (s *Scheme) UnmarshalJSON(data []byte) error {
	var in stored
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	built, err := in.Slices.cut(in.build())
	if err != nil {
		return fmt.Errorf("stored partitioning: %w", err)
	}
	*s = *built
	return nil
}

func (in stored) build() (*Scheme, error) {
	switch in.Method {
	case None:
		return &Scheme{}, nil
	case Key:
		return NewKey(in.N)
	case PrefixKey:
		return NewPrefixKey(in.N, in.Prefix)
	case Range:
		return NewRange(in.Names, in.Upper)
	}
	return nil, fmt.Errorf("unknown method %d", in.Method)
}
