package join

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/exec/cost"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/pipeline"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/mayfail"
)

// Whether to look one side up for each row of the other, or to read it once instead, is decided
// while a join runs: by the rows so far, which are few in most statements, and by an estimate of
// the rest. No estimate is made for few rows.

// adaptiveJoin opens the right side for each left row as long as there are few: a lookup in a
// relation, or a derived table with the keys of the row. For many left rows it reads the right side
// once, in another join: in the order of the left rows if they are ordered by K, as those of a
// pivot are, otherwise with the right side kept.
type adaptiveJoin struct {
	nestedLoop
	// ahead is the left side if its rows are counted before any is joined; nil if lookups are
	// counted as they are made.
	ahead   *pipeline.ReadAhead
	lookups cost.Lookups
	ordered bool  // left rows are ordered by K, in one sequence
	decided bool  // whether there are many
	err     error // of the decision by rows ahead
	asked   bool  // for many rows
	// rows joins both sides in the order of K; nil if that was not prepared.
	rows *uniqueMerge
	// chosen joins the remaining left rows: rows, or a join with the right side kept.
	chosen op.Operator
}

// newLookupJoin looks up each left row's values in a relation.
func newLookupJoin(n *Join, x *op.Frame, left op.Operator) *adaptiveJoin {
	open := func() (op.Operator, error) {
		s, _, err := n.Lookup.Start(x, op.Desired{})
		if err != nil {
			return nil, err
		}
		return s, nil
	}
	j := &adaptiveJoin{nestedLoop: nestedLoop{joining: newJoining(n, x, left), open: open}}
	j.orderLeft()
	return j
}

// newDerivedJoin opens a derived table with the keys of each left row.
func newDerivedJoin(n *Join, x *op.Frame, ahead *pipeline.ReadAhead) *adaptiveJoin {
	open := func() (op.Operator, error) {
		s, _, err := n.ByKey.Open(x, op.Desired{})
		return s, err
	}
	j := &adaptiveJoin{nestedLoop: nestedLoop{joining: newJoining(n, x, ahead), open: open}, ahead: ahead}
	j.prepareRows()
	return j
}

// orderLeft requests the left rows in one sequence if there may be many. A join with kept rows may
// return them in another one.
func (j *adaptiveJoin) orderLeft() {
	base := scan.BaseOf(j.left.Operator)
	if base == nil || !j.mayKeep() || base.LooksUp() || base.StoreScan.Reverse || scan.Has[*hashJoin](j.left.Operator) {
		return
	}
	base.StoreScan.ByPartition, j.ordered = true, true
}

// prepareRows prepares the join with a derived table by K. It is not worth it if the left side has
// few rows by its condition.
func (j *adaptiveJoin) prepareRows() {
	base := scan.BaseOf(j.ahead)
	if base == nil || j.x.Lock != nil || base.LooksUp() {
		return
	}
	right, _, err := j.Join.Right.Open(j.x, op.Desired{})
	if err != nil {
		return // reading the right side will return the error
	}
	if j.rows = j.Join.uniqueMerge(j.x, j.ahead, j.x.Timed(right)); j.rows == nil {
		_ = right.Close() // nothing has been read
	}
}

// Next opens the right side for each row until there are many.
func (j *adaptiveJoin) Next(want int) (*kernel.Batch, error) {
	if !j.asked && (want > 1 || j.ahead != nil || j.chosen != nil) {
		j.askFirst()
	}
	if j.err != nil {
		return nil, j.err
	}
	if j.chosen == nil {
		if ok, err := j.nextOf(j); ok || err != nil || j.chosen == nil {
			return op.Single(ok, err)
		}
	}
	return j.chosen.Next(want)
}

// askFirst chooses the join before any row is joined, if the reader asks for many rows, and hands the left rows
// over to it. A join that was chosen for parts must get them before it reads any, too.
func (j *adaptiveJoin) askFirst() {
	j.asked = true
	switch {
	case j.ahead != nil:
		_ = j.countAhead()
	case !j.onLeft && j.decide() == nil:
		_ = j.keepNow() // its error is returned when rows are read
	}
	j.handOver()
	if to, ok := j.chosen.(op.Sparing); ok && j.above != nil {
		to.ReadFor(j.above)
	}
}

// handOver lets the chosen join continue with the left rows, some of which may have been read.
func (j *adaptiveJoin) handOver() {
	switch to := j.chosen.(type) {
	case *uniqueMerge:
		to.l.in = j.left
	case *hashJoin:
		to.left = j.left
	}
}

