package exec

import (
	"github.com/hbasekv/hbasekv/partition"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
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
	Scan, Group *scan.Access
}

// scheme is how the right side is partitioned.
func (m *MergePlan) scheme() *partition.Scheme { return m.Scan.Tables[0].Partitioning }

// orderOf is the keys' order in a sequence, as ORDER BY says it.
func orderOf(columns []*expr.Column, kind op.SequenceKind) []ordering.Key {
	out := make([]ordering.Key, len(columns))
	for i, c := range columns {
		out[i] = ordering.Key{Expr: c, Desc: (kind == op.Descending) != (i == timePosition)}
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
func (n *Join) merges(x *op.Frame, g op.Grant, want op.Request) bool {
	if x.Lock != nil || g.Rows.Kind == op.NoSequence {
		return false
	}
	few := want.Limit > 0 && want.Limit <= maxLookups
	return !few || g.Rows.Kind == op.ByPartition || n.Merge.scheme().Ordered()
}

// openMerge opens the right side in the left side's sequence. Where the two
// are partitioned differently, both must be in order over all partitions.
func (n *Join) openMerge(x *op.Frame, left op.Source, g op.Grant, below op.Request) (op.Source, op.Grant, error) {
	if g.Rows.Kind == op.ByPartition && !g.Rows.Scheme.Equal(n.Merge.scheme()) {
		below.Order, below.Limit = orderOf(n.Merge.First, op.Ascending), 0
		if err := left.Close(); err != nil {
			return nil, g, err
		}
		reopened, again, err := n.Left.Open(x, below)
		if err != nil {
			return nil, g, err
		}
		left, g.Rows = reopened, again.Rows
	}
	if g.Rows.Kind == op.ByPartition && !g.Rows.Scheme.Equal(n.Merge.scheme()) {
		g.Rows.Unique = 0
		return newLookupJoin(n, x, left), g, nil
	}
	j := &mergeJoin{joining: newJoining(n, x, left), sequence: g.Rows}
	j.group.single = g.Rows.Unique > 0 && g.Rows.Unique <= len(n.Merge.Left)
	unique, err := j.openRight()
	if !j.group.single || !unique {
		g.Rows.Unique = 0
	}
	return j, g, err
}
