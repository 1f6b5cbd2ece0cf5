package scan

import (
	"slices"

	"github.com/hbasekv/hbasekv/partition"
	"github.com/hbasekv/hbasekv/sqlfront/constrain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mayfail"
)

// findMembers prepares the remaining conditions for the results of subqueries.
func (s *Scan) findMembers() (err error) {
	if s.Empty() || s.LooksUp() {
		return nil
	}
	for _, conds := range [][]expr.Node{s.Keys, s.Values} {
		for i, n := range conds {
			if conds[i], err = s.X.Answer(n, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// Volatile reports whether a remaining condition is volatile, or must be evaluated on one
// goroutine.
func (s *Scan) Volatile() bool {
	return slices.ContainsFunc(s.Keys, expr.IsVolatile) || slices.ContainsFunc(s.Values, expr.IsVolatile)
}

// Quiet reports whether the remaining conditions neither warn nor fail.
func (s *Scan) Quiet() bool {
	return !slices.ContainsFunc(s.Keys, mayfail.Condition) && !slices.ContainsFunc(s.Values, mayfail.Condition)
}

// chooseFamilies omits the families that the condition excludes.
func (s *Scan) chooseFamilies() {
	s.Tables, s.families = nil, nil
	for _, i := range s.Con.Families {
		s.Tables = append(s.Tables, s.Access.Tables[i])
		s.families = append(s.families, s.Access.Families[i])
	}
}

// splitRemaining puts the conditions that do not read V first.
func (s *Scan) splitRemaining() {
	v := s.Access.Columns.V
	for _, n := range expr.Conjuncts(s.Con.Remaining) {
		if expr.Reads(n, func(index int) bool { return index == v }) {
			s.Values = append(s.Values, n)
		} else {
			s.Keys = append(s.Keys, n)
		}
	}
}

// LooksUp reports whether the scan reads rows that its condition names.
func (s *Scan) LooksUp() bool {
	access := s.Con.Access()
	return access == constrain.AccessConst || access == constrain.AccessRef
}

// Hull returns the range from the scan's first row to its last one.
func (s *Scan) Hull() partition.RowRange {
	spans := s.Con.RowRanges()
	if len(spans) == 0 {
		return partition.RowRange{}
	}
	return partition.RowRange{Start: spans[0].Start, End: spans[len(spans)-1].End}
}
