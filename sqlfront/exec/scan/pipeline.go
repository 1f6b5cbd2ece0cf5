package scan

import (
	"github.com/hbasekv/hbasekv/sqlfront/exec/cost"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
)

// A pipeline is a scan and operators that make rows of its cells one after the other: filters, pivots and
// other groups of the cells of one row, joins of two pipelines by K, merge joins, and joins with kept rows.
// Separate pipelines over parts of the scan return the same rows.

// Link is an operator of a pipeline.
type Link interface {
	op.Operator
	// Under returns its input, of a join the left side; nil at the end of the pipeline.
	Under() op.Operator
	// SameInParts reports whether parts of the scan at the end return the same rows.
	SameInParts() bool
	// OfPart returns an operator like it over a part's cells, and the frame that it fills: x, or one of its
	// own if x is nil.
	OfPart(r *PartRun, x *op.Frame) (op.Operator, *op.Frame)
	// AddWork adds what this operator has done to the step of one like it.
	AddWork(out *explain.Step)
}

// Below returns the input of a link, of a join the left side; nil if s is not a link.
func Below(s op.Operator) op.Operator {
	switch s := s.(type) {
	case *op.Timed:
		return s.Operator
	case Link:
		return s.Under()
	}
	return nil
}

// Bottom returns the scan under links, whether or not they are a pipeline; nil if there is none.
func Bottom(s op.Operator) *Scan {
	for ; s != nil; s = Below(s) {
		if scan, ok := s.(*Scan); ok {
			return scan
		}
	}
	return nil
}

// AccessOf returns the access to a table of a node that returns its rows one by one; nil for another node.
func AccessOf(n op.Node) *Access {
	switch n := n.(type) {
	case *Access:
		return n
	case interface{ Reads() *Access }:
		return n.Reads()
	}
	return nil
}

// Of returns an operator as a scan, and whether it is one.
func Of(s op.Operator) (*Scan, bool) {
	out, ok := op.Untimed(s).(*Scan)
	return out, ok
}

// Lowest returns the scan under links and groups; nil if there is none.
func Lowest(s op.Operator) *Scan {
	for s != nil {
		switch of := s.(type) {
		case *Scan:
			return of
		case interface{ Grouped() op.Operator }:
			s = of.Grouped()
		default:
			s = Below(s)
		}
	}
	return nil
}

// BaseOf returns the scan at the end of a pipeline; nil if the operator is not a pipeline.
func BaseOf(s op.Operator) *Scan {
	base := Bottom(s)
	for ; base != nil && s != base; s = Below(s) {
		if l, ok := s.(Link); ok && !l.SameInParts() {
			return nil
		}
	}
	return base
}

// columned is an operator with the columns of one relation, or of one result.
type columned interface {
	// KeyColumn returns the frame's column of K, or -1.
	KeyColumn() int
	// ColumnsOf returns the frame's columns from first to below end.
	ColumnsOf() (first, end int)
}

// KeyColumn returns the frame's column with the K of a pipeline's rows, or -1.
func KeyColumn(s op.Operator) int {
	for ; s != nil; s = Below(s) {
		if c, ok := s.(columned); ok {
			return c.KeyColumn()
		}
	}
	return -1
}

// ColumnsOf returns the frame's columns of a pipeline without a join.
func ColumnsOf(s op.Operator) (first, end int) {
	for ; s != nil; s = Below(s) {
		if c, ok := s.(columned); ok {
			return c.ColumnsOf()
		}
	}
	return 0, 0
}

// Quietly reports whether the expressions of a pipeline neither warn nor fail: each link must say so by a
// method Quiet.
func Quietly(s op.Operator) bool {
	for ; s != nil; s = Below(s) {
		switch s := s.(type) {
		case *op.Timed:
		case *Scan:
			return s.Quiet()
		case *RunCount:
			return false
		case interface{ Quiet() bool }:
			if !s.Quiet() {
				return false
			}
		default:
			return false
		}
	}
	return false
}

// Impure reports whether an expression has side effects, or is volatile.
func Impure(n expr.Node) bool { return !kernel.Pure(n) }

// Pipeline returns one like another, over the part's cells, and the frame that it fills: x, or one of its own
// if x is nil.
func (r *PartRun) Pipeline(like op.Operator, x *op.Frame) (op.Operator, *op.Frame) {
	return op.Untimed(like).(Link).OfPart(r, x)
}

// AddWork adds what an operator has done to the step of another one like it.
func AddWork(out *explain.Step, s op.Operator) {
	if l, ok := op.Untimed(s).(Link); ok {
		l.AddWork(out)
	}
}

// Has reports whether a link of a pipeline is an L.
func Has[L any](s op.Operator) bool {
	for ; s != nil; s = Below(s) {
		if _, ok := any(s).(L); ok {
			return true
		}
	}
	return false
}

// Evenly reports whether two scans have about the same size, and at least so many cells.
func Evenly(l, r *Scan, cells int64) bool {
	a, known := l.Size(cost.LooksJoined)
	if !known || a.Stored < cells {
		return false
	}
	b, known := r.Size(cost.LooksJoined)
	return known && cost.RightInParts(a, b) && cost.LeftInParts(a, b)
}
