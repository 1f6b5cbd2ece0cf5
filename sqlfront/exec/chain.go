package exec

import (
	"github.com/hbasekv/hbasekv/sqlfront/exec/cost"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
)

// A chain is a scan and what makes rows of its cells one after the other: filters,
// pivots, whose groups are those of one row of the table each, joins of two chains by
// K, merge joins, and joins with rows that are kept. Parts of the scan make up the same
// rows in chains of their own.

// link is a source of which a chain may be made.
type link interface {
	op.Source
	// Under is what it reads, of a join its left side; nil where the chain ends.
	Under() op.Source
	// SameInParts reports whether parts of the scan at the end make up the same rows.
	SameInParts() bool
	// OfPart is one like it over a part's cells, and the frame that it fills: the one
	// given, or of its own where there is none.
	OfPart(r *partRun, x *op.Frame) (op.Source, *op.Frame)
	// AddWork adds to the steps of a chain what this one, which is like it, has done.
	AddWork(out *explain.Step)
}

// below is what a link of a chain reads, of a join its left side; nil where there is
// no link.
func below(s op.Source) op.Source {
	switch s := s.(type) {
	case *op.Timed:
		return s.Source
	case link:
		return s.Under()
	}
	return nil
}

// bottom is the scan under links, whether or not they are a chain; nil where there is
// none.
func bottom(s op.Source) *scan {
	for ; s != nil; s = below(s) {
		if scan, ok := s.(*scan); ok {
			return scan
		}
	}
	return nil
}

// scanOf is a source that is a scan.
func scanOf(s op.Source) (*scan, bool) {
	out, ok := op.Untimed(s).(*scan)
	return out, ok
}

// lowest is the scan under links and groups; nil where there is none.
func lowest(s op.Source) *scan {
	for s != nil {
		switch of := s.(type) {
		case *scan:
			return of
		case interface{ Grouped() op.Source }:
			s = of.Grouped()
		default:
			s = below(s)
		}
	}
	return nil
}

// baseOf is the scan at the end of a chain, nil where a source is none.
func baseOf(s op.Source) *scan {
	base := bottom(s)
	for ; base != nil && s != base; s = below(s) {
		if l, ok := s.(link); ok && !l.SameInParts() {
			return nil
		}
	}
	return base
}

func impure(n expr.Node) bool { return !kernel.Pure(n) }

// chain is one like another, over the part's cells, and the frame that it fills: the
// one given, or of its own where there is none.
func (r *partRun) chain(like op.Source, x *op.Frame) (op.Source, *op.Frame) {
	return op.Untimed(like).(link).OfPart(r, x)
}

// addWork adds to the steps of a chain what another one like it has done.
func addWork(out *explain.Step, s op.Source) {
	if l, ok := op.Untimed(s).(link); ok {
		l.AddWork(out)
	}
}

// has reports whether a link of a chain is an L.
func has[L any](s op.Source) bool {
	for ; s != nil; s = below(s) {
		if _, ok := any(s).(L); ok {
			return true
		}
	}
	return false
}

// evenly reports whether two scans are about as large, and have so many cells at least.
func evenly(l, r *scan, cells int64) bool {
	a, known := l.size(cost.LooksJoined)
	if !known || a.Stored < cells {
		return false
	}
	b, known := r.size(cost.LooksJoined)
	return known && cost.RightInParts(a, b) && cost.LeftInParts(a, b)
}
