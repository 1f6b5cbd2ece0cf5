package exec

import (
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/pruning"
)

// chooseSlices restricts the scan to the slices of time that its condition and
// PARTITION (...) leave.
func (s *scan) chooseSlices() {
	if len(s.tables) > 0 && s.con.Times != nil {
		p := s.partitions()
		p.Con, p.Slices = s.con, s.kv.Slices
		s.kv.Slices = p.Restricted()
	}
}

// partitions are those that the scan may have rows in, which reads a table; where it is only
// explained, those that it may have for certain.
func (s *scan) partitions() pruning.Partitions {
	p := pruning.Partitions{Scheme: s.tables[0].Partitioning, Con: s.con, Selection: s.access.Selection, Slices: s.kv.Slices}
	if s.symbolic {
		var selected kv.Scan
		s.access.Selection.Restrict(&selected)
		p.Con, p.Slices = s.certain, selected.Slices
	}
	return p
}

// rowPartitions are the ordinals of the partitions by row that can have rows.
func (s *scan) rowPartitions() []int {
	if len(s.tables) == 0 {
		return nil
	}
	p := s.partitions()
	return p.Rows()
}

// leaves are the ordinals of the leaves that can have rows, ascending.
func (s *scan) leaves() []int {
	switch {
	case len(s.tables) == 0:
		return nil
	case s.measured != nil:
		return s.measured
	}
	p := s.partitions()
	return p.Leaves()
}

// sliceOrdinals are the slices of time that can have rows.
func (s *scan) sliceOrdinals() []int {
	p := s.partitions()
	return p.Times()
}
