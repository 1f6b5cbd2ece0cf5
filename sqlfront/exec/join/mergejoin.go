package join

import (
	"cmp"
	"strconv"

	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/pipeline"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
)

// mergeJoin steps over two sides in the same sequence, so that each is read once. It keeps the rows
// of the right side that have the current key, for further left rows with it. Two large sides are
// joined in batches.
type mergeJoin struct {
	joining
	sequence op.Sequence

	// right has its own frame: its current row is the next one to join.
	right      *scan.Scan
	rights     op.Input     // its rows
	inPart     bool         // part of a pipeline that opens no further scans
	onePerKey  bool         // the keys are unique on the right side
	rows       *uniqueMerge // replaces this join
	decided    bool         // whether rows replaces it
	rightBegun bool
	rightOK    bool
	group      rowGroup
	// seek decides when the right side seeks a distant key, or the key is looked up instead;
	// leftSeek does for the left side.
	seek, leftSeek stepBudget
	ahead          op.PartitionOf // of the right row
	here           op.PartitionOf // of the left row
}

// stepBudget learns whether to pass rows without a match by steps or by a seek, which costs about
// as much as maxSteps steps.
type stepBudget struct{ budget, steps int }

const maxSteps = 32

// Step counts a row without a match; it returns true when it is time to seek.
func (p *stepBudget) Step() bool {
	p.steps++
	if p.steps <= p.budget {
		return false
	}
	p.budget, p.steps = max(p.budget/4, 1), 0
	return true
}

// arrived records that a match was found.
func (p *stepBudget) arrived() {
	if p.steps > 0 {
		p.budget = min(2*p.budget, maxSteps)
	}
	p.steps = 0
}

// openRight opens the right side in the left side's sequence. It returns true if its keys are
// unique.
func (j *mergeJoin) openRight() (bool, error) {
	m := j.Merge
	x := j.x.Stmt.NewFrame(len(j.x.Env.Row))
	copy(x.Env.Row, j.x.Env.Row)
	want := op.Desired{Sequenced: true}
	if j.sequence.Kind != op.ByPartition {
		want.Order = orderOf(m.Right, j.sequence.Kind)
	}
	right, g, err := m.Scan.Start(x, want)
	j.begins(right)
	j.onePerKey = err == nil && g.Rows.Unique <= len(m.Right)
	return j.onePerKey, err
}

func (j *mergeJoin) begins(right *scan.Scan) {
	j.right, j.rights, j.group.join = right, op.Input{Operator: right}, j
	j.seek.budget, j.leftSeek.budget = maxSteps, maxSteps
}

// Reduces implements Reducing.
func (j *mergeJoin) Reduces() bool { return false }

// SameInParts reports whether the join of the same parts of both sides gives the same rows, and
// skipping rows in them has no visible effect.
func (j *mergeJoin) SameInParts() bool {
	base := scan.Bottom(j.left.Operator)
	return !base.StoreScan.Reverse && base.X.Lock == nil && !j.right.Empty() && j.right.Quiet() &&
		quietBelow(j.left.Operator) &&
		(j.Merge.Rest == nil || !scan.Impure(j.Merge.Rest)) && base.Access.Tables[0].Partitioning.Equal(j.Merge.scheme())
}

// quietBelow reports whether a pipeline consists of scans and merge joins that neither warn nor
// fail.
func quietBelow(s op.Operator) bool {
	for ; s != nil; s = scan.Below(s) {
		switch s := s.(type) {
		case *scan.Scan:
			return s.Quiet()
		case *op.Timed, *mergeJoin:
		default:
			return false
		}
	}
	return false
}

// OfPart merges parts of the sides.
func (j *mergeJoin) OfPart(r *scan.PartRun, x *op.Frame) (op.Operator, *op.Frame) {
	left, x := r.Pipeline(j.left.Operator, x)
	right := r.ScanLike(j.right, nil)
	out := &mergeJoin{joining: newJoining(j.Join, x, left), sequence: scan.BaseOf(left).Sequence(), inPart: true}
	out.group.single = j.group.single
	out.begins(right)
	if out.decided = true; j.rows != nil {
		out.rows = out.uniqueMerge()
	}
	return out, x
}

