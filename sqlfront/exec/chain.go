package exec

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
)

// A chain is a scan and what makes rows of its cells one after the other: filters, and
// pivots, whose groups are those of one row of the table each. Parts of the scan make
// up the same rows in chains of their own.

// baseOf is the scan at the end of a chain, nil where a source is none.
func baseOf(s source) *scan {
	switch s := s.(type) {
	case *scan:
		return s
	case *timed:
		return baseOf(s.source)
	case *filter:
		if kernel.Pure(s.cond) {
			return baseOf(s.source)
		}
	case *derivedScan:
		if p, ok := s.rows.(*project); ok && !slices.ContainsFunc(p.nodes, impure) {
			return baseOf(p.child)
		}
	case *streamGroups:
		if base := baseOf(s.child); base != nil && base.x == s.x && s.ofRows(base.access.Columns.K) {
			return base
		}
	}
	return nil
}

func impure(n expr.Node) bool { return !kernel.Pure(n) }

// ofRows reports whether each group is of one row of the table, whose key is a column
// of the frame, and remembers nothing but results.
func (n *Aggregate) ofRows(key int) bool {
	return !n.Implicit && !n.grows() &&
		slices.ContainsFunc(n.Keys, func(k GroupKey) bool {
			c, ok := k.Node.(*expr.Column)
			return ok && c.Index == key
		}) &&
		!slices.ContainsFunc(n.keyNodes(), impure) &&
		!slices.ContainsFunc(n.Aggs, func(a AggSlot) bool { return slices.ContainsFunc(a.Agg.Args, impure) })
}

// over makes a chain like another one of the part's scan.
func (r *partRun) over(like source) (source, *frame) {
	s, x := r.chain(like)
	r.source = s
	return s, x
}

// chain is one like another, over the part's scan, and the frame that it fills.
func (r *partRun) chain(like source) (source, *frame) {
	switch s := like.(type) {
	case *timed:
		return r.chain(s.source)
	case *filter:
		child, x := r.chain(s.source)
		return &filter{source: child, cond: s.cond, title: s.title}, x
	case *derivedScan:
		p := s.rows.(*project)
		child, within := r.chain(p.child)
		x := r.frame(s.x)
		return &derivedScan{Derived: s.Derived, x: x, rows: p.projection.start(within, child)}, x
	case *streamGroups:
		child, x := r.chain(s.child)
		return s.stream(x, child), x
	}
	return r.scan, r.scan.x
}

// addChain adds to the steps of a chain what another one like it has done.
func (out *Step) addChain(s source) {
	switch s := s.(type) {
	case *batchReader:
		out.addChain(s.source)
	case *timed:
		out.addChain(s.source)
	case *filter:
		out.Rows += s.given
		out.Steps[0].addChain(s.source)
	case *derivedScan:
		out.Rows += s.given
		out.Steps[0].addChain(s.rows.(*project).child)
	case *streamGroups:
		out.Steps[0].addChain(s.child)
	case *scan:
		out.Rows += s.given
		out.Stats = addStats(out.Stats, s.stats())
	}
}
