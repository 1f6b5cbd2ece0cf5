package plan

import (
	"github.com/hbasekv/hbasekv/partition"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
)

// mergePlan joins two sides that come in one sequence by reading each once.
type mergePlan struct {
	// left and right are the columns that are equal in rows that join: K, K
	// and Q, or K, Q and T.
	left, right []*expr.Column
	// first are the columns of the left side's sequence that each row has.
	first []*expr.Column
	// rest is what the condition asks besides.
	rest expr.Node
	// scan reads all of the right side, and group what it has for one left row.
	scan, group *Access
}

// mergePlan is nil where the condition does not set a key of the right side
// equal to one that the left side has in sequence.
func (b *blockPlanner) mergePlan(j *joinItem, l *leaf, left node, right, both []expr.Node) *mergePlan {
	m := &mergePlan{}
	rest := append([]expr.Node(nil), both...)
	needV := b.used[l.relation.keyColumns(l.first).V]
	m.scan = b.access(l, expr.Conjoin(right), needV)
	where := append([]expr.Node(nil), right...)
	columns := sequenceOf(left)
	for i, own := range m.scan.sequenceColumns() {
		if i == len(columns) {
			break
		}
		at, from, to := pairOf(rest, columns[i], own[0])
		if at < 0 {
			break
		}
		m.first = append(m.first, b.scope.column(columns[i][0]))
		m.left, m.right = append(m.left, from), append(m.right, to)
		where = append(where, rest[at])
		rest = append(rest[:at], rest[at+1:]...)
	}
	if len(m.left) == 0 {
		return nil
	}
	m.rest = expr.Conjoin(rest)
	m.group = b.access(l, expr.Conjoin(where), needV)
	outside := m.group.Given
	m.group.Given = func(index int) bool { return holds(j.left, index) || outside != nil && outside(index) }
	return m
}

// pairOf finds the equality of one of some columns with another one; it is -1
// where there is none.
func pairOf(conds []expr.Node, columns []int, own int) (at int, from, to *expr.Column) {
	for i, n := range conds {
		x, y, ok := equalColumns(n)
		if !ok {
			continue
		}
		if x.Index == own {
			x, y = y, x
		}
		for _, c := range columns {
			if x.Index == c && y.Index == own {
				return i, x, y
			}
		}
	}
	return -1, nil, nil
}

// scheme is how the right side is partitioned.
func (m *mergePlan) scheme() *partition.Scheme { return m.scan.Tables[0].Partitioning }

// order is the keys' order in a sequence, as ORDER BY says it.
func order(columns []*expr.Column, kind sequenceKind) []OrderKey {
	out := make([]OrderKey, len(columns))
	for i, c := range columns {
		out[i] = OrderKey{c, (kind == descending) != (i == timePosition)}
	}
	return out
}

// timePosition is T's place in a sequence.
const timePosition = 2

// maxLookups is up to how many rows lookups beat the merge of a table's
// partitions, of which each must be sought first.
const maxLookups = 64

// merges reports whether a merge is better than lookups. It reads rows that
// do not join, so that it is not for statements that lock what they read.
func (n *joinNode) merges(x *exec, g grant, want request) bool {
	if x.lock != nil || g.rows.kind == noSequence {
		return false
	}
	few := want.limit > 0 && want.limit <= maxLookups
	return !few || g.rows.kind == byPartition || n.merge.scheme().Ordered()
}

// openMerge opens the right side in the left side's sequence. Where the two
// are partitioned differently, both must be in order over all partitions.
func (n *joinNode) openMerge(x *exec, left source, g grant, below request) (source, grant, error) {
	if g.rows.kind == byPartition && !g.rows.scheme.Equal(n.merge.scheme()) {
		below.order, below.limit = order(n.merge.first, ascending), 0
		if err := left.close(); err != nil {
			return nil, g, err
		}
		reopened, again, err := n.left.open(x, below)
		if err != nil {
			return nil, g, err
		}
		left, g.rows = reopened, again.rows
	}
	if g.rows.kind == byPartition && !g.rows.scheme.Equal(n.merge.scheme()) {
		g.rows.unique = 0
		return newLookupJoin(n, x, left), g, nil
	}
	j := &mergeJoin{joinNode: n, x: x, left: left, sequence: g.rows}
	j.group.single = g.rows.unique > 0 && g.rows.unique <= len(n.merge.left)
	unique, err := j.openRight()
	if !j.group.single || !unique {
		g.rows.unique = 0
	}
	return j, g, err
}
