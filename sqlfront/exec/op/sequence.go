package op

import (
	"bytes"
	"cmp"

	"github.com/hbasekv/hbasekv/partition"
)

// Sequence is the order in which rows come by the keys of a stored relation,
// asked for or not: a merge join needs to know it of both sides.
type Sequence struct {
	Kind   SequenceKind
	Scheme *partition.Scheme // of byPartition
	// Unique is how many of the sequence's columns tell any two rows apart; 0
	// where nobody knows.
	Unique int
}

type SequenceKind uint8

const (
	NoSequence  SequenceKind = iota
	ByPartition              // partition after partition, each in ascending order
	Ascending                // K and Q ascending, T descending
	Descending               // exactly the reverse
)

// Compare compares the K of two rows in the sequence, of whose partitions x and y know.
func (s *Sequence) Compare(a, b []byte, x, y *PartitionOf) int {
	order := s.Turned(CompareBytes(a, b))
	if order == 0 || s.Kind != ByPartition {
		return order
	}
	return cmp.Or(cmp.Compare(x.of(s, a), y.of(s, b)), order)
}

// Turned is an ascending order in the sequence.
func (s *Sequence) Turned(order int) int {
	if s.Kind == Descending {
		return -order
	}
	return order
}

// CompareBytes compares keys, of which most are alike.
func CompareBytes(a, b []byte) int {
	if string(a) == string(b) {
		return 0
	}
	return bytes.Compare(a, b)
}

// PartitionOf remembers the partition of a row.
type PartitionOf struct {
	ordinal int
	Known   bool
}

func (p *PartitionOf) of(s *Sequence, row []byte) int {
	if !p.Known {
		p.ordinal, _ = s.Scheme.Locate(row)
		p.Known = true
	}
	return p.ordinal
}

// Skipping is an operator that can pass over rows.
type Skipping interface {
	// SkipTo tells it that rows before this one, by the K in a column, are not wanted any more. It may
	// give them all the same.
	SkipTo(column int, row []byte)
}

// SkipTo is Skipping.SkipTo of an operator that may be one.
func SkipTo(s Operator, column int, row []byte) {
	if s, ok := s.(Skipping); ok {
		s.SkipTo(column, row)
	}
}