func (j *mergeJoin) AddWork(out *explain.Step) {
	scan.AddWork(out.Steps[0], j.left.Operator)
	scan.AddWork(out.Steps[1], j.right)
}

func (j *mergeJoin) DecideForParts() error {
	j.decide()
	return nil
}

func (j *mergeJoin) JoinsParts() (built []op.Warning, ok bool, err error) { return nil, true, nil }
func (j *mergeJoin) Beside() (right *scan.Scan, skips bool)               { return j.right, !j.Outer }

func (j *mergeJoin) Next(want int) (*kernel.Batch, error) {
	if want > 1 {
		j.decide()
	}
	if j.rows != nil {
		return j.rows.Next(want)
	}
	return op.Single(j.nextOf(j))
}

// decide chooses to read all rows of both sides, instead of skipping some, if both have many and
// this causes no warnings of rows that would have been skipped.
func (j *mergeJoin) decide() {
	if j.decided || j.rightBegun {
		return
	}
	j.decided = true
	if j.joinsAllRows() {
		j.rows = j.uniqueMerge()
		j.ReadFor(j.above)
	}
}

// joinsAllRows makes the decision. No estimate is made for few rows.
func (j *mergeJoin) joinsAllRows() bool {
	base := scan.BaseOf(j.left.Operator)
	if base == nil || !j.onePerKey || j.sequence.Kind == op.Descending || !j.x.Chooses() || !j.ofScan(base) {
		return false
	}
	return j.SameInParts() && (j.x.Context.JoinRows > 0 ||
		!base.LooksUp() && !j.right.LooksUp() && scan.Evenly(base, j.right, pipeline.SmallScan))
}

// ofScan reports whether the left keys are those of a scan.
func (j *mergeJoin) ofScan(s *scan.Scan) bool {
	own := []int{s.Access.Columns.K, s.Access.Columns.Q, s.Access.Columns.T}
	for i, c := range j.Merge.Left {
		if c.Index != own[i] {
			return false
		}
	}
	return true
}

// uniqueMerge returns the join of the sides, of which nothing has been read.
func (j *mergeJoin) uniqueMerge() *uniqueMerge {
	return &uniqueMerge{
		joining: newJoining(j.Join, j.x, j.left.Operator), rest: j.Merge.Rest, sequence: j.sequence, inPart: j.inPart,
		l: &joinSide{in: j.left, first: j.LeftFirst, end: j.LeftEnd, keys: indices(j.Merge.Left)},
		r: &joinSide{in: j.rights, first: j.RightFirst, end: j.RightEnd, keys: indices(j.Merge.Right)},
	}
}

func indices(columns []*expr.Column) []int {
	out := make([]int, len(columns))
	for i, c := range columns {
		out[i] = c.Index
	}
	return out
}

// Begin makes the group that of the current left row's key.
func (j *mergeJoin) Begin() error {
	row := j.Env().Row
	for _, c := range j.Merge.Left {
		if row[c.Index].IsNull() {
			j.group.from = fromNowhere // the next row may have the group's key again
			return nil
		}
	}
	if j.group.has(row) {
		return j.group.again()
	}
	j.here.Known = false
	found, err := j.advance()
	if err != nil {
		return err
	}
	if found != fromNowhere {
		j.leftSeek.arrived()
	} else if !j.Outer {
		j.hurry()
	}
	return j.group.Begin(row, found)
}

// hurry makes the left side of an inner join skip rows that have no match.
func (j *mergeJoin) hurry() {
	if !j.rightOK {
		j.over = true
		return
	}
	if j.leftSeek.Step() {
		op.SkipTo(j.left.Operator, j.Merge.Left[0].Index, j.right.Env().Row[j.Merge.Right[0].Index].Raw())
	}
}

