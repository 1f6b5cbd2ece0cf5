package exec

import (
	"iter"

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
	// under is what it reads, of a join its left side; nil where the chain ends.
	under() op.Source
	// sameInParts reports whether parts of the scan at the end make up the same rows.
	sameInParts() bool
	// ofPart is one like it over a part's cells, and the frame that it fills: the one
	// given, or of its own where there is none.
	ofPart(r *partRun, x *op.Frame) (op.Source, *op.Frame)
	// addWork adds to the steps of a chain what this one, which is like it, has done.
	addWork(out *explain.Step)
}

// joinLink is a link that joins.
type joinLink interface {
	link
	// decideForParts decides how it is done, where that is to be asked before another link
	// reads ahead.
	decideForParts() error
	// keptForParts is the join with kept rows that it becomes; where that is nil, plain says
	// that it is a link for parts all the same.
	keptForParts() (kept *keptJoin, plain bool, err error)
	// Beside is the scan that it reads, or may come to read, beside that at the end of its
	// chain; skips says that it may pass over rows of that.
	Beside() (right *scan, skips bool)
}

// below is what a link of a chain reads, of a join its left side; nil where there is
// no link.
func below(s op.Source) op.Source {
	switch s := s.(type) {
	case *op.Timed:
		return s.Source
	case link:
		return s.under()
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
		case interface{ grouped() op.Source }:
			s = of.grouped()
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
		if l, ok := s.(link); ok && !l.sameInParts() {
			return nil
		}
	}
	return base
}

func impure(n expr.Node) bool { return !kernel.Pure(n) }

// chain is one like another, over the part's cells, and the frame that it fills: the
// one given, or of its own where there is none.
func (r *partRun) chain(like op.Source, x *op.Frame) (op.Source, *op.Frame) {
	return op.Untimed(like).(link).ofPart(r, x)
}

// addWork adds to the steps of a chain what another one like it has done.
func addWork(out *explain.Step, s op.Source) {
	if l, ok := op.Untimed(s).(link); ok {
		l.addWork(out)
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

// hasJoin reports whether a chain has a join.
func hasJoin(s op.Source) bool { return has[joinLink](s) }

// joinsOf are the joins of a chain, the last one first.
func joinsOf(s op.Source) iter.Seq[joinLink] {
	return func(yield func(joinLink) bool) {
		for ; s != nil; s = below(s) {
			if j, ok := s.(joinLink); ok && !yield(j) {
				return
			}
		}
	}
}

// chainedJoins decides how the joins of a chain are done, and reports whether parts of
// it can do all of them. built is what those that keep rows have warned of.
func chainedJoins(chain op.Source) (built []op.Warning, ok bool, err error) {
	for j := range joinsOf(chain) { // before another link reads ahead
		if err := j.decideForParts(); err != nil {
			return nil, false, err
		}
	}
	for j := range joinsOf(chain) {
		kept, plain, err := j.keptForParts()
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

// even reports whether a chain has at least so many cells at its end, and its joins of
// two scans about as many on the right.
func even(s op.Source, cells int64) bool {
	l, known := baseOf(s).size(cost.LooksJoined)
	if !known || l.Stored < cells {
		return false
	}
	for j := range joinsOf(s) {
		right, skips := j.Beside()
		if right == nil {
			continue
		}
		r, known := right.size(cost.LooksJoined)
		if !known || !cost.RightInParts(l, r) || skips && !cost.LeftInParts(l, r) {
			return false
		}
	}
	return true
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
