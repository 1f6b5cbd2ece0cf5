package exec

import (
	"github.com/hbasekv/hbasekv/sqlfront/exec/cost"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/pipeline"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
)

// Which side is looked up in which, and whether one is read once instead, is decided
// while a join runs: by the rows that it has seen, which are few of most statements,
// and an estimate of those that it has not. Few rows ask for no estimate.

// readsSooner reports whether the right side is read and kept in the time of so many
// cells, in half of the memory that there is.
func readsSooner(right *scan.Scan, cells int64) bool {
	e, ok := right.Size(cost.LooksJoined)
	return ok && right.X.Context.Limits().ReadsSooner(e, cells)
}

// turn decides whether to look the left side up for each right row in place of
// reading it. That is asked of few right rows and of a left side that is neither
// begun nor promised in an order. Where the right side has no row there is nothing to
// read.
func (j *keptJoin) turn() error {
	left, ok := scan.Of(j.left.Source)
	if !ok || !j.turnable(left) {
		return nil
	}
	ahead := &pipeline.ReadAhead{Input: op.Input{Source: j.right}, First: j.RightFirst, End: j.RightEnd}
	few, err := ahead.Read(int(cost.Limits{}.ManyRows()))
	if j.right = ahead; !few || err != nil {
		return err
	}
	if len(ahead.Rows) == 0 {
		j.over = true
	} else if j.x.Context.JoinRows > 0 || left.Exceeds(cost.LookupCells*int64(len(ahead.Rows))) {
		j.turned = newTurnedJoin(j, ahead)
	}
	return nil
}

func (j *keptJoin) turnable(left *scan.Scan) bool {
	return j.Back != nil && j.free && j.x.Chooses() && !left.Empty() &&
		(j.x.Context.Estimator != nil || j.x.Context.JoinRows > 0) && !left.LooksUp()
}

// newTurnedJoin looks up what a kept join would have read.
func newTurnedJoin(j *keptJoin, right *pipeline.ReadAhead) *adaptiveJoin {
	n := &Join{Lookup: j.Back, On: j.On, RightFirst: j.LeftFirst, RightEnd: j.LeftEnd,
		LeftFirst: j.RightFirst, LeftEnd: j.RightEnd, LeftKeys: j.RightKeys, RightKeys: j.LeftKeys}
	return newLookupJoin(n, j.x, right)
}

// turnedStep describes a kept join that looks the left side up.
func (j *keptJoin) turnedStep() *explain.Step {
	under, left := j.turned.lookupStep()
	s := explain.NewStep(j.title("lookup in the left side for each right row"), under, j.right.Step())
	if j.On != nil {
		s.Add("on", expr.Print(j.On))
	}
	j.turned.addEstimate(s, j.turned, left, nil)
	return s
}
