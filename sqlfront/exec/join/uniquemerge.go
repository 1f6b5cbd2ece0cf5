package join

import (
	"cmp"

	"github.com/hbasekv/hbasekv/sqlfront/exec/agg"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/pipeline"
	"github.com/hbasekv/hbasekv/sqlfront/exec/pivot"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
)

// uniqueMerge joins two pipelines by the keys of their tables' rows, or of cells. Both are in the
// same sequence, and the right side has each key once, so that nothing is kept; pipelines of its
// sides over the same parts of both tables give the same rows. It reads both sides to their ends,
// so that the warnings do not depend on how they are divided into parts.
type uniqueMerge struct {
	joining
	l, r     *joinSide
	sequence op.Sequence
	gives    Kind
	group    *MatchGroup   // if matches need more than equal keys
	rest     expr.Node     // the rest of the condition; nil if there is none
	pairs    *kernel.Pairs // nil if rows are joined one by one
	tried    bool          // to make pairs
	right    rightBatches
	// late are the warnings of the right side, which follow all of the left side's, so that it does
	// not show how far one side is read ahead of the other. inPart says that the exchange reports
	// them.
	late   []op.Warning
	inPart bool
}

// uniqueMerge returns the join of two pipelines by K, or nil if it is not possible. Nothing of them
// may have been read.
func (n *Join) uniqueMerge(x *op.Frame, left, right op.Operator) *uniqueMerge {
	l, r := scan.BaseOf(left), scan.BaseOf(right)
	if l == nil || r == nil || pipeline.HasJoin(right) ||
		pipeline.HasJoin(left) && r.StoreScan.Ordered && !l.StoreScan.Ordered ||
		x.Lock != nil || l.X.Lock != nil || r.X.Lock != nil || !oncePerRow(right) ||
		l.Volatile() || r.Volatile() {
		return nil
	}
	leftKey, rightKey := scan.KeyColumn(left), scan.KeyColumn(right)
	rest, ok := Without(n.On, leftKey, rightKey)
	if !ok || rest != nil && scan.Impure(rest) || !AlignRows(l, r) {
		return nil
	}
	keepOrder(left)
	return n.startRows(x, left, right, rest)
}

// startRows joins pipelines whose scans are aligned.
func (n *Join) startRows(x *op.Frame, left, right op.Operator, rest expr.Node) *uniqueMerge {
	return &uniqueMerge{
		joining: newJoining(n, x, left), rest: rest, sequence: scan.BaseOf(left).Sequence(),
		l: &joinSide{in: op.Input{Operator: left}, first: n.LeftFirst, end: n.LeftEnd,
			keys: []int{scan.KeyColumn(left)}},
		r: &joinSide{in: op.Input{Operator: right}, first: n.RightFirst, end: n.RightEnd,
			keys: []int{scan.KeyColumn(right)}},
	}
}

// Reduces implements Reducing.
func (j *uniqueMerge) Reduces() bool { return true }

func (j *uniqueMerge) SameInParts() bool { return true }

func (j *uniqueMerge) OfPart(r *scan.PartRun, x *op.Frame) (op.Operator, *op.Frame) {
	left, x := r.Pipeline(j.l.in.Operator, x)
	within := x
	if j.gives != inPairs {
		within = nil // its partners have their own frame
	}
	right, _ := r.Pipeline(j.r.in.Operator, within)
	join := j.startLike(x, left, right)
	join.inPart, r.Late = true, append(r.Late, &join.late)
	if j.group != nil {
		join.asksOf(j.group.Start(r.Frame(j.group.x)))
	}
	return join, x
}

func (j *uniqueMerge) AddWork(out *explain.Step) {
	scan.AddWork(out.Steps[0], j.l.in.Operator)
	scan.AddWork(out.Steps[1], j.r.in.Operator)
}

func (j *uniqueMerge) DecideForParts() error                                { return nil }
func (j *uniqueMerge) JoinsParts() (built []op.Warning, ok bool, err error) { return nil, true, nil }
func (j *uniqueMerge) Beside() (right *scan.Scan, skips bool) {
	return scan.BaseOf(j.r.in.Operator), false
}

// startLike joins pipelines that are like those of another join.
func (j *uniqueMerge) startLike(x *op.Frame, left, right op.Operator) *uniqueMerge {
	out := j.startRows(x, left, right, j.rest)
	out.gives, out.l.keys, out.r.keys = j.gives, j.l.keys, j.r.keys
	return out
}

// AlignRows makes two scans return their rows in the same sequence, and reports whether that is
// possible.
func AlignRows(l, r *scan.Scan) bool {
	if l.StoreScan.Reverse || r.StoreScan.Reverse ||
		!l.Access.Tables[0].Partitioning.Equal(r.Access.Tables[0].Partitioning) {
		return false
	}
	ordered := l.StoreScan.Ordered || r.StoreScan.Ordered
	for _, s := range []*scan.Scan{l, r} {
		s.StoreScan.ByPartition, s.StoreScan.Ordered = true, ordered
	}
	return true
}

// keepOrder makes the joins of a pipeline return their rows in the order of its scan.
func keepOrder(s op.Operator) {
	for ; s != nil; s = scan.Below(s) {
		if j, ok := s.(interface{ keepOrder() }); ok {
			j.keepOrder()
		}
	}
}

// oncePerRow reports whether a pipeline returns each K at most once.
func oncePerRow(s op.Operator) bool {
	for ; s != nil; s = scan.Below(s) {
		switch s := s.(type) {
		case *scan.Scan:
			return s.UniqueColumns() == 1 || s.StoreScan.FirstPerRow && len(s.Tables) == 1
		case *pivot.Pivot:
			return true
		case *agg.StreamGroups:
			if len(s.Aggregate.Keys) == 1 {
				return true
			}
		}
	}
	return false
}

