package join

import (
	"cmp"

	"github.com/hbasekv/hbasekv/sqlfront/exec/cost"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/pipeline"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// hashJoin reads the right side once, keeps its rows, and joins each left row with those that have
// its keys. Pipelines over parts of the left side share these rows if they are in memory.
type hashJoin struct {
	joining
	right  op.Operator   // nil if another join has read it
	free   bool          // the left side's order was not promised
	turned *adaptiveJoin // replaces this join
	// rows are the right rows by their keys; without keys, all rows have the same one.
	rows     *spill.Index
	parts    *pipeline.Rows // what has read them in parts, or nil
	ready    bool
	err      error        // of preparing it
	warnings []op.Warning // of preparing it

	begun  bool
	unsure bool                          // some right row may join any left row
	known  bool                          // the left row has no NULL in its keys
	all    func() ([]value.Value, error) // returns the right rows if the left one may join any
	key    []byte
	found  spill.Matches // for the left row
	pairs  *hashPairs    // nil before the first left batch
}

// Next returns one row of the join, or many pairs if the reader takes all.
func (j *hashJoin) Next(want int) (*kernel.Batch, error) {
	if !j.begun {
		if err := j.start(); err != nil {
			return nil, err
		}
	}
	if j.turned != nil {
		return j.turned.Next(want)
	}
	for {
		if (want > 1 || j.pairs != nil) && j.shares() && !j.unsure {
			if b, err := j.nextBatch(); b != nil || err != nil {
				return b, err
			}
		}
		if err := j.x.Tick(); err != nil {
			return nil, err
		}
		if !j.onLeft {
			if ok, err := j.nextLeft(j); !ok || err != nil {
				return nil, err
			}
		}
		if ok, err := j.nextRight(j); ok || err != nil {
			return op.Single(ok, err)
		}
	}
}

// start reads the right side, or decides not to hash it. After that, the left side may be read far
// ahead.
func (j *hashJoin) start() error {
	j.begun, j.wants = true, op.AllRows
	if err := j.prepareOnce(); err != nil || j.turned != nil {
		return err
	}
	j.left.ReadFor(j)
	return nil
}

// prepareOnce reads the right side, or decides not to hash it.
func (j *hashJoin) prepareOnce() error {
	if !j.ready {
		j.ready = true
		j.warnings, j.err = j.x.Apart(j.prepare)
		j.x.Tell(j.warnings)
	}
	return j.err
}

func (j *hashJoin) prepare() error {
	err := j.turn()
	if err != nil || j.turned != nil {
		return err
	}
	if err = j.readRight(); err != nil || !j.Unsure {
		return err
	}
	j.unsure, err = j.rows.Has(nil)
	return err
}

// makeKey makes the key of the left row, and reports whether it decides which rows may join it.
func (j *hashJoin) makeKey() (sure bool, err error) {
	switch {
	case j.unsure:
		return false, nil
	case j.Unsure:
		j.key, j.known, sure = op.TryKeys(j.x, j.key[:0], j.LeftKeys, j.left.Env())
		return sure, nil
	}
	j.key, j.known, err = op.AppendKeys(j.key[:0], j.LeftKeys, j.left.Env())
	return true, err
}

// Begin starts joining a left row.
func (j *hashJoin) Begin() error {
	j.all = nil
	j.found.Clear()
	held := j.left.Env().Held
	mark := held.Mark()
	sure, err := j.makeKey()
	held.Release(mark)
	switch {
	case err != nil:
	case !sure:
		j.all = j.rows.All()
	case j.known:
		err = j.found.Seek(j.rows, j.key)
	}
	return err
}

// candidate copies the next right row that may join into the frame.
func (j *hashJoin) candidate() (bool, error) {
	switch {
	case j.all != nil:
		return j.matchAmong(func() (bool, error) { return j.take(j.all()) }, j.Sure)
	case !j.known:
		return false, nil
	}
	return j.take(j.found.Next())
}

// take copies a right row into the frame; nil is none.
func (j *hashJoin) take(row []value.Value, err error) (bool, error) {
	for at, v := range row {
		j.Env().Row[j.Kept[at]] = v
	}
	return row != nil, err
}

func (j *hashJoin) match() (bool, error) { return j.matchAmong(j.candidate, j.On) }

func (j *hashJoin) leave() error { return nil }

func (j *hashJoin) Close() error {
	err := j.left.Close()
	if j.right == nil {
		return err
	}
	err = cmp.Or(err, j.parts.Close(), j.right.Close())
	if j.turned != nil && j.turned.right.Operator != nil {
		err = cmp.Or(err, j.turned.closeRight())
	}
	if j.rows != nil {
		err = cmp.Or(err, j.rows.Close())
	}
	return err
}

// shares reports whether parts can share the right rows.
func (j *hashJoin) shares() bool { return j.turned == nil && j.rows != nil && !j.rows.Spilled() }

// OfPart joins a part of the left side with the same right rows.
func (j *hashJoin) OfPart(r *scan.PartRun, x *op.Frame) (op.Operator, *op.Frame) {
	left, x := r.Pipeline(j.left.Operator, x)
	out := &hashJoin{joining: newJoining(j.Join, x, left), rows: j.rows, ready: true, unsure: j.unsure}
	out.over = j.over
	return out, x
}

// Reduces implements Reducing.
func (j *hashJoin) Reduces() bool { return true }

func (j *hashJoin) SameInParts() bool         { return j.joinsAlike(j.x) }
func (j *hashJoin) AddWork(out *explain.Step) { scan.AddWork(out.Steps[0], j.left.Operator) }

func (j *hashJoin) DecideForParts() error { return nil }

func (j *hashJoin) JoinsParts() (built []op.Warning, ok bool, err error) {
	told := j.ready // if so, the warnings have been given
	if err := j.prepareOnce(); err != nil || !j.shares() {
		return nil, false, err
	}
	if !told {
		built = j.warnings
	}
	return built, true, nil
}

func (j *hashJoin) Beside() (right *scan.Scan, skips bool) { return nil, false }

func (j *hashJoin) sides() (*joining, op.Operator) { return &j.joining, j.right }

// keepOrder makes it return its rows in the order of the left side.
func (j *hashJoin) keepOrder() { j.free = false }

func (j *hashJoin) Step() *explain.Step {
	if j.turned != nil {
		return j.turnedStep()
	}
	how, buffer := "right side kept", "join buffer (Block Nested Loop)"
	if len(j.LeftKeys) > 0 {
		how, buffer = "right side kept by "+op.PrintNodes(j.RightKeys), "join buffer (hash join)"
	}
	right := j.right.Step()
	if right.Table != nil {
		right.Table.Join = buffer
	}
	s := explain.NewStep(j.title(how), j.left.Step(), right)
	if j.parts != nil && j.parts.Done {
		j.parts.DescribeAt(right, right)
	}
	if j.rows != nil {
		if s.Memory = j.rows.Peak(); j.rows.Spilled() {
			s.AddSpilled()
		}
	}
	if j.On != nil {
		s.Add("on", expr.Print(j.On))
	}
	j.addEstimate(s, j, j.right, right.Table)
	return s
}

// turn decides whether to look up the left side for each right row instead of reading it. It does
// so for few right rows if the left side has not been begun and its order was not promised. Without
// right rows there is nothing to read.
func (j *hashJoin) turn() error {
	left, ok := scan.Of(j.left.Operator)
	if !ok || !j.turnable(left) {
		return nil
	}
	ahead := &pipeline.ReadAhead{Input: op.Input{Operator: j.right}, First: j.RightFirst, End: j.RightEnd}
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

func (j *hashJoin) turnable(left *scan.Scan) bool {
	return j.Back != nil && j.free && j.x.Chooses() && !left.Empty() &&
		(j.x.Context.Estimator != nil || j.x.Context.JoinRows > 0) && !left.LooksUp()
}

// turnedStep describes a hash join that looks the left side up instead.
func (j *hashJoin) turnedStep() *explain.Step {
	under, left := j.turned.lookupStep()
	s := explain.NewStep(j.title("lookup in the left side for each right row"), under, j.right.Step())
	if j.On != nil {
		s.Add("on", expr.Print(j.On))
	}
	j.turned.addEstimate(s, j.turned, left, nil)
	return s
}
