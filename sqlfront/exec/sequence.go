package exec

import (
	"bytes"
	"cmp"

	"github.com/hbasekv/hbasekv/partition"
)

// sequence is the order in which rows come by the keys of a stored relation,
// asked for or not: a merge join needs to know it of both sides.
type sequence struct {
	kind   sequenceKind
	scheme *partition.Scheme // of byPartition
	// unique is how many of the sequence's columns tell any two rows apart; 0
	// where nobody knows.
	unique int
}

type sequenceKind uint8

const (
	noSequence  sequenceKind = iota
	byPartition              // partition after partition, each in ascending order
	ascending                // K and Q ascending, T descending
	descending               // exactly the reverse
)

// compare compares the K of two rows in the sequence, of whose partitions x and y know.
func (s *sequence) compare(a, b []byte, x, y *partitionOf) int {
	order := s.turned(compareBytes(a, b))
	if order == 0 || s.kind != byPartition {
		return order
	}
	return cmp.Or(cmp.Compare(x.of(s, a), y.of(s, b)), order)
}

// turned is an ascending order in the sequence.
func (s *sequence) turned(order int) int {
	if s.kind == descending {
		return -order
	}
	return order
}

// compareBytes compares keys, of which most are alike.
func compareBytes(a, b []byte) int {
	if string(a) == string(b) {
		return 0
	}
	return bytes.Compare(a, b)
}

// partitionOf remembers the partition of a row.
type partitionOf struct {
	ordinal int
	known   bool
}

func (p *partitionOf) of(s *sequence, row []byte) int {
	if !p.known {
		p.ordinal, _ = s.scheme.Locate(row)
		p.known = true
	}
	return p.ordinal
}