// Begin opens the right side for the left row, or continues with a join that has become cheaper.
func (j *adaptiveJoin) Begin() error {
	if j.ahead == nil {
		if err := j.ask(); err != nil {
			return err
		}
	}
	if j.chosen == nil {
		return j.nestedLoop.Begin()
	}
	j.asked, j.onLeft = true, false
	j.lookups.Made--
	j.left.Unread()
	j.handOver()
	return nil
}

// countAhead checks how many left rows there are, once.
func (j *adaptiveJoin) countAhead() error {
	if j.decided {
		return j.err
	}
	j.decided = true
	most := maxLookups
	if n := j.x.Context.JoinRows; n > 0 {
		most = min(n-1, most)
	}
	few, err := j.ahead.Read(most)
	if !few && err == nil {
		err = j.chooseForMany()
	}
	j.err = err
	return err
}

// chooseForMany chooses if there are more rows ahead than are looked up.
func (j *adaptiveJoin) chooseForMany() error {
	if j.rows != nil {
		j.chosen = j.rows
		return nil
	}
	right, _, err := j.Join.Right.Open(j.x, op.Desired{})
	if err == nil && j.Among != nil {
		right, err = j.Among.instead(j.x, j.ahead, right)
	}
	if err == nil {
		j.chosen = &hashJoin{joining: j.joining, right: right}
	}
	return err
}

// decide chooses to join the rows in their order if so many are expected that it costs less.
func (j *adaptiveJoin) decide() error {
	if j.decided || !j.ordered || j.chosen != nil {
		return nil
	}
	j.decided = true
	return j.readForAll(false)
}

// readForAll is readOnce for as many rows as are expected, unless they are few. It gives warnings
// only of rows that lookups would have read.
func (j *adaptiveJoin) readForAll(keep bool) error {
	few := j.x.Context.ManyRows()
	rows := scan.RowsAsking(j.left.Operator)
	if rows >= few {
		if joined, known := estimatedRows(j.left.Operator); known {
			rows = min(rows, int64(joined))
		}
	}
	if rows < few {
		return nil
	}
	return j.readOnce(cost.LookupCells*rows, true, keep)
}

// ask decides, whenever the cost of the lookups has doubled, whether to read the right side once
// for the remaining rows, if that costs less. A lookup also costs the cells that it reads, and wide
// rows have many.
func (j *adaptiveJoin) ask() error {
	if j.lookups.Made++; j.lookups.Made == maxLookups {
		if err := j.decide(); j.chosen != nil || err != nil {
			return err
		}
	}
	j.lookups.Cells = j.stats.Cells
	if !j.mayKeep() || !j.lookups.Doubled(j.x.Context.Limits(), cost.LookupCells) {
		return nil
	}
	return j.readOnce(j.lookups.Compared, false, true)
}

// mayKeep reports whether the right side may be read as a whole, which may be more cells than are
// looked up: no guard limits them.
func (j *adaptiveJoin) mayKeep() bool {
	return j.Right != nil && j.x.Chooses() && j.x.Context.Guard == (op.Guard{})
}

// readOnce chooses to read the right side once if that costs less than reading so many cells, and
// if it does not warn in case quiet is set: in the order of the left side, or keeping it if keep is
// set.
func (j *adaptiveJoin) readOnce(cells int64, quiet, keep bool) error {
	right, _, err := j.Right.Open(j.x, op.Desired{})
	if err != nil {
		return err
	}
	s, ok := scan.Of(right)
	if !ok || quiet && !s.Quiet() {
		return right.Close()
	}
	forced := j.x.Context.JoinRows > 0
	if e, known := s.Size(cost.LooksJoined); j.ordered && s.Quiet() && (forced || known && e.Stored < cells) {
		if j.rows = j.Join.uniqueMerge(j.x, j.left.Operator, j.x.Timed(right)); j.rows != nil {
			j.chosen = j.rows
			return nil
		}
	}
	if !keep || !forced && !readsSooner(s, cells) {
		return right.Close()
	}
	j.chosen = &hashJoin{joining: newJoining(j.Join, j.x, j.left.Operator), right: right}
	return nil
}

// keepNow decides before the first lookup, for a pipeline, of which all rows are read.
func (j *adaptiveJoin) keepNow() error {
	if j.chosen != nil || j.ahead != nil || j.lookups.Made > 0 || !j.mayKeep() {
		return nil
	}
	return j.readForAll(true)
}

// Reduces implements Reducing.
func (j *adaptiveJoin) Reduces() bool { return true }

