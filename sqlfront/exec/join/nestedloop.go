package join

import (
	"cmp"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
)

// nestedLoop joins by opening the right side for each left row, whose values are in the frame.
type nestedLoop struct {
	joining
	open  func() (op.Operator, error) // opens the right side for the current left row
	on    expr.Node                   // the rest of the condition on pairs
	right op.Input                    // its Operator is nil while it is closed
	given int64                       // rows of the right side
	stats kv.ScanStats
	// touched are the partitions that were read, if measured.
	touched map[int]bool
}

// newLateralJoin joins with a node that reads the left row, such as a lateral derived table.
func newLateralJoin(n *Join, x *op.Frame, left op.Operator) *nestedLoop {
	open := func() (op.Operator, error) {
		s, _, err := n.Each.Open(x, op.Desired{})
		return s, err
	}
	return &nestedLoop{joining: newJoining(n, x, left), open: open, on: n.On}
}

func (j *nestedLoop) Next(int) (*kernel.Batch, error) { return op.Single(j.nextOf(j)) }

func (j *nestedLoop) Begin() (err error) {
	j.right = op.Input{}
	j.right.Operator, err = j.open()
	return err
}

func (j *nestedLoop) match() (bool, error) { return j.matchAmong(j.candidate, j.on) }

// candidate copies the next row of the right side into the frame.
func (j *nestedLoop) candidate() (bool, error) {
	ok, err := j.right.Row(1)
	if ok || err != nil {
		j.given++
		return ok, err
	}
	return false, j.closeRight()
}

func (j *nestedLoop) leave() error { return j.closeRight() }

func (j *nestedLoop) closeRight() error {
	if s, ok := j.right.Operator.(*scan.Scan); ok {
		j.stats = scan.AddStats(j.stats, s.Stats())
		j.touch(s)
	}
	err := j.right.Close()
	j.right.Operator = nil
	return err
}

// touch records what a lookup has read, for EXPLAIN ANALYZE.
func (j *nestedLoop) touch(s *scan.Scan) {
	if !s.X.Stmt.Measured || s.Empty() {
		return
	}
	if j.touched == nil {
		j.touched = map[int]bool{}
	}
	for _, leaf := range s.Leaves() {
		j.touched[leaf] = true
	}
}

func (j *nestedLoop) Step() *explain.Step {
	return j.stepOver("right side for each row", j.eachStep(j.Each))
}

// stepOver describes the join; under describes what is opened for each left row.
func (j *nestedLoop) stepOver(how string, under *explain.Step) *explain.Step {
	s := explain.NewStep(j.title(how), j.left.Step(), under)
	if j.On != nil {
		s.Add("on", expr.Print(j.On))
	}
	return s
}

// eachStep describes what is opened for each left row.
func (j *nestedLoop) eachStep(n op.Node) *explain.Step {
	s, _, err := n.Open(j.x.Stmt.NewFrame(len(j.x.Env.Row)), op.Desired{})
	if err != nil {
		return explain.Failed(err)
	}
	defer func() { _ = s.Close() }()
	out := s.Step()
	out.Rows = j.given
	return out
}

func (j *nestedLoop) Close() error {
	var err error
	if j.right.Operator != nil {
		err = j.closeRight()
	}
	return cmp.Or(err, j.left.Close())
}
