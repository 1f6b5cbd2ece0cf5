package scan

import (
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/pruning"
)

// chooseSlices restricts the scan to the slices of time that its condition and
// PARTITION (...) leave.
func (s *Scan) chooseSlices() {
	p := s.partitions()
	p.Con, p.Slices = s.Con, s.StoreScan.Slices
	s.StoreScan.Slices = p.Restricted()
}

// partitions are those that the scan may have rows in, which reads a table; where it is only
// explained, those that it may have for certain.
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

// RowPartitions are the ordinals of the partitions by row that can have rows.
func (s *Scan) RowPartitions() []int {
	if len(s.Tables) == 0 {
		return nil
	}
	p := s.partitions()
	return p.Rows()
}

// Leaves are the ordinals of the leaves that can have rows, ascending.
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

// sliceOrdinals are the slices of time that can have rows.
func (s *Scan) sliceOrdinals() []int {
	p := s.partitions()
	return p.Times()
}