func (j *adaptiveJoin) SameInParts() bool {
	if j.ahead != nil {
		return j.rows != nil || j.joinsAlike(j.x)
	}
	return j.Right != nil && j.joinsAlike(j.x) && !mayfail.Condition(j.On)
}

// OfPart returns a part of the chosen join.
func (j *adaptiveJoin) OfPart(r *scan.PartRun, x *op.Frame) (op.Operator, *op.Frame) {
	return r.Pipeline(j.chosen, x)
}

// AddWork adds nothing: the chosen join is run in parts, not this one.
func (j *adaptiveJoin) AddWork(*explain.Step) {}

func (j *adaptiveJoin) Beside() (right *scan.Scan, skips bool) {
	if j.rows == nil {
		return nil, false
	}
	return j.rows.Beside()
}

func (j *adaptiveJoin) DecideForParts() error { return j.keepNow() }

func (j *adaptiveJoin) JoinsParts() (built []op.Warning, ok bool, err error) {
	if j.ahead != nil {
		err = j.countAhead()
	}
	if kept, keeps := j.chosen.(*hashJoin); keeps && err == nil {
		return kept.JoinsParts()
	}
	return nil, j.chosen != nil, err
}

func (j *adaptiveJoin) Close() error {
	if j.chosen != nil {
		return j.chosen.Close()
	}
	err := j.nestedLoop.Close()
	if j.rows != nil {
		err = cmp.Or(err, j.rows.r.in.Close())
	}
	return err
}

func (j *adaptiveJoin) Step() *explain.Step {
	switch {
	case j.chosen != nil:
		return j.chosenStep()
	case j.ahead != nil:
		how := fmt.Sprintf("lookup for each row (of more than %d: right side kept)", maxLookups)
		if j.Among != nil {
			how = fmt.Sprintf("lookup for each row (of more than %d: for all at once, or right side kept)", maxLookups)
		}
		return j.stepOver(how, j.eachStep(j.ByKey))
	}
	under, right := j.lookupStep()
	s := j.stepOver("lookup for each row", under)
	j.addEstimate(s, j, right, nil)
	return s
}

// chosenStep describes the chosen join, and the lookups before.
func (j *adaptiveJoin) chosenStep() *explain.Step {
	s := j.chosen.Step()
	if j.ahead != nil {
		return s
	}
	s.Steps[1].Stats = scan.AddStats(s.Steps[1].Stats, j.stats)
	if j.chosen != op.Operator(j.rows) {
		s.Add("lookups", fmt.Sprintf("%d, then the right side was read once", j.lookups.Made))
	} else if j.lookups.Made > 0 {
		s.Add("lookups", fmt.Sprintf("%d, then both sides were read in key order", j.lookups.Made))
	}
	return s
}

// lookupStep describes what is opened for each left row.
func (j *adaptiveJoin) lookupStep() (*explain.Step, op.Operator) {
	s, err := j.lookup()
	if err != nil {
		return explain.Failed(err), nil
	}
	if j.x.Stmt.Measured {
		s.Measured = slices.Sorted(maps.Keys(j.touched))
	}
	out := s.Step()
	out.Rows, out.Stats = j.given, j.stats
	return out, s
}

func (j *adaptiveJoin) sides() (*joining, op.Operator) {
	if j.ahead == nil {
		if s, err := j.lookup(); err == nil {
			return &j.joining, s
		}
	}
	return nil, nil
}

// lookup returns the lookup without values.
func (j *adaptiveJoin) lookup() (*scan.Scan, error) {
	s, _, err := j.Lookup.Start(j.x.Stmt.NewFrame(len(j.x.Env.Row)), op.Desired{})
	return s, err
}

// newTurnedJoin looks up what a join with kept rows would have read.
func newTurnedJoin(j *hashJoin, right *pipeline.ReadAhead) *adaptiveJoin {
	n := &Join{Lookup: j.Back, On: j.On, RightFirst: j.LeftFirst, RightEnd: j.LeftEnd,
		LeftFirst: j.RightFirst, LeftEnd: j.RightEnd, LeftKeys: j.RightKeys, RightKeys: j.LeftKeys}
	return newLookupJoin(n, j.x, right)
}

// readsSooner reports whether the right side can be read and kept in the time of so many cells, and
// in half of the memory.
func readsSooner(right *scan.Scan, cells int64) bool {
	e, ok := right.Size(cost.LooksJoined)
	return ok && right.X.Context.Limits().ReadsSooner(e, cells)
}

// ReadFor sets the reader for a join that is chosen before any row is joined.
func (j *adaptiveJoin) ReadFor(above kernel.Reader) { j.above = above }
