package exec

import (
	"bytes"
	"cmp"

	"github.com/hbasekv/hbasekv/kv"
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

// sequence is the order of the scan's rows.
func (s *scan) sequence() sequence {
	scheme := s.access.Tables[0].Partitioning
	out := sequence{kind: ascending, unique: s.uniqueColumns()}
	switch {
	case !s.kv.Ordered && !scheme.Ordered():
		out.kind, out.scheme = byPartition, scheme
	case s.kv.Reverse:
		out.kind = descending
	}
	return out
}

// uniqueColumns is how many columns of its sequence tell any two of the scan's rows apart.
func (s *scan) uniqueColumns() int {
	o := s.ordering()
	return o.Unique()
}

func (a *Access) SequenceColumns() [][]int {
	if a.Columns.F >= 0 {
		return [][]int{{a.Columns.K}} // behind K comes the family, whose order is not that of F
	}
	return [][]int{{a.Columns.K}, {a.Columns.Q}, {a.Columns.T}}
}

// skipTo tells a source that rows before this one, by the K in a column, are
// not wanted any more. It may give them all the same.
func skipTo(s source, column int, row []byte) {
	switch s := s.(type) {
	case *scan:
		if s.access.Columns.K == column {
			s.skipTo(row)
		}
	case *timed:
		skipTo(s.source, column, row)
	case *filter:
		skipTo(s.source, column, row)
	case *mergeJoin:
		skipTo(s.left, s.ownColumn(column), row)
	}
}

// ownColumn is the left side's column of the first key where one of the right
// side's is meant.
func (j *mergeJoin) ownColumn(column int) int {
	if column == j.Merge.Right[0].Index {
		return j.Merge.Left[0].Index
	}
	return column
}

// skipTo steps over rows before this one, where the store can do so at less
// cost than to read them.
func (s *scan) skipTo(row []byte) bool {
	s.stepwise = true
	skipper, ok := s.cursor.(kv.Skipper)
	return ok && !s.ahead && skipper.SkipTo(row)
}

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