// advance moves the right side to the left row's key.
func (j *mergeJoin) advance() (origin, error) {
	if !j.rightBegun {
		j.rightBegun = true
		if err := j.stepRight(); err != nil {
			return fromNowhere, err
		}
	}
	for j.rightOK {
		c := j.compare()
		if c <= 0 {
			j.seek.arrived()
		}
		switch {
		case c == 0:
			return fromRight, nil
		case c < 0:
			return fromNowhere, nil
		case j.seek.Step() && !j.right.PassTo(j.Env().Row[j.Merge.Left[0].Index].Raw()) && !j.inPart:
			return fromLookup, nil
		}
		if err := j.stepRight(); err != nil {
			return fromNowhere, err
		}
	}
	return fromNowhere, nil
}

func (j *mergeJoin) stepRight() error {
	var err error
	j.rightOK, err = j.rights.Row(1)
	j.ahead.Known = false
	return err
}

// compare compares the left row with the right one in their sequence.
func (j *mergeJoin) compare() int {
	l, r := j.Env().Row, j.right.Env().Row
	for i, c := range j.Merge.Left {
		a, b := &l[c.Index], &r[j.Merge.Right[i].Index]
		order := 0
		switch i {
		case 0:
			order = j.sequence.Compare(a.Raw(), b.Raw(), &j.here, &j.ahead)
		case timePosition:
			order = j.sequence.Turned(cmp.Compare(b.Int(), a.Int()))
		default:
			order = j.sequence.Turned(op.CompareBytes(a.Raw(), b.Raw()))
		}
		if order != 0 {
			return order
		}
	}
	return 0
}

func (j *mergeJoin) match() (bool, error) {
	if j.group.from == fromIndex {
		return j.group.found.match()
	}
	return j.matchAmong(j.candidate, j.Merge.Rest)
}

// candidate copies the next row of the group into the frame.
func (j *mergeJoin) candidate() (bool, error) {
	row, err := j.group.Next()
	copy(j.Env().Row[j.RightFirst:j.RightEnd], row)
	return row != nil, err
}

func (j *mergeJoin) leave() error { return j.group.leave() }

func (j *mergeJoin) Close() error {
	return cmp.Or(j.left.Close(), j.right.Close(), j.group.Close())
}

func (j *mergeJoin) sides() (*joining, op.Operator) { return &j.joining, j.right }

func (j *mergeJoin) Step() *explain.Step {
	keys := make([]expr.Node, len(j.Merge.Right))
	for i, c := range j.Merge.Right {
		keys[i] = c
	}
	right := j.right.Step()
	right.Table.Join = "merge join"
	s := explain.NewStep(j.title("merge by "+op.PrintNodes(keys)), j.left.Step(), right)
	s.Add("on", expr.Print(j.On))
	j.addEstimate(s, j, j.right, right.Table)
	if j.sequence.Kind == op.ByPartition {
		s.Add("order", "partition by partition")
	}
	if j.group.files {
		s.AddSpilled()
	}
	if j.group.lookups > 0 {
		s.Add("lookups", strconv.FormatInt(j.group.lookups, 10))
		right.Stats = scan.AddStats(right.Stats, j.group.stats)
	}
	return s
}

// SkipTo implements op.Skipping.
func (j *mergeJoin) SkipTo(column int, row []byte) {
	op.SkipTo(j.left.Operator, j.ownColumn(column), row)
}

// ownColumn returns the left side's column of the first key, also for the right side's column.
func (j *mergeJoin) ownColumn(column int) int {
	if column == j.Merge.Right[0].Index {
		return j.Merge.Left[0].Index
	}
	return column
}

func (j *mergeJoin) ReadFor(above kernel.Reader) {
	j.above = above
	if j.rows != nil {
		j.rows.ReadFor(above)
	}
}
