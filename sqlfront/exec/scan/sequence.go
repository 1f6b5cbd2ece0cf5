package scan

import (
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
)

// Sequence returns the order of the scan's rows.
func (s *Scan) Sequence() op.Sequence {
	scheme := s.Access.Tables[0].Partitioning
	out := op.Sequence{Kind: op.Ascending, Unique: s.UniqueColumns()}
	switch {
	case !s.StoreScan.Ordered && !scheme.Ordered():
		out.Kind, out.Scheme = op.ByPartition, scheme
	case s.StoreScan.Reverse:
		out.Kind = op.Descending
	}
	return out
}

// UniqueColumns is the number of columns of its sequence that identify a row.
func (s *Scan) UniqueColumns() int {
	o := s.ordering()
	return o.Unique()
}

func (a *Access) SequenceColumns() [][]int {
	if a.Columns.F >= 0 {
		return [][]int{{a.Columns.K}} // after K comes the family, whose order is not that of F
	}
	return [][]int{{a.Columns.K}, {a.Columns.Q}, {a.Columns.T}}
}

// SkipTo implements op.Skipping.
func (s *Scan) SkipTo(column int, row []byte) {
	if s.Access.Columns.K == column {
		s.PassTo(row)
	}
}

// PassTo skips rows before this one, if the store can do so at lower cost than reading them.
func (s *Scan) PassTo(row []byte) bool {
	s.stepwise = true
	skipper, ok := s.cursor.(kv.Skipper)
	return ok && !s.ahead && skipper.SkipTo(row)
}
