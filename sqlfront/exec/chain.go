package exec

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/loud"
)

// A chain is a scan and what makes rows of its cells one after the other: filters,
// pivots, whose groups are those of one row of the table each, joins of two chains by
// K, merge joins, and joins with rows that are kept. Parts of the scan make up the same
// rows in chains of their own.

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
	case *mergeJoin:
		return s.left
	case *keptJoin:
		return s.left
	case *lookupJoin:
		return s.left
	case *derivedJoin:
		return s.ahead
	case *derivedScan:
		if p := s.projection(); p != nil {
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
	case *mergeJoin:
		return s.joinsInParts(base)
	case *keptJoin:
		return s.joinsAlike(s.x)
	case *lookupJoin:
		return s.Right != nil && s.joinsAlike(s.x) && !loud.Condition(s.On)
	case *derivedJoin:
		return s.rows != nil || s.joinsAlike(s.x)
	case *filter:
		return kernel.Pure(s.cond)
	case *derivedScan:
		return !slices.ContainsFunc(s.projection().nodes, impure)
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
		if s.merged {
			return r.chain(s.rows, x)
		}
		return r.chain(s.kept, x)
	case *lookupJoin:
		if s.rows != nil {
			return r.chain(s.rows, x)
		}
		return r.chain(s.kept, x)
	case *mergeJoin:
		left, x := r.chain(s.left, x)
		return s.ofPart(x, left, r.scanLike(s.right, nil)), x
	case *keptJoin:
		left, x := r.chain(s.left, x)
		return s.ofPart(x, left), x
	case *rowJoin:
		left, x := r.chain(s.l.source, x)
		within := x
		if s.gives != inPairs {
			within = nil // its partners are in a frame of their own
		}
		right, _ := r.chain(s.r.source, within)
		join := s.startLike(x, left, right)
		join.inPart, r.joins = true, append(r.joins, join)
		return join, x
	case *filter:
		child, x := r.chain(s.source, x)
		return &filter{source: child, cond: s.cond, title: s.title}, x
	case *derivedScan:
		p := s.projection()
		child, within := r.chain(p.child, nil)
		if x == nil {
			x = r.frame(s.x)
		}
		rows := p.projection.start(within, child)
		if part, ok := s.rows.(*unionPart); ok {
			return &derivedScan{Derived: s.Derived, x: x, rows: &unionPart{project: rows, union: part.union}}, x
		}
		return &derivedScan{Derived: s.Derived, x: x, rows: rows}, x
	case *streamGroups:
		child, x := r.chain(s.child, x)
		return s.stream(x, child), x
	case *scan:
		out := r.scanLike(s, x)
		return out, out.x
	}
	panic("no chain")
}

// hasJoin reports whether a chain has a join.
func hasJoin(s source) bool {
	for ; s != nil; s = below(s) {
		switch s.(type) {
		case *rowJoin, *mergeJoin, *keptJoin, *lookupJoin, *derivedJoin:
			return true
		}
	}
	return false
}

// chainedJoins decides how the joins of a chain are done, and reports whether parts of
// it can do all of them. built is what those that keep rows have warned of.
func chainedJoins(chain source) (built []warning, ok bool, err error) {
	for s := chain; s != nil; s = below(s) {
		switch j := s.(type) { // before another link reads ahead
		case *mergeJoin:
			j.decide()
		case *lookupJoin:
			if err := j.keepNow(); err != nil {
				return nil, false, err
			}
		}
	}
	for s := chain; s != nil; s = below(s) {
		kept, plain, err := keptOf(s)
		if plain && err == nil {
			continue
		}
		if kept == nil || err != nil {
			return nil, false, err
		}
		told := kept.ready // who asked for its columns has had it made ready
		if err := kept.prepareOnce(); err != nil || !kept.shares() {
			return nil, false, err
		}
		if !told {
			built = append(built, kept.warnings...)
		}
	}
	return built, true, nil
}

// keptOf is the join with kept rows that a link becomes; where that is nil, plain says
// that it is a link for parts all the same.
func keptOf(s source) (kept *keptJoin, plain bool, err error) {
	switch j := s.(type) {
	case *keptJoin:
		return j, false, nil
	case *lookupJoin:
		return j.kept, j.rows != nil, nil
	case *derivedJoin:
		err := j.decideOnce()
		return j.kept, j.merged, err
	}
	return nil, true, nil
}

// maxUneven is how many times as many cells as on the left a join in parts may read on
// the right, where few left rows might have been looked up instead; and how many times
// as many on the left, where rows without a match are passed over.
const maxUneven = 4

// even reports whether a chain has at least so many cells at its end, and its joins of
// two scans about as many on the right.
func even(s source, cells int64) bool {
	l, known := baseOf(s).size(looksJoined)
	if !known || l.Stored < cells {
		return false
	}
	for ; s != nil; s = below(s) {
		right, skips := besides(s)
		if right == nil {
			continue
		}
		r, known := right.size(looksJoined)
		if !known || r.Stored > maxUneven*l.Stored || skips && l.Stored > maxUneven*r.Stored {
			return false
		}
	}
	return true
}

// evenly reports whether two scans are about as large, and have so many cells at least.
func evenly(l, r *scan, cells int64) bool {
	a, known := l.size(looksJoined)
	if !known || a.Stored < cells {
		return false
	}
	b, known := r.size(looksJoined)
	return known && b.Stored <= maxUneven*a.Stored && a.Stored <= maxUneven*b.Stored
}

// besides is the scan that a link reads, or may come to read, beside that at the end of
// its chain; skips says that it may pass over rows of that.
func besides(s source) (right *scan, skips bool) {
	switch j := s.(type) {
	case *rowJoin:
		return baseOf(j.r.source), false
	case *derivedJoin:
		if j.rows != nil {
			return baseOf(j.rows.r.source), false
		}
	case *lookupJoin:
		if j.rows != nil {
			return baseOf(j.rows.r.source), false
		}
	case *mergeJoin:
		return j.right, !j.Outer
	}
	return nil, false
}

// addChain adds to the steps of a chain what another one like it has done.
func addChain(out *explain.Step, s source) {
	switch s := s.(type) {
	case *batchReader:
		addChain(out, s.source)
	case *timed:
		addChain(out, s.source)
	case *rowJoin:
		addChain(out.Steps[0], s.l.source)
		addChain(out.Steps[1], s.r.source)
	case *mergeJoin:
		addChain(out.Steps[0], s.left)
		addChain(out.Steps[1], s.right)
	case *keptJoin:
		addChain(out.Steps[0], s.left)
	case *filter:
		out.Rows += s.given
		addChain(out.Steps[0], s.source)
	case *derivedScan:
		out.Rows += s.given
		if p, ok := s.rows.(*project); ok { // the steps of a union's parts are only planned
			addChain(out.Steps[0], p.child)
		}
	case *streamGroups:
		addChain(out.Steps[0], s.child)
	case *scan:
		out.Rows += s.given
		out.Stats = addStats(out.Stats, s.stats())
	}
}
