package physical

import (
	"github.com/hbasekv/hbasekv/sqlfront/exec/join"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/pipeline"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
)

// mergePlan is nil if no condition sets a key of the right side equal to one by which the left side is
// ordered.
func (b *builder) mergePlan(j *block.Join, l *block.Leaf, left op.Node, right, both []expr.Node) *join.MergePlan {
	m := &join.MergePlan{}
	rest := append([]expr.Node(nil), both...)
	needV := b.used[l.Relation.KeyColumns(l.First).V]
	m.Scan = b.access(l, expr.Conjoin(right), needV)
	where := append([]expr.Node(nil), right...)
	columns := sequenceOf(left)
	for i, own := range m.Scan.SequenceColumns() {
		if i == len(columns) {
			break
		}
		at, from, to := pairOf(rest, columns[i], own[0])
		if at < 0 {
			break
		}
		m.First = append(m.First, b.Scope.ColumnAt(columns[i][0]))
		m.Left, m.Right = append(m.Left, from), append(m.Right, to)
		where = append(where, rest[at])
		rest = append(rest[:at], rest[at+1:]...)
	}
	if len(m.Left) == 0 {
		return nil
	}
	m.Rest = expr.Conjoin(rest)
	m.Group = b.access(l, expr.Conjoin(where), needV)
	outside := m.Group.Given
	m.Group.Given = func(index int) bool { return block.Holds(j.Left, index) || outside != nil && outside(index) }
	return m
}

// pairOf finds an equality of one of the columns with another column; at is -1 for none.
func pairOf(conds []expr.Node, columns []int, own int) (at int, from, to *expr.Column) {
	for i, n := range conds {
		x, y, ok := condition.EqualColumns(n)
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

// sequenceOf are the frame's columns by which a node's rows are ordered, the first key first. Columns in one
// list are equal in each row, or NULL in a row without a match.
func sequenceOf(n op.Node) [][]int {
	switch n := n.(type) {
	case *scan.Access:
		return n.SequenceColumns()
	case *join.Join:
		return n.Sequence
	case *pipeline.Filter:
		return sequenceOf(n.Child)
	case *join.JoinOrder:
		return sequenceOf(n.Orders[0].Join)
	}
	return nil
}

// joinedSequence adds to the left side's sequence the columns of the right side that a condition sets equal
// to it.
func joinedSequence(left [][]int, both []expr.Node) [][]int {
	out := make([][]int, len(left))
	for i, columns := range left {
		out[i] = append([]int(nil), columns...)
		for _, n := range both {
			if a, b, ok := condition.EqualColumns(n); ok {
				out[i] = addEqual(out[i], a.Index, b.Index)
			}
		}
	}
	return out
}

func addEqual(columns []int, a, b int) []int {
	for _, c := range columns {
		switch c {
		case a:
			return append(columns, b)
		case b:
			return append(columns, a)
		}
	}
	return columns
}
