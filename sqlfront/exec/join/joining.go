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

// Join joins the rows of Left with those of Right for which On is true.
type Join struct {
	Left op.Node
	// Right is read once and kept, or Lookup is opened for each left row, with the row's values in its
	// condition. If both are set, lookups come first.
	Right  op.Node
	Lookup *scan.Access
	// Back, if not nil, finds the left rows of a right row. It replaces reading the left side if the right
	// side has few rows and the left one many.
	Back *scan.Access
	// ByKey, if not nil, replaces Right as long as the left side has few rows: it is opened for each of them.
	ByKey op.Node
	// Among, if not nil, replaces Right if the left side has so few rows that this costs less than reading
	// all of the right side.
	Among *Among
	// Each, if not nil, is a right side that reads the left row: it is opened for each.
	Each  op.Node
	Outer bool
	// Anti says that the reader of an outer join drops the rows with a partner, so that a left row is done
	// with its first partner. It is a hint.
	Anti bool
	On   expr.Node
	// RightFirst to below RightEnd are the frame's columns of the right side.
	RightFirst, RightEnd int
	LeftFirst, LeftEnd   int
	// Kept are the frame's columns of the right side that are read.
	Kept []int
	// LeftKeys and RightKeys are equal in rows that join; they may be empty. With Unsure, some may fail or
	// warn: a row for which they do may join any other for which the condition Sure, on the keys, is true.
	// For other pairs nothing else is evaluated.
	LeftKeys, RightKeys []expr.Node
	Unsure              bool
	Sure                expr.Node
	// Merge, if not nil, joins two sequences.
	Merge *MergePlan
	// Same, if not nil, reads a relation that is joined with itself by its keys, each row once for both
	// sides: if the keys are unique, it replaces both sides.
	Same *scan.Access
	// Sequence are the columns of the rows' sequence; see sequenceOf.
	Sequence [][]int
	// Equal maps columns of the right side to columns of the left side that equal them.
	Equal map[int]*expr.Column
}

// joining is shared by all joins: for each left row it returns its right rows, or NULLs if an outer join has
// none.
type joining struct {
	*Join
	x       *op.Frame
	left    op.Input
	wants   int  // number of left rows requested from the left side
	onLeft  bool // a left row is being joined
	matched bool
	over    bool          // no remaining left row has a match
	above   kernel.Reader // nil if it is unknown
}

func newJoining(n *Join, x *op.Frame, left op.Operator) joining {
	return joining{Join: n, x: x, left: op.Input{Operator: left}, wants: 1}
}

// matcher finds the right rows of a left row.
type matcher interface {
	// Begin starts with the current left row. It leaves onLeft false if another join takes over.
	Begin() error
	// match copies the next right row that joins into the frame.
	match() (bool, error)
	// leave ends the current left row early, before its last match.
	leave() error
}

func (j *joining) Env() *expr.Env { return j.left.Env() }

func (j *joining) Under() op.Operator { return j.left.Operator }

// nextOf moves to the next joined row.
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

// nextRight moves to the next joined row of the current left one, or returns false if there is none.
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

// matchAmong moves to the first of the right rows, which next copies into the frame, for which the condition
// is true.
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

// MergePlan joins two sides in the same sequence by reading each once.
type MergePlan struct {
	// Left and Right are the columns that are equal in rows that join: K, K and Q, or K, Q and T.
	Left, Right []*expr.Column
	// First are the columns of the left side's sequence.
	First []*expr.Column
	// Rest is the rest of the condition.
	Rest expr.Node
	// Scan reads all of the right side, and Group its rows for one left row.
	Scan, Group *scan.Access
}

// scheme returns the partitioning of the right side.
func (m *MergePlan) scheme() *partition.Scheme { return m.Scan.Tables[0].Partitioning }

// timePosition is T's position in a sequence.
const timePosition = 2

// orderOf returns the columns' order in a sequence, as an ORDER BY.
func orderOf(columns []*expr.Column, kind op.SequenceKind) []ordering.Key {
	out := make([]ordering.Key, len(columns))
	for i, c := range columns {
		out[i] = ordering.Key{Expr: c, Desc: (kind == op.Descending) != (i == timePosition)}
	}
	return out
}

// maxLookups is the number of rows up to which lookups beat the merge of a table's partitions, each of which
// costs a seek first.
const maxLookups = 64

// Without returns a condition without the equality of two columns, and false if it does not contain that.
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

// joinsAlike reports whether parts of the left side can be joined independently.
func (n *Join) joinsAlike(x *op.Frame) bool {
	return x.Lock == nil && (n.On == nil || !scan.Impure(n.On)) && !slices.ContainsFunc(n.LeftKeys, scan.Impure)
}
