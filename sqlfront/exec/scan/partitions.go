package scan

import (
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/pruning"
)

// chooseSlices restricts the scan to the time slices that its condition and PARTITION (...) leave.
func (s *Scan) chooseSlices() {
	p := s.partitions()
	p.Con, p.Slices = s.Con, s.StoreScan.Slices
	s.StoreScan.Slices = p.Restricted()
}

// partitions returns those in which the scan of a table may have rows; in EXPLAIN, judged only by
// what is certain.
func (s *Scan) partitions() pruning.Partitions {
	p := pruning.Partitions{Scheme: s.Tables[0].Partitioning, Con: s.Con, Selection: s.Access.Selection,
		Slices: s.StoreScan.Slices}
	if s.symbolic {
		var selected kv.Scan
		s.Access.Selection.Restrict(&selected)
		p.Con, p.Slices = s.certain, selected.Slices
	}
	return p
}

// RowPartitions returns the ordinals of the partitions by row that may have rows.
func (s *Scan) RowPartitions() []int {
	if len(s.Tables) == 0 {
		return nil
	}
	p := s.partitions()
	return p.Rows()
}

// Leaves returns the ordinals of the partitions, by row and time, that may have rows, ascending.
func (s *Scan) Leaves() []int {
	switch {
	case len(s.Tables) == 0:
		return nil
	case s.Measured != nil:
		return s.Measured
	}
	p := s.partitions()
	return p.Leaves()
}

// sliceOrdinals returns the time slices that may have rows.
func (s *Scan) sliceOrdinals() []int {
	p := s.partitions()
	return p.Times()
}
