package join

import (
	"slices"

	"github.com/hbasekv/hbasekv/partition"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
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
	// ByKey, where it is not nil, takes the place of right while the left side
	// has few rows: it is opened for each of them.
	ByKey op.Node
	// Among, where it is not nil, takes the place of right while the left side has not so many rows that to read all
	// of the right one costs less.
	Among *Among
	// Each, where it is not nil, is the right side, which reads the left row: it is opened for each.
	Each  op.Node
	Outer bool
	// Anti says that the reader of an outer join drops the rows with a partner, so that a left row
	// is done with its first partner. It is a hint.
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

func newJoining(n *Join, x *op.Frame, left op.Operator) joining {
	return joining{Join: n, x: x, left: op.Input{Operator: left}, wants: 1}
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

func (j *joining) Under() op.Operator { return j.left.Operator }

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

func (n *Join) title(how string) string {
	switch {
	case n.Anti:
		return "Left join, rows without a partner, " + how
	case n.Outer:
		return "Left join, " + how
	}
	return "Join, " + how
}

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

// timePosition is T's place in a sequence.
const timePosition = 2

// orderOf is the keys' order in a sequence, as ORDER BY says it.
func orderOf(columns []*expr.Column, kind op.SequenceKind) []ordering.Key {
	out := make([]ordering.Key, len(columns))
	for i, c := range columns {
		out[i] = ordering.Key{Expr: c, Desc: (kind == op.Descending) != (i == timePosition)}
	}
	return out
}

// maxLookups is up to how many rows lookups beat the merge of a table's
// partitions, of which each must be sought first.
const maxLookups = 64

// Without is a condition without the equality of two columns, false where it does not
// ask for that.
func Without(on expr.Node, x, y int) (expr.Node, bool) {
	var rest []expr.Node
	found := false
	for _, n := range expr.Conjuncts(on) {
		if c, ok := n.(*expr.Compare); ok && c.Op == expr.Eq &&
			(op.IsAt(c.L, x) && op.IsAt(c.R, y) || op.IsAt(c.L, y) && op.IsAt(c.R, x)) {
			found = true
			continue
		}
		rest = append(rest, n)
	}
	return expr.Conjoin(rest), found
}

// joinsAlike reports whether parts of the left side are joined as all of it is.
func (n *Join) joinsAlike(x *op.Frame) bool {
	return x.Lock == nil && (n.On == nil || !scan.Impure(n.On)) && !slices.ContainsFunc(n.LeftKeys, scan.Impure)
}
