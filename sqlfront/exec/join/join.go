package join

import (
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/pipeline"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/ordering"
)

func (n *Join) Open(x *op.Frame, want op.Desired) (op.Operator, op.Provided, error) {
	same := n.joinsSame(x)
	below := n.leftWish(want, same)
	left, g, err := n.openLeft(x, below, same)
	if err != nil {
		return nil, g, err
	}
	g.OrderOf(below, want)
	g.Together = g.Together && len(below.Together) == len(want.Together)
	g.OnePerRow = false
	if same {
		return left, g, nil
	}
	left = x.Timed(left)
	if n.Merge != nil && n.merges(x, g, want) {
		return n.openMerge(x, left, g, below)
	}
	g.Rows.Unique = 0
	if n.Each != nil {
		return newLateralJoin(n, x, left), g, nil
	}
	if n.Lookup != nil {
		return newLookupJoin(n, x, left), g, nil
	}
	if n.ByKey != nil {
		ahead := &pipeline.ReadAhead{Input: op.Input{Operator: left}, First: n.LeftFirst, End: n.LeftEnd}
		return newDerivedJoin(n, x, ahead), g, nil
	}
	right, _, err := n.Right.Open(x, op.Desired{})
	if err != nil {
		return nil, g, err
	}
	if j := n.uniqueMerge(x, left, x.Timed(right)); j != nil {
		return j, g, nil
	}
	free := !g.Ordered && g.Leading == 0 && !g.Together && !want.Sequenced
	return &hashJoin{joining: newJoining(n, x, left), right: x.Timed(right), free: free}, g, nil
}

// joinsSame reports whether each row of the left side joins itself and no other, in the statement's
// view. Then the table is read once, instead of being merged with itself.
func (n *Join) joinsSame(x *op.Frame) bool {
	if n.Same == nil || x.Lock != nil {
		return false
	}
	view, err := n.Same.Shown(x)
	return err == nil && (view.Versions == 1 || len(n.Merge.Left) > timePosition)
}

func (n *Join) openLeft(x *op.Frame, want op.Desired, same bool) (op.Operator, op.Provided, error) {
	if same {
		return n.Same.Open(x, want)
	}
	return n.Left.Open(x, want)
}

// leftWish returns the desired properties that the left side can provide: its order is the join's.
// once says that each left row yields one row.
func (n *Join) leftWish(want op.Desired, once bool) op.Desired {
	out := op.Desired{Order: make([]ordering.Key, len(want.Order)), Leading: want.Leading.OfSome()}
	out.Together = make([]expr.Node, len(want.Together))
	for i, k := range want.Order {
		out.Order[i] = ordering.Key{Expr: n.ofLeft(k.Expr), Desc: k.Desc}
		if n.ReadsRight(out.Order[i].Expr) {
			out.Order = out.Order[:i]
			break
		}
	}
	if len(out.Order) < len(want.Order) && out.Leading == op.NotLeading {
		out.Order = nil
	}
	for i, e := range want.Together {
		out.Together[i] = n.ofLeft(e)
		if n.ReadsRight(out.Together[i]) {
			out.Together = nil
			break
		}
	}
	out.Sequenced = want.Sequenced || n.Merge != nil
	if (n.Outer || once) && len(out.Order) == len(want.Order) {
		out.Limit = want.Limit // each left row yields at least one row
	}
	return out
}

func (n *Join) ReadsRight(e expr.Node) bool {
	return expr.Reads(e, func(index int) bool { return index >= n.RightFirst && index < n.RightEnd })
}

// ofLeft replaces columns of the right side in an expression by the columns of the left side that
// are equal to them.
func (n *Join) ofLeft(e expr.Node) expr.Node {
	if len(n.Equal) == 0 {
		return e
	}
	return expr.Rewrite(e, func(e expr.Node) expr.Node {
		if c, ok := e.(*expr.Column); ok && n.Equal[c.Index] != nil {
			return n.Equal[c.Index]
		}
		return e
	})
}

// merges reports whether a merge is better than lookups. It reads rows that do not join, so it is
// not for statements that lock what they read.
func (n *Join) merges(x *op.Frame, g op.Provided, want op.Desired) bool {
	if x.Lock != nil || g.Rows.Kind == op.NoSequence {
		return false
	}
	few := want.Limit > 0 && want.Limit <= maxLookups
	return !few || g.Rows.Kind == op.ByPartition || n.Merge.scheme().Ordered()
}

// openMerge opens the right side in the left side's sequence. If the two are partitioned
// differently, both must be in order over all partitions.
func (n *Join) openMerge(
	x *op.Frame, left op.Operator, g op.Provided, below op.Desired,
) (op.Operator, op.Provided, error) {
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
