package op

import (
	"bytes"
	"cmp"

	"github.com/hbasekv/hbasekv/partition"
)

// Sequence is the order of rows by the keys of a stored relation, whether requested or not: a merge
// join needs it for both sides.
type Sequence struct {
	Kind   SequenceKind
	Scheme *partition.Scheme // for ByPartition
	// Unique is how many of the sequence's columns identify a row; 0 if unknown.
	Unique int
}

type SequenceKind uint8

const (
	NoSequence  SequenceKind = iota
	ByPartition              // partition after partition, each in ascending order
	Ascending                // K and Q ascending, T descending
	Descending               // exactly the reverse
)

// Compare compares the K of two rows in the sequence; x and y cache their partitions.
func (s *Sequence) Compare(a, b []byte, x, y *PartitionOf) int {
	order := s.Turned(CompareBytes(a, b))
	if order == 0 || s.Kind != ByPartition {
		return order
	}
	return cmp.Or(cmp.Compare(x.of(s, a), y.of(s, b)), order)
}

// Turned converts an ascending order to the sequence's.
func (s *Sequence) Turned(order int) int {
	if s.Kind == Descending {
		return -order
	}
	return order
}

// CompareBytes compares keys, which are mostly equal.
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

// Skipping is an operator that can skip rows.
type Skipping interface {
	// SkipTo says that rows before this one, by the K in a column, are not needed any more. The
	// operator may return them all the same.
	SkipTo(column int, row []byte)
}

// SkipTo calls Skipping.SkipTo if the operator implements it.
func SkipTo(s Operator, column int, row []byte) {
	if s, ok := s.(Skipping); ok {
		s.SkipTo(column, row)
	}
}
