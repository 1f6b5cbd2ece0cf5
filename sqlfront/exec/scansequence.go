package exec

import (
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
)

// sequence is the order of the scan's rows.
func (s *scan) sequence() op.Sequence {
	scheme := s.access.Tables[0].Partitioning
	out := op.Sequence{Kind: op.Ascending, Unique: s.uniqueColumns()}
	switch {
	case !s.kv.Ordered && !scheme.Ordered():
		out.Kind, out.Scheme = op.ByPartition, scheme
	case s.kv.Reverse:
		out.Kind = op.Descending
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

// SkipTo implements op.Skipping.
func (s *scan) SkipTo(column int, row []byte) {
	if s.access.Columns.K == column {
		s.skipTo(row)
	}
}

// skipTo steps over rows before this one, where the store can do so at less
// cost than to read them.
func (s *scan) skipTo(row []byte) bool {
	s.stepwise = true
	skipper, ok := s.cursor.(kv.Skipper)
	return ok && !s.ahead && skipper.SkipTo(row)
}