// ready reads both sides if they have no current row, and reports whether there is a left one.
// After the last left row it reads the right side of pairs to its end.
func (j *uniqueMerge) ready() (bool, error) {
	for {
		left, err := j.l.ready()
		if err != nil {
			return false, err
		}
		right, err := j.readyRight()
		if err != nil || left {
			return left, err
		}
		if !right || j.gives != inPairs { // semi joins need not read the rest
			j.tellLate()
			return false, nil
		}
		j.r.pass()
		if err := j.x.Ticks(1); err != nil {
			return false, err
		}
	}
}

func (j *uniqueMerge) readyRight() (ok bool, err error) {
	if j.r.isReady() {
		return !j.r.ended, nil
	}
	warnings, err := j.x.Apart(func() (err error) {
		ok, err = j.r.ready()
		return err
	})
	j.late = append(j.late, warnings...)
	return ok, err
}

// tellLate reports the right side's warnings.
func (j *uniqueMerge) tellLate() {
	if !j.inPart {
		j.x.Tell(j.late)
		j.late = nil
	}
}

// Next returns a batch of pairs, or the next joined row.
func (j *uniqueMerge) Next(want int) (*kernel.Batch, error) {
	if want > 1 {
		if b, err := j.nextBatch(); b != nil || err != nil {
			return b, err
		}
	}
	return op.Single(j.nextRow())
}

// nextRow moves to the next joined row; the sides' rows need not be in batches.
func (j *uniqueMerge) nextRow() (bool, error) {
	for {
		if err := j.x.Tick(); err != nil {
			return false, err
		}
		if ok, err := j.nextPair(); ok || err != nil {
			return ok, err
		}
		ok, err := j.ready()
		if !ok || err != nil {
			return false, err
		}
		met, behind, err := j.meets()
		if err != nil {
			return false, err
		}
		if behind {
			j.r.Step()
			continue
		}
		j.l.load(j.Env().Row)
		if met && j.gives == inPairs {
			j.r.load(j.Env().Row)
		}
		j.l.Step()
		if ok, err := j.accept(met); ok || err != nil {
			return ok, err
		}
	}
}

// accept reports whether the row in the frame belongs to the result; matched says that it has a
// right row.
func (j *uniqueMerge) accept(matched bool) (bool, error) {
	if j.gives != inPairs {
		return matched == (j.gives == Semi), nil
	}
	if matched && j.rest != nil {
		var err error
		if matched, err = expr.Holds(j.rest, j.Env()); err != nil {
			return false, err
		}
	}
	if !matched && j.Outer {
		clear(j.Env().Row[j.RightFirst:j.RightEnd])
	}
	return matched || j.Outer, nil
}

// meets reports whether the current left row has a partner, or behind if the current right one is
// before it.
func (j *uniqueMerge) meets() (met, behind bool, err error) {
	if j.group != nil {
		return j.group.meets(j)
	}
	c := j.compare()
	return c == 0, c > 0, nil
}

// compare compares the sides' current rows in their sequence. There must be a left one; a right
// side that has ended counts as greater.
func (j *uniqueMerge) compare() int {
	if j.r.ended {
		return -1
	}
	order := j.sequence.Compare(j.l.bytes(0), j.r.bytes(0), &j.l.partition, &j.r.partition)
	if order == 0 {
		return j.compareCells()
	}
	return order
}

// compareCells compares the current rows, which have the same K, by their further keys.
func (j *uniqueMerge) compareCells() (order int) {
	if n := len(j.l.keys); n > 1 {
		if order = op.CompareBytes(j.l.bytes(1), j.r.bytes(1)); order == 0 && n > timePosition {
			order = cmp.Compare(j.r.time(), j.l.time())
		}
	}
	return order
}

func (j *uniqueMerge) Close() error {
	j.tellLate()
	return cmp.Or(j.l.in.Close(), j.r.in.Close(), j.group.Close())
}

func (j *uniqueMerge) Step() *explain.Step {
	right := j.r.in.Operator.Step()
	if right.Table != nil {
		right.Table.Join = "merge join"
	}
	s := explain.NewStep(j.title("merge by row keys"), j.l.in.Operator.Step(), right)
	s.Add("on", expr.Print(j.On))
	j.group.describe(s)
	if j.sequence.Kind == op.ByPartition {
		s.Add("order", "partition by partition")
	}
	return s
}

// title says which left rows are returned.
func (j *uniqueMerge) title(how string) string {
	switch j.gives {
	case Semi:
		return "Semi join, " + how
	case Anti:
		return "Anti join, " + how
	}
	return j.Join.title(how)
}

// nextBatch returns the pairs of two batches, or nil if rows must be joined one by one.
func (j *uniqueMerge) nextBatch() (*kernel.Batch, error) {
	if j.gives != inPairs {
		return j.nextOwn()
	}
	for j.pairs.Left() == 0 {
		ok, err := j.ready()
		if !ok || err != nil || j.l.single || j.r.single || !j.mayPair() {
			return nil, err
		}
		j.find()
		if err := j.x.Ticks(1 + j.pairs.Len()); err != nil {
			return nil, err
		}
		if j.pairs.Narrow(j.Outer) && len(j.pairs.Out.Rows) > 0 {
			return j.pairs.Out, nil
		}
	}
	return nil, nil
}

// nextPair copies the next pair of a batch that is returned row by row into the frame.
func (j *uniqueMerge) nextPair() (bool, error) {
	for j.pairs.Left() > 0 {
		if ok, err := j.accept(j.pairs.Load(j.Env().Row)); ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}
