package scan

import (
	"github.com/hbasekv/hbasekv/sqlfront/exec/cost"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
)

// A pipeline is a scan and what makes rows of its cells one after the other: filters,
// pivots, whose groups are those of one row of the table each, joins of two pipelines by
// K, merge joins, and joins with rows that are kept. Parts of the scan make up the same
// rows in pipelines of their own.

// Link is an operator of which a pipeline may be made.
type Link interface {
	op.Operator
	// Under is what it reads, of a join its left side; nil where the pipeline ends.
	Under() op.Operator
	// SameInParts reports whether parts of the scan at the end make up the same rows.
	SameInParts() bool
	// OfPart is one like it over a part's cells, and the frame that it fills: the one
	// given, or of its own where there is none.
	OfPart(r *PartRun, x *op.Frame) (op.Operator, *op.Frame)
	// AddWork adds to the steps of a pipeline what this one, which is like it, has done.
	AddWork(out *explain.Step)
}

// Below is what a link of a pipeline reads, of a join its left side; nil where there is
// no link.
func Below(s op.Operator) op.Operator {
	switch s := s.(type) {
	case *op.Timed:
		return s.Operator
	case Link:
		return s.Under()
	}
	return nil
}

// Bottom is the scan under links, whether or not they are a pipeline; nil where there is
// none.
func Bottom(s op.Operator) *Scan {
	for ; s != nil; s = Below(s) {
		if scan, ok := s.(*Scan); ok {
			return scan
		}
	}
	return nil
}

// AccessOf is the access to a table of a node that gives its rows, cells or others, one by one; nil of another node.
func AccessOf(n op.Node) *Access {
	switch n := n.(type) {
	case *Access:
		return n
	case interface{ Reads() *Access }:
		return n.Reads()
	}
	return nil
}

// Of is an operator as a scan, and whether it is one.
func Of(s op.Operator) (*Scan, bool) {
	out, ok := op.Untimed(s).(*Scan)
	return out, ok
}

// Lowest is the scan under links and groups; nil where there is none.
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

// BaseOf is the scan at the end of a pipeline, nil where an operator is none.
func BaseOf(s op.Operator) *Scan {
	base := Bottom(s)
	for ; base != nil && s != base; s = Below(s) {
		if l, ok := s.(Link); ok && !l.SameInParts() {
			return nil
		}
	}
	return base
}

// columned is an operator that has the columns of one relation, or of one result.
type columned interface {
	// KeyColumn is the frame's column of K, -1 where there is none.
	KeyColumn() int
	// ColumnsOf are the frame's columns from first to below end.
	ColumnsOf() (first, end int)
}

// KeyColumn is the frame's column in which a pipeline has the K of its rows, -1 where there is none.
func KeyColumn(s op.Operator) int {
	for ; s != nil; s = Below(s) {
		if c, ok := s.(columned); ok {
			return c.KeyColumn()
		}
	}
	return -1
}

// ColumnsOf are the frame's columns of a pipeline without a join.
func ColumnsOf(s op.Operator) (first, end int) {
	for ; s != nil; s = Below(s) {
		if c, ok := s.(columned); ok {
			return c.ColumnsOf()
		}
	}
	return 0, 0
}

// Quietly reports whether what a pipeline evaluates neither warns nor fails: each link of it has to be known for
// that, by a method Quiet.
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

// Impure reports whether an expression has an effect, or differs each time.
func Impure(n expr.Node) bool { return !kernel.Pure(n) }

// Pipeline is one like another, over the part's cells, and the frame that it fills: the
// one given, or of its own where there is none.
func (r *PartRun) Pipeline(like op.Operator, x *op.Frame) (op.Operator, *op.Frame) {
	return op.Untimed(like).(Link).OfPart(r, x)
}

// AddWork adds to the steps of a pipeline what another one like it has done.
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

// Evenly reports whether two scans are about as large, and have so many cells at least.
func Evenly(l, r *Scan, cells int64) bool {
	a, known := l.Size(cost.LooksJoined)
	if !known || a.Stored < cells {
		return false
	}
	b, known := r.Size(cost.LooksJoined)
	return known && cost.RightInParts(a, b) && cost.LeftInParts(a, b)
}
