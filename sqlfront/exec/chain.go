package exec

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
)

// A chain is a scan and what makes rows of its cells one after the other: filters,
// pivots, whose groups are those of one row of the table each, and joins of two chains
// by K. Parts of the scan make up the same rows in chains of their own.

// below is what a link of a chain reads, of a join its left side; nil where there is
// no link.
func below(s source) source {
	switch s := s.(type) {
	case *timed:
		return s.source
	case *batchReader:
		return s.source
	case *readAhead:
		return s.source
	case *filter:
		return s.source
	case *streamGroups:
		return s.child
	case *rowJoin:
		return s.l.source
	case *derivedJoin:
		return s.ahead
	case *derivedScan:
		if p, ok := s.rows.(*project); ok {
			return p.child
		}
	}
	return nil
}

// bottom is the scan under links, whether or not they are a chain; nil where there is
// none.
func bottom(s source) *scan {
	for ; s != nil; s = below(s) {
		if scan, ok := s.(*scan); ok {
			return scan
		}
	}
	return nil
}

// baseOf is the scan at the end of a chain, nil where a source is none.
func baseOf(s source) *scan {
	base := bottom(s)
	for ; base != nil && s != base; s = below(s) {
		if !chained(s, base) {
			return nil
		}
	}
	return base
}

// chained reports whether parts of a scan make up the same rows of a link.
func chained(s source, base *scan) bool {
	switch s := s.(type) {
	case *derivedJoin:
		return s.rows != nil
	case *filter:
		return kernel.Pure(s.cond)
	case *derivedScan:
		return !slices.ContainsFunc(s.rows.(*project).nodes, impure)
	case *streamGroups:
		return base.x == s.x && s.ofRows(base.access.Columns.K)
	}
	return true
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

// chain is one like another, over the part's cells, and the frame that it fills: the
// one given, or of its own where there is none.
func (r *partRun) chain(like source, x *frame) (source, *frame) {
	switch s := like.(type) {
	case *timed:
		return r.chain(s.source, x)
	case *batchReader:
		return r.chain(s.source, x)
	case *readAhead:
		return r.chain(s.source, x)
	case *derivedJoin:
		return r.chain(s.rows, x)
	case *rowJoin:
		left, x := r.chain(s.l.source, x)
		right, _ := r.chain(s.r.source, x)
		join := s.startRows(x, left, right, s.rest)
		join.inPart, r.joins = true, append(r.joins, join)
		return join, x
	case *filter:
		child, x := r.chain(s.source, x)
		return &filter{source: child, cond: s.cond, title: s.title}, x
	case *derivedScan:
		p := s.rows.(*project)
		child, within := r.chain(p.child, nil)
		if x == nil {
			x = r.frame(s.x)
		}
		return &derivedScan{Derived: s.Derived, x: x, rows: p.projection.start(within, child)}, x
	case *streamGroups:
		child, x := r.chain(s.child, x)
		return s.stream(x, child), x
	case *scan:
		out := r.scanLike(s, x)
		return out, out.x
	}
	panic("no chain")
}

// joinOf is the uppermost join of a chain, nil where it has none.
func joinOf(s source) *rowJoin {
	for ; s != nil; s = below(s) {
		switch s := s.(type) {
		case *derivedJoin:
			return s.rows
		case *rowJoin:
			return s
		}
	}
	return nil
}

// chainedJoins decides how the joins of a chain are done, and reports whether all are
// done as chains.
func chainedJoins(s source) (bool, error) {
	for ; s != nil; s = below(s) {
		if j, ok := s.(*derivedJoin); ok {
			if err := j.decideOnce(); err != nil || !j.merged {
				return false, err
			}
		}
	}
	return true, nil
}

// maxUneven is how many times as many cells as on the left a join in parts may read on
// the right, where few left rows might have been looked up instead.
const maxUneven = 4

// even reports whether a join, and those below it, have at least so many cells on the
// left, and not far more on the right.
func (j *rowJoin) even(cells int64) bool {
	if j == nil {
		return true
	}
	l, known := baseOf(j.l.source).size(looksJoined)
	r, both := baseOf(j.r.source).size(looksJoined)
	return known && both && l.Stored >= cells && r.Stored <= maxUneven*l.Stored && joinOf(j.l.source).even(0)
}

// addChain adds to the steps of a chain what another one like it has done.
func (out *Step) addChain(s source) {
	switch s := s.(type) {
	case *batchReader:
		out.addChain(s.source)
	case *timed:
		out.addChain(s.source)
	case *rowJoin:
		out.Steps[0].addChain(s.l.source)
		out.Steps[1].addChain(s.r.source)
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
