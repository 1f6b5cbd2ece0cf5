package exec

import (
	"cmp"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
)

// nestedLoop joins by opening the right side for each left row, whose values are in its frame.
type nestedLoop struct {
	joining
	open  func() (source, error) // the right side of the present left row
	on    expr.Node              // what else is asked of pairs
	right input                  // where it is open
	given int64                  // rows of the right side
	stats kv.ScanStats
	// touched are the leaves that were read, where that is measured.
	touched map[int]bool
}

// newLateralJoin joins with what reads the left row, such as a lateral derived table.
func newLateralJoin(n *Join, x *frame, left source) *nestedLoop {
	open := func() (source, error) {
		s, _, err := n.Each.open(x, request{})
		return s, err
	}
	return &nestedLoop{joining: newJoining(n, x, left), open: open, on: n.On}
}

func (j *nestedLoop) next(int) (*kernel.Batch, error) { return single(j.nextOf(j)) }

func (j *nestedLoop) begin() (err error) {
	j.right = input{}
	j.right.source, err = j.open()
	return err
}

func (j *nestedLoop) match() (bool, error) { return j.matchAmong(j.candidate, j.on) }

// candidate puts the next row of the right side into the frame.
func (j *nestedLoop) candidate() (bool, error) {
	ok, err := j.right.row(1)
	if ok || err != nil {
		j.given++
		return ok, err
	}
	return false, j.closeRight()
}

func (j *nestedLoop) leave() error { return j.closeRight() }

func (j *nestedLoop) closeRight() error {
	if s, ok := j.right.source.(*scan); ok {
		j.stats = addStats(j.stats, s.stats())
		j.touch(s)
	}
	err := j.right.close()
	j.right.source = nil
	return err
}

// touch notes what a lookup has read, for EXPLAIN ANALYZE.
func (j *nestedLoop) touch(s *scan) {
	if !s.x.stmt.measured || s.empty() {
		return
	}
	if j.touched == nil {
		j.touched = map[int]bool{}
	}
	for _, leaf := range s.leaves() {
		j.touched[leaf] = true
	}
}

func (j *nestedLoop) step() *explain.Step {
	return j.stepOver("right side for each row", j.eachStep(j.Each))
}

// stepOver describes the join, of which under describes what is opened for each left row.
func (j *nestedLoop) stepOver(how string, under *explain.Step) *explain.Step {
	s := explain.NewStep(j.title(how), j.left.step(), under)
	if j.On != nil {
		s.Add("on", expr.Print(j.On))
	}
	return s
}

// eachStep describes what is opened for each left row.
func (j *nestedLoop) eachStep(n Node) *explain.Step {
	s, _, err := n.open(j.x.stmt.newFrame(len(j.x.env.Row)), request{})
	if err != nil {
		return explain.Failed(err)
	}
	defer func() { _ = s.close() }()
	out := s.step()
	out.Rows = j.given
	return out
}

func (j *nestedLoop) close() error {
	var err error
	if j.right.source != nil {
		err = j.closeRight()
	}
	return cmp.Or(err, j.left.close())
}
