package plan

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
)

// maxTwice bounds how many derived tables of a statement are planned in two
// ways: nested ones double at each step.
const maxTwice = 32

// buildFew plans the derived table on a join's right side a second time, to be
// opened with the keys of one left row. It is nil where that leads to no rows.
func (b *blockPlanner) buildFew(j *joinItem, l *leaf, right, both []expr.Node) (exec.Node, error) {
	isKey := func(index int) bool {
		i := index - l.first
		return i >= 0 && i < len(l.relation.Columns) && l.derived.keyOf(i) == 0
	}
	if l.derived == nil || b.twice >= maxTwice || !b.leadsToKey(j, both, isKey) ||
		slices.ContainsFunc(right, settles(isKey)) {
		return nil, nil
	}
	b.twice++
	reads := b.reads
	q, err := l.again()
	b.reads = reads // what it reads is noted already
	if err != nil {
		return nil, err
	}
	n := newDerived(l, q)
	rest := b.pushInto(n, slices.Concat(right, l.on, both))
	for _, cond := range rest {
		b.use(cond)
	}
	q.prune(func(i int) bool { return b.used[l.first+i] })
	return filtered(n.Derived, expr.Conjoin(rest)), q.complete()
}

// settles tells conditions that set a key equal to constants: no left row is
// needed to find the few rows there are.
func settles(isKey func(index int) bool) func(expr.Node) bool {
	return func(n expr.Node) bool {
		var x expr.Node
		switch n := n.(type) {
		case *expr.Compare:
			if n.Op == expr.Eq {
				x = n.L
			}
		case *expr.In:
			if !n.Not {
				x = n.X
			}
		}
		c, ok := x.(*expr.Column)
		return ok && isKey(c.Index)
	}
}
