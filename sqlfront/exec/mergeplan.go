package exec

import (
	"github.com/hbasekv/hbasekv/partition"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/ordering"
)

// MergePlan joins two sides that come in one sequence by reading each once.
type MergePlan struct {
	// Left and right are the columns that are equal in rows that join: K, K
	// and Q, or K, Q and T.
	Left, Right []*expr.Column
	// First are the columns of the left side's sequence that each row has.
	First []*expr.Column
	// Rest is what the condition asks besides.
	Rest expr.Node
	// Scan reads all of the right side, and group what it has for one left row.
	Scan, Group *Access
}

// scheme is how the right side is partitioned.
func (m *MergePlan) scheme() *partition.Scheme { return m.Scan.Tables[0].Partitioning }

// order is the keys' order in a sequence, as ORDER BY says it.
func order(columns []*expr.Column, kind sequenceKind) []ordering.Key {
	out := make([]ordering.Key, len(columns))
	for i, c := range columns {
		out[i] = ordering.Key{Expr: c, Desc: (kind == descending) != (i == timePosition)}
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
func (n *Join) merges(x *frame, g grant, want request) bool {
	if x.lock != nil || g.rows.kind == noSequence {
		return false
	}
	few := want.limit > 0 && want.limit <= maxLookups
	return !few || g.rows.kind == byPartition || n.Merge.scheme().Ordered()
}

// openMerge opens the right side in the left side's sequence. Where the two
// are partitioned differently, both must be in order over all partitions.
func (n *Join) openMerge(x *frame, left source, g grant, below request) (source, grant, error) {
	if g.rows.kind == byPartition && !g.rows.scheme.Equal(n.Merge.scheme()) {
		below.order, below.limit = order(n.Merge.First, ascending), 0
		if err := left.close(); err != nil {
			return nil, g, err
		}
		reopened, again, err := n.Left.open(x, below)
		if err != nil {
			return nil, g, err
		}
		left, g.rows = reopened, again.rows
	}
	if g.rows.kind == byPartition && !g.rows.scheme.Equal(n.Merge.scheme()) {
		g.rows.unique = 0
		return newLookupJoin(n, x, left), g, nil
	}
	j := &mergeJoin{joining: newJoining(n, x, left), sequence: g.rows}
	j.group.single = g.rows.unique > 0 && g.rows.unique <= len(n.Merge.Left)
	unique, err := j.openRight()
	if !j.group.single || !unique {
		g.rows.unique = 0
	}
	return j, g, err
}
