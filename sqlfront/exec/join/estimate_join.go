package join

import (
	"fmt"

	"github.com/hbasekv/hbasekv/sqlfront/exec/cost"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/pipeline"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
)

// pairs estimates how many rows a right side has, and the fraction of the pairs of them and left
// rows that join; ok is false if that is unknown.
func (j *joining) pairs(right op.Operator) (kept, part float64, ok bool) {
	s := plainScan(right)
	if s == nil {
		return 0, 0, false
	}
	kept, distinct, ok := s.Joinable(j.RightKeys)
	others := len(expr.Conjuncts(j.On)) - len(j.LeftKeys)
	return kept, cost.Selectivity(j.leftDistinct(), distinct, others), ok
}

// joined is an operator that joins, whose number of rows may be estimated.
type joined interface {
	// sides returns the join and its right side, or nil if it is unknown.
	sides() (j *joining, right op.Operator)
}

// joinOf returns the join in an operator and its right side, or nil if it is not a join.
func joinOf(s op.Operator) (j *joining, right op.Operator) {
	if of, ok := s.(joined); ok {
		return of.sides()
	}
	return nil, nil
}

// leftDistinct estimates the number of distinct keys on the left side; it is 1 if unknown, because
// they are not those of one relation.
func (j *joining) leftDistinct() float64 {
	for s := j.left.Operator; s != nil && len(j.LeftKeys) > 0; s = scan.Below(s) {
		of := s
		if _, right := joinOf(s); right != nil {
			of = right
		}
		if scan := plainScan(of); scan != nil && scan.Access.Gives(j.LeftKeys) {
			_, distinct, _ := scan.Joinable(j.LeftKeys)
			return max(1, distinct)
		}
	}
	return 1
}

// estimatedRows estimates the rows of joins of scans, of which s is the last; ok is false if
// unknown.
func estimatedRows(s op.Operator) (rows float64, ok bool) {
	times := 1.0 // relative to the rows below
	for ; s != nil; s = scan.Below(s) {
		j, right := joinOf(s)
		switch s := s.(type) {
		case *scan.Scan:
			all, filtered := s.Estimate()
			return float64(all) * filtered / 100 * times, all >= 0
		case *op.Timed, *pipeline.ReadAhead:
			continue
		}
		if j == nil {
			return 0, false
		}
		kept, part, ok := j.pairs(right)
		if !ok {
			return 0, false
		}
		if kept *= part; j.Outer {
			kept = max(kept, 1)
		}
		times *= kept
	}
	return 0, false
}

// plainScan returns the scan in an operator, possibly below a read-ahead; nil for others.
func plainScan(s op.Operator) *scan.Scan {
	for {
		switch of := s.(type) {
		case *scan.Scan:
			return of
		case *op.Timed, *pipeline.ReadAhead:
			s = scan.Below(s)
		default:
			return nil
		}
	}
}

// addEstimate adds the estimated number of rows of a join and, to a table that is not nil, the
// percentage of its rows that each left row joins.
func (j *joining) addEstimate(out *explain.Step, s, right op.Operator, of *explain.Table) {
	if _, part, ok := j.pairs(right); ok && of != nil {
		of.Kept *= part
	}
	if rows, ok := estimatedRows(s); ok && j.x.Stmt.Measured {
		out.Add("estimated", fmt.Sprintf("rows %.0f", rows))
	}
}
