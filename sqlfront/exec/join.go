package exec

import (
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/pipeline"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/ordering"
)

// Join joins the rows of left with those of right for which on holds.
type Join struct {
	Left op.Node
	// Right is read once and kept, or lookup is opened for each left row with
	// the left row's values in its condition. Where there are both, lookups begin.
	Right  op.Node
	Lookup *scan.Access
	// Back, where it is not nil, finds the left rows of a right row: where the right
	// side has few and the left one many, that takes the place of reading it.
	Back *scan.Access
	// Few, where it is not nil, takes the place of right while the left side
	// has few rows: it is opened for each of them.
	Few op.Node
	// Each, where it is not nil, is the right side, which reads the left row: it is opened for each.
	Each  op.Node
	Outer bool
	// Anti says that whoever reads an outer join drops the rows with a partner: a left row
	// is done with the first one. It need not be made use of.
	Anti bool
	On   expr.Node
	// RightFirst to below rightEnd are the frame's columns of the right side.
	RightFirst, RightEnd int
	LeftFirst, LeftEnd   int
	// Kept are the frame's columns of the right side that are read of its rows.
	Kept []int
	// LeftKeys and rightKeys are equal in rows that join; they may be empty. Some of them may
	// fail or warn where they are Unsure: a row of which they do may join any other for which
	// holds what is Sure of the keys. Of pairs for which that does not nothing else is asked.
	LeftKeys, RightKeys []expr.Node
	Unsure              bool
	Sure                expr.Node
	// Merge, where it is not nil, joins two sequences.
	Merge *MergePlan
	// Same, where it is not nil, reads a relation that is joined with itself by its keys, each
	// row once for both sides: where these tell its rows apart, it takes the place of both.
	Same *scan.Access
	// Sequence are the columns of the rows' sequence; see sequenceOf.
	Sequence [][]int
	// Equal are columns of the left side that equal those of the right side.
	Equal map[int]*expr.Column
}

func (n *Join) Open(x *op.Frame, want op.Request) (op.Source, op.Grant, error) {
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
	if n.Few != nil {
		ahead := &pipeline.ReadAhead{Input: op.Input{Source: left}, First: n.LeftFirst, End: n.LeftEnd}
		return newDerivedJoin(n, x, ahead), g, nil
	}
	right, _, err := n.Right.Open(x, op.Request{})
	if err != nil {
		return nil, g, err
	}
	if j := n.rowJoin(x, left, x.Timed(right)); j != nil {
		return j, g, nil
	}
	free := !g.Ordered && g.Leading == 0 && !g.Together && !want.Sequenced
	return &keptJoin{joining: newJoining(n, x, left), right: x.Timed(right), free: free}, g, nil
}

// joinsSame reports whether each row of the left side joins itself and no other one, in the
// view that the statement runs in: 1,000,000 cells and groups above take 92 ms of processor
// time so, and 155 where they are merged with themselves, over 97 partitions 98 and 167.
func (n *Join) joinsSame(x *op.Frame) bool {
	if n.Same == nil || x.Lock != nil {
		return false
	}
	view, err := n.Same.View.Resolve(x.Context.View, &x.Env)
	return err == nil && (view.Versions == 1 || len(n.Merge.Left) > timePosition)
}

func (n *Join) openLeft(x *op.Frame, want op.Request, same bool) (op.Source, op.Grant, error) {
	if same {
		return n.Same.Open(x, want)
	}
	return n.Left.Open(x, want)
}

// leftWish is what of a wish the left side can grant for the join: its order is
// the join's. once says that each left row gives one.
func (n *Join) leftWish(want op.Request, once bool) op.Request {
	out := op.Request{Order: make([]ordering.Key, len(want.Order)), Leading: want.Leading.OfSome()}
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
		out.Limit = want.Limit // each row of left gives at least one
	}
	return out
}

func (n *Join) ReadsRight(e expr.Node) bool {
	return expr.Reads(e, func(index int) bool { return index >= n.RightFirst && index < n.RightEnd })
}

// ofLeft is an expression with columns of the left side in place of those of
// the right side that are equal to them.
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

func (n *Join) title(how string) string {
	switch {
	case n.Anti:
		return "Left join, rows without a partner, " + how
	case n.Outer:
		return "Left join, " + how
	}
	return "Join, " + how
}

// joining is what all joins share: for each left row its right rows, or NULLs
// where an outer join has none.
type joining struct {
	*Join
	x       *op.Frame
	left    op.Input
	wants   int  // how many left rows it takes, as it says to the left side
	onLeft  bool // a left row is being joined
	matched bool
	over    bool          // no left row to come has a match
	above   kernel.Reader // nil where that is not known
}

func newJoining(n *Join, x *op.Frame, left op.Source) joining {
	return joining{Join: n, x: x, left: op.Input{Source: left}, wants: 1}
}

// matcher finds the right rows of a left row.
type matcher interface {
	// Begin begins with the present left row. It leaves onLeft false where another join goes on with it.
	Begin() error
	// match puts the next right row that joins into the frame.
	match() (bool, error)
	// leave leaves the present left row, of which there may be more matches.
	leave() error
}

func (j *joining) Env() *expr.Env { return j.left.Env() }

func (j *joining) Under() op.Source { return j.left.Source }

// nextOf steps to the next joined row.
func (j *joining) nextOf(m matcher) (bool, error) {
	for {
		if err := j.x.Tick(); err != nil {
			return false, err
		}
		if !j.onLeft {
			if ok, err := j.nextLeft(m); !ok || err != nil {
				return false, err
			}
		}
		if ok, err := j.nextRight(m); ok || err != nil {
			return ok, err
		}
	}
}

// nextRight steps to the next joined row of the present left one, or reports false
// where there is none.
func (j *joining) nextRight(m matcher) (bool, error) {
	ok, err := m.match()
	if ok && j.Anti && err == nil {
		j.onLeft = false
		return false, m.leave()
	}
	if ok || err != nil {
		j.matched = true
		return ok, err
	}
	j.onLeft = false
	if j.Outer && !j.matched {
		clear(j.Env().Row[j.RightFirst:j.RightEnd])
		return true, nil
	}
	return false, nil
}

func (j *joining) nextLeft(m matcher) (bool, error) {
	if j.over {
		return false, nil
	}
	ok, err := j.left.Row(j.wants)
	if !ok || err != nil {
		return false, err
	}
	j.onLeft, j.matched = true, false
	err = m.Begin()
	return j.onLeft, err
}

// matchAmong steps to the first of the right rows, which next puts into the frame, for
// which the condition holds.
func (j *joining) matchAmong(next func() (bool, error), on expr.Node) (bool, error) {
	for {
		if ok, err := next(); !ok || err != nil {
			return false, err
		}
		ok, err := expr.Holds(on, j.Env())
		if ok || err != nil {
			return ok, err
		}
		if err := j.x.Tick(); err != nil {
			return false, err
		}
	}
}
